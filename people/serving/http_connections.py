"""HTTP connections with time limits, so that clients that never finish cannot exhaust the server."""

import asyncio
import socket
import struct
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_S = 20.0
"""A request, with its body, must arrive within this time; the next on a connection, too. The largest form
does so at 26 kB/s."""

STALLED_S = 30.0
"""A client that does not read the response must make room for more of it within this time."""

MAX_WAITING = 4096
"""Connections without a complete request, each of which takes 20 kB. Of more, and of more than half as many
from one address, the oldest is closed: a browser sends its request as soon as it is connected."""

NO_LINGER = struct.pack("ii", 1, 0)
"""Otherwise the system keeps megabytes for a client that does not read them."""


class WaitingConnections:
    """The connections that have not sent a complete request, by address, oldest first; at most `limit`."""

    def __init__(self, limit: int = MAX_WAITING) -> None:
        self._limit = limit
        self._by_address: dict[str, dict[TimedProtocol, None]] = {}
        self._count = 0

    def add(self, connection: "TimedProtocol") -> None:
        """Add a connection that is not here yet; the oldest is closed if there are too many."""
        group = self._by_address.setdefault(connection.address, {})
        group[connection] = None
        self._count += 1
        if self._count > self._limit:
            group = max(self._by_address.values(), key=len)
        if self._count > self._limit or len(group) > self._limit / 2:
            next(iter(group)).give_up()

    def remove(self, connection: "TimedProtocol") -> None:
        """Remove a connection."""
        group = self._by_address[connection.address]
        del group[connection]
        self._count -= 1
        if not group:
            del self._by_address[connection.address]


class TimedProtocol(H11Protocol):
    """A connection that is closed if a request does not arrive, or its response is not read.

    Uvicorn limits only the time between requests in which nothing arrives.
    """

    def __init__(self, all_waiting: WaitingConnections, **options: Any) -> None:
        super().__init__(**options)
        self._all_waiting = all_waiting
        self._waiting: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None

    @property
    def address(self) -> str:
        """The address of the other end; behind a proxy, that of the proxy."""
        return self.client[0] if self.client else ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is closed."""
        self._stop_waiting()
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A part of a request has arrived."""
        super().data_received(data)
        self._update()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """The connection becomes a websocket, which has time limits of its own."""
        self._stop_waiting()
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        """A response is sent; the next request may come."""
        super().on_response_complete()
        self._update()

    def pause_writing(self) -> None:
        """The client does not read as fast as it is sent to."""
        super().pause_writing()
        if self._stalled is None:
            self._stalled = self.loop.call_later(STALLED_S, self.give_up)

    def resume_writing(self) -> None:
        """The client has read enough."""
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def give_up(self) -> None:
        """Close the connection now, and free the memory of what was not read."""
        self._stop_waiting()
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        self.transport.abort()

    def _update(self) -> None:
        """Wait for the client if it is its turn, whether to begin a request or to send the rest."""
        if self.transport.get_protocol() is not self or self.transport.is_closing():
            return
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._wait()
        else:
            self._stop_waiting()

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(REQUEST_S, self.give_up)
            self._all_waiting.add(self)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
            self._all_waiting.remove(self)
