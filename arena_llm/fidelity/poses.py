"""Where a model predicts the agent to be after each turn."""

import hashlib
import math
from collections.abc import Mapping
from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple

from arena import RecordingError
from arena_llm.fidelity.table import read_table
from arena_llm.fidelity.trace import Trace

COLUMNS = ("turn", "x", "z", "speed", "heading")


class ModelPose(NamedTuple):
    """A predicted state: metres, m/s, and degrees clockwise from +z."""

    x: float
    z: float
    speed: float
    heading: float

    def distance(self, x: float, z: float) -> float:
        """Horizontal distance to a place, metres."""
        return math.hypot(x - self.x, z - self.z)


class Ending(NamedTuple):
    """How a recorded episode ended: its total reward and its last tick; None for what is not known."""

    total_reward: float | None
    tick: int | None


_TUTORIAL_SHA256 = "a64c7bdf20212e86a7c1364f63e36c7c6083026764a67f1d807aeb342920912e"
TUTORIAL_ENDING = Ending(2.74080023, 1281)
"""Recorded total reward of the published tutorial; the tick follows from it: 3 x 0.999 - 1281 / 5000."""


def is_tutorial(trace: Trace) -> bool:
    """Whether a recording is the published tutorial: the same scripts in the same order."""
    scripts = "\n".join(row.text for row in trace.rows)
    return hashlib.sha256(scripts.encode()).hexdigest() == _TUTORIAL_SHA256


def tutorial_poses() -> dict[int, ModelPose]:
    """The shipped prediction for the published tutorial; what it ignores is told in the folder's README."""
    with as_file(files("arena_llm") / "fidelity" / "tutorial" / "poses.csv") as path:
        return read_poses(path)


def read_poses(path: Path) -> dict[int, ModelPose]:
    """Predicted poses by turn, from a CSV file with the columns turn, x, z, speed and heading.

    Raises RecordingError where it cannot be read, or tells a turn twice.
    """
    poses: dict[int, ModelPose] = {}
    for line in read_table(path, COLUMNS):
        turn = line.integer("turn")
        if turn in poses:
            raise RecordingError(f"{line.place}: turn {turn} is there twice")
        poses[turn] = ModelPose(*(line.number_in(column) for column in COLUMNS[1:]))
    return poses


def ending_of(trace: Trace, reward: float | None, tick: int | None) -> Ending:
    """The recorded ending: what is given, else what is known of the published tutorial."""
    known = TUTORIAL_ENDING if is_tutorial(trace) else Ending(None, None)
    return Ending(known.total_reward if reward is None else reward, known.tick if tick is None else tick)


def poses_of(trace: Trace, path: Path | None) -> Mapping[int, ModelPose]:
    """The predicted poses: those of a file, else the shipped ones where they belong to the recording."""
    if path is not None:
        return read_poses(path)
    return tutorial_poses() if is_tutorial(trace) else {}
