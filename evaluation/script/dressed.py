"""Scripts in the dress of lists, dialogues and markup, taken off only if a reply cannot be read otherwise.

Everything that is taken off becomes spaces, and a full-width character one of ASCII, so that positions stay
those of the reply.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evaluation.script.repairs import Repair, RepairKind, ReplyText

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

_WIDE = str.maketrans("（）；，．－＋０１２３４５６７８９", "();,.-+0123456789")
_NOT_NEWLINE = re.compile(r"[^\n]")


class Undressed(NamedTuple):
    """A reply whose dress was made spaces, and the repairs that did it."""

    reply: str
    plain: str
    repairs: tuple[Repair, ...]

    def joined(self, inner: tuple[Repair, ...]) -> tuple[Repair, ...]:
        """All repairs in terms of the reply: one of the plain text takes the place of those within it."""
        text = ReplyText(self.reply)
        within = [(each.position, each.position + len(each.original)) for each in inner]
        covered = {place for begin, end in within for place in range(begin, end)}
        kept = [each for each in self.repairs if each.position not in covered]
        again = [
            text.repair(each.kind, begin, self.reply[begin:end], each.became)
            for each, (begin, end) in zip(inner, within, strict=True)
        ]
        return tuple(sorted([*kept, *again], key=lambda each: (each.position, len(each.original))))


class Dress:
    """The dress of replies in a language with the commands `names` and Think.

    Full-width characters are read in arguments of at most `longest` characters.
    """

    def __init__(self, names: Sequence[str], longest: int) -> None:
        own, every = ("|".join(map(str.lower, each)) for each in (names, (*names, "Think")))
        name = rf"(?:{every})[ \t]*+[(（]"
        self._labels = re.compile(_LABELS.format(name=name), re.IGNORECASE | re.MULTILINE)
        command = rf"\b(?:{own})[ \t]*+[(（][^()（）\n]{{0,{longest}}}[)）](?:[ \t]*+[；，])?"
        close = rf"[)）](?:[ \t]*+[；，]|(?=\s*+(?:;|\Z|{name})))"
        self._wide = [re.compile(each, re.IGNORECASE) for each in (command, r"(?<=think)（", close)]

    def read(self, reply: str) -> Undressed:
        """Take off whatever is there, one kind after another."""
        plain, repairs = reply, list[Repair]()
        for step in (_tags, self._without_labels, _markup, self._without_wide):
            found = list(step(ReplyText(plain)))
            repairs += found
            plain = _made(plain, found)
        return Undressed(reply, plain, tuple(repairs))

    def _without_labels(self, text: ReplyText) -> Iterator[Repair]:
        """What stands before the first command of a line; nothing if the lines may be alternatives."""
        lines = list(self._labels.finditer(text.text))
        if not lines or _ALTERNATIVES.search(text.text, 0, lines[0].start()):
            return
        for line in lines:
            for part in _LABEL.finditer(line[0]):
                kind = RepairKind.MARKUP if part["markup"] else RepairKind.LABEL
                yield text.repair(kind, line.start() + part.start(), part[0])

    def _without_wide(self, text: ReplyText) -> Iterator[Repair]:
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


def strings(text: str) -> list[str]:
    """The texts of a JSON list; none if it is anything else."""
    listed = text.strip()
    try:
        found = json.loads(listed) if listed.startswith("[") else None
    except (ValueError, RecursionError):
        return []
    return found if isinstance(found, list) and all(isinstance(each, str) for each in found) else []


def _made(text: str, repairs: list[Repair]) -> str:
    letters = list(text)
    for repair in repairs:
        became = repair.became or _NOT_NEWLINE.sub(" ", repair.original)
        letters[repair.position : repair.position + len(became)] = became
    return "".join(letters)


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


def _markup(text: ReplyText) -> Iterator[Repair]:
    for mark in _MARKUP_AFTER.finditer(text.text):
        yield text.repair(RepairKind.MARKUP, mark.start(), mark[0])
