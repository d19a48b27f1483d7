"""Messages between the server and its worker processes.

Both ends run the same code, so the messages are pickled as they are. A request is the number of an episode, a
`Request` and its arguments: those of the method of `worker.WorkerEpisode` of that name. "open" creates the
episode from an `Open`, "close" discards it and is not answered, and "draw" is done when there is no other
request; a later one replaces an earlier one. An answer is the number and `Played`, `Drawn` or a sentence with
the reason why the episode cannot be played. None is the first message of a worker: it can build episodes now.
"""

from typing import Literal, NamedTuple

from arena import Outcome, Recording
from arena.action import STEP_S
from arena.rules import SAFETY_STEPS
from arena.taskfile.versions import DIFFERENCES, Version
from testbed import Task

HEALTH, TIME, LIMIT = "health", "time", "limit"
PAUSE, STOPPED, WITHDREW = "pause", "stopped", "withdrew"
"""Ends of play in addition to the outcomes of `arena.Outcome`.

Health ran out and not by the clock alone; the arena's clock ran out; the limit of the study, or of scripts,
was reached; the person paused for longer than the study allows; stopped the task; or left the study.
"""


def seconds_of(steps: int) -> float:
    """Return the seconds of simulated time that steps take. With keys it is real time, without pauses."""
    return round(steps * STEP_S, 2)


def ended_by(outcome: Outcome | None, hurt: bool, version: Version) -> str:
    """Return the stored cause of the end of a completed episode. `hurt`: whether something other than the
    clock has cost reward."""
    match outcome:
        case Outcome.HEALTH:
            return HEALTH if hurt and not DIFFERENCES[version].only_the_clock else TIME
        case Outcome.STOPPED:
            return LIMIT
        case _:
            return str(outcome)


class PlayEnd(NamedTuple):
    """End of a trial: cause, and number of steps really played. The `recording` is scored. If play ended
    early, it has further steps of standing still until the arena's clock ran out."""

    ended_by: str
    steps_played: int
    recording: Recording


Mode = Literal["keys", "scripts"]
"""Control by keys or scripts. Keys at 16.7 steps per second, scripts with still images as a model's."""

View = Literal["first", "third", "top"]
"""View: from the agent's eyes, from behind it, or from above. The last has no perspective."""

Palette = Literal["standard", "colour-safe"]
"""Colours of the picture: unchanged, or with distinguishable red and green."""

VIEWS: tuple[View, ...] = ("first", "third", "top")


class State(NamedTuple):
    """State after the newest played step.

    `health` is 0 to 100, `total_reward` that so far, `outcome` is set at the end. `passed` is None before the
    end, and for a task without a pass mark. `events` are those of the steps just taken, each with its reward.
    `balls` counts the green and yellow balls that were touched.
    """

    step: int
    health: float
    total_reward: float
    outcome: str | None = None
    passed: bool | None = None
    events: tuple[tuple[str, float], ...] = ()
    balls: int = 0

    @property
    def done(self) -> bool:
        """True if the episode is over."""
        return self.outcome is not None


Request = Literal["open", "step", "stop", "draw", "close"]


class Open(NamedTuple):
    """An episode with its past, `actions` (indices into `arena.ACTIONS`). Play ends after `max_steps`."""

    task: Task
    seed: int
    trial: int
    actions: tuple[int, ...] = ()
    max_steps: int = SAFETY_STEPS


class Played(NamedTuple):
    """State after a request, and the `actions` really taken. They are indices into `arena.ACTIONS`. `end` is
    known once the episode is over; after "open", `instructions` contain a laboratory arena's question."""

    state: State
    actions: tuple[int, ...] = ()
    end: PlayEnd | None = None
    instructions: str = ""


class Drawn(NamedTuple):
    """An image of an episode as a JPEG file. `due` is when its step was (Unix seconds), `size` in pixels."""

    step: int
    due: float
    size: int
    quality: int
    view: View
    jpeg: bytes
