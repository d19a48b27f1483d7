"""Fixtures shared by all tests."""

import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.e2e import is_whole

pytest_plugins = ("tests.command", "tests.llm_control.provider")

# A plain run tries the same examples; `--hypothesis-profile=long` tries fifty times as many, each time new.
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
os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads of several workers would wait for one another

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


def reference(name: str, place: str) -> Any:
    """A fixture: a file or folder of the reference material; without it, tests that use it are skipped."""

    def found() -> Path:
        path = SHARED / "reference" / place
        if not path.exists():
            pytest.skip(f"no reference material at {path}")
        return path

    return pytest.fixture(scope="session", name=name)(found)


# The 900 files of 2019; a recorded Unity episode's table, arena and pictures; arenas of 4.3 with pictures.
official_testbed = reference("official_testbed", "official-testbed")
unity_trace = reference("unity_trace", "tutorial-trace.csv")
unity_recording = reference("unity_recording", "unity-tutorial-trace")
unity_stills = reference("unity_stills", "unity-v4/frames")
