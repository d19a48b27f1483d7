"""How a trial in the arena ended: what the person did, apart from the recording that is scored."""

from typing import NamedTuple

from arena import Recording
from arena.action import STEP_S

HEALTH, TIME, LIMIT = "health", "time", "limit"
PAUSE, STOPPED, WITHDREW = "pause", "stopped", "withdrew"
"""Ends of play besides touching something, which is named as in `arena.Outcome`: health ran out and not by
the clock alone; the arena's clock ran out; the limit of the study, or of scripts, was reached; the person
paused for longer than the study allows; stopped the task; or left the study."""


def seconds_of(steps: int) -> float:
    """Seconds of simulated time that steps take; by keys also of real time, without pauses."""
    return round(steps * STEP_S, 2)


class PlayEnd(NamedTuple):
    """The end of a trial: by what, and after how many steps that were really played.

    The `recording` is what is scored. If play ended early, it has further steps of standing still until the
    arena's clock ran out.
    """

    ended_by: str
    steps_played: int
    recording: Recording
