"""Markdown code blocks: which part of a reply is the script."""

import re
from typing import NamedTuple

from evaluation.script.errors import ScriptSyntaxError, excerpt
from evaluation.script.repairs import Repair, RepairKind, ReplyText

_MARK = re.compile(r"(?:`{3,}|~{3,})(?:[\w+.-]*[ \t]*\r?(?=\n))?")
_WRAPPED = re.compile(r"\s*(`)[^`]*(`)\s*\Z")
_NOT_NEWLINE = re.compile(r"[^\n]")


class Block(NamedTuple):
    """The part of a reply that contains the script.

    `text` is the whole reply with everything else blanked, so that positions do not change.
    """

    text: str
    repairs: tuple[Repair, ...]


def script_block(reply: ReplyText) -> Block:
    """The fenced block of a reply, or the whole reply if it has none.

    A block may lack its first or last mark, for example after a stop sequence. Raises `ScriptSyntaxError` for
    several blocks: which one is meant would be a guess.
    """
    marks = [match.span() for match in _MARK.finditer(reply.text)]
    if not marks and (wrapped := _WRAPPED.match(reply.text)):
        marks = [wrapped.span(1), wrapped.span(2)]
    if len(marks) > 2:
        third = marks[2][0]
        found = excerpt(reply.text[third:])
        raise ScriptSyntaxError("Answer with one code block only.", *reply.place(third), found)
    if not marks:
        return Block(reply.text, ())
    return _between(reply, *_ends(reply.text, marks))


def _ends(text: str, marks: list[tuple[int, int]]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Spans of the first and the last mark; a missing one is empty, at its end of the text."""
    if len(marks) == 2:
        return marks[0], marks[1]
    closes = not text[marks[0][1] :].strip()
    return ((0, 0), marks[0]) if closes else (marks[0], (len(text), len(text)))


def _between(reply: ReplyText, first: tuple[int, int], last: tuple[int, int]) -> Block:
    outside = (
        (RepairKind.PROSE, 0, first[0]),
        (RepairKind.FENCE, *first),
        (RepairKind.FENCE, *last),
        (RepairKind.PROSE, last[1], len(reply.text)),
    )
    repairs = (_removal(reply, *part) for part in outside)
    return _without(reply.text, tuple(repair for repair in repairs if repair.original))


def _removal(reply: ReplyText, kind: RepairKind, begin: int, end: int) -> Repair:
    """Removes the text from `begin` to `end`, except for white space at its ends."""
    part = reply.text[begin:end]
    return reply.repair(kind, begin + len(part) - len(part.lstrip()), part.strip())


def _without(text: str, removals: tuple[Repair, ...]) -> Block:
    for removal in removals:
        end = removal.position + len(removal.original)
        text = text[: removal.position] + _NOT_NEWLINE.sub(" ", removal.original) + text[end:]
    return Block(text, removals)
