"""Security headers of every response, and checks of where a request comes from."""

from contextlib import suppress
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "arena_llm_participant"
"""Contains the participant's token; scripts cannot read it, and requests from other sites do not carry it."""

COOKIE_AGE_S = 90 * 24 * 3600

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        "media-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
HTTPS_ONLY = "max-age=31536000"
"""Of a page that came by HTTPS: for a year, browsers open this host by nothing else."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Guard:
    """Sets `HEADERS` on every response, and refuses requests for host names other than `names`.

    Without the latter, any web site could let its own name point to this machine and read our pages.
    `names` None: any name is accepted, for a server that is reached by a host name of its network.
    """

    def __init__(self, app: ASGIApp, names: tuple[str, ...] | None = None) -> None:
        self._app, self._names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request; see the ASGI specification."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        if self._names is not None and host_of(Headers(scope=scope)) not in self._names:
            await self._refuse(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if scope["scheme"] == "https":
                    headers.setdefault("strict-transport-security", HTTPS_ONLY)
            await send(message)

        # A request that was broken off needs no answer.
        with suppress(ClientDisconnect):
            await self._app(scope, receive, with_headers)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "wrong host name"})
            return
        text = f"This server only answers to {', '.join(self._names or ())}."
        await PlainTextResponse(text, 421, headers=HEADERS)(scope, receive, send)


def host_of(headers: Headers) -> str:
    """The host name that a request is addressed to, without the port; "" if it is malformed."""
    try:
        return urlsplit("//" + headers.get("host", "")).hostname or ""
    except ValueError:
        return ""


def same_origin(connection: HTTPConnection) -> bool:
    """Whether the page that sends this request comes from this server: its Origin names the same host."""
    origin = urlsplit(connection.headers.get("origin", ""))
    return origin.scheme in ("http", "https") and origin.netloc == connection.headers.get("host", "")
