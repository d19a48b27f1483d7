"""Output for wide tables."""

from rich.console import Console


def wide_console(columns: int) -> Console:
    """A console of at least so many columns: a narrow terminal breaks the lines, but no figure is cut short.

    A pipe or file has no width of its own, and Rich would take 80.
    """
    console = Console()
    return console if console.width >= columns else Console(width=columns)
