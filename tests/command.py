"""The command in this process, which is quicker than one of its own."""

import sys
from typing import NamedTuple

import pytest


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
