"""Recordings: task, seed and actions of an episode. Replaying them recomputes everything else."""

import hashlib
import platform
from collections.abc import Iterator
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, ValidationError, model_validator

from arena.action import ACTIONS, Action
from arena.errors import RecordingError
from arena.files import read_bytes
from arena.rules import Outcome
from arena.seeds import UnityState
from arena.taskfile.config import ArenaSpec

FORMAT = 1
"""Version of the recording's fields; incremented when their meaning changes."""


def _known(found: int) -> int:
    if found != FORMAT:
        raise ValueError(f"got {found}, expected {FORMAT}; read it with the arena-llm that wrote it")
    return found


Runs = tuple[tuple[Annotated[int, Field(ge=0, lt=len(ACTIONS))], Annotated[int, Field(ge=1)]], ...]
"""Run lengths: pairs of (index into `arena.ACTIONS`, number of steps)."""


class Recording(BaseModel, frozen=True, extra="forbid"):
    """A recorded episode: task, seed, actions, totals and outcome.

    `actions` are the run lengths of the first agent's actions, `others` those of each other agent; every
    agent has an action in each of the `steps`. Totals and outcome are those of the first agent. `unity` is
    the state of Unity's generator at the start, if it was drawn from. `spec_sha256` is the hash of the
    arena's specification, which identifies the arena. `versions` are those of the software that ran it.
    """

    format: Annotated[int, AfterValidator(_known)] = FORMAT
    task_id: str
    seed: int
    trial: Annotated[int, Field(ge=0)]
    spec_sha256: str
    unity: UnityState | None = Field(default=None, exclude_if=lambda state: state is None)
    actions: Runs
    others: tuple[Runs, ...] = ()
    steps: Annotated[int, Field(ge=0)]
    total_reward: float
    health: float
    outcome: Outcome | None
    passed: bool | None
    versions: dict[str, str]

    @model_validator(mode="after")
    def _actions_fill_the_steps(self) -> "Recording":
        counts = [sum(count for _, count in runs) for runs in (self.actions, *self.others)]
        if any(count != self.steps for count in counts):
            raise ValueError(f"expected {self.steps} actions of each agent, got {counts}")
        return self

    def steps_taken(self) -> Iterator[tuple[Action, ...]]:
        """Return the actions of all agents in each step."""
        return zip(*map(_unpacked, (self.actions, *self.others)), strict=True)

    def unpacked(self) -> list[Action]:
        """Return the first agent's actions, one per step."""
        return list(_unpacked(self.actions))

    def is_of(self, spec: ArenaSpec) -> bool:
        """Return whether it was recorded in this arena."""
        return spec_sha256(spec) == self.spec_sha256

    @classmethod
    def read(cls, path: str | Path) -> "Recording":
        """Read a recording from a JSON file. Raises RecordingError if it is invalid."""
        try:
            return cls.model_validate_json(read_bytes(path))
        except OSError as error:
            raise RecordingError(f"{path}: cannot be read: {error.strerror or error}") from None
        except ValidationError as error:
            raise RecordingError(
                f"{path}: not a recording of format {FORMAT}: {_first_problem(error)}"
            ) from None
        except ValueError as error:  # a path with a null character
            raise RecordingError(f"{str(path)!r}: cannot be read: {error}") from None


def _first_problem(error: ValidationError) -> str:
    problem = error.errors()[0]
    place = ".".join(map(str, problem["loc"]))
    text = problem["msg"].removeprefix("Value error, ")
    return f"{place}: {text}" if place else text


def _unpacked(runs: Runs) -> Iterator[Action]:
    return (ACTIONS[index] for index, count in runs for _ in range(count))


def packed(actions: list[Action]) -> tuple[tuple[int, int], ...]:
    """Return the run lengths of actions, in the format of `Recording.actions`."""
    runs = groupby(3 * action.move + action.rotate for action in actions)
    return tuple((index, len(list(run))) for index, run in runs)


def spec_sha256(spec: ArenaSpec) -> str:
    """Return a content hash of an arena's specification. It is independent of the file's formatting."""
    return hashlib.sha256(spec.model_dump_json().encode()).hexdigest()


MOVED_BY = "arena-llm physics 4"
"""Version of an arena's motion. It changes whenever an episode's bits change."""


def software_versions() -> dict[str, str]:
    """Return the versions of software that affects an episode's bits."""
    return {
        "arena-llm": version("arena-llm"),
        "physics": MOVED_BY,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }
