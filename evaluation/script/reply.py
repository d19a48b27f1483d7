"""What is said of a reply as data: places in it, repairs of it, and why it is not a script."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import Any, NamedTuple

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


LONGEST_JSON = 100_000
"""Characters of a reply that are searched for JSON objects, the last ones."""

# Patterns take linear time: what repeats is possessive, and each line is tried once.
_TAG = re.compile(r"<(/?)(?:answer|script|actions?+|commands?+|response|output)>", re.IGNORECASE)
_LABELS = (
    r"^[ \t]*+(?:(?:[*_>]|(?<!`)`{{1,2}}(?!`)|[-+•–]|\d{{1,3}}[.)．）、]|(?:step[ \t]*+\d{{1,3}}"
    r"|player|agent|assistant|answer|script|actions?+|commands?+|response)[ \t]*+[:：])[ \t]*+)++"
    r"(?={name})"
)
_LABEL = re.compile(
    r"(?<![:：.)])\*(?=[ \t])|(?P<markup>[*_>`]++)|[^\s*_>`]++(?:[ \t]*+\d{1,3})?(?:[ \t]*+[:：])?"
)
_MARKUP_AFTER = re.compile(r"(?<=[)）;；])(?:[*_]++|(?<!`)`{1,2}(?!`))(?=[ \t]*+(?:[;；*_`]|\n|\Z))")
_ALTERNATIVES = re.compile(r"\b(?:options?|alternatives?|either|could|might)\b", re.IGNORECASE)

_FENCE = re.compile(r"(?:`{3,}|~{3,})(?:[\w+.-]*[ \t]*\r?(?=\n))?")
_WRAPPED = re.compile(r"\s*(`)[^`]*(`)\s*\Z")

_WIDE = str.maketrans("（）；，．－＋０１２３４５６７８９", "();,.-+0123456789")
_NOT_NEWLINE = re.compile(r"[^\n]")


class Unwrapped(NamedTuple):
    """A reply with its wrapping made spaces, and the repairs that did it."""

    text: str
    repairs: tuple[Repair, ...] = ()

    def without(self, found: Iterable[Repair]) -> "Unwrapped":
        """Make further repairs, none of which overlap."""
        made, letters = tuple(found), list(self.text)
        for repair in made:
            became = repair.became or _NOT_NEWLINE.sub(" ", repair.original)
            letters[repair.position : repair.position + len(became)] = became
        return Unwrapped("".join(letters), (*self.repairs, *made)) if made else self


class Wrapping:
    """The wrapping of replies in a language with the commands `names` and Think.

    Full-width characters are read in arguments of at most `longest` characters.
    """

    def __init__(self, names: Sequence[str], longest: int) -> None:
        own, every = ("|".join(map(str.lower, each)) for each in (names, (*names, "Think")))
        name = rf"(?:{every})[ \t]*+[(（]"
        self._labels = re.compile(_LABELS.format(name=name), re.IGNORECASE | re.MULTILINE)
        command = rf"\b(?:{own})[ \t]*+[(（][^()（）\n]{{0,{longest}}}[)）](?:[ \t]*+[；，])?"
        close = rf"[)）](?:[ \t]*+[；，]|(?=\s*+(?:;|\Z|{name})))"
        self._wide = [re.compile(each, re.IGNORECASE) for each in (command, r"(?<=think)（", close)]

    def taken_off(self, reply: str) -> Unwrapped:
        """The reply without whatever wraps it, one kind after another; code blocks stay."""
        found = Unwrapped(reply)
        for step in (_tags, self._labels_before, _markup, self._wide_in_commands):
            found = found.without(list(step(ReplyText(found.text))))
        return found

    def _labels_before(self, text: ReplyText) -> Iterator[Repair]:
        """What stands before the first command of a line; nothing if the lines may be alternatives."""
        lines = list(self._labels.finditer(text.text))
        if not lines or _ALTERNATIVES.search(text.text, 0, lines[0].start()):
            return
        for line in lines:
            for part in _LABEL.finditer(line[0]):
                kind = RepairKind.MARKUP if part["markup"] else RepairKind.LABEL
                yield text.repair(kind, line.start() + part.start(), part[0])

    def _wide_in_commands(self, text: ReplyText) -> Iterator[Repair]:
        """Full-width characters of commands; those of thoughts stay."""
        places = {
            place
            for pattern in self._wide
            for match in pattern.finditer(text.text)
            for place in range(*match.span())
        }
        for place in sorted(places):
            wide = text.text[place]
            if (became := wide.translate(_WIDE)) != wide:
                yield text.repair(RepairKind.FULL_WIDTH, place, wide, became)


def without_fence(text: ReplyText) -> Unwrapped:
    """The content of the code block of a reply, or the whole reply if it has none.

    A block may lack its first or last mark, for example after a stop sequence. Raises `ScriptSyntaxError` for
    several blocks: which one is meant would be a guess.
    """
    reply = text.text
    marks = [match.span() for match in _FENCE.finditer(reply)]
    if not marks and (wrapped := _WRAPPED.match(reply)):
        marks = [wrapped.span(1), wrapped.span(2)]
    if len(marks) > 2:
        third = marks[2][0]
        found = excerpt(reply[third:])
        raise ScriptSyntaxError("Answer with one code block only.", *text.place(third), found)
    if len(marks) == 1:
        # The missing mark is empty, at its end of the reply.
        closes = not reply[marks[0][1] :].strip()
        marks = [(0, 0), *marks] if closes else [*marks, (len(reply), len(reply))]
    return Unwrapped(reply).without(_around(text, *marks) if marks else ())


def _around(text: ReplyText, first: tuple[int, int], last: tuple[int, int]) -> Iterator[Repair]:
    """Removals of two marks and of the prose before and after them."""
    yield from _removal(text, RepairKind.PROSE, 0, first[0])
    yield from _removal(text, RepairKind.FENCE, *first)
    yield from _removal(text, RepairKind.FENCE, *last)
    yield from _removal(text, RepairKind.PROSE, last[1], len(text.text))


def _removal(text: ReplyText, kind: RepairKind, begin: int, end: int) -> Iterator[Repair]:
    """The removal of a part without the white space at its ends, unless it has nothing else."""
    part = text.text[begin:end]
    if part.strip():
        yield text.repair(kind, begin + len(part) - len(part.lstrip()), part.strip())


def _tags(text: ReplyText) -> Iterator[Repair]:
    """One pair of tags, or one tag at an end; what is outside is prose. Nothing if there are more."""
    tags = list(_TAG.finditer(text.text))
    closes = [bool(tag[1]) for tag in tags]
    if closes not in ([False, True], [False], [True]):
        return
    first = tags[0].start() if not closes[0] else 0
    last = tags[-1].end() if closes[-1] else len(text.text)
    yield from _removal(text, RepairKind.PROSE, 0, first)
    yield from _removal(text, RepairKind.PROSE, last, len(text.text))
    yield from (text.repair(RepairKind.TAG, tag.start(), tag[0]) for tag in tags)


def _markup(text: ReplyText) -> Iterator[Repair]:
    for mark in _MARKUP_AFTER.finditer(text.text):
        yield text.repair(RepairKind.MARKUP, mark.start(), mark[0])


def json_strings(text: str) -> list[str]:
    """The texts of a JSON list; none if the text is anything else."""
    listed = text.strip()
    try:
        found = json.loads(listed) if listed.startswith("[") else None
    except (ValueError, RecursionError):
        return []
    return found if isinstance(found, list) and all(isinstance(each, str) for each in found) else []


def json_objects(text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """The JSON objects of a text that are in no other one, with their beginnings and ends."""
    decoder, place = json.JSONDecoder(), text.find("{", max(len(text) - LONGEST_JSON, 0))
    while place >= 0:
        try:
            found, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            yield place, end, found
        place = text.find("{", end)
