"""A script language: its grammars, what its commands mean, and its sentences on mistakes."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from lark import Lark, Token, UnexpectedInput

from evaluation.script.dressed import Dress, strings
from evaluation.script.errors import (
    BRACKET_INSIDE,
    NEVER_ENDS,
    ArgumentError,
    Mistake,
    ScriptSyntaxError,
    syntax_error,
)
from evaluation.script.fences import script_block
from evaluation.script.repairs import Repair, RepairKind, ReplyText

Command = TypeVar("Command")

_HERE = Path(__file__).parent
_KINDS = {
    "THOUGHT": RepairKind.BRACKETS,
    "SEMICOLON": RepairKind.SEMICOLON,
    "COMMA": RepairKind.SEMICOLON,
    "LEAD": RepairKind.PROSE,
    "TAIL": RepairKind.PROSE,
}
"""Kind of repair by type of token, for those that all languages have besides names."""

_SPOKEN = {"LPAR": "(", "RPAR": ")", "THINK": "Think(", "THOUGHT": "a thought in brackets", "SEMICOLON": ";"}

_UNUSUAL_GAP = re.compile(r"(?P<comment>(?://|#)[^\n]*)|[^\S \n]+|[\ufeff\u200b]+")
_SQUARE = str.maketrans("()", "[]")
_QUOTES = {"'": "'", '"': '"', "‘": "’", "“": "”"}


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
    """A script language with the commands `names` and Think, such as `Think('...'); Go(12);`.

    `folder` has `strict.lark` and `tolerant.lark` with a rule for each command, named like it, which has a
    token of its name and one of its argument; they extend the grammars beside this module. `command` makes a
    command of those two tokens, or raises `ArgumentError`. `arguments` are the tokens of arguments, each with
    the kind of repair if it is not strict, and `dropped` tokens that the strict language has not.
    `strict_text` writes an argument that is not strict in the strict language. `spoken` are the tokens in
    words, for messages.
    `mistakes` are typical ones besides those of thoughts, and `semicolon` is the advice for a missing one.
    """

    folder: Path
    names: tuple[str, ...]
    command: Callable[[Token, Token], Command]
    arguments: Mapping[str, RepairKind]
    strict_text: Callable[[Piece], str]
    spoken: Mapping[str, str]
    mistakes: Sequence[Mistake]
    semicolon: str
    dropped: Mapping[str, RepairKind] = field(default_factory=dict)
    longest: int = 40
    """Characters of an argument in which full-width ones are read."""

    def parse(self, text: str, *, strict: bool = False) -> Parsed[Command]:
        """The commands of a model's reply.

        Strict: only `strict.lark`. Tolerant: also common deviations of models (`tolerant.lark`, and the dress
        that `dressed.py` takes off), with a repair for each; a strict reply has the same meaning and no
        repairs. An empty reply is not a script in either mode. The time is proportional to the length of
        `text`. Raises `ScriptSyntaxError`, and no other error.
        """
        try:
            return self._strict_or_tolerant(text, strict)
        except UnexpectedInput as error:
            mistakes = (*NEVER_ENDS, *self.mistakes, BRACKET_INSIDE, ("SEMICOLON", "", self.semicolon))
            raise syntax_error(text, error, {**self.spoken, **_SPOKEN}, mistakes) from None
        except ArgumentError as error:
            raise error.at(text) from None

    def read_tolerantly(self, reply: str) -> Parsed[Command]:
        """The commands of a reply, with a repair for everything that the strict language does not allow.

        Raises Lark's `UnexpectedInput`, `ArgumentError`, or `ScriptSyntaxError` for several code blocks.
        """
        text = ReplyText(reply)
        block = script_block(text)
        tokens = _tokens(self._tolerant, block.text)
        commands = self._commands(tokens)
        pieces = tuple(map(_piece, tokens))
        gaps = _gap_repairs(text, block.text, pieces)
        repairs = sorted([*block.repairs, *gaps, *self._piece_repairs(text, pieces)], key=_order)
        return Parsed(commands, tuple(repairs))

    def _strict_or_tolerant(self, text: str, strict: bool) -> Parsed[Command]:
        try:
            return Parsed(self._commands(_tokens(self._strict, text)))
        except UnexpectedInput:
            if strict:
                raise
        try:
            return self.read_tolerantly(text)
        except UnexpectedInput:
            # Only what would be refused is undressed, so that nothing is read in another way than without it.
            if (found := self._undressed(text)) is None:
                raise
            return found

    def _undressed(self, reply: str) -> Parsed[Command] | None:
        """What can be read if the dress is taken off; None if nothing can. Raises as `read_tolerantly`."""
        dressed = self._dress.read(reply)
        script = self._listed(reply, dressed.plain)
        try:
            script = script or (self.read_tolerantly(dressed.plain) if dressed.repairs else None)
        except UnexpectedInput:
            return None
        return script and Parsed(script.commands, dressed.joined(script.repairs))

    def _listed(self, reply: str, plain: str) -> Parsed[Command] | None:
        """The script of a JSON list of commands, which may stand in a code block."""
        block = script_block(ReplyText(plain))
        found = [self._readable(each) for each in strings(block.text)]
        whole = [each for each in found if each is not None]
        if not whole or len(whole) < len(found):
            return None
        commands = tuple(command for each in whole for command in each.commands)
        text, listed, begin = ReplyText(reply), block.text.strip(), block.text.index("[")
        repair = text.repair(RepairKind.JSON, begin, listed, " ".join(map(str, commands)))
        around = _gap_repairs(text, block.text, (Piece("", listed, begin, begin + len(listed)),))
        return Parsed(commands, tuple(sorted([*block.repairs, *around, repair], key=_order)))

    def _readable(self, text: str) -> Parsed[Command] | None:
        try:
            return self.read_tolerantly(text)
        except (UnexpectedInput, ArgumentError, ScriptSyntaxError):
            return None

    def _commands(self, tokens: Sequence[Token]) -> tuple[Command, ...]:
        names = (token for token in tokens if token.type in self._names)
        arguments = (token for token in tokens if token.type == "THOUGHT" or token.type in self.arguments)
        return tuple(map(self.command, names, arguments))

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
        if piece.type in self._names:
            return self._names[piece.type]
        if piece.type in self.arguments:
            plain = re.fullmatch(self._strict.get_terminal(piece.type).pattern.to_regexp(), piece.text)
            return piece.text if plain else self.strict_text(piece)
        match piece.type:
            case "THOUGHT" if ")" in piece.text[:-1]:
                return f"({piece.text[1:-1].translate(_SQUARE)})"
            case "SEMICOLON" | "COMMA":
                return ";"
        return "" if piece.type in ("LEAD", "TAIL", *self.dropped) else piece.text

    @cached_property
    def _names(self) -> dict[str, str]:
        """The spelling of each command's name by its token."""
        return {name.upper(): name for name in (*self.names, "Think")}

    @cached_property
    def _kinds(self) -> dict[str, RepairKind]:
        return {**_KINDS, **dict.fromkeys(self._names, RepairKind.NAME), **self.arguments, **self.dropped}

    @cached_property
    def _strict(self) -> Lark:
        return self._parser("strict.lark")

    @cached_property
    def _tolerant(self) -> Lark:
        return self._parser("tolerant.lark", keep_all_tokens=True)

    def _parser(self, file: str, **options: Any) -> Lark:
        shared, own = ((folder / file).read_text(encoding="utf-8") for folder in (_HERE, self.folder))
        names = [name.lower() for name in (*self.names, "Think")]
        shared = shared.replace("$RULES", " | ".join(names)).replace("$NAMES", "|".join(names))
        return Lark(f"{shared}\n{own}", start="script", parser="lalr", maybe_placeholders=False, **options)

    @cached_property
    def _dress(self) -> Dress:
        return Dress(self.names, self.longest)


def thought(token: Token) -> str:
    """The text of a THOUGHT, without its brackets and one pair of quotation marks."""
    text = token[1:-1].strip()
    quoted = len(text) > 1 and _QUOTES.get(text[0]) == text[-1]
    return text[1:-1] if quoted else text


def written_thought(text: str) -> str:
    """A thought in the strict language, with square brackets for round ones."""
    return f"Think('{text.translate(_SQUARE)}');"


def _tokens(parser: Lark, text: str) -> list[Token]:
    return list(parser.parse(text).scan_values(lambda value: isinstance(value, Token)))


def _order(repair: Repair) -> tuple[int, int]:
    """By position; an insertion comes before a change at the same position."""
    return repair.position, len(repair.original)


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
