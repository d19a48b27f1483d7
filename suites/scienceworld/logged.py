"""What reports read of a logged episode of ScienceWorld."""

from typing import Annotated

from pydantic import AfterValidator
from typing_extensions import TypedDict

from evaluation.log.schema import Count, Share
from suites.scienceworld.catalogue import kinds


class Turn(TypedDict):
    """A command; see `suites.scienceworld.episode.Turn`."""

    turn: Count
    reached: list[str]


def _known(task: str) -> str:
    if task not in kinds():
        raise ValueError("a task's number in the paper, such as 4-1")
    return task


class Replay(TypedDict):
    """The task, its variation, and its subgoals with whether each was reached."""

    task: Annotated[str, AfterValidator(_known)]
    variation: Count
    subgoals: list[tuple[str, bool, bool]]


class Logged(TypedDict):
    """A finished episode."""

    turns: list[Turn]
    replay: Replay
    score: Share
