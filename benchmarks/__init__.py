"""How fast arenas are built, simulated and drawn on this machine, compared with other programs."""

import sys
from collections.abc import Callable
from typing import Any

import typer

from arena.errors import ArenaError


def run(command: Callable[..., Any] | typer.Typer, name: str) -> None:
    """Run a command line; an error that the user can fix is one sentence and exit status 1."""
    try:
        command() if isinstance(command, typer.Typer) else typer.run(command)
    except ArenaError as error:
        sys.exit(f"{name}: {error}")
