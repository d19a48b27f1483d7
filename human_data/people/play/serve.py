"""Run an application on a port of this machine."""

import errno
import socket
from collections.abc import Callable

from fastapi import FastAPI

from arena.errors import EvaluationError
from human_data.people.play.messages import LARGEST_MESSAGE

PING_S = 5.0
"""A connection that vanished without a word is noticed after so long, and as long again."""


def bound(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any that is free. Raises EvaluationError where it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        taken = error.errno == errno.EADDRINUSE
        advice = "is taken; choose another with --port" if taken else f"cannot be opened: {error.strerror}"
        raise EvaluationError(f"{host} port {port} {advice}") from None
    return listener


def serve(app: FastAPI, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until Ctrl-C or SIGTERM; `ready` is called when pages can be opened."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready()

    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        # Twice as much as is taken, so that what is a little too large is refused in our own words.
        ws_max_size=2 * LARGEST_MESSAGE,
        ws_per_message_deflate=False,
        ws_ping_interval=PING_S,
        ws_ping_timeout=PING_S,
        timeout_graceful_shutdown=2,
    )
    Server(config).run([listener])
