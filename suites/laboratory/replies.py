"""What a model answers: `Think('...'); Try([2, 3]);`, `Open(2);` or `Belief([0.2, 0.5, 0.3]);`."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.script import Argument, Form, Language, RepairKind, ScriptSyntaxError, Think

ONE = "An answer has one command: Try([...]); or Open(...);"
NO_BELIEF = "There was no Belief([...]) with one probability for each door."


@dataclass(frozen=True, slots=True)
class Listed:
    """A Try, Open or Belief with its numbers; None if they cannot be read."""

    name: str
    numbers: tuple[float, ...] | None
    text: str = ""

    def __str__(self) -> str:
        return f"{self.name}{self.text if self.numbers is None else _listed(self.numbers)};"


Command = Think | Listed


class Reply(NamedTuple):
    """A reply as read: its one command, None with a `problem` if it has none that can be used."""

    thoughts: tuple[str, ...] = ()
    command: Listed | None = None
    repairs: tuple[str, ...] = ()
    problem: str | None = None


_ADVICE = {
    "Try": "Try needs whole numbers, each once, as in Try([2, 3]);",
    "Open": "Open needs the number of one door, as in Open(2);",
    "Belief": "Belief needs a probability from 0 to 1 for each door, as in Belief([0.2, 0.5, 0.3]);",
}
_LABEL = r"(?:[\"']?(?:thing|door|ramp|box|lane|object|no\.?|#)?s?\s*"
_WHOLE = re.compile(_LABEL + r")([0-9]{1,3})[\"']?", re.IGNORECASE)
_SHARE = re.compile(_LABEL + r"[0-9]{1,2}[\"']?\s*[:=]\s*)?([0-9]+\.?[0-9]*|\.[0-9]+)\s*(%?)", re.IGNORECASE)


def _items(text: str) -> list[str]:
    """What stands between the commas of a list in any brackets."""
    inside = re.sub(r"^[\s(\[{]*|[\s)\]},]*$", "", text)
    return [item.strip() for item in inside.split(",")] if inside else []


def _wholes(text: str) -> tuple[float, ...] | None:
    """Whole numbers, each once; None if unreadable."""
    found = [_WHOLE.fullmatch(item) for item in _items(text)]
    numbers = [int(match[1]) for match in found if match]
    return tuple(numbers) if len({*numbers}) == len(found) else None


def _shares(text: str) -> tuple[float, ...] | None:
    """Probabilities, which may be in percent or labelled by door in order; None if unreadable."""
    found = [_SHARE.fullmatch(item) for item in _items(text)]
    shares = [float(match[1]) / (100 if match[2] else 1) for match in found if match]
    fits = shares and len(shares) == len(found) and all(0 <= share <= 1 for share in shares)
    return tuple(shares) if fits else None


def _listed(numbers: Sequence[float]) -> str:
    return f"([{', '.join(f'{number:g}' for number in numbers)}])"


def _form(name: str, read: Callable[[str], tuple[float, ...] | None], strict: str) -> Form[Command]:
    """A command with a list in brackets, of anything in the tolerant mode."""

    def written(text: str) -> str:
        return text if (numbers := read(text)) is None else _listed(numbers)

    argument = Argument(
        f"{name.upper()}_LIST", "a list of numbers", RepairKind.LIST, written, strict,
        tolerant=r"\([^()]*\)", bracketed=True,
    )  # fmt: skip
    return Form(name, argument, lambda given: Listed(name, read(given), given))


_STRICT = r"\([ \n]*\[[ \n]*(?:{0}(?:[ \n]*,[ \n]*{0})*[ \n]*)?\][ \n]*\)"
_STRICT_OPEN = r"\([ \n]*(?:[1-9]|\[[ \n]*[1-9][ \n]*\])[ \n]*\)"

LANGUAGE = Language[Command](
    own=(
        _form("Try", _wholes, rf"(?:{_STRICT.format('[1-9]')}|\([1-9]\))"),
        _form("Open", _wholes, _STRICT_OPEN),
        _form("Belief", _shares, _STRICT.format(r"(?:[01](?:\.[0-9]*)?|\.[0-9]+)")),
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
"""Of the commands Try, Open, Belief and Think."""


def read_reply(text: str, wanted: Sequence[str], *, strict: bool = False) -> Reply:
    """A model's reply of which one of the `wanted` commands is expected. Raises nothing."""
    try:
        read = LANGUAGE.parse(text, strict=strict)
    except ScriptSyntaxError as error:
        return Reply(problem=error.feedback)
    thoughts = tuple(each.text for each in read.commands if isinstance(each, Think))
    repairs = tuple(map(str, read.repairs))
    given = [each for each in read.commands if isinstance(each, Listed)]
    # Which of two is meant would be a guess.
    if len(given) != 1 or given[0].name not in wanted:
        return Reply(thoughts, None, repairs, NO_BELIEF if "Belief" in wanted else ONE)
    if given[0].numbers is None:
        return Reply(thoughts, None, repairs, _ADVICE[given[0].name])
    return Reply(thoughts, given[0], repairs)
