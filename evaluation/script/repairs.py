"""Changes that the tolerant mode makes to a reply to parse it."""

from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import NamedTuple


class RepairKind(StrEnum):
    """What was changed; the line below each says into what."""

    FENCE = "code fence"
    """The marks of a Markdown code block: removed."""
    PROSE = "text around the script"
    """Removed."""
    COMMENT = "comment"
    """Removed."""
    WHITESPACE = "other white space"
    """Tabs and the like, where the strict language takes only spaces and newlines: a space."""
    NAME = "name of a command"
    """Spelt in the language's own upper and lower case."""
    AMOUNT = "amount"
    """A fraction, plus sign or typographic minus: the integer, a fraction rounded toward zero."""
    UNIT = "unit of an amount"
    """Degrees, steps and the like: removed."""
    LIST = "list"
    """Labels, percent signs, other brackets: the plain list of numbers."""
    BRACKETS = "brackets in a thought"
    """Square brackets (the thought that is recorded keeps the round ones)."""
    LABEL = "label of a command"
    """A list's number or bullet, `PLAYER:` and the like: removed."""
    MARKUP = "Markdown"
    """Marks of bold, italics, code or quotation around commands: removed."""
    TAG = "tag"
    """`<answer>` and the like: removed."""
    FULL_WIDTH = "full-width character"
    """The bracket, digit or sign of ASCII."""
    JSON = "JSON list"
    """Its commands."""
    SEMICOLON = "semicolon"
    """A missing one is added, a comma replaced, a superfluous one removed."""


class Place(NamedTuple):
    """A position in a text; lines and columns count from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


@dataclass(frozen=True, slots=True)
class Repair:
    """One change: the characters `original` at `position` (0-based, in the reply) were read as `became`.

    A reply with all repairs applied is in the strict language.
    """

    kind: RepairKind
    place: Place
    position: int
    original: str
    became: str

    def __str__(self) -> str:
        return f"{self.place}: {self.kind}: {self.original!r} became {self.became!r}"


class ReplyText:
    """A reply and its lines; only newlines end a line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = list(accumulate((len(line) + 1 for line in text.split("\n")[:-1]), initial=0))

    def place(self, position: int) -> Place:
        """Line and column of a 0-based position."""
        line = bisect_right(self._starts, position)
        return Place(line, position - self._starts[line - 1] + 1)

    def repair(self, kind: RepairKind, position: int, original: str, became: str = "") -> Repair:
        """The change of `original` at `position`."""
        return Repair(kind, self.place(position), position, original, became)
