"""A script language: how its commands are written, what they mean, and its sentences on mistakes."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from lark import Lark, Token, UnexpectedInput

from evaluation.script.reply import (
    BRACKET_INSIDE,
    NEVER_ENDS,
    ArgumentError,
    Mistake,
    Repair,
    RepairKind,
    ReplyText,
    ScriptSyntaxError,
    Unwrapped,
    Wrapping,
    json_strings,
    syntax_error,
    without_fence,
)

Command = TypeVar("Command")

_KINDS = {
    "SEMICOLON": RepairKind.SEMICOLON,
    "COMMA": RepairKind.SEMICOLON,
    "LEAD": RepairKind.PROSE,
    "TAIL": RepairKind.PROSE,
}
"""Kind of repair by type of token, for those that all languages have besides names and arguments."""

_UNUSUAL_GAP = re.compile(r"(?P<comment>(?://|#)[^\n]*)|[^\S \n]+|[\ufeff\u200b]+")
_SQUARE = str.maketrans("()", "[]")
_QUOTES = {"'": "'", '"': '"', "‘": "’", "“": "”"}


@dataclass(frozen=True, slots=True)
class Think:
    """A thought: kept for the record, takes no time. `text` is without the outer quotation marks."""

    text: str

    def __str__(self) -> str:
        return f"Think('{self.text.translate(_SQUARE)}');"


@dataclass(frozen=True)
class Argument:
    """An argument of commands: its token, the same in words, and its patterns.

    `kind` is the kind of repair if it is not strict, and `written` then writes it in the strict language.
    `bracketed`: the token includes the brackets. Without patterns the grammars beside this module have it.
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


@dataclass(frozen=True)
class Form(Generic[Command]):
    """A kind of command, such as `Go(12);`: its name, its argument, and the command that these make.

    `read` raises `ArgumentError` for an argument that the command cannot have. `unit` is the pattern of a
    unit that the tolerant mode drops.
    """

    name: str
    argument: Argument
    read: Callable[[Token], Command]
    unit: str = ""

    @property
    def token(self) -> str:
        """The token of its name."""
        return self.name.upper()

    @property
    def unit_token(self) -> str:
        """The token of its unit."""
        return f"{self.token}_UNIT"

    def rule(self, strict: bool) -> str:
        """Its rule in a grammar."""
        unit = f" {self.unit_token}?" if self.unit and not strict else ""
        inside = self.argument.token + unit
        return f"{self.token.lower()}: {self.token} " + (
            inside if self.argument.bracketed else f'"(" {inside} ")"'
        )

    def terminals(self, strict: bool, gap: str) -> Iterator[tuple[str, str]]:
        """Its tokens with their patterns; `gap` is what a strict name may have between its letters."""
        yield self.token, gap.join(self.name) if strict else rf"{self.name}(?=\s*\()"
        if self.argument.tolerant:
            yield self.argument.token, self.argument.strict if strict else self.argument.tolerant
        if self.unit and not strict:
            yield self.unit_token, self.unit


class Piece(NamedTuple):
    """A token of the tolerant grammar: its type, its text, and its span in the reply."""

    type: str
    text: str
    begin: int
    end: int


_NOTHING = Piece("", "", 0, 0)


@dataclass(frozen=True)
class Parsed(Generic[Command]):
    """The commands of a reply in order, and the repairs that were needed to parse it."""

    commands: tuple[Command, ...]
    repairs: tuple[Repair, ...] = ()


@dataclass(frozen=True)
class Language(Generic[Command]):
    """A script language with some forms of commands and Think, such as `Think('...'); Go(12);`.

    `think` makes the command of a thought. `mistakes` are typical ones besides those of thoughts, and
    `semicolon` is the advice for a missing one.
    """

    own: Sequence[Form[Command]]
    think: Callable[[str], Command]
    mistakes: Sequence[Mistake]
    semicolon: str
    longest: int = 40
    """Characters of an argument in which full-width ones are read."""
    gap: str = ""
    """Pattern of what may stand between the letters of a strict name."""

    def parse(self, text: str, *, strict: bool = False) -> Parsed[Command]:
        """The commands of a model's reply.

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
        """The commands of a reply, with a repair for everything that the strict language does not allow.

        Raises Lark's `UnexpectedInput`, `ArgumentError`, or `ScriptSyntaxError` for several code blocks.
        """
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
            # Only what would be refused is unwrapped, so that nothing is read in another way than without it.
            if (found := self._unwrapped(text)) is None:
                raise
            return found

    def _unwrapped(self, reply: str) -> Parsed[Command] | None:
        """What can be read without wrapping; None if nothing can. Raises as `read_tolerantly`."""
        plain = self._wrapping.taken_off(reply)
        script = self._listed(reply, plain.text)
        try:
            script = script or (self.read_tolerantly(plain.text) if plain.repairs else None)
        except UnexpectedInput:
            return None
        return script and Parsed(script.commands, _joined(reply, plain, script.repairs))

    def _listed(self, reply: str, plain: str) -> Parsed[Command] | None:
        """The script of a JSON list of commands, which may stand in a code block."""
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
        """A piece in the strict language; empty if it is not part of that."""
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
        """The forms by the tokens of their names; Think is the last."""
        think = Form("Think", _THOUGHT, lambda token: self.think(_thought(token)))
        return {form.token: form for form in (*self.own, think)}

    @cached_property
    def _arguments(self) -> dict[str, Argument]:
        return {form.argument.token: form.argument for form in self._forms.values()}

    @cached_property
    def _kinds(self) -> dict[str, RepairKind]:
        """The kind of repair of each token that a repair may change."""
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
    """The text of a THOUGHT, without its brackets and one pair of quotation marks."""
    text = token[1:-1].strip()
    quoted = len(text) > 1 and _QUOTES.get(text[0]) == text[-1]
    return text[1:-1] if quoted else text


def _tokens(parser: Lark, text: str) -> list[Token]:
    return list(parser.parse(text).scan_values(lambda value: isinstance(value, Token)))


def _ordered(*repairs: Repair) -> tuple[Repair, ...]:
    """By position; an insertion comes before a change at the same position."""
    return tuple(sorted(repairs, key=lambda each: (each.position, len(each.original))))


def _joined(reply: str, plain: Unwrapped, inner: tuple[Repair, ...]) -> tuple[Repair, ...]:
    """All repairs in terms of the reply: one of the plain text takes the place of those within it."""
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
    """Repairs of everything between the pieces that is neither space nor newline."""
    begins = (0, *(piece.end for piece in pieces))
    ends = (*(piece.begin for piece in pieces), len(block))
    for begin, end in zip(begins, ends, strict=True):
        for unusual in _UNUSUAL_GAP.finditer(block, begin, end):
            is_comment = unusual["comment"] is not None
            kind = RepairKind.COMMENT if is_comment else RepairKind.WHITESPACE
            yield text.repair(kind, unusual.start(), unusual[0], "" if is_comment else " ")
