"""Output of commands: exit status, wide tables, progress bars."""

import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.progress import Progress

from arena_llm.interrupts import work_begins

INTERRUPTED = 128 + signal.SIGINT
"""Exit status after Ctrl-C, as shells report it."""


def warn(warnings: Iterable[str]) -> None:
    """Print warnings about task files to standard error."""
    for each in warnings:
        print(f"warning: {each}", file=sys.stderr)


@contextmanager
def stoppable(said: str | Callable[[], str]) -> Iterator[None]:
    """Let Ctrl-C end the command with `INTERRUPTED`; the sentence `said` goes to standard error."""
    try:
        yield
    except KeyboardInterrupt:
        print(said() if callable(said) else said, file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def line_console() -> Console:
    """Open a console for plain lines, never broken at the terminal's edge."""
    return Console(soft_wrap=True, highlight=False, markup=False)


def wide_console(columns: int) -> Console:
    """Open a console at least `columns` wide: a narrow terminal breaks lines, but cuts no number.

    A pipe or file has no width of its own, and Rich would assume 80.
    """
    console = Console()
    return console if console.width >= columns else Console(width=columns)


def progress_bar(console: Console | None = None) -> Progress:
    """Open a progress bar on the terminal; it disappears at its end.

    It is `console`'s own if that is a terminal, so that lines printed meanwhile appear above it; otherwise
    it is on standard error. What it shows is work, which Ctrl-C ends in order.
    """
    work_begins()
    shown_on = console if console is not None and console.is_terminal else Console(stderr=True)
    return Progress(console=shown_on, transient=True, disable=not shown_on.is_terminal)
