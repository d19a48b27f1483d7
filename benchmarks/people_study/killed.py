"""A server of a study whose processes are killed, and which is started again on its port."""

import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType

INTERVAL_S = 20.0
"""A killed process has to start again in less on a busy machine, or nobody gets any further."""


class KilledServer:
    """`arena-llm study` in a process of its own; `url` has no slash at its end."""

    def __init__(self, file: Path, database: str, workers: int) -> None:
        command = [sys.executable, "-m", "arena_llm", "study", str(file), "--db", database]
        self._command = [*command, "--workers", str(workers)]
        self.kills = {"server": 0, "workers": 0}
        self.url, self._port = "", 0
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [*self._command, "--port", str(self._port)], stdout=subprocess.PIPE, text=True
        )
        printed = ""
        while "Ctrl-C" not in printed:
            line = self._process.stdout.readline() if self._process.stdout else ""
            if not line:
                raise RuntimeError(f"the server did not start: {printed}")
            printed += line
        found = re.search(r"Participants: (http://[^/]+)", printed)
        assert found, printed
        self.url = found[1]
        self._port = int(self.url.rpartition(":")[2])

    def kill(self) -> None:
        """Kill the server with -9, and start it again."""
        self._process.kill()
        self._ended()
        self.kills["server"] += 1
        self._start()

    def kill_worker(self) -> None:
        """Kill one of the worker processes with -9."""
        for child in _children(self._process.pid):
            with suppress(OSError):
                if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                    os.kill(child, signal.SIGKILL)
                    self.kills["workers"] += 1
                    return

    def __enter__(self) -> "KilledServer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._ended()

    def _ended(self) -> None:
        self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task")
    return [int(child) for task in tasks.iterdir() for child in (task / "children").read_text().split()]


def kill_now_and_then(server: KilledServer, steady: threading.Lock, done: threading.Event) -> None:
    """Kill a worker after every `INTERVAL_S`, and instead of every third one the server."""
    for number in range(1, 1000):
        if done.wait(INTERVAL_S):
            return
        if number % 3:
            server.kill_worker()
        else:
            with steady:
                server.kill()
