"""What replies are wrapped in: code blocks, lists, labels, tags, markup, full-width characters and JSON.

A step finds the repairs that take one kind of wrapping off. Whatever is taken off becomes spaces, and a
full-width character one of ASCII, so that positions stay those of the reply.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from evaluation.script.reply import Repair, RepairKind, ReplyText, ScriptSyntaxError, excerpt

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
