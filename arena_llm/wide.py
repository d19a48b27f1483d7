"""Output for wide tables, and bars beside other output."""

from rich.console import Console
from rich.progress import Progress


def wide_console(columns: int) -> Console:
    """A console of at least so many columns: a narrow terminal breaks the lines, but no figure is cut short.

    A pipe or file has no width of its own, and Rich would take 80.
    """
    console = Console()
    return console if console.width >= columns else Console(width=columns)


def bar_beside(console: Console) -> Progress:
    """A progress bar on the terminal: `console`'s own, whose lines then come above it, or standard error."""
    beside = console if console.is_terminal else Console(stderr=True)
    return Progress(console=beside, transient=True, disable=not beside.is_terminal)
