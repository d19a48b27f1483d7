"""Markdown tables, and the generated blocks of a page."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ParamSpec

from arena.errors import ArenaError

P = ParamSpec("P")

Rows = Iterable[Sequence[str]]
"""Cells of a table."""

_BLOCK = re.compile(r"(<!-- generated: (?P<name>[a-z-]+) -->\n).*?(<!-- end of (?P=name) -->)", re.DOTALL)


class PageError(ArenaError):
    """A page has a generated block of an unknown name."""


def table(header: Sequence[str], rows: Rows) -> str:
    """A table with one line per row; vertical bars in cells are escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)


def tabled(*header: str) -> Callable[[Callable[P, Rows]], Callable[P, str]]:
    """A decorator of functions that return rows: they return a table with this header."""
    return lambda rows: lambda *args, **kwargs: table(header, rows(*args, **kwargs))


def code(text: object) -> str:
    """Text as code; empty for an empty text."""
    return f"`{text}`" if str(text) else ""


def plain(text: str) -> str:
    """Text with Markdown's special characters escaped, but in code."""
    return re.sub(r"(`[^`]*`)|([*_<])", lambda found: found[1] or f"\\{found[2]}", text)


def first_sentence(text: str) -> str:
    """The first sentence of a text, without line breaks."""
    return re.split(r"(?<=\.)\s(?=[A-Z`])", " ".join(text.split("\n\n")[0].split()))[0]


def number(value: float) -> str:
    """A number without superfluous digits."""
    return f"{value:g}"


def filled(text: str, blocks: Mapping[str, Callable[[], str]], source: str) -> str:
    """A page with the text between its marks generated again.

    Raises PageError for an unknown block.
    """

    def block(match: re.Match[str]) -> str:
        if match["name"] not in blocks:
            line = text[: match.start()].count("\n") + 1
            raise PageError(
                f"{source}:{line}: got the block {match['name']!r}, expected one of: {', '.join(blocks)}"
            )
        return f"{match[1]}\n{blocks[match['name']]()}\n\n{match[3]}"

    return _BLOCK.sub(block, text)
