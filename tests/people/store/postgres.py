"""A PostgreSQL server of our own, in a temporary folder and on a free port."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PLACES = ("usr/lib/postgresql/*/bin", "usr/pgsql-*/bin", "opt/homebrew/opt/postgresql*/bin")
"""Where systems keep PostgreSQL's server programs that do not put them into PATH."""


def program(name: str) -> str | None:
    """The path of a program of PostgreSQL's server, such as initdb; None where there is none."""
    found = [str(path) for place in PLACES for path in Path("/").glob(f"{place}/{name}")]
    return max(found, default=None) or shutil.which(name)


def as_whom() -> list[str] | None:
    """How to call the server's programs: they refuse root; None if there is no other user."""
    if os.geteuid() != 0:
        return []
    known = subprocess.run(["id", "postgres"], capture_output=True, check=False).returncode == 0
    if known and shutil.which("setpriv"):
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    return ["runuser", "-u", "postgres", "--"] if known and shutil.which("runuser") else None


class Server:
    """A server that can be stopped as by a crash and started again with the same data."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._who = as_whom() or []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._call(
            "initdb", "--auth=trust", "--username=tester", "--no-sync", "--encoding=UTF8", str(self._data)
        )

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    def start(self) -> None:
        # A crash of the server's processes, unlike one of the machine, loses nothing without fsync.
        options = f"-c port={self.port} -c listen_addresses=127.0.0.1 -c fsync=off -k {self.folder}"
        self._call(
            "pg_ctl", "start", "-w", "-D", str(self._data), "-l", str(self.folder / "log"), "-o", options
        )

    def stop(self) -> None:
        self._call("pg_ctl", "stop", "-w", "-D", str(self._data), "-m", "immediate")

    def url(self, database: str) -> str:
        return f"postgresql+psycopg://tester:sesame@127.0.0.1:{self.port}/{database}"

    def _call(self, name: str, *arguments: str) -> None:
        path = program(name)
        assert path is not None
        done = subprocess.run(
            [*self._who, path, *arguments],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=(log := (self.folder / "calls").open("ab")),
            stderr=log,
            timeout=240,
            check=False,
        )
        log.close()
        assert done.returncode == 0, (self.folder / "calls").read_text()


def own_folder() -> Path:
    """A folder that the server's user may enter, which pytest's are not, with a short name for its socket."""
    folder = Path(tempfile.mkdtemp(prefix="arena-pg-"))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    return folder


def skip_without_server() -> None:
    if not (program("initdb") and program("pg_ctl")):
        pytest.skip("no PostgreSQL server here (Debian's package postgresql): SQLite only is tested")
    if as_whom() is None:
        pytest.skip("PostgreSQL's server refuses root, and there is no user postgres")


@contextmanager
def running() -> Iterator[Server]:
    """A server that runs until the end, in a folder that is gone then; skips where there can be none."""
    skip_without_server()
    folder = own_folder()
    try:
        server = Server(folder)
        server.start()
        yield server
        server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
