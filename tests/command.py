"""The command in a process of its own, or in this one, which is quicker."""

import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.preloaded import Server

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY")


def run(*arguments, **environment):
    """`arena-llm` with these arguments in a process of `preloaded`, without keys of providers."""
    return _run(preloaded_python(), arguments, environment)


def run_fresh(*arguments, **environment):
    """As `run`, with nothing imported beforehand, which takes some seconds longer."""
    return _run(sys.executable, arguments, environment)


def _run(python, arguments, environment):
    env = {key: value for key, value in os.environ.items() if key not in KEYS} | environment
    command = [python, "-m", "arena_llm", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    return Result(done.returncode, done.stdout, done.stderr)


@cache
def preloaded_python():
    """A program that runs like Python, with the large packages imported beforehand; all workers share one."""
    if shared := os.environ.get("ARENA_TESTS_PYTHON"):
        return Path(shared)
    folder = Path(tempfile.mkdtemp(prefix="arena-tests-"))
    server = Server(folder)
    atexit.register(shutil.rmtree, folder)
    atexit.register(server.close)
    return server.client


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes():
    """Start one of these for all workers."""
    os.environ["ARENA_TESTS_PYTHON"] = str(preloaded_python())


def killed(pid, *arguments):
    """Run `arena-llm` in a process that writes its id into a file, so that a test can kill it, as it must."""
    program = (
        f"import os, sys; open({str(pid)!r}, 'w').write(str(os.getpid()))\n"
        f"sys.argv = {['arena-llm', *map(str, arguments)]!r}\nfrom arena_llm.cli import main; main()"
    )
    done = subprocess.run([preloaded_python(), "-c", program], capture_output=True, check=False)
    assert done.returncode == 128 + signal.SIGKILL, done.stderr


def printed_by(program, *arguments, told=None, **environment):
    """What a program in Python prints in a process of its own, which must end well."""
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        env=os.environ | environment,
        input=told,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def start(*arguments):
    """`arena-llm` with these arguments in the background, in a group of processes of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "arena_llm", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def interrupted(process, has_begun, seconds=200):
    """What a command says on standard error that Ctrl-C ends as soon as it has begun."""
    deadline = time.monotonic() + seconds
    while not has_begun():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    # As a terminal does it: processes that the command has started hear it too.
    os.killpg(process.pid, signal.SIGINT)
    errors = process.communicate(timeout=240)[1]
    assert process.returncode == 130, errors
    return errors


def newest(logs):
    """The log in a folder that was written last."""
    return max(logs.glob("*.eval"), key=lambda path: path.stat().st_mtime)


class Result(NamedTuple):
    returncode: int
    stdout: str
    stderr: str

    def succeeded(self):
        """What a command prints that has nothing to complain of."""
        assert (self.returncode, self.stderr) == (0, ""), self
        return self.stdout

    @property
    def sentence(self):
        """All that a command says which is refused."""
        assert (self.returncode, self.stdout, self.stderr.count("\n")) == (1, "", 1), self
        return self.stderr


@pytest.fixture
def command(monkeypatch, capsys):
    """`arena-llm` with these arguments; what it prints and its status. It must end by an exit."""

    from arena_llm.cli import main

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["arena-llm", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as exit_:
            main()
        said = capsys.readouterr()
        return Result(exit_.value.code or 0, said.out, said.err)

    return run
