"""An episode as it can be kept, sent and replayed: task, seed and actions; all else is recomputed."""

import hashlib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from arena.action import ACTIONS, Action
from arena.config import ArenaSpec
from arena.errors import RecordingError
from arena.rules import Outcome

FORMAT = 1
"""Version of the recording's fields; raised when they change meaning."""


class Recording(BaseModel):
    """One episode. `actions` are run lengths: pairs of (index into `arena.ACTIONS`, number of steps);
    `others` the same for every further agent; totals and outcome are those of the first.

    `spec_sha256` is of the arena's specification, so that a replay on another arena is noticed.
    `versions` names the software that ran it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int = FORMAT
    task_id: str
    seed: int
    trial: int
    spec_sha256: str
    actions: tuple[tuple[int, int], ...]
    others: tuple[tuple[tuple[int, int], ...], ...] = ()
    steps: int
    total_reward: float
    health: float
    outcome: Outcome | None
    passed: bool | None
    versions: dict[str, str]

    def unpacked(self) -> list[Action]:
        """The actions one by one."""
        return [ACTIONS[index] for index, count in self.actions for _ in range(count)]

    @classmethod
    def read(cls, path: str | Path) -> "Recording":
        """Read a recording's JSON file; raises RecordingError where it is not one."""
        try:
            return cls.model_validate_json(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise RecordingError(f"{path}: cannot be read: {error.strerror or error}") from None
        except (ValidationError, UnicodeDecodeError) as error:
            raise RecordingError(
                f"{path}: not a recording of format {FORMAT}: {str(error).splitlines()[0]}"
            ) from None


def packed(actions: list[Action]) -> tuple[tuple[int, int], ...]:
    """Run lengths of a list of actions, as `Recording.actions` holds them."""
    runs: list[tuple[int, int]] = []
    for action in actions:
        index = 3 * action.move + action.rotate
        if runs and runs[-1][0] == index:
            runs[-1] = (index, runs[-1][1] + 1)
        else:
            runs.append((index, 1))
    return tuple(runs)


def spec_sha256(spec: ArenaSpec) -> str:
    """Content hash of an arena's specification, independent of the file's formatting."""
    return hashlib.sha256(spec.model_dump_json().encode()).hexdigest()
