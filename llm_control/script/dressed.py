"""Scripts in the dress of lists, dialogues and markup, taken off only if a reply cannot be read otherwise.

Everything that is taken off becomes spaces, and a full-width character one of ASCII, so that positions stay
those of the reply.
"""

import json
import re
from collections.abc import Iterator

from lark import UnexpectedInput

from llm_control.script.commands import Script
from llm_control.script.errors import ScriptSyntaxError
from llm_control.script.fences import script_block
from llm_control.script.repairs import Repair, RepairKind, ReplyText
from llm_control.script.tokens import AmountError
from llm_control.script.tolerant import read_tolerantly

_NAME = r"(?:go|turn|think)[ \t]*+[(（]"

# Patterns take linear time: what repeats is possessive, and each line is tried once.
_TAG = re.compile(r"<(/?)(?:answer|script|actions?+|commands?+|response|output)>", re.IGNORECASE)
_LABELS = re.compile(
    r"^[ \t]*+(?:(?:[*_>]|(?<!`)`{1,2}(?!`)|[-+•–]|\d{1,3}[.)．）、]|(?:step[ \t]*+\d{1,3}"
    r"|player|agent|assistant|answer|script|actions?+|commands?+|response)[ \t]*+[:：])[ \t]*+)++"
    rf"(?={_NAME})",
    re.IGNORECASE | re.MULTILINE,
)
_LABEL = re.compile(
    r"(?<![:：.)])\*(?=[ \t])|(?P<markup>[*_>`]++)|[^\s*_>`]++(?:[ \t]*+\d{1,3})?(?:[ \t]*+[:：])?"
)
_MARKUP_AFTER = re.compile(r"(?<=[)）;；])(?:[*_]++|(?<!`)`{1,2}(?!`))(?=[ \t]*+(?:[;；*_`]|\n|\Z))")
_ALTERNATIVES = re.compile(r"\b(?:options?|alternatives?|either|could|might)\b", re.IGNORECASE)

_WIDE = str.maketrans("（）；，．－＋０１２３４５６７８９", "();,.-+0123456789")
_WIDE_COMMAND = re.compile(
    r"\b(?:go|turn)[ \t]*+[(（][^()（）\n]{0,40}[)）](?:[ \t]*+[；，])?", re.IGNORECASE
)
_WIDE_OPEN = re.compile(r"(?<=think)（", re.IGNORECASE)
_WIDE_CLOSE = re.compile(rf"[)）](?:[ \t]*+[；，]|(?=\s*+(?:;|\Z|{_NAME})))", re.IGNORECASE)
_NOT_NEWLINE = re.compile(r"[^\n]")


def read_dressed(reply: str) -> Script | None:
    """The script of a reply that the tolerant mode cannot read as it is; None if there still is none.

    Raises `AmountError`, and `ScriptSyntaxError` for several code blocks, as the tolerant mode does.
    """
    text = ReplyText(reply)
    plain, repairs = reply, list[Repair]()
    for step in (_tags, _labels, _markup, _wide):
        found = list(step(ReplyText(plain)))
        repairs += found
        plain = _made(plain, found)
    script = _json_list(text, plain)
    try:
        script = script or (read_tolerantly(plain) if repairs else None)
    except UnexpectedInput:
        return None
    return script and Script(script.commands, _joined(text, repairs, script.repairs))


def _made(text: str, repairs: list[Repair]) -> str:
    letters = list(text)
    for repair in repairs:
        became = repair.became or _NOT_NEWLINE.sub(" ", repair.original)
        letters[repair.position : repair.position + len(became)] = became
    return "".join(letters)


def _joined(text: ReplyText, outer: list[Repair], inner: tuple[Repair, ...]) -> tuple[Repair, ...]:
    """All repairs in terms of the reply: one of the plain text takes the place of those within it."""
    within = [(each.position, each.position + len(each.original)) for each in inner]
    covered = {place for begin, end in within for place in range(begin, end)}
    kept = [each for each in outer if each.position not in covered]
    again = [
        text.repair(each.kind, begin, text.text[begin:end], each.became)
        for each, (begin, end) in zip(inner, within, strict=True)
    ]
    return tuple(sorted([*kept, *again], key=lambda each: (each.position, len(each.original))))


def _tags(text: ReplyText) -> Iterator[Repair]:
    """One pair of tags, or one tag at an end; what is outside is prose. Nothing if there are more."""
    tags = list(_TAG.finditer(text.text))
    closes = [bool(tag[1]) for tag in tags]
    if closes not in ([False, True], [False], [True]):
        return
    first = tags[0].start() if not closes[0] else 0
    last = tags[-1].end() if closes[-1] else len(text.text)
    for begin, end in ((0, first), (last, len(text.text))):
        part = text.text[begin:end]
        if part.strip():
            yield text.repair(RepairKind.PROSE, begin + len(part) - len(part.lstrip()), part.strip())
    yield from (text.repair(RepairKind.TAG, tag.start(), tag[0]) for tag in tags)


def _labels(text: ReplyText) -> Iterator[Repair]:
    """What stands before the first command of a line; nothing if the lines may be alternatives."""
    lines = list(_LABELS.finditer(text.text))
    if not lines or _ALTERNATIVES.search(text.text, 0, lines[0].start()):
        return
    for line in lines:
        for part in _LABEL.finditer(line[0]):
            kind = RepairKind.MARKUP if part["markup"] else RepairKind.LABEL
            yield text.repair(kind, line.start() + part.start(), part[0])


def _markup(text: ReplyText) -> Iterator[Repair]:
    for mark in _MARKUP_AFTER.finditer(text.text):
        yield text.repair(RepairKind.MARKUP, mark.start(), mark[0])


def _wide(text: ReplyText) -> Iterator[Repair]:
    """Full-width characters of commands; those of thoughts stay."""
    places = {
        place
        for pattern in (_WIDE_COMMAND, _WIDE_OPEN, _WIDE_CLOSE)
        for match in pattern.finditer(text.text)
        for place in range(*match.span())
    }
    for place in sorted(places):
        wide = text.text[place]
        if (became := wide.translate(_WIDE)) != wide:
            yield text.repair(RepairKind.FULL_WIDTH, place, wide, became)


def _json_list(text: ReplyText, plain: str) -> Script | None:
    """The script of a JSON list of commands, which may stand in a code block."""
    block = script_block(ReplyText(plain))
    listed = block.text.strip()
    if not listed.startswith("[") or not (texts := _strings(listed)):
        return None
    scripts = [_script(each) for each in texts]
    whole = [script for script in scripts if script is not None]
    if len(whole) < len(texts):
        return None
    commands = tuple(command for script in whole for command in script.commands)
    became = " ".join(map(str, commands))
    repair = text.repair(RepairKind.JSON, block.text.index("["), listed, became)
    return Script(commands, (*block.repairs, repair))


def _strings(listed: str) -> list[str]:
    """The texts of a JSON list; none if it is anything else."""
    try:
        found = json.loads(listed)
    except (ValueError, RecursionError):
        return []
    return found if isinstance(found, list) and all(isinstance(each, str) for each in found) else []


def _script(text: str) -> Script | None:
    try:
        return read_tolerantly(text)
    except (UnexpectedInput, AmountError, ScriptSyntaxError):
        return None
