"""The socket that people's pages connect to, and the names under which they are served."""

import asyncio
import socket
import subprocess
import sys
from contextlib import closing

import pytest
from typer.testing import CliRunner
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

from arena.errors import ConfigError
from arena_llm.cli import app
from people.serving import address_of, bound, own_addresses, trusted, url_of


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


def test_a_server_for_others_needs_to_know_its_names(tmp_path, monkeypatch):
    monkeypatch.setattr("people.serving.own_addresses", lambda: ["127.0.0.1", "192.0.2.7"])
    command = ["play", "01-01-01", "--no-open", "--host", "0.0.0.0", "--db", str(tmp_path / "play.db")]
    with pytest.raises(ConfigError, match=r"--host 0.0.0.0: --name is missing: .*--name 192.0.2.7;"):
        CliRunner().invoke(app, command, catch_exceptions=False)
    for wrong in (["--name", "http://lab"], ["--name", "lab", "--proxy", "lab"]):
        with pytest.raises(ConfigError, match=r"got 'http:..lab', expected|'lab' does not appear"):
            CliRunner().invoke(app, [*command, *wrong], catch_exceptions=False)
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
