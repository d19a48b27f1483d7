"""What reports read of a logged episode of EST."""

from typing import Annotated

from pydantic import AfterValidator, Field
from typing_extensions import TypedDict

from evaluation.log.schema import Count, Finite, Share
from suites.est.hypotheses import OBJECTS

Shares = list[Share]


class _Turn(TypedDict):
    turn: Count
    panel: list[int]
    lit: bool
    belief: Shares
    belief_given: bool
    oracle: Shares
    distance: Finite
    solved: bool
    trial: list[int] | None
    information: Finite | None
    regret: Finite | None
    total_reward: Finite


def _whole(turn: _Turn) -> _Turn:
    if not len(turn["belief"]) == len(turn["oracle"]) == OBJECTS:
        raise ValueError(f"a belief on each of {OBJECTS} objects")
    if (turn["information"] is None) != (turn["regret"] is None):
        raise ValueError("information and regret, or neither")
    return turn


Turn = Annotated[_Turn, AfterValidator(_whole)]
"""A step; see `suites.est.episode.Turn`."""

Words = Annotated[list[list[str]], Field(min_length=OBJECTS, max_length=OBJECTS)]


class Replay(TypedDict):
    """The machine, its objects in words, and which of them are Blickets."""

    machine: str
    objects: Words
    blickets: list[int]


class Logged(TypedDict):
    """A finished episode."""

    turns: list[Turn]
    replay: Replay
