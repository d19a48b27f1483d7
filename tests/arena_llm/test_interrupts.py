"""Ctrl-C, SIGTERM, the end of the parent, and standard outputs that do not take everything."""

import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import psutil
import pytest

from tests.command import start

COMMAND = [sys.executable, "-m", "arena_llm"]

SWALLOWED = """
import os, runpy, signal, sys

NUMBER, MODULE, LOGS = sys.argv[1:]

class Swallowing:
    def find_spec(self, name, path=None, target=None):
        if name == MODULE and NUMBER == "0":
            raise KeyboardInterrupt
        if name == MODULE:
            try:
                os.kill(os.getpid(), int(NUMBER))
                for _ in range(1000):
                    pass
            except BaseException:
                pass

sys.meta_path.insert(0, Swallowing())
sys.argv = ["arena-llm", "eval", "--model", "arena/random", "--tasks", "01-01-01", "--image-size", "32"]
sys.argv += ["--max-scripts", "1", "--log-dir", LOGS]
runpy.run_module("arena_llm", run_name="__main__")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, 0])
@pytest.mark.parametrize("module", ["arena_llm.cli", "evaluation.evaluate"])
def test_a_signal_that_an_import_swallows_is_obeyed_as_ctrl_c_is_that_it_does_not(number, module, tmp_path):
    command = [sys.executable, "-c", SWALLOWED, str(int(number)), module, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (128 + (number or signal.SIGINT), "arena-llm: stopped\n")


FREED = """
import os, signal, time
from arena_llm.interrupts import obey_signals

class Freed:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)

obey_signals()
try:
    Freed()
    time.sleep(5)
except KeyboardInterrupt:
    print("stopped")
"""


def test_a_signal_while_an_object_is_freed_is_obeyed():
    done = subprocess.run([sys.executable, "-c", FREED], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("stopped\n", "")


def alive(group: int) -> list[str]:
    """The processes of a group; an ended one that nobody has waited for does not count."""
    found = []
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                found.append(str(process.cmdline()))
        except (psutil.NoSuchProcess, ProcessLookupError):
            pass
    return found


@pytest.mark.e2e
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_no_worker_outlives_its_parent(how, tmp_path):
    process = start("testbed", "generate", "--count", 300, "--levels", 1, "--out", tmp_path, "--jobs", 2)
    while not list(tmp_path.rglob("*.yaml")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    assert len(alive(process.pid)) >= 3
    process.send_signal(how)
    _, errors = process.communicate()
    if how is signal.SIGTERM:
        assert process.returncode == 143
        assert "Stopped " in errors
    deadline = time.monotonic() + 200
    while (left := alive(process.pid)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert left == []


DEFERRED = """
import signal
from arena.processes import ctrl_c_deferred

try:
    with ctrl_c_deferred():
        signal.raise_signal(signal.SIGINT)
        print("in", flush=True)
except KeyboardInterrupt:
    print("obeyed")
"""


def test_ctrl_c_while_a_process_is_started_is_obeyed_afterwards():
    done = subprocess.run([sys.executable, "-c", DEFERRED], capture_output=True, text=True)
    assert (done.stdout.split(), done.stderr) == (["in", "obeyed"], "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("arguments", [["suites"], ["--help"]])
def test_a_full_standard_output_is_one_sentence(arguments):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
    said = "arena-llm: standard output cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, said)


def test_characters_that_the_output_lacks_do_not_end_a_command():
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*COMMAND, "eval", "--help"], env=environment, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"?" in done.stdout


@pytest.mark.parametrize("arguments", [["-h"], ["eval", "-h"], ["testbed", "generate", "-h"]])
def test_short_help(arguments, command):
    assert "Usage:" in command(*arguments).succeeded()


def test_version(command):
    assert command("--version") == (0, f"arena-llm {version('arena-llm')}\n", "")
