"""Speed of building, simulating and drawing arenas here, compared with other programs."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

from arena.errors import ArenaError


def run(command: Callable[..., Any] | typer.Typer, name: str) -> None:
    """Run a command line; an error that the user can fix is one sentence and exit status 1."""
    try:
        command() if isinstance(command, typer.Typer) else typer.run(command)
    except ArenaError as error:
        sys.exit(f"{name}: {error}")


@contextmanager
def served(*words: str) -> Iterator[tuple[str, int]]:
    """A server of `arena-llm`, started with these words; yields host:port, and the number of its process."""
    command = [sys.executable, "-m", "arena_llm", *words, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            found = (re.search(r"http://([^/\s]+)", line) for line in server.stdout)
            if (place := next((each[1] for each in found if each), None)) is None:
                sys.exit("the server did not start")
            yield place, server.pid
        finally:
            server.terminate()
