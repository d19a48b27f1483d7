"""What reports read of a logged episode of DiscoveryWorld."""

from typing import Annotated, NotRequired

from pydantic import AfterValidator
from typing_extensions import TypedDict

from evaluation.log.schema import Count, Share
from suites.discoveryworld.catalogue import kinds


class Turn(TypedDict):
    """An action; see `suites.discoveryworld.episode.Turn`."""

    turn: Count
    gained: list[str]


class Judge(TypedDict):
    """What a second model said of the notes: `knowledge`, or why it `failed`."""

    model: str
    answers: list[tuple[str, bool | None, str]]
    knowledge: NotRequired[Share]
    failed: NotRequired[str]


def _known(kind: str) -> str:
    if kind not in kinds():
        raise ValueError("a theme and level, such as proteomics-easy")
    return kind


class Replay(TypedDict):
    """The kind of task, its seed, what won points (with the most it could), and the judge's answers."""

    kind: Annotated[str, AfterValidator(_known)]
    seed: Count
    scorecard: list[tuple[str, float, float]]
    judge: NotRequired[Judge]


class Logged(TypedDict):
    """A finished episode."""

    turns: list[Turn]
    replay: Replay
    passed: bool
    score: Share
