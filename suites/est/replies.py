"""What a model answers: `Think('...'); Belief([0.9, 0.1, ...]); Trial([2, 5]);`."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lark import Token

from evaluation.script import Argument, Form, Language, RepairKind, ScriptSyntaxError, Think
from suites.est.world import OBJECTS

NO_BELIEF = f"There was no Belief([...]) with a probability for each of the {OBJECTS} objects."
NO_TRIAL = "There was no Trial([...]) with the numbers of the objects to put on the machine."


@dataclass(frozen=True, slots=True)
class Belief:
    """The probability of each object to be a Blicket, from 0 to 1."""

    probabilities: tuple[float, ...]

    def __str__(self) -> str:
        return f"Belief({_listed(self.probabilities)});"


@dataclass(frozen=True, slots=True)
class Trial:
    """The numbers, from 1 and ascending, of the objects that are put on the machine."""

    objects: tuple[int, ...]

    def __str__(self) -> str:
        return f"Trial({_listed(self.objects)});"


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A Belief or Trial whose list cannot be read; `advice` says why and how to write it."""

    name: str
    text: str
    advice: str

    def __str__(self) -> str:
        return f"{self.name}{self.text};"


Command = Think | Belief | Trial | Unreadable


class Reply(NamedTuple):
    """A reply as read. What is None was not given or cannot be read; `problems` say why, for the model.

    `no_trial`: it was not given, which not every step asks for.
    """

    thoughts: tuple[str, ...] = ()
    belief: tuple[float, ...] | None = None
    trial: tuple[int, ...] | None = None
    repairs: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    no_trial: bool = False


_BELIEF_ADVICE = (
    f"Belief needs {OBJECTS} probabilities from 0 to 1, one for each object in the order of the numbers: "
    f"Belief([{', '.join(['0.5'] * OBJECTS)}]);"
)
_TRIAL_ADVICE = f"Trial needs numbers of objects from 1 to {OBJECTS}, each once, as in Trial([2, 5]);"

_LABEL = r"(?:[\"']?(?:objects?|no\.?|nr\.?|#)?\s*([0-9]{1,2})[\"']?\s*[:=]\s*)?"
_NUMBER = r"((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]{1,3})?)\s*(%?)"
_PROBABILITY = re.compile(_LABEL + _NUMBER, re.IGNORECASE)
_OBJECT = re.compile(r"[\"']?(?:objects?|no\.?|nr\.?|#)?\s*([0-9]{1,2})[\"']?", re.IGNORECASE)


def _items(text: str) -> list[str]:
    """What stands between the commas of a list in any brackets."""
    inside = re.sub(r"^[\s(\[{]*|[\s)\]},]*$", "", text)
    return [item.strip() for item in inside.split(",")] if inside else []


def probabilities(text: str) -> tuple[float, ...] | None:
    """The nine probabilities of a list, which may be in percent or labelled by object; None if unreadable."""
    found = [_PROBABILITY.fullmatch(item) for item in _items(text)]
    each = [(match[1], float(match[2]) / (100 if match[3] else 1)) for match in found if match]
    labels = [int(label) for label, _ in each if label]
    if len(each) != len(found) or len(each) != OBJECTS or not all(0 <= value <= 1 for _, value in each):
        return None
    if labels:
        if sorted(labels) != list(range(1, OBJECTS + 1)):
            return None
        each = sorted(each, key=lambda pair: int(pair[0]))
    return tuple(value for _, value in each)


def objects(text: str) -> tuple[int, ...] | None:
    """The numbers of a list, which may be nine marks of 0 and 1; None if it cannot be read."""
    found = [_OBJECT.fullmatch(item) for item in _items(text)]
    numbers = [int(match[1]) for match in found if match]
    if len(numbers) != len(found):
        return None
    if len(numbers) == OBJECTS and set(numbers) <= {0, 1}:
        return tuple(k + 1 for k, mark in enumerate(numbers) if mark)
    wrong = len(set(numbers)) < len(numbers) or not set(numbers) <= set(range(1, OBJECTS + 1))
    return None if wrong else tuple(sorted(numbers))


def _belief(token: Token) -> Command:
    belief = probabilities(token)
    return Unreadable("Belief", token, _BELIEF_ADVICE) if belief is None else Belief(belief)


def _trial(token: Token) -> Command:
    trial = objects(token)
    return Unreadable("Trial", token, _TRIAL_ADVICE) if trial is None else Trial(trial)


def _listed(numbers: Sequence[float]) -> str:
    return f"[{', '.join(f'{number:g}' if number in (0, 1) else repr(number) for number in numbers)}]"


def _list(token: str, content: str, read: Callable[[str], Sequence[float] | None], strict: str) -> Argument:
    """A list in brackets, of anything in the tolerant mode.

    It is read afterwards, so that one that cannot be read does not take the other one with it, and stays.
    """

    def written(text: str) -> str:
        return text if (numbers := read(text)) is None else f"({_listed(numbers)})"

    words = f"a list of {content}"
    return Argument(token, words, RepairKind.LIST, written, strict, tolerant=r"\([^()]*\)", bracketed=True)


_STRICT_NUMBER = r"(?:[01](?:\.[0-9]*)?|\.[0-9]+|[1-9](?:\.[0-9]*)?[eE]-[0-9]{1,3})"
_STRICT_BELIEF = rf"\([ \n]*\[[ \n]*{_STRICT_NUMBER}(?:[ \n]*,[ \n]*{_STRICT_NUMBER})*[ \n]*\][ \n]*\)"
_STRICT_TRIAL = r"\([ \n]*\[[ \n]*(?:[1-9](?:[ \n]*,[ \n]*[1-9])*[ \n]*)?\][ \n]*\)"

LANGUAGE = Language[Command](
    own=(
        Form(
            "Belief",
            _list("PROBABILITIES", "probabilities", probabilities, _STRICT_BELIEF),
            _belief,
        ),
        Form("Trial", _list("OBJECTS", "objects", objects, _STRICT_TRIAL), _trial),
    ),
    think=Think,
    mistakes=(
        ("PROBABILITIES", "", _BELIEF_ADVICE),
        ("OBJECTS", "", _TRIAL_ADVICE),
        ("BELIEF", r"\Z", "A reply has a belief and a trial: Belief([...]); Trial([...]);"),
        (
            "BELIEF",
            r"(?:belief|trial|think)\b",
            "The commands are Belief([...]); Trial([...]);",
        ),
        ("BELIEF", r"\w+\s*\(", "There is no such command; the commands are Belief, Trial and Think."),
    ),
    semicolon="Every command ends with a semicolon, as in Trial([2, 5]);",
    longest=400,
)
"""Of the commands Belief, Trial and Think."""


def read_reply(text: str, *, strict: bool = False) -> Reply:
    """A model's reply; an unreadable one has neither belief nor trial, and says why. Raises nothing."""
    try:
        read = LANGUAGE.parse(text, strict=strict)
    except ScriptSyntaxError as error:
        return Reply(problems=(error.feedback,))
    beliefs = [each for each in read.commands if isinstance(each, Belief)]
    trials = [each for each in read.commands if isinstance(each, Trial)]
    problems = [each.advice for each in read.commands if isinstance(each, Unreadable)]
    names = [type(each).__name__ for each in (*beliefs, *trials)]
    names += [each.name for each in read.commands if isinstance(each, Unreadable)]
    # Which of two is meant would be a guess.
    twice = [name for name in ("Belief", "Trial") if names.count(name) > 1]
    problems += [f"There was more than one {name}; give one." for name in twice]
    return Reply(
        tuple(each.text for each in read.commands if isinstance(each, Think)),
        beliefs[0].probabilities if names.count("Belief") == 1 and beliefs else None,
        trials[0].objects if names.count("Trial") == 1 and trials else None,
        tuple(map(str, read.repairs)),
        (*problems, *([] if "Belief" in names else [NO_BELIEF])),
        "Trial" not in names,
    )


def written(belief: Sequence[float], trial: Sequence[bool]) -> str:
    """A belief and a trial, one entry for each object, as a reply in the strict language."""
    on = tuple(k + 1 for k, each in enumerate(trial) if each)
    return f"{Belief(tuple(map(float, belief)))} {Trial(on)}"
