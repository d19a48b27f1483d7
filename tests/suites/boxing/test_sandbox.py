"""What a program of a model cannot do, and what it is shown then; without PyMC."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from arena.errors import EvaluationError
from suites.boxing.apprentice import confine
from suites.boxing.apprentice.sandbox import Limits, run_confined
from tests.cases import cases

CASES = cases(__file__)

pytestmark = pytest.mark.skipif(confine.lacking() is not None, reason=str(confine.lacking()))

LIBC = "import ctypes; libc = ctypes.CDLL(None, use_errno=True); "


def ran(program, variables=None, **limits):
    return asyncio.run(run_confined(program, variables, limits=Limits(**limits)))


REFUSED = CASES["refused"]
"""A program, and what is said beside the rules."""


@pytest.mark.parametrize("name", REFUSED)
def test_a_program_is_refused_what_it_may_not_do(name):
    program, said = REFUSED[name]
    found = ran(program)
    assert not found.worked
    *lines, error, rules = found.text.splitlines()
    assert lines[-1] == f"line {program.count(chr(10)) + 1}: {program.splitlines()[-1]}"
    assert error.startswith("PermissionError")
    assert said in error
    assert rules == confine.RULES


NATIVE = CASES["native"]
"""Calls of the kernel past Python, which fail."""


def test_native_code_is_refused_it_too():
    calls = "\n".join(f"print({name!r}, {call}, ctypes.get_errno())" for name, call in NATIVE.items())
    found = ran(f"{LIBC}import os, struct; x86 = os.uname().machine == 'x86_64'\n{calls}\n")
    assert found.worked
    lines = found.text.splitlines()
    assert [line.rsplit(" ", 2)[:2] for line in lines] == [[name, "-1"] for name in NATIVE]
    assert {int(line.rsplit(" ", 1)[1]) for line in lines} <= {1, 13, 18, 38}


REWRITTEN = {
    "truncated": "os.ftruncate(1, 0)\nos.lseek(1, 0, 0)\nos.write(1, b'bye')",
    "overwritten": "os.lseek(1, 0, 0)\nos.write(1, b'bye')",
    "ended": "os.ftruncate(1, 0)\nos.lseek(1, 0, 0)\nos.write(1, b'bye')\nos._exit(3)",
}


@pytest.mark.parametrize("name", REWRITTEN)
def test_a_program_that_rewrites_its_output_changes_nothing_else(name):
    found = ran(f"import os\n{REWRITTEN[name]}\n")
    assert (found.worked, found.text) == (name != "ended", "bye")


def test_the_pipe_is_closed_before_the_program_begins():
    code = "import os\nprint(sorted(n for n in range(256) if not _closed(n)))\n"
    closed = "def _closed(n):\n try: os.fstat(n)\n except OSError: return True\n"
    assert ran(f"import os\n{closed}{code}").text == "[0, 1, 2]"


@pytest.mark.parametrize(
    ("error", "said"), [("OSError(1, 'no rules')", "no rules"), ("KeyError(7)", "KeyError")]
)
def test_a_process_that_cannot_be_confined_runs_no_program(error, said, tmp_path, monkeypatch):
    source = Path(confine.__file__).read_text()
    begin = "    import resource\n\n    libc = "
    assert begin in source
    (tmp_path / "confine.py").write_text(source.replace(begin, f"    raise {error}\n    libc = "))
    monkeypatch.setattr(confine, "__file__", str(tmp_path / "confine.py"))
    with pytest.raises(EvaluationError, match=f"(?s)could not be confined: .*{said}") as raised:
        ran("print('it ran')")
    assert "it ran" not in str(raised.value)


CATCHER = "while True:\n try:\n  while True: pass\n except BaseException: pass"
FILES = "for k in range(9): open(str(k), 'wb').write(bytes(1 << 20))\nwhile True: pass"
FOLDERS = "import os\nwhile True:\n os.mkdir('a' * 200)\n os.chdir('a' * 200)"

STOPPED = {
    "a loop": ("while True: pass", {"seconds": 3}, "It was stopped after 3 s."),
    "a sleeper": ("import time\ntime.sleep(99)", {"seconds": 3}, "It was stopped after 3 s."),
    "a catcher": (CATCHER, {"seconds": 3}, "It was stopped after 3 s."),
    "memory": ("a = []\nwhile True: a.append(bytes(1 << 20))", {"memory": 300 << 20}, "300 MiB of memory."),
    "a file": ("open('f', 'wb').write(bytes(9 << 20))", {"file": 1 << 20}, "File too large"),
    "files": (FILES, {"folder": 4 << 20}, "It was stopped: its folder may have 2000 files and 4 MiB."),
    "folders": (FOLDERS, {}, "its folder may have 2000 files"),
    "a crash": ("import os\nos.abort()", {}, "It crashed (SIGABRT)."),
    "an exit": ("raise SystemExit", {}, "SystemExit"),
    "no Python": ("Surely:", {}, "SyntaxError: invalid syntax"),
}


@pytest.mark.e2e
@pytest.mark.parametrize("name", STOPPED)
def test_a_program_is_stopped_at_its_limits(name):
    program, limits, said = STOPPED[name]
    began = time.monotonic()
    found = ran("import os; print(os.getcwd())\n" + program, **limits)
    assert not found.worked
    assert said in found.text
    assert time.monotonic() - began < 60
    folder = found.text.splitlines()[0]
    assert name == "no Python" or "program-" in folder
    assert name == "no Python" or not os.path.exists(folder)


def test_a_program_computes_with_its_variables_and_files(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    program = """
import os, math, threading
import fcntl; fcntl.fcntl(0, fcntl.F_GETFL)
open("own", "w").write("7"); os.mkdir("in"); os.rename("own", "in/own")
thread = threading.Thread(target=lambda: print("a thread")); thread.start(); thread.join()
print(open("in/own").read(), math.pi, observations, os.listdir(), sorted(os.environ))
"""
    found = ran(program, {"observations": [{"outcome": [2.5]}]})
    assert found.worked
    said = found.text.splitlines()
    assert said[0] == "a thread"
    assert said[1].startswith("7 3.14159")
    assert "[{'outcome': [2.5]}] ['in']" in said[1]
    assert "KEY" not in said[1]


def test_a_program_cannot_read_the_worlds():
    assert not ran("import suites.boxing.environments").worked
    world = Path(confine.__file__).parents[1] / "environments/nature.py"
    assert world.is_file()
    assert "Permission denied" in ran(f"open({str(world)!r})").text
    # Beside other packages they are hidden by name, as numpy is here.
    names = {Path(path).name for path, _ in confine._readable(frozenset({"numpy"}))}
    assert "scipy" in names
    assert "numpy" not in names


def test_long_output_is_shortened():
    found = ran("print('a' * 9000 + 'end')", characters=100)
    assert (len(found.text), found.text[-3:]) == (100 + len("\n[... 8903 characters ...]\n"), "end")


def test_a_machine_that_cannot_confine_is_refused(monkeypatch):
    monkeypatch.setattr(confine.sys, "platform", "darwin")
    with pytest.raises(EvaluationError, match="confined: only Linux can confine"):
        ran("1")
