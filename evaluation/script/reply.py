"""What is said of a reply as data: places in it, repairs of it, and why it is not a script."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import NamedTuple

from lark import Token, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from arena.errors import ScriptError


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


class ScriptSyntaxError(ScriptError):
    """A reply is not a script.

    `reason`: a sentence that explains the mistake and the correct spelling.
    `line`, `column`: its position in the reply, both from 1.
    `found`: the offending text, shortened; empty if the reply ends too early.
    `expected`: what is allowed there, in words; empty if nothing in particular.
    """

    def __init__(
        self, reason: str, line: int, column: int, found: str, expected: tuple[str, ...] = ()
    ) -> None:
        super().__init__(reason, line, column, found, expected)
        self.reason = reason
        self.line = line
        self.column = column
        self.found = found
        self.expected = expected

    @property
    def feedback(self) -> str:
        """The message to the model: position, what was found, what was expected, what to do."""
        found = f'found "{self.found}"' if self.found else "the reply ends"
        expected = f" where {_alternatives(self.expected)} should stand" if self.expected else ""
        return f"Line {self.line}, column {self.column}: {found}{expected}. {self.reason}"

    def __str__(self) -> str:
        return self.feedback


def _alternatives(names: tuple[str, ...]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


Mistake = tuple[str, str, str]
"""A typical mistake as (missing token, start of the remaining reply, advice); the first that fits is said."""

NEVER_ENDS: tuple[Mistake, ...] = (
    ("THOUGHT", r"\(", "This thought never ends; it is closed like this: Think('...');"),
    ("THOUGHT", "", "A thought stands in brackets and quotation marks: Think('...');"),
)
BRACKET_INSIDE: Mistake = (
    *("SEMICOLON", r"[^\n]*?['\"’”]\s*\)"),
    "A thought must not contain a closing bracket.",
)

_OTHERWISE = "Answer with nothing but commands; remarks go into Think('...');"
_FOUND = re.compile(r"[\w.,+-]{1,40}|[`~]{1,40}|\S")


class ArgumentError(ValueError):
    """An argument that no command can have; has its token and what to do."""

    def __init__(self, token: Token, advice: str) -> None:
        super().__init__(token, advice)
        self.token, self.advice = token, advice

    def at(self, text: str) -> ScriptSyntaxError:
        """The same as an error of the whole reply."""
        place = ReplyText(text).place(self.token.start_pos or 0)
        return ScriptSyntaxError(self.advice, *place, excerpt(self.token))


def syntax_error(
    text: str, error: UnexpectedInput, spoken: Mapping[str, str], mistakes: Iterable[Mistake]
) -> ScriptSyntaxError:
    """Lark's error in a reply as ours; `spoken` are the tokens in words, without those only tolerated."""
    position, tokens = error.pos_in_stream or 0, set[str]()
    if isinstance(error, UnexpectedToken):
        tokens = set(error.expected)
        # The end of the text has no position of its own.
        position = len(text) if error.token.type == "$END" else position
    elif isinstance(error, UnexpectedCharacters):
        tokens = set(error.allowed)
    rest = text[position:]
    fitting = (
        advice
        for missing, start, advice in mistakes
        if missing in tokens and re.match(start, rest, re.IGNORECASE)
    )
    expected = tuple(words for token, words in spoken.items() if token in tokens)
    place = ReplyText(text).place(position)
    return ScriptSyntaxError(next(fitting, _OTHERWISE), *place, excerpt(rest), expected)


def excerpt(rest: str) -> str:
    """The first word or sign of `rest`, with unprintable characters as escapes."""
    found = _FOUND.match(rest)
    characters = found[0] if found else rest[:1]
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in characters)
