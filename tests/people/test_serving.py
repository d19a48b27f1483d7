"""The socket that people's pages connect to, its names, and connections of clients that never finish."""

import asyncio
import re
import select
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager, suppress

import httpx
import pytest
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

from people import serving as server_module
from people.play.app import create_suite_app
from people.serving import Server, address_of, bound, own_addresses, trusted, url_of
from tests.people.play.test_suites import course


def test_small_messages_are_sent_immediately():
    """An accepted websocket has TCP_NODELAY: with Nagle's algorithm pictures come some 40 ms late."""

    async def answer(connection: ServerConnection) -> None:
        accepted = connection.transport.get_extra_info("socket")
        await connection.send(str(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))

    async def ask() -> str:
        listener = bound("127.0.0.1", 0)
        address = f"ws://127.0.0.1:{listener.getsockname()[1]}/"
        async with serve(answer, sock=listener), connect(address, proxy=None) as page:
            return await page.recv()

    assert asyncio.run(ask()) != "0"


def test_a_server_for_others_needs_to_know_its_names(command, tmp_path, monkeypatch):
    monkeypatch.setattr("people.serving.own_addresses", lambda: ["127.0.0.1", "192.0.2.7"])
    play = ("play", "01-01-01", "--no-open", "--host", "0.0.0.0", "--db", tmp_path / "play.db")
    for options, told in (
        ((), r"--host 0.0.0.0: --name is missing: .*--name 192.0.2.7;"),
        (("--name", "http://lab"), "got 'http:..lab', expected"),
        (("--name", "lab", "--proxy", "lab"), "'lab' does not appear"),
    ):
        assert re.search(told, command(*play, *options).sentence)
    assert not list(tmp_path.iterdir())
    assert address_of("0.0.0.0", 1, ("Lab-PC", "192.0.2.5")).names[3:] == ("lab-pc", "192.0.2.5")
    assert address_of("192.0.2.5", 1).names[3:] == ("192.0.2.5",)
    assert "127.0.0.1" in own_addresses()
    with closing(bound("0.0.0.0", 0)) as listener:
        port = listener.getsockname()[1]
        assert url_of("0.0.0.0", listener, ("lab-pc", "192.0.2.5")) == f"http://192.0.2.5:{port}/"
        assert url_of("0.0.0.0", listener, ("127.0.0.1", "lab-pc")) == f"http://localhost:{port}/"


def test_forwarding_headers_count_on_a_socket_for_both_kinds_of_addresses():
    hosts = ProxyHeadersMiddleware(lambda *_: None, trusted(["192.0.2.0/24", "2001:db8::7"])).trusted_hosts
    inside = "127.0.0.1 ::1 ::ffff:127.0.0.1 192.0.2.9 ::ffff:192.0.2.9 2001:db8::7"
    outside = "127.0.0.2 ::ffff:127.0.0.2 ::ffff:192.0.3.1 2001:db8::8 ::ffff:0:127.0.0.1"
    assert [each for each in f"{inside} {outside}".split() if each in hosts] == inside.split()


def test_servers_start_where_there_are_no_modules_of_posix(tmp_path):
    code = f"""
import sys
# They have modules of their own for Windows.
import filelock, psutil
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
from people.store.database import only_server
from people.serving import MAX_FILES, _allow_many_connections, own_addresses
from people.store import Store, StoreError
own_addresses()
assert _allow_many_connections() == MAX_FILES
with Store({str(tmp_path / "study.db")!r}) as store, only_server(store.database):
    try:
        with only_server(store.database):
            print("both")
    except StoreError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "another server is using this database" in done.stdout, done.stderr


FORM = b"POST /suite/reply HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
LONG = FORM + b"Content-Length: 1000\r\n\r\n"


@contextmanager
def serving(app):
    """The port of a server in a thread."""
    ready = threading.Event()
    server, listener = Server(app, ready.set, ("127.0.0.7",)), bound("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    assert ready.wait(30)
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(30)


@pytest.fixture
def port(store):
    app, closing = create_suite_app(store, course())
    with closing, serving(app) as port:
        yield port


def opened(port: int, sent: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    connection.sendall(sent)
    return connection


def send_if_open(connection: socket.socket, data: bytes) -> None:
    with suppress(OSError):
        connection.sendall(data)


def is_closed(connection: socket.socket) -> bool:
    """Whether the server closes the connection without an answer."""
    try:
        return connection.recv(1000) == b""
    except ConnectionResetError:
        return True


def test_a_request_that_never_ends_is_closed_and_others_are_answered(port, monkeypatch, capfd):
    monkeypatch.setattr(server_module, "REQUEST_S", 0.5)
    began = time.monotonic()
    starts = (b"", b"GET /suite HT", b"GET /suite HTTP/1.1\r\nHost: localhost\r\n", FORM, LONG, LONG + b"a=1")
    slow = [opened(port, start) for start in starts for _ in range(10)]
    # A connection that has had an answer waits no longer for its next request.
    used = opened(port, b"GET /fields.css HTTP/1.1\r\nHost: localhost\r\n\r\n")
    while b"cursor" not in used.recv(100_000):
        pass
    used.sendall(b"GET")
    # Every byte that trickles in would start a time limit for silence anew.
    trickle = opened(port, b"GET /")
    for _ in range(3):
        time.sleep(0.1)
        send_if_open(trickle, b"x")
        assert httpx.get(f"http://127.0.0.1:{port}/suite").status_code == 200
    assert all(is_closed(connection) for connection in (*slow, used, trickle))
    assert time.monotonic() - began < 5
    assert capfd.readouterr().err == ""


@pytest.fixture
def few(monkeypatch):
    """A server that lets 40 connections wait, 20 of them from one address."""
    monkeypatch.setattr(server_module, "MAX_WAITING", 40)


def test_the_oldest_of_too_many_unfinished_requests_gives_way(few, port):
    crowd = [opened(port, b"GET /suite HT") for _ in range(50)]
    assert all(is_closed(connection) for connection in crowd[:30])
    assert httpx.get(f"http://127.0.0.1:{port}/suite").status_code == 200
    crowd[-1].sendall(b"TP/1.1\r\nHost: localhost\r\n\r\n")
    assert crowd[-1].recv(20).startswith(b"HTTP/1.1 200")


def test_a_response_that_is_not_read_is_given_up(port, monkeypatch):
    monkeypatch.setattr(server_module, "STALLED_S", 0.2)
    lazy = opened(port, b"")
    requests = b"GET /suite.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 10_000
    threading.Thread(target=send_if_open, args=(lazy, requests), daemon=True).start()
    events = select.poll()
    events.register(lazy, select.POLLERR)
    assert events.poll(10_000)


def test_a_form_that_is_too_large_or_broken_off_leaves_no_traceback(port, capfd):
    with opened(port, FORM + b"Content-Length: 900000\r\n\r\n") as large:
        assert large.recv(20).startswith(b"HTTP/1.1 413")
    endless = opened(port, FORM + b"Transfer-Encoding: chunked\r\n\r\n")
    for _ in range(10):
        endless.sendall(b"10000\r\n" + b"a" * 0x10000 + b"\r\n")
    assert endless.recv(20).startswith(b"HTTP/1.1 413")
    for start in (LONG, FORM, b"GET /", b"not HTTP at all\r\n\r\n"):
        opened(port, start).close()
    assert httpx.get(f"http://127.0.0.1:{port}/suite").status_code == 200
    assert capfd.readouterr().err == ""


def test_only_a_proxy_that_is_trusted_says_that_a_page_came_by_https(port):
    def header(source: str, **forwarded: str) -> str | None:
        with httpx.Client(transport=httpx.HTTPTransport(local_address=source)) as client:
            answer = client.get(f"http://127.0.0.1:{port}/", headers=forwarded)
        strict = answer.headers.get("strict-transport-security")
        assert ("; secure" in answer.headers["set-cookie"].lower()) == (strict is not None)
        return strict

    https = {"x-forwarded-proto": "https"}
    assert header("127.0.0.1") is None
    assert header("127.0.0.2", **https) is None
    for proxy in ("127.0.0.1", "127.0.0.7"):
        assert header(proxy, **https) == "max-age=31536000"
