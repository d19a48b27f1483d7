"""Fixtures shared by all tests."""

import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.e2e import is_whole

pytest_plugins = ("tests.command", "tests.llm_control.provider")

# Every plain run tries the same examples; `pytest --hypothesis-profile=long` tries fifty times as many, new
# ones each time.
settings.register_profile("plain", derandomize=True, deadline=None)
settings.register_profile("long", max_examples=5000, print_blob=True, deadline=None)
settings.load_profile("plain")

# A program started in the background of a shell ignores Ctrl-C, and so would all that it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Programs that tests start find no network but this machine; port 9 answers nobody.
os.environ.update(
    dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
)
os.environ.update(dict.fromkeys(("no_proxy", "NO_PROXY"), "localhost,127.0.0.1,::1"))

HERE = ("localhost", "127.0.0.1", "0.0.0.0", "::1", "", None, b"localhost", b"127.0.0.1")

SHARED = Path(__file__).parents[2] / "shared"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what starts a command, server, browser or a whole evaluation."""
    for item in items:
        if is_whole(item):
            item.add_marker("e2e")


@pytest.fixture(scope="session", autouse=True)
def offline() -> Iterator[list[str]]:
    """Refuses to look up or reach any other machine, and fails where a test tried to."""
    tried: list[str] = []
    lookup, connect = socket.getaddrinfo, socket.socket.connect

    def refuse(host: object) -> None:
        if host not in HERE:
            tried.append(f"{os.environ.get('PYTEST_CURRENT_TEST')}: {host!r}")
            raise socket.gaierror(f"tests have no network, and one asked for {host!r}")

    def local_lookup(host, *rest, **named):
        refuse(host)
        return lookup(host, *rest, **named)

    def local_connect(self, address):
        if self.family in (socket.AF_INET, socket.AF_INET6):
            refuse(address[0])
        return connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", local_lookup)
        patch.setattr(socket.socket, "connect", local_connect)
        yield tried
    assert tried == []


@pytest.fixture(autouse=True)
def no_display_of_another_test() -> Iterator[None]:
    """Forgets Inspect AI's display: it keeps a process's first, which prints even where none is wanted."""
    yield
    if (active := sys.modules.get("inspect_ai._display.core.active")) is not None:
        active._active_display = None


@pytest.fixture(scope="session")
def official_testbed() -> Path:
    """The 900 files of the 2019 battery, where the reference material is present."""
    folder = SHARED / "reference" / "official-testbed"
    if not folder.is_dir():
        pytest.skip(f"the official battery is not at {folder}")
    return folder


@pytest.fixture(scope="session")
def unity_trace() -> Path:
    """The recorded Unity episode's table, where the reference material is present."""
    path = SHARED / "reference" / "tutorial-trace.csv"
    if not path.is_file():
        pytest.skip(f"no recorded Unity episode at {path}")
    return path


@pytest.fixture(scope="session")
def unity_stills() -> Path:
    """The folder of pictures of version 4.3 with their arenas, where the reference material is present."""
    folder = SHARED / "reference" / "unity-v4" / "frames"
    if not folder.is_dir():
        pytest.skip(f"no pictures of Unity's version 4 at {folder}")
    return folder


@pytest.fixture(scope="session")
def unity_recording() -> Path:
    """The folder of the recorded Unity episode's arena and pictures, where the material is present."""
    folder = SHARED / "reference" / "unity-tutorial-trace"
    if not folder.is_dir():
        pytest.skip(f"no recorded Unity episode at {folder}")
    return folder
