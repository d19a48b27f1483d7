"""Predicted poses of the agent after each turn, and recorded endings."""

import hashlib
import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from arena import RecordingError
from arena_llm.fidelity.table import read_table
from arena_llm.fidelity.trace import Trace

COLUMNS = ("turn", "x", "z", "speed", "heading")


class PredictedPose(NamedTuple):
    """A predicted state: metres, m/s, and degrees clockwise from +z."""

    x: float
    z: float
    speed: float
    heading: float

    def distance(self, x: float, z: float) -> float:
        """Horizontal distance from a position, metres."""
        return math.hypot(x - self.x, z - self.z)


class Ending(NamedTuple):
    """The recorded total reward and last tick of an episode; None if unknown."""

    total_reward: float | None
    tick: int | None


_TUTORIAL_SHA256 = "a64c7bdf20212e86a7c1364f63e36c7c6083026764a67f1d807aeb342920912e"
_TUTORIAL_POSES = Path(__file__).parent / "tutorial" / "poses.csv"
TUTORIAL_ENDING = Ending(2.74080023, 1281)
"""Recorded total reward of the published tutorial; the tick follows from it: 3 x 0.999 - 1281 / 5000."""


def is_tutorial(trace: Trace) -> bool:
    """Whether a recording is the published tutorial: the same scripts in the same order."""
    scripts = "\n".join(turn.text for turn in trace.turns)
    return hashlib.sha256(scripts.encode()).hexdigest() == _TUTORIAL_SHA256


def tutorial_poses() -> dict[int, PredictedPose]:
    """The shipped prediction for the published tutorial; the README of its folder lists its limits."""
    return read_poses(_TUTORIAL_POSES)


def read_poses(path: Path) -> dict[int, PredictedPose]:
    """Predicted poses by turn, from a CSV file with the columns turn, x, z, speed and heading.

    Raises RecordingError if it cannot be read or contains a turn twice.
    """
    poses: dict[int, PredictedPose] = {}
    for line in read_table(path, COLUMNS):
        turn = line.integer("turn")
        if turn in poses:
            raise RecordingError(f"{line.place}: turn {turn} is there twice")
        poses[turn] = PredictedPose(*(line.real(column) for column in COLUMNS[1:]))
    return poses


def ending_of(trace: Trace, reward: float | None, tick: int | None) -> Ending:
    """The recorded ending: the arguments, or what is known of the published tutorial."""
    known = TUTORIAL_ENDING if is_tutorial(trace) else Ending(None, None)
    return Ending(known.total_reward if reward is None else reward, known.tick if tick is None else tick)


def poses_of(trace: Trace, path: Path | None) -> Mapping[int, PredictedPose]:
    """The predicted poses of a file, or the shipped ones if the recording is the tutorial."""
    if path is not None:
        return read_poses(path)
    return tutorial_poses() if is_tutorial(trace) else {}
