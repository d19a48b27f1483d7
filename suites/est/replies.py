"""What a model answers: `Think('...'); Belief([0.9, 0.1, ...]); Trial([2, 5]);`."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from evaluation.script import Argument, Form, Language, RepairKind, ScriptSyntaxError, Think
from suites.est.world import OBJECTS

NO_BELIEF = f"There was no Belief([...]) with a probability for each of the {OBJECTS} objects."
NO_TRIAL = "There was no Trial([...]) with the numbers of the objects to put on the machine."


@dataclass(frozen=True, slots=True)
class Listed:
    """A Belief or Trial: its numbers, or its text and how to write it if that cannot be read.

    The numbers are the probability of each object to be a Blicket, from 0 to 1, or those of the objects, from
    1 and ascending, that are put on the machine.
    """

    name: str
    numbers: tuple[Any, ...] | None
    text: str = ""
    advice: str = ""

    def __str__(self) -> str:
        return f"{self.name}{self.text if self.numbers is None else f'({_listed(self.numbers)})'};"


Command = Think | Listed


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


def _listed(numbers: Sequence[float]) -> str:
    return f"[{', '.join(f'{number:g}' if number in (0, 1) else repr(number) for number in numbers)}]"


def _form(
    name: str, token: str, read: Callable[[str], tuple[float, ...] | None], strict: str, advice: str
) -> Form[Command]:
    """A Belief or Trial: a list in brackets, of anything in the tolerant mode.

    It is read afterwards, so that one that cannot be read does not take the other one with it, and stays.
    """

    def written(text: str) -> str:
        return text if (numbers := read(text)) is None else f"({_listed(numbers)})"

    words, tolerant = f"a list of {token.lower()}", r"\([^()]*\)"
    argument = Argument(token, words, RepairKind.LIST, written, strict, tolerant=tolerant, bracketed=True)
    return Form(name, argument, lambda given: Listed(name, read(given), given, advice))


_STRICT_NUMBER = r"(?:[01](?:\.[0-9]*)?|\.[0-9]+|[1-9](?:\.[0-9]*)?[eE]-[0-9]{1,3})"
_STRICT_BELIEF = rf"\([ \n]*\[[ \n]*{_STRICT_NUMBER}(?:[ \n]*,[ \n]*{_STRICT_NUMBER})*[ \n]*\][ \n]*\)"
_STRICT_TRIAL = r"\([ \n]*\[[ \n]*(?:[1-9](?:[ \n]*,[ \n]*[1-9])*[ \n]*)?\][ \n]*\)"

LANGUAGE = Language[Command](
    own=(
        _form("Belief", "PROBABILITIES", probabilities, _STRICT_BELIEF, _BELIEF_ADVICE),
        _form("Trial", "OBJECTS", objects, _STRICT_TRIAL, _TRIAL_ADVICE),
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
    lists = [each for each in read.commands if isinstance(each, Listed)]
    problems = [each.advice for each in lists if each.numbers is None]
    beliefs, trials = ([each for each in lists if each.name == name] for name in ("Belief", "Trial"))
    # Which of two is meant would be a guess.
    twice = [several[0].name for several in (beliefs, trials) if len(several) > 1]
    problems += [f"There was more than one {name}; give one." for name in twice]
    return Reply(
        tuple(each.text for each in read.commands if isinstance(each, Think)),
        beliefs[0].numbers if len(beliefs) == 1 else None,
        trials[0].numbers if len(trials) == 1 else None,
        tuple(map(str, read.repairs)),
        (*problems, *([] if beliefs else [NO_BELIEF])),
        not trials,
    )


def written(belief: Sequence[float], trial: Sequence[bool]) -> str:
    """A belief and a trial, one entry for each object, as a reply in the strict language."""
    on = tuple(k + 1 for k, each in enumerate(trial) if each)
    return f"{Listed('Belief', tuple(map(float, belief)))} {Listed('Trial', on)}"
