"""Answers in the laboratory: `Think('...'); Try([2, 3]);`, `Open(2);` or `Belief([0.2, 0.5, 0.3]);`."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from evaluation.script import Language, Listed, ScriptSyntaxError, Think, list_form, shares, wholes

ONE = "An answer has one command: Try([...]); or Open(...);"
NO_BELIEF = "There was no Belief([...]) with one probability for each door."


Command = Think | Listed


class Reply(NamedTuple):
    """Parsed reply: command and stated belief, or None with a `problem`."""

    thoughts: tuple[str, ...] = ()
    command: Listed | None = None
    repairs: tuple[str, ...] = ()
    problem: str | None = None
    belief: tuple[float, ...] | None = None


_ADVICE = {
    "Try": "Try needs whole numbers, each once, as in Try([2, 3]);",
    "Open": "Open needs the number of one door, as in Open(2);",
    "Belief": "Belief needs a probability from 0 to 1 for each door, as in Belief([0.2, 0.5, 0.3]);",
}
_NAMED = "(?:thing|door|ramp|box|lane|object)s?"
"""Nouns that a model may put before numbers."""


def _wholes(text: str) -> tuple[int, ...] | None:
    """Read distinct whole numbers; None if unreadable."""
    numbers = wholes(text, _NAMED)
    return numbers if numbers is not None and len({*numbers}) == len(numbers) else None


_WORDS = "a list of numbers"

LANGUAGE = Language[Command](
    own=(
        list_form("Try", _WORDS, _wholes, "[1-9]", alone=True, empty=True),
        list_form("Open", _WORDS, _wholes, "[1-9]", alone=True),
        list_form("Belief", _WORDS, partial(shares, named=_NAMED)),
    ),
    think=Think,
    mistakes=(
        *((f"{name.upper()}_LIST", "", advice) for name, advice in _ADVICE.items()),
        ("TRY", r"\Z", ONE),
        ("TRY", r"\w+\s*\(", "There is no such command; the commands are Try, Open, Belief and Think."),
    ),
    semicolon="Every command ends with a semicolon, as in Open(2);",
    longest=200,
)
"""Language of the commands Try, Open, Belief and Think."""


def read_reply(text: str, wanted: Sequence[str], *, strict: bool = False) -> Reply:
    """Read a reply with one of the `wanted` commands. Raises nothing."""
    try:
        read = LANGUAGE.parse(text, strict=strict)
    except ScriptSyntaxError as error:
        return Reply(problem=error.feedback)
    thoughts = tuple(each.text for each in read.commands if isinstance(each, Think))
    repairs = tuple(map(str, read.repairs))
    given = [each for each in read.commands if isinstance(each, Listed)]
    # Choosing between two would be a guess.
    if len(given) != 1 or given[0].name not in wanted:
        return Reply(thoughts, None, repairs, NO_BELIEF if "Belief" in wanted else ONE)
    if given[0].numbers is None:
        return Reply(thoughts, None, repairs, _ADVICE[given[0].name])
    return Reply(thoughts, given[0], repairs)


def read_belief(text: str, doors: int, *, strict: bool = False) -> Reply:
    """Read a reply with the `belief`, a probability per door. Raises nothing."""
    reply = read_reply(text, ("Belief",), strict=strict)
    if reply.command is None:
        return reply
    numbers = np.array(reply.command.numbers)
    if len(numbers) != doors or abs(numbers.sum() - 1) > 0.05:
        return reply._replace(problem=f"Belief needs {doors} probabilities that are 1 together.")
    return reply._replace(belief=tuple((numbers / numbers.sum()).tolist()))
