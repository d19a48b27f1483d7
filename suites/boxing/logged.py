"""What reports read of a logged episode of BoxingGym."""

from typing import Annotated, NotRequired

from pydantic import AfterValidator
from typing_extensions import TypedDict

from evaluation.log.schema import Count, Finite
from suites.boxing.environments import WORLDS

Numbers = list[Finite]
Vectors = list[Numbers]


class _Turn(TypedDict):
    error: str | None
    kind: str
    experiments: Count
    design: str | None
    said: str | None
    information: Finite | None
    regret: Finite | None
    regret_published: Finite | None
    evaluation: int | None
    questions: list[int] | None
    answers: Vectors | None
    truths: Vectors | None
    errors: Numbers | None


def _whole(turn: _Turn) -> _Turn:
    answered = [turn["questions"], turn["answers"], turn["truths"], turn["errors"]]
    sizes = {None if each is None else len(each) for each in answered}
    predicted = turn["kind"] == "predict" and turn["error"] is None
    if len(sizes) > 1 or (predicted and (None in sizes or turn["evaluation"] is None)):
        raise ValueError("an answer, its truth and its error for each question")
    measured = [turn["information"], turn["regret"], turn["regret_published"]]
    tried = turn["kind"] == "act" and turn["error"] is None
    if (tried and None in measured) or len({each is None for each in measured}) > 1:
        raise ValueError("information and regrets of an experiment, all or none")
    if turn["answers"] and not all(turn["answers"] + (turn["truths"] or [])):
        raise ValueError("numbers in every answer")
    return turn


Turn = Annotated[_Turn, AfterValidator(_whole)]
"""A reply; see `suites.boxing.episode.Turn`."""


class _Replay(TypedDict):
    environment: str
    goal: str
    mode: str
    chances: bool
    wording: NotRequired[str]
    prior: NotRequired[bool]
    parameters: NotRequired[dict[str, Finite]]
    explanation: NotRequired[str]
    standardised: NotRequired[dict[str, Finite]]
    prior_error: NotRequired[Finite]
    asked_answers: NotRequired[Count]
    missing_answers: NotRequired[Count]


def _known(replay: _Replay) -> _Replay:
    if replay["environment"] not in WORLDS or replay["goal"] not in WORLDS[replay["environment"]].goals:
        raise ValueError("an environment and one of its goals")
    if "wording" not in replay and "prior" not in replay:
        raise ValueError("a wording")
    if "missing_answers" in replay and not {"asked_answers", "prior_error"} <= replay.keys():
        raise ValueError("the prior's error and the number of answers beside the missing ones")
    # An episode that was broken off may have been evaluated after no experiment at all.
    found = replay.get("standardised")
    if found and not any(name.isdecimal() for name in found):
        raise ValueError("an error after some number of experiments")
    return replay


Replay = Annotated[_Replay, AfterValidator(_known)]
"""The world, and what the tables need of its answers; older logs lack some of it."""


class Logged(TypedDict):
    """A finished episode."""

    turns: list[Turn]
    replay: Replay
    score: Finite | None
