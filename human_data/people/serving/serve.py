"""Serving an application on a port of this machine."""

import errno
import resource
import socket
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from typing import Any, Protocol

import uvicorn
from fastapi import FastAPI

from arena.errors import EvaluationError
from human_data.people.play.page_protocol import MAX_MESSAGE_BYTES
from human_data.people.play.security import LOOPBACK
from human_data.people.serving.http_connections import MAX_WAITING, TimedProtocol, WaitingConnections

PING_S = 5.0
"""A connection that vanished silently is noticed after twice this time."""

BACKLOG = 128
"""Connections that are accepted in one go: each takes 0.1 ms, in which no game takes a step."""

MAX_FILES = 16_384
"""File descriptors that are asked for."""


def bound(host: str, port: int) -> socket.socket:
    """A bound socket; port 0 selects a free one. Raises EvaluationError if that is impossible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only on connections whose socket names its protocol. Without it the last part
    # of every picture waits until the page has acknowledged those before it.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        taken = error.errno == errno.EADDRINUSE
        advice = "is taken; choose another with --port" if taken else f"cannot be opened: {error.strerror}"
        raise EvaluationError(f"{host} port {port} {advice}") from None
    return listener


def url_of(host: str, listener: socket.socket) -> str:
    """The address to open, with a slash at the end."""
    name = "localhost" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    return f"http://{name}:{listener.getsockname()[1]}/"


def answered_names(host: str, names: tuple[str, ...] = ()) -> tuple[str, ...] | None:
    """The host names that the server answers to; None: any."""
    return (*LOOPBACK, *names) if host in LOOPBACK or names else None


class Closes(Protocol):
    """What is closed when the server has stopped."""

    def close(self) -> None:
        """Store what is not stored, and free everything."""
        ...


class Server(uvicorn.Server):
    """A server of an application; `ready` is called when its pages can be opened."""

    def __init__(self, app: FastAPI, ready: Callable[[], None] = lambda: None) -> None:
        limit = min(MAX_WAITING, _allow_many_connections() // 2)
        http: Any = partial(TimedProtocol, WaitingConnections(limit))
        config = uvicorn.Config(
            app,
            http=http,
            backlog=BACKLOG,
            # Below this level there is a line for each request that is not HTTP.
            log_level="error",
            access_log=False,
            server_header=False,
            # Twice the limit, so that slightly larger messages are refused with our own reason.
            ws_max_size=2 * MAX_MESSAGE_BYTES,
            ws_per_message_deflate=False,
            ws_ping_interval=PING_S,
            ws_ping_timeout=PING_S,
            timeout_graceful_shutdown=2,
        )
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening."""
        await super().startup(sockets)
        self._ready()


def serve(
    app: FastAPI,
    recorder: Closes,
    host: str,
    listener: socket.socket,
    ready: Callable[[], None],
    advice: str,
) -> None:
    """Serve until Ctrl-C or SIGTERM, then close `recorder`; `ready` is called when pages can be opened.

    If other machines can reach the server, a warning with `advice` is printed.
    """

    def started() -> None:
        if host not in LOOPBACK:
            warning = f"Warning: other machines can reach {host}, without encryption; {advice}."
            print(warning, file=sys.stderr)
        ready()

    with closing(recorder), suppress(KeyboardInterrupt):
        Server(app, started).run([listener])
    print("Stopped. Participants can resume where they left off.", flush=True)


def _allow_many_connections() -> int:
    """How many files may be open, one for each connection: many systems allow 1,024 unless asked for more."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_FILES if most == resource.RLIM_INFINITY else min(most, MAX_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(now, wanted), most))
    return max(now, wanted)
