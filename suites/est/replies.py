"""Parsing of replies: `Think('...'); Belief([0.9, 0.1, ...]); Trial([2, 5]);`."""

from collections.abc import Sequence
from typing import NamedTuple

from evaluation.script import Language, Listed, ScriptSyntaxError, Think, list_form, shares, wholes
from suites.est.world import OBJECTS

NO_BELIEF = f"There was no Belief([...]) with a probability for each of the {OBJECTS} objects."
NO_TRIAL = "There was no Trial([...]) with the numbers of the objects to put on the machine."


Command = Think | Listed
"""Belief with probabilities, Trial with ascending numbers of objects from 1, or Think."""


class Reply(NamedTuple):
    """Parsed reply; missing or unreadable parts are None. `problems` are explanations for the model.
    `no_trial`: the trial is missing, which not every step requires."""

    thoughts: tuple[str, ...] = ()
    belief: tuple[float, ...] | None = None
    trial: tuple[int, ...] | None = None
    repairs: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    no_trial: bool = False


_ADVICE = {
    "Belief": f"Belief needs {OBJECTS} probabilities from 0 to 1, one for each object in the order of the "
    f"numbers: Belief([{', '.join(['0.5'] * OBJECTS)}]);",
    "Trial": f"Trial needs numbers of objects from 1 to {OBJECTS}, each once, as in Trial([2, 5]);",
}

_NAMED = "objects?"
"""Noun that a model may put before an object's number."""


def probabilities(text: str) -> tuple[float, ...] | None:
    """Parse nine probabilities; None if unreadable."""
    found = shares(text, _NAMED)
    return found if found is not None and len(found) == OBJECTS else None


def objects(text: str) -> tuple[int, ...] | None:
    """Parse object numbers, or nine marks of 0 and 1. None if unreadable."""
    numbers = wholes(text, _NAMED)
    if numbers is None:
        return None
    if len(numbers) == OBJECTS and set(numbers) <= {0, 1}:
        return tuple(k + 1 for k, mark in enumerate(numbers) if mark)
    wrong = len(set(numbers)) < len(numbers) or not set(numbers) <= set(range(1, OBJECTS + 1))
    return None if wrong else tuple(sorted(numbers))


LANGUAGE = Language[Command](
    own=(
        list_form("Belief", "a list of probabilities", probabilities),
        list_form("Trial", "a list of objects", objects, "[1-9]", empty=True),
    ),
    think=Think,
    mistakes=(
        ("BELIEF_LIST", "", _ADVICE["Belief"]),
        ("TRIAL_LIST", "", _ADVICE["Trial"]),
        ("BELIEF", r"\Z", "A reply has a belief and a trial: Belief([...]); Trial([...]);"),
        ("BELIEF", r"(?:belief|trial|think)\b", "The commands are Belief([...]); Trial([...]);"),
        ("BELIEF", r"\w+\s*\(", "There is no such command; the commands are Belief, Trial and Think."),
    ),
    semicolon="Every command ends with a semicolon, as in Trial([2, 5]);",
    longest=400,
)
"""Language of the commands Belief, Trial and Think."""


def read_reply(text: str, *, strict: bool = False) -> Reply:
    """Parse a reply; an unreadable one has problems only. Raises nothing."""
    try:
        read = LANGUAGE.parse(text, strict=strict)
    except ScriptSyntaxError as error:
        return Reply(problems=(error.feedback,))
    lists = [each for each in read.commands if isinstance(each, Listed)]
    problems = [_ADVICE[each.name] for each in lists if each.numbers is None]
    beliefs, trials = ([each for each in lists if each.name == name] for name in ("Belief", "Trial"))
    # Choosing between two would be a guess.
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
    """Write a belief and a trial in the strict language."""
    on = tuple(k + 1 for k, each in enumerate(trial) if each)
    return f"{Listed('Belief', tuple(map(float, belief)))} {Listed('Trial', on)}"
