"""Security headers, request origins and rate limits."""

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import parse_qsl, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evaluation.by_hand.form import as_list
from people.store.database import clean
from people.texts import TOO_OFTEN

MAX_ADDRESSES = 10_000
"""Addresses that are remembered. The one that was quiet for longest is forgotten."""


class RateLimit:
    """Limit of `per_minute` requests per address, with equal bursts.

    It is an average. Addresses of this machine are not limited: behind a web server that does not forward
    addresses, everyone has the same. In IPv6 all addresses of a /64 network count as one, since a single
    computer can have them.
    """

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """For each address how many requests were left, and when."""

    def check(self, connection: HTTPConnection) -> None:
        """Count a request. Raises HTTPException (429) if it is one too many."""
        address = _network(connection.client.host if connection.client else "")
        if address is None:
            return
        now = time.monotonic()
        left, at = self._left.pop(address, (float(self._per_minute), now))
        left = min(left + (now - at) * self._per_minute / 60, self._per_minute)
        self._left[address] = (left - 1 if left >= 1 else left, now)
        if len(self._left) > MAX_ADDRESSES:
            self._left.popitem(last=False)
        if left < 1:
            wait_s = math.ceil((1 - left) * 60 / self._per_minute)
            raise HTTPException(429, TOO_OFTEN, {"retry-after": str(wait_s)})


def ip_of(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return a text's address; None if it is none."""
    with suppress(ValueError):
        return ipaddress.ip_address(text)
    return None


def _network(address: str) -> str | None:
    """Return the network limited together; None for this machine."""
    if (known := ip_of(address)) is None:
        return address
    # A socket for IPv6 that takes IPv4, too, writes its addresses as ::ffff:a.b.c.d.
    known = getattr(known, "ipv4_mapped", None) or known
    if known.is_loopback:
        return None
    return str(ipaddress.ip_network((known, 64), strict=False)) if known.version == 6 else str(known)


COOKIE = "arena_llm_participant"
"""Contains the participant's token. Scripts cannot read it, and requests from other sites do not carry it."""

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

LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Guard:
    """Middleware that sets `HEADERS` and refuses other host names.

    Without that, any web site could let its own name point to this machine and read our pages. `names` None:
    any name is accepted, for a server that is reached by a host name of its network.
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
                    # For a year, browsers open this host by HTTPS only.
                    headers.setdefault("strict-transport-security", "max-age=31536000")
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
    """The host name that a request is addressed to, without the port. "" if it is malformed."""
    try:
        return urlsplit("//" + headers.get("host", "")).hostname or ""
    except ValueError:
        return ""


def same_origin(connection: HTTPConnection) -> bool:
    """Return whether a request's page comes from this server. Its Origin names the same host."""
    origin = urlsplit(connection.headers.get("origin", ""))
    return origin.scheme in ("http", "https") and origin.netloc == connection.headers.get("host", "")


MAX_FORM_BYTES = 512 * 1024
"""Enough for 100 answers of full length."""

MAX_FIELDS = 500
LIST = "[]"
MAX_PARAMETER = 200
"""Characters of a parameter of a link; those of Prolific have 24."""


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a form sent by one of our pages.

    Of a repeated field, the last value; all values of a field whose name ends in `LIST` are one answer, as
    made by `as_list`.

    Raises HTTPException if it comes from another site, is too large or is not a form, or if too many come.
    """
    request.app.state.forms.check(request)
    if not same_origin(request):
        raise HTTPException(403, "The form was sent by a page of another site.")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    # A form without fields has no body, and may have no content type.
    if kind not in ("", "application/x-www-form-urlencoded"):
        raise HTTPException(415, "Expected a form (application/x-www-form-urlencoded).")
    too_large = HTTPException(413, f"The form is larger than {MAX_FORM_BYTES // 1024} KiB.")
    if int(request.headers.get("content-length", 0)) > MAX_FORM_BYTES:
        raise too_large
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > MAX_FORM_BYTES:
            raise too_large
    try:
        text = data.decode("utf-8", "replace")
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="replace")
    except ValueError:
        raise HTTPException(400, f"The form has more than {MAX_FIELDS} fields.") from None
    lists: dict[str, list[str]] = {}
    for name, value in pairs:
        if name.endswith(LIST):
            lists.setdefault(name.removesuffix(LIST), []).append(_plain(value))
    fields = {name: _plain(value) for name, value in pairs if not name.endswith(LIST)}
    return fields | {name: as_list(values) for name, values in lists.items()}


def link_parameters(given: Mapping[str, str], names: tuple[str, ...]) -> dict[str, str]:
    """Return a link's parameters with these names, cut to `MAX_PARAMETER`."""
    return {name: _plain(given[name])[:MAX_PARAMETER] for name in names if given.get(name)}


def answers_in(form: Mapping[str, str]) -> dict[str, str]:
    """Return the answers in a form, by the ids of the questions."""
    return {key.removeprefix("item-"): value for key, value in form.items() if key.startswith("item-")}


def _plain(text: str) -> str:
    """Without NUL, lone surrogates, surrounding spaces and carriage returns."""
    return clean(text).replace("\r\n", "\n").strip()
