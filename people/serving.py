"""Serving an application on a local port, with time limits per connection."""

import asyncio
import errno
import ipaddress
import re
import socket
import struct
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import Any, NamedTuple

import h11
import psutil
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from arena.errors import ConfigError, EvaluationError
from people.play.page_protocol import MAX_MESSAGE_BYTES
from people.play.security import LOOPBACK, ip_of

try:
    import resource
except ImportError:  # Windows, which has no limit of open files.
    resource = None  # type: ignore[assignment]

REQUEST_S = 20.0
"""A request, with its body, must arrive within this time. The next on a connection, too. The largest form
does so at 26 kB/s."""

STALLED_S = 30.0
"""Seconds within which a client must read more of the response."""

MAX_WAITING = 4096
"""Connections without a complete request, each of which takes 20 kB. Of more, and of more than half as many
from one address, the oldest is closed: a browser sends its request as soon as it is connected."""

NO_LINGER = struct.pack("ii", 1, 0)
"""Option that frees unread data. The system keeps megabytes otherwise."""


class WaitingConnections:
    """Connections, at most `limit`, without a complete request, by address, oldest first."""

    def __init__(self, limit: int = MAX_WAITING) -> None:
        self._limit = limit
        self._by_address: dict[str, dict[TimedProtocol, None]] = {}
        self._count = 0

    def add(self, connection: "TimedProtocol") -> None:
        """Add a connection that is not here yet. The oldest is closed if there are too many."""
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
    """Connection that is closed when its client stalls. The request may not arrive, or the response may not
    be read. Uvicorn limits only the idle time between requests."""

    def __init__(self, all_waiting: WaitingConnections, **options: Any) -> None:
        super().__init__(**options)
        self._all_waiting = all_waiting
        self._waiting: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None

    @property
    def address(self) -> str:
        """The address of the other end. Behind a proxy, that of the proxy."""
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
        """Close the connection now, and free the memory of unread data."""
        self._stop_waiting()
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        self.transport.abort()

    def _update(self) -> None:
        """Wait for the client if it is its turn. Its turn is to begin a request or to receive the rest."""
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


PING_S = 5.0
"""A connection that vanished silently is noticed after twice this time."""

BACKLOG = 32
"""Maximum connections accepted in one go. Each takes 0.2 ms, in which no game takes a step."""

QUEUE = 1024
"""Connections that wait to be accepted. Others have to try again a second later."""

MAX_FILES = 16_384
"""File descriptors that are asked for."""

EVERYWHERE = ("0.0.0.0", "::")
"""Addresses that stand for all networks of this machine."""

NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?")


def bound(host: str, port: int) -> socket.socket:
    """Return a bound socket; port 0 selects a free one. Raises EvaluationError if that is impossible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only on connections whose socket names its protocol. Without it the last part
    # of every picture waits until the page has acknowledged those before it.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    # On Windows it would let a second server take the same port.
    if sys.platform != "win32":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        taken = error.errno == errno.EADDRINUSE
        advice = "is taken; choose another with --port" if taken else f"cannot be opened: {error.strerror}"
        raise EvaluationError(f"{host} port {port} {advice}") from None
    return listener


def url_of(host: str, listener: socket.socket, names: Sequence[str] = ()) -> str:
    """Return the address to open. It uses the first address of `names`, and ends in a slash."""
    addresses = [name for name in names if ip_of(name) and name not in LOOPBACK] or ["localhost"]
    name = addresses[0] if host in EVERYWHERE else host
    return f"http://{f'[{name}]' if ':' in name else name}:{listener.getsockname()[1]}/"


class Address(NamedTuple):
    """Address of a server: host, port, accepted names, and proxies.

    Proxies are the addresses and networks of web servers that forward requests: they provide a request's
    origin, and whether it used HTTPS. Those on this machine are always accepted.
    """

    host: str
    port: int
    names: tuple[str, ...]
    proxies: tuple[str, ...]


def address_of(host: str, port: int, names: Sequence[str] = (), proxies: Sequence[str] = ()) -> Address:
    """Return the address with all its names. Raises ConfigError if something is malformed, or if no name is
    given although others can reach the server."""
    for name in names:
        if not (ip_of(name) or NAME.fullmatch(name)):
            raise ConfigError(
                f"--name: got {name!r}, expected a host name such as study.university.example, or an address"
            )
    for proxy in proxies:
        try:
            ipaddress.ip_network(proxy)
        except ValueError as error:
            raise ConfigError(
                f"--proxy: {error}; expected an address, or a network such as 10.0.0.0/24"
            ) from None
    if host in EVERYWHERE and not names:
        known = [each for each in own_addresses() if each not in LOOPBACK] or ["study.university.example"]
        raise ConfigError(
            f"--host {host}: --name is missing: give the address that others open in their browsers, such as "
            f"--name {known[0]}; repeat it for further names"
        )
    own = () if host in EVERYWHERE else (host,)
    given = (name.lower() for name in names)
    return Address(host, port, tuple(dict.fromkeys((*LOOPBACK, *own, *given))), tuple(proxies))


def own_addresses() -> list[str]:
    """Return the IPv4 addresses of this machine's networks."""
    networks = psutil.net_if_addrs().values()
    return [each.address for network in networks for each in network if each.family == socket.AF_INET]


def trusted(proxies: Sequence[str]) -> list[str]:
    """Addresses and networks whose forwarding headers count: proxies, and this machine. A socket for IPv6
    that takes IPv4, too, writes its addresses as ::ffff:a.b.c.d: these count as well."""
    known = [ipaddress.ip_network(each) for each in (*LOOPBACK[1:], *proxies)]
    mapped = [f"::ffff:{net.network_address}/{96 + net.prefixlen}" for net in known if net.version == 4]
    return [*map(str, known), *mapped]


class Server(uvicorn.Server):
    """A server of an application. `ready` is called when pages can be opened; `proxies` as in `Address`."""

    def __init__(
        self, app: FastAPI, ready: Callable[[], None] = lambda: None, proxies: Sequence[str] = ()
    ) -> None:
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
            forwarded_allow_ips=trusted(proxies),
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
        for listener in sockets or ():
            # Asyncio has made the queue as short as what it accepts in one go.
            listener.listen(QUEUE)
        self._ready()


def serve(
    app: FastAPI,
    recorder: AbstractContextManager[object],
    address: Address,
    listener: socket.socket,
    ready: Callable[[], None],
    advice: str,
) -> None:
    """Serve until Ctrl-C or SIGTERM, then leave `recorder`. `ready` is called when pages can be opened. If
    other machines can reach the server, a warning with `advice` is printed."""

    def started() -> None:
        if address.host not in LOOPBACK:
            warning = f"Warning: other machines can reach {address.host}, without encryption; {advice}."
            print(warning, file=sys.stderr)
        ready()

    with recorder, suppress(KeyboardInterrupt):
        Server(app, started, address.proxies).run([listener])
    print("Stopped. Participants can resume where they left off.", flush=True)


def _allow_many_connections() -> int:
    """Raise the limit of open files, one per connection. Many systems allow 1,024 by default."""
    if resource is None:
        return MAX_FILES
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_FILES if most == resource.RLIM_INFINITY else min(most, MAX_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(now, wanted), most))
    return max(now, wanted)
