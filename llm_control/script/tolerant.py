"""The tolerant mode: common deviations of models, translated into the strict language."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from lark import Lark, Token

from llm_control.script.commands import Script
from llm_control.script.fences import script_block
from llm_control.script.repairs import Repair, RepairKind, ReplyText
from llm_control.script.tokens import command, integer, is_plain

_PARSER = Lark.open(
    "tolerant.lark",
    rel_to=__file__,
    start="script",
    parser="lalr",
    keep_all_tokens=True,
    maybe_placeholders=False,
)
_NAMES = {"GO": "Go", "TURN": "Turn", "THINK": "Think"}
_REPAIRS = {
    "GO": RepairKind.NAME,
    "TURN": RepairKind.NAME,
    "THINK": RepairKind.NAME,
    "AMOUNT": RepairKind.AMOUNT,
    "STEPS": RepairKind.UNIT,
    "DEGREES": RepairKind.UNIT,
    "THOUGHT": RepairKind.BRACKETS,
    "SEMICOLON": RepairKind.SEMICOLON,
    "COMMA": RepairKind.SEMICOLON,
    "LEAD": RepairKind.PROSE,
    "TAIL": RepairKind.PROSE,
}
"""Kind of repair by type of token. The brackets of Go and Turn never change."""

_UNUSUAL_GAP = re.compile(r"(?P<comment>(?://|#)[^\n]*)|[^\S \n]+|[\ufeff\u200b]+")
_SQUARE = str.maketrans("()", "[]")


class Piece(NamedTuple):
    """A token of the tolerant grammar: its type, its text, and its span in the reply."""

    type: str
    text: str
    begin: int
    end: int


_NOTHING = Piece("", "", 0, 0)


def read_tolerantly(reply: str) -> Script:
    """The script of a reply, with a repair for everything that the strict language does not allow.

    Raises Lark's `UnexpectedInput`, `AmountError`, or `ScriptSyntaxError` for several code blocks.
    """
    text = ReplyText(reply)
    block = script_block(text)
    tokens = list(_PARSER.parse(block.text).scan_values(lambda value: isinstance(value, Token)))
    names = (token for token in tokens if token.type in _NAMES)
    arguments = (token for token in tokens if token.type in ("AMOUNT", "THOUGHT"))
    commands = tuple(map(command, names, arguments))
    pieces = tuple(map(_piece, tokens))
    repairs = (*block.repairs, *_gap_repairs(text, block.text, pieces), *_piece_repairs(text, pieces))
    return Script(commands, tuple(sorted(repairs, key=_order)))


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


def _piece_repairs(text: ReplyText, pieces: tuple[Piece, ...]) -> Iterator[Repair]:
    for before, piece in pairwise((_NOTHING, *pieces, _NOTHING)):
        if before.type in ("RPAR", "THOUGHT") and piece.type not in ("SEMICOLON", "COMMA"):
            yield text.repair(RepairKind.SEMICOLON, before.end, "", ";")
        became = _strict_text(piece)
        if became != piece.text:
            yield text.repair(_REPAIRS[piece.type], piece.begin, piece.text, became)


def _strict_text(piece: Piece) -> str:
    """A piece in the strict language; empty if it is not part of that."""
    match piece.type:
        case "GO" | "TURN" | "THINK":
            return _NAMES[piece.type]
        case "AMOUNT" if not is_plain(piece.text):
            return integer(piece.text)
        case "THOUGHT" if ")" in piece.text[:-1]:
            return f"({piece.text[1:-1].translate(_SQUARE)})"
        case "SEMICOLON" | "COMMA":
            return ";"
        case "STEPS" | "DEGREES" | "LEAD" | "TAIL":
            return ""
    return piece.text
