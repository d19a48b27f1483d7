"""Programs in processes of their own that need not import the large packages again.

A server imports them once and forks a process for every program; `client` is a script that takes the
arguments of Python and runs like it: with its streams, folder, environment and status. Importing Inspect AI,
its providers and pandas takes longer than most commands.
"""

import array
import atexit
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import threading
import traceback
from contextlib import suppress
from pathlib import Path

import numpy as np

MODULES = (
    *("arena_llm.cli", "arena_llm.commands.eval", "evaluation.evaluate", "evaluation.estimate"),
    *("report.files", "arena.gym", "inspect_ai._cli.main", "inspect_ai._eval.eval", "scipy.stats"),
    *("inspect_ai.agent._acp.server", "inspect_ai.model._providers.anthropic", "matplotlib.pyplot"),
)
CLIENT = """\
import array, errno, json, os, socket, sys, time
words = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
server, tries = socket.socket(socket.AF_UNIX), 0
while failed := server.connect_ex({address!r}):
    if failed != errno.ENOENT or (tries := tries + 1) > 2400:
        sys.exit("no server of programs at " + {address!r})
    time.sleep(0.05)
fds = array.array("i", (0, 1, 2))
server.sendmsg([len(words).to_bytes(8, "big")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])
server.sendall(words)
status = server.recv(1)
sys.exit(status[0] if status else 1)
"""


class Server:
    """The server, in the folder of its socket and its client, until it is closed; clients wait for it."""

    def __init__(self, folder: Path) -> None:
        address = folder / "socket"
        self._process = subprocess.Popen([sys.executable, "-m", "tests.preloaded", str(address)])
        program = folder / "client.py"
        program.write_text(CLIENT.format(address=str(address)))
        self.client = folder / "python"
        self.client.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{program}" "$@"\n')
        self.client.chmod(0o755)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


def serve(address: str) -> None:
    for module in MODULES:
        with suppress(ImportError):
            importlib.import_module(module)
    # The first call of machine code loads most of Numba.
    importlib.import_module("arena.kernel.casts").horizontal(0.0, np.zeros(1))
    assert threading.active_count() == 1, "a thread would be lost by forking"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{address}.new")
    listener.listen(64)
    os.rename(f"{address}.new", address)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        client, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            wait_for_program(client)
        client.close()


def wait_for_program(client: socket.socket) -> None:
    """Fork once more, and report the status of the program to its client."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    fds = array.array("i")
    size, rights, *_ = client.recvmsg(8, socket.CMSG_LEN(3 * fds.itemsize))
    fds.frombytes(rights[0][2])
    left, words = int.from_bytes(size, "big"), b""
    while len(words) < left:
        words += client.recv(left - len(words))
    program = os.fork()
    if program == 0:
        client.close()
        start(fds, *json.loads(words))
    status = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
    client.send(bytes([status if status >= 0 else 128 - status]))
    os._exit(0)


def start(fds: array.array, words: list[str], folder: str, environment: dict[str, str]) -> None:
    """Be the program."""
    for number, fd in enumerate(fds):
        os.dup2(fd, number)
        # Ours know how the server's were: whether a terminal, or a file with a place.
        name = ("stdin", "stdout", "stderr")[number]
        mode, buffering = ("r", -1) if number == 0 else ("w", -1 if number == 1 else 1)
        stream = os.fdopen(number, mode, buffering, closefd=False)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = [entry for entry in environment.get("PYTHONPATH", "").split(os.pathsep) if entry]
    status = 1
    try:
        status = run(words)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else end.code is not None
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    with suppress(BaseException):
        threading._shutdown()
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(int(status))


def run(words: list[str]) -> int:
    match words:
        case ["-m", module, *rest]:
            sys.argv = [module, *rest]
            sys.path.insert(0, os.getcwd())
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case ["-c", text, *rest]:
            sys.argv = ["-c", *rest]
            sys.path.insert(0, "")
            exec(compile(text, "<string>", "exec"), {"__name__": "__main__"})
        case [script, *rest] if not script.startswith("-"):
            sys.argv = [script, *rest]
            sys.path.insert(0, str(Path(script).resolve().parent))
            runpy.run_path(script, run_name="__main__")
        case _:
            raise SystemExit(f"tests.preloaded: cannot run {words}")
    return 0


if __name__ == "__main__":
    serve(sys.argv[1])
