"""Script language: syntax of commands, their meaning, and error messages."""

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from lark import Lark, Token, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from arena.errors import ScriptError


class RepairKind(StrEnum):
    """Kind of a change; the line below each gives the replacement."""

    FENCE = "code fence"
    """Marks of a Markdown code block: removed."""
    PROSE = "text around the script"
    """Removed."""
    COMMENT = "comment"
    """Removed."""
    WHITESPACE = "other white space"
    """Tabs and similar characters, replaced by a space: the strict language has only those and newlines."""
    NAME = "name of a command"
    """Spelt in the language's own upper and lower case."""
    AMOUNT = "amount"
    """Fraction, plus sign or typographic minus, replaced by an integer. Fractions are rounded toward zero."""
    UNIT = "unit of an amount"
    """Degrees, steps and similar: removed."""
    LIST = "list"
    """Labels, percent signs, other brackets: the plain list of numbers."""
    BRACKETS = "brackets in a thought"
    """Square brackets; the recorded thought keeps round ones."""
    LABEL = "label of a command"
    """A list's number or bullet, `PLAYER:` and similar: removed."""
    MARKUP = "Markdown"
    """Marks of bold, italics, code or quotation around commands: removed."""
    TAG = "tag"
    """`<answer>` and similar: removed."""
    FULL_WIDTH = "full-width character"
    """Bracket, digit or sign, replaced by ASCII."""
    JSON = "JSON list"
    """JSON list, replaced by its commands."""
    SEMICOLON = "semicolon"
    """Missing: added; comma: replaced; superfluous: removed."""


class Place(NamedTuple):
    """Position in a text; lines and columns count from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


class Repair(NamedTuple):
    """Change: characters `original` at `position` (from 0) were read as `became`. A reply with all repairs
    applied is in the strict language."""

    kind: RepairKind
    place: Place
    position: int
    original: str
    became: str

    def __str__(self) -> str:
        return f"{self.place}: {self.kind}: {self.original!r} became {self.became!r}"


class ReplyText:
    """Reply and its lines; only newlines end a line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = list(accumulate((len(line) + 1 for line in text.split("\n")[:-1]), initial=0))

    def place(self, position: int) -> Place:
        """Find line and column of a 0-based position."""
        line = bisect_right(self._starts, position)
        return Place(line, position - self._starts[line - 1] + 1)

    def repair(self, kind: RepairKind, position: int, original: str, became: str = "") -> Repair:
        """Create the change of `original` at `position`."""
        return Repair(kind, self.place(position), position, original, became)


class ScriptSyntaxError(ScriptError):
    """The reply is not a script.

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
        """Format the message to the model: position, found, expected, and advice."""
        found = f'found "{self.found}"' if self.found else "the reply ends"
        names = " or ".join(filter(None, (", ".join(self.expected[:-1]), *self.expected[-1:])))
        expected = f" where {names} should stand" if names else ""
        return f"Line {self.line}, column {self.column}: {found}{expected}. {self.reason}"

    def __str__(self) -> str:
        return self.feedback


Mistake = tuple[str, str, str]
"""Typical mistake: (missing token, start of the remaining reply, advice). The first match is reported."""

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
    """An argument is impossible in any command; has its token and advice."""

    def __init__(self, token: Token, advice: str) -> None:
        super().__init__(token, advice)
        self.token, self.advice = token, advice

    def at(self, text: str) -> ScriptSyntaxError:
        """Convert to an error of the whole reply."""
        place = ReplyText(text).place(self.token.start_pos or 0)
        return ScriptSyntaxError(self.advice, *place, excerpt(self.token))


def syntax_error(
    text: str, error: UnexpectedInput, spoken: Mapping[str, str], mistakes: Iterable[Mistake]
) -> ScriptSyntaxError:
    """Convert Lark's error; `spoken` are the strict tokens in words."""
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
    """Quote the first word or sign of `rest`, with unprintable characters escaped."""
    found = _FOUND.match(rest)
    characters = found[0] if found else rest[:1]
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in characters)


LONGEST_JSON = 100_000
"""Maximum characters of a reply searched for JSON objects, from its end."""

# Patterns take linear time: repetitions are possessive, and each line is tried once.
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
    """Reply with its wrapping replaced by spaces, and the repairs."""

    text: str
    repairs: tuple[Repair, ...] = ()

    def without(self, found: Iterable[Repair]) -> "Unwrapped":
        """Make further, non-overlapping repairs."""
        made, letters = tuple(found), list(self.text)
        for repair in made:
            became = repair.became or _NOT_NEWLINE.sub(" ", repair.original)
            letters[repair.position : repair.position + len(became)] = became
        return Unwrapped("".join(letters), (*self.repairs, *made)) if made else self


class Wrapping:
    """Wrapping of replies in a language with the commands `names` and Think. Full-width characters are read
    in arguments of at most `longest` characters."""

    def __init__(self, names: Sequence[str], longest: int) -> None:
        own, every = ("|".join(map(str.lower, each)) for each in (names, (*names, "Think")))
        name = rf"(?:{every})[ \t]*+[(（]"
        self._labels = re.compile(_LABELS.format(name=name), re.IGNORECASE | re.MULTILINE)
        command = rf"\b(?:{own})[ \t]*+[(（][^()（）\n]{{0,{longest}}}[)）](?:[ \t]*+[；，])?"
        close = rf"[)）](?:[ \t]*+[；，]|(?=\s*+(?:;|\Z|{name})))"
        self._wide = [re.compile(each, re.IGNORECASE) for each in (command, r"(?<=think)（", close)]

    def taken_off(self, reply: str) -> Unwrapped:
        """Remove wrapping of all kinds, one after another; code blocks stay."""
        found = Unwrapped(reply)
        for step in (_tags, self._labels_before, _markup, self._wide_in_commands):
            found = found.without(list(step(ReplyText(found.text))))
        return found

    def _labels_before(self, text: ReplyText) -> Iterator[Repair]:
        """Yield labels before a line's first command, unless lines are alternatives."""
        lines = list(self._labels.finditer(text.text))
        if not lines or _ALTERNATIVES.search(text.text, 0, lines[0].start()):
            return
        for line in lines:
            for part in _LABEL.finditer(line[0]):
                kind = RepairKind.MARKUP if part["markup"] else RepairKind.LABEL
                yield text.repair(kind, line.start() + part.start(), part[0])

    def _wide_in_commands(self, text: ReplyText) -> Iterator[Repair]:
        """Yield full-width characters of commands; those of thoughts stay."""
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
    """Extract the code block of a reply, otherwise the whole reply.

    A block may lack its first or last mark, for example after a stop sequence. Raises `ScriptSyntaxError` for
    several blocks, as the choice would be a guess.
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
    """Yield removals of two marks and of the prose around them."""
    yield from _removal(text, RepairKind.PROSE, 0, first[0])
    yield from _removal(text, RepairKind.FENCE, *first)
    yield from _removal(text, RepairKind.FENCE, *last)
    yield from _removal(text, RepairKind.PROSE, last[1], len(text.text))


def _removal(text: ReplyText, kind: RepairKind, begin: int, end: int) -> Iterator[Repair]:
    """Remove a part without outer white space, unless it has nothing more."""
    part = text.text[begin:end]
    if part.strip():
        yield text.repair(kind, begin + len(part) - len(part.lstrip()), part.strip())


def _tags(text: ReplyText) -> Iterator[Repair]:
    """Yield removals of a tag pair or single outer tag, with prose. Nothing if there are more tags."""
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
    """Extract the texts of a JSON list; empty for any other text."""
    listed = text.strip()
    try:
        found = json.loads(listed) if listed.startswith("[") else None
    except (ValueError, RecursionError):
        return []
    return found if isinstance(found, list) and all(isinstance(each, str) for each in found) else []


def json_objects(text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield outermost JSON objects of a text with their beginnings and ends."""
    decoder, place = json.JSONDecoder(), text.find("{", max(len(text) - LONGEST_JSON, 0))
    while place >= 0:
        try:
            found, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            yield place, end, found
        place = text.find("{", end)


Command = TypeVar("Command")

_KINDS = {
    "SEMICOLON": RepairKind.SEMICOLON,
    "COMMA": RepairKind.SEMICOLON,
    "LEAD": RepairKind.PROSE,
    "TAIL": RepairKind.PROSE,
}
"""Kind of repair by token type, except for names and arguments."""

_UNUSUAL_GAP = re.compile(r"(?P<comment>(?://|#)[^\n]*)|[^\S \n]+|[\ufeff\u200b]+")
_SQUARE = str.maketrans("()", "[]")
_QUOTES = {"'": "'", '"': '"', "‘": "’", "“": "”"}


@dataclass(frozen=True, slots=True)
class Think:
    """Thought, kept for the record; takes no time. `text` is without the outer quotation marks."""

    text: str

    def __str__(self) -> str:
        return f"Think('{self.text.translate(_SQUARE)}');"


class Argument(NamedTuple):
    """Argument of commands: its token, its name in words, and its patterns.

    `kind` is the kind of repair if it is not strict, and `written` then writes it in the strict language.
    `bracketed`: the token includes the brackets. Without patterns the grammars in this package have it.
    """

    token: str
    words: str
    kind: RepairKind
    written: Callable[[str], str]
    strict: str
    tolerant: str = ""
    bracketed: bool = False


_THOUGHT = Argument(
    "THOUGHT",
    "a thought in brackets",
    RepairKind.BRACKETS,
    lambda text: f"({text[1:-1].translate(_SQUARE)})",
    strict=r"\([^)]*\)",
    bracketed=True,
)


class Form(NamedTuple, Generic[Command]):
    """Form of a command, such as `Go(12);`: name, argument, and result. `read` raises `ArgumentError` for an
    argument that the command cannot have. `unit` is the pattern of a unit that the tolerant mode drops."""

    name: str
    argument: Argument
    read: Callable[[Token], Command]
    unit: str = ""

    @property
    def token(self) -> str:
        """Token of its name."""
        return self.name.upper()

    @property
    def unit_token(self) -> str:
        """Token of its unit."""
        return f"{self.token}_UNIT"

    def rule(self, strict: bool) -> str:
        """Compose its grammar rule."""
        unit = f" {self.unit_token}?" if self.unit and not strict else ""
        inside = self.argument.token + unit
        return f"{self.token.lower()}: {self.token} " + (
            inside if self.argument.bracketed else f'"(" {inside} ")"'
        )

    def terminals(self, strict: bool, gap: str) -> Iterator[tuple[str, str]]:
        """Yield its tokens with patterns. `gap` is allowed between a strict name's letters."""
        yield self.token, gap.join(self.name) if strict else rf"{self.name}(?=\s*\()"
        if self.argument.tolerant:
            yield self.argument.token, self.argument.strict if strict else self.argument.tolerant
        if self.unit and not strict:
            yield self.unit_token, self.unit


@dataclass(frozen=True, slots=True)
class Listed:
    """Command with numbers, such as `Try([2, 3]);`; None if unreadable."""

    name: str
    numbers: tuple[Any, ...] | None
    text: str = ""

    def __str__(self) -> str:
        return f"{self.name}{self.text if self.numbers is None else _written_list(self.numbers)};"


_STRICT_SHARE = r"(?:[01](?:\.[0-9]*)?|\.[0-9]+|[1-9](?:\.[0-9]*)?[eE]-[0-9]{1,3})"


def list_form(
    name: str,
    words: str,
    read: Callable[[str], tuple[Any, ...] | None],
    item: str = _STRICT_SHARE,
    *,
    alone: bool = False,
    empty: bool = False,
) -> Form[Any]:
    """Make the form of a `Listed`. In tolerant mode brackets may hold anything.

    It is read afterwards, so that an unreadable list does not invalidate other commands, and stays. `item` is
    the strict pattern of a number, by default a probability, which may stand `alone`, or be missing
    (`empty`).
    """

    def written(text: str) -> str:
        return text if (numbers := read(text)) is None else _written_list(numbers)

    items = rf"{item}(?:[ \n]*,[ \n]*{item})*[ \n]*"
    inside = rf"\[[ \n]*{f'(?:{items})?' if empty else items}\]"
    strict = rf"\([ \n]*{f'(?:{item}|{inside})' if alone else inside}[ \n]*\)"
    token, tolerant = f"{name.upper()}_LIST", r"\([^()]*\)"
    argument = Argument(token, words, RepairKind.LIST, written, strict, tolerant=tolerant, bracketed=True)
    return Form(name, argument, lambda given: Listed(name, read(given), given))


_SHARE = r"((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]{1,3})?)\s*(%?)"


def shares(text: str, named: str) -> tuple[float, ...] | None:
    """Read probabilities in any brackets; None if unreadable. They may be in percent or labelled by number in
    any order. `named` is the pattern of words that may precede a number."""
    pattern = rf"(?:{_number(named)}\s*[:=]\s*)?{_SHARE}"
    found = [re.fullmatch(pattern, item, re.IGNORECASE) for item in _items(text)]
    each = [(int(m[1] or -1), float(m[2]) / (100 if m[3] else 1)) for m in found if m]
    labels = sorted(label for label, _ in each)
    if not each or len(each) < len(found) or not all(0 <= share <= 1 for _, share in each):
        return None
    if labels not in ([-1] * len(each), list(range(1, len(each) + 1))):
        return None
    return tuple(share for _, share in sorted(each, key=lambda pair: pair[0]))


def wholes(text: str, named: str) -> tuple[int, ...] | None:
    """Read whole numbers in any brackets, optionally named; None if unreadable."""
    found = [re.fullmatch(_number(named), item, re.IGNORECASE) for item in _items(text)]
    numbers = tuple(int(match[1]) for match in found if match)
    return numbers if len(numbers) == len(found) else None


def _number(named: str) -> str:
    return rf"[\"']?(?:{named}|no\.?|nr\.?|#)?\s*([0-9]{{1,3}})[\"']?"


def _items(text: str) -> list[str]:
    """Split a bracketed list at its commas."""
    inside = re.sub(r"^[\s(\[{]*|[\s)\]},]*$", "", text)
    return [item.strip() for item in inside.split(",")] if inside else []


def _written_list(numbers: Sequence[float]) -> str:
    return f"([{', '.join(f'{number:g}' if number in (0, 1) else repr(number) for number in numbers)}])"


class Piece(NamedTuple):
    """Token of the tolerant grammar: type, text, and span in the reply."""

    type: str
    text: str
    begin: int
    end: int


_NOTHING = Piece("", "", 0, 0)


class Parsed(NamedTuple, Generic[Command]):
    """Commands of a reply in order, with the repairs for parsing it."""

    commands: tuple[Command, ...]
    repairs: tuple[Repair, ...] = ()


@dataclass(frozen=True)
class Language(Generic[Command]):
    """Script language of command forms and Think, such as `Think('...'); Go(12);`.

    `think` makes the command of a thought. `mistakes` are typical ones besides those of thoughts, and
    `semicolon` is the advice for a missing one.
    """

    own: Sequence[Form[Command]]
    think: Callable[[str], Command]
    mistakes: Sequence[Mistake]
    semicolon: str
    longest: int = 40
    """Maximum characters of an argument in which full-width ones are read."""
    gap: str = ""
    """Pattern allowed between the letters of a strict name."""

    def parse(self, text: str, *, strict: bool = False) -> Parsed[Command]:
        """Parse the commands of a model's reply.

        Strict: only `strict.lark`. Tolerant: also common deviations of models (`tolerant.lark`, and what
        `wrapping.py` takes off), with a repair for each; a strict reply has the same meaning and no repairs.
        An empty reply is not a script in either mode. The time is proportional to the length of `text`.
        Raises `ScriptSyntaxError`, and no other error.
        """
        try:
            return self._strict_or_tolerant(text, strict)
        except UnexpectedInput as error:
            mistakes = (*NEVER_ENDS, *self.mistakes, BRACKET_INSIDE, ("SEMICOLON", "", self.semicolon))
            raise syntax_error(text, error, self._spoken, mistakes) from None
        except ArgumentError as error:
            raise error.at(text) from None

    def read_tolerantly(self, reply: str) -> Parsed[Command]:
        """Parse a reply, with a repair for every non-strict part. Raises Lark's `UnexpectedInput`,
        `ArgumentError`, or `ScriptSyntaxError` for several code blocks."""
        text = ReplyText(reply)
        block = without_fence(text)
        tokens = _tokens(self._tolerant, block.text)
        commands = self._commands(tokens)
        pieces = tuple(map(_piece, tokens))
        gaps = _gap_repairs(text, block.text, pieces)
        return Parsed(commands, _ordered(*block.repairs, *gaps, *self._piece_repairs(text, pieces)))

    def _strict_or_tolerant(self, text: str, strict: bool) -> Parsed[Command]:
        try:
            return Parsed(self._commands(_tokens(self._strict, text)))
        except UnexpectedInput:
            if strict:
                raise
        try:
            return self.read_tolerantly(text)
        except UnexpectedInput:
            # Only unreadable parts are unwrapped, so that no other part changes its meaning.
            if (found := self._unwrapped(text)) is None:
                raise
            return found

    def _unwrapped(self, reply: str) -> Parsed[Command] | None:
        """Parse without unwrapping; None if impossible. Raises as `read_tolerantly`."""
        plain = self._wrapping.taken_off(reply)
        script = self._listed(reply, plain.text)
        try:
            script = script or (self.read_tolerantly(plain.text) if plain.repairs else None)
        except UnexpectedInput:
            return None
        return script and Parsed(script.commands, _joined(reply, plain, script.repairs))

    def _listed(self, reply: str, plain: str) -> Parsed[Command] | None:
        """Parse a JSON list of commands, optionally in a code block."""
        block = without_fence(ReplyText(plain))
        found = [self._readable(each) for each in json_strings(block.text)]
        whole = [each for each in found if each is not None]
        if not whole or len(whole) < len(found):
            return None
        commands = tuple(command for each in whole for command in each.commands)
        text, listed, begin = ReplyText(reply), block.text.strip(), block.text.index("[")
        repair = text.repair(RepairKind.JSON, begin, listed, " ".join(map(str, commands)))
        around = _gap_repairs(text, block.text, (Piece("", listed, begin, begin + len(listed)),))
        return Parsed(commands, _ordered(*block.repairs, *around, repair))

    def _readable(self, text: str) -> Parsed[Command] | None:
        try:
            return self.read_tolerantly(text)
        except (UnexpectedInput, ArgumentError, ScriptSyntaxError):
            return None

    def _commands(self, tokens: Sequence[Token]) -> tuple[Command, ...]:
        names = [token.type for token in tokens if token.type in self._forms]
        arguments = [token for token in tokens if token.type in self._arguments]
        return tuple(
            self._forms[name].read(argument) for name, argument in zip(names, arguments, strict=True)
        )

    def _piece_repairs(self, text: ReplyText, pieces: tuple[Piece, ...]) -> Iterator[Repair]:
        for before, piece in pairwise((_NOTHING, *pieces, _NOTHING)):
            closed = before.text.endswith(")") and before.type not in ("LEAD", "TAIL")
            if closed and piece.type not in ("SEMICOLON", "COMMA"):
                yield text.repair(RepairKind.SEMICOLON, before.end, "", ";")
            became = self._strict_text(piece)
            if became != piece.text:
                yield text.repair(self._kinds[piece.type], piece.begin, piece.text, became)

    def _strict_text(self, piece: Piece) -> str:
        """Write a piece in the strict language. Empty if not part of it."""
        if piece.type in self._forms:
            return self._forms[piece.type].name
        if (argument := self._arguments.get(piece.type)) is not None:
            plain = re.fullmatch(argument.strict, piece.text)
            return piece.text if plain else argument.written(piece.text)
        if piece.type in ("SEMICOLON", "COMMA"):
            return ";"
        return "" if piece.type in self._kinds else piece.text

    @cached_property
    def _forms(self) -> dict[str, Form[Command]]:
        """Forms by the tokens of their names; Think is the last."""
        think = Form("Think", _THOUGHT, lambda token: self.think(_thought(token)))
        return {form.token: form for form in (*self.own, think)}

    @cached_property
    def _arguments(self) -> dict[str, Argument]:
        return {form.argument.token: form.argument for form in self._forms.values()}

    @cached_property
    def _kinds(self) -> dict[str, RepairKind]:
        """Kinds of repair of the tokens that a repair may change."""
        units = {form.unit_token: RepairKind.UNIT for form in self.own}
        arguments = {token: argument.kind for token, argument in self._arguments.items()}
        return {**_KINDS, **dict.fromkeys(self._forms, RepairKind.NAME), **arguments, **units}

    @cached_property
    def _spoken(self) -> dict[str, str]:
        """Tokens in words, for messages; without those only tolerated."""
        names = {token: f"{form.name}(" for token, form in self._forms.items()}
        think, words = names.pop("THINK"), {token: each.words for token, each in self._arguments.items()}
        thought = words.pop("THOUGHT")
        last = {"LPAR": "(", "RPAR": ")", "THINK": think, "THOUGHT": thought, "SEMICOLON": ";"}
        return {**names, **words, **last}

    @cached_property
    def _strict(self) -> Lark:
        return self._parser("strict.lark", strict=True)

    @cached_property
    def _tolerant(self) -> Lark:
        return self._parser("tolerant.lark", strict=False)

    def _parser(self, file: str, strict: bool) -> Lark:
        names = [token.lower() for token in self._forms]
        shared = Path(__file__).with_name(file).read_text(encoding="utf-8")
        shared = shared.replace("$RULES", " | ".join(names)).replace("$NAMES", "|".join(names))
        forms = self._forms.values()
        terminals = {token: each for form in forms for token, each in form.terminals(strict, self.gap)}
        flags = "" if strict else "i"
        lines = [form.rule(strict) for form in forms]
        lines += [f"{token}: /{pattern}/{flags}" for token, pattern in terminals.items()]
        return Lark(
            "\n".join([shared, *lines]),
            start="script",
            parser="lalr",
            maybe_placeholders=False,
            keep_all_tokens=not strict,
        )

    @cached_property
    def _wrapping(self) -> Wrapping:
        return Wrapping([form.name for form in self.own], self.longest)


def _thought(token: Token) -> str:
    """Extract a THOUGHT's text without brackets and outer quotation marks."""
    text = token[1:-1].strip()
    quoted = len(text) > 1 and _QUOTES.get(text[0]) == text[-1]
    return text[1:-1] if quoted else text


def _tokens(parser: Lark, text: str) -> list[Token]:
    return list(parser.parse(text).scan_values(lambda value: isinstance(value, Token)))


def _ordered(*repairs: Repair) -> tuple[Repair, ...]:
    """Order repairs by position. An insertion precedes a change at the same position."""
    return tuple(sorted(repairs, key=lambda each: (each.position, len(each.original))))


def _joined(reply: str, plain: Unwrapped, inner: tuple[Repair, ...]) -> tuple[Repair, ...]:
    """Combine repairs in terms of the reply; outer ones replace those within. A repair of the plain text
    takes the place of those within it."""
    text = ReplyText(reply)
    within = [(each.position, each.position + len(each.original)) for each in inner]
    covered = {place for begin, end in within for place in range(begin, end)}
    kept = [each for each in plain.repairs if each.position not in covered]
    again = [
        text.repair(each.kind, begin, reply[begin:end], each.became)
        for each, (begin, end) in zip(inner, within, strict=True)
    ]
    return _ordered(*kept, *again)


def _piece(token: Token) -> Piece:
    # White space at the ends of prose may be a blanked code fence.
    text = token.strip()
    begin = (token.start_pos or 0) + len(token) - len(token.lstrip())
    return Piece(token.type, text, begin, begin + len(text))


def _gap_repairs(text: ReplyText, block: str, pieces: tuple[Piece, ...]) -> Iterator[Repair]:
    """Yield repairs of everything between the pieces except spaces and newlines."""
    begins = (0, *(piece.end for piece in pieces))
    ends = (*(piece.begin for piece in pieces), len(block))
    for begin, end in zip(begins, ends, strict=True):
        for unusual in _UNUSUAL_GAP.finditer(block, begin, end):
            is_comment = unusual["comment"] is not None
            kind = RepairKind.COMMENT if is_comment else RepairKind.WHITESPACE
            yield text.repair(kind, unusual.start(), unusual[0], "" if is_comment else " ")
