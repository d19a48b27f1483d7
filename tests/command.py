"""The command in a process of its own, or in this one, which is quicker."""

import os
import signal
import subprocess
import sys
import time
from typing import NamedTuple

import pytest

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY")


def run(*arguments, **environment):
    """`arena-llm` with these arguments in a process of its own, without keys of providers."""
    env = {key: value for key, value in os.environ.items() if key not in KEYS} | environment
    command = [sys.executable, "-m", "arena_llm", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=env, check=False)


def start(*arguments):
    """`arena-llm` with these arguments in the background, in a group of processes of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "arena_llm", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def killed_when(ready, *arguments, **environment):
    """`arena-llm` in the background, killed with all its processes as soon as `ready()`."""
    with subprocess.Popen(
        [sys.executable, "-m", "arena_llm", *map(str, arguments)],
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        while not ready() and process.poll() is None:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGKILL)


class Result(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


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
