"""Messages between the server and its worker processes.

Both ends run the same code, so the messages are pickled as they are. A request is the number of an episode,
a `Request` and its arguments: those of the method of `worker.WorkerEpisode` of that name. "open"
creates the episode from an `Open`, "close" discards it and is not answered, and "draw" is done when there is
nothing else to do; a later one replaces an earlier one. An answer is the number and `Played`, `Drawn` or a
sentence, why the episode cannot be played. None is the first message of a worker: it can build episodes now.
"""

from typing import Literal, NamedTuple

from arena import Outcome, Recording
from arena.action import STEP_S
from arena.rules import SAFETY_STEPS
from arena.taskfile.versions import DIFFERENCES, Version
from testbed import Task

HEALTH, TIME, LIMIT = "health", "time", "limit"
PAUSE, STOPPED, WITHDREW = "pause", "stopped", "withdrew"
"""Ends of play besides touching something, which is named as in `arena.Outcome`: health ran out and not by
the clock alone; the arena's clock ran out; the limit of the study, or of scripts, was reached; the person
paused for longer than the study allows; stopped the task; or left the study."""


def seconds_of(steps: int) -> float:
    """Seconds of simulated time that steps take; by keys also of real time, without pauses."""
    return round(steps * STEP_S, 2)


def ended_by(outcome: Outcome | None, hurt: bool, version: Version) -> str:
    """How the end of an episode that was played to its end is stored.

    `hurt`: whether something other than the clock has cost reward.
    """
    match outcome:
        case Outcome.HEALTH:
            return HEALTH if hurt and not DIFFERENCES[version].only_the_clock else TIME
        case Outcome.STOPPED:
            return LIMIT
        case _:
            return str(outcome)


class PlayEnd(NamedTuple):
    """The end of a trial: by what, and after how many steps that were really played.

    The `recording` is what is scored. If play ended early, it has further steps of standing still until the
    arena's clock ran out.
    """

    ended_by: str
    steps_played: int
    recording: Recording


Mode = Literal["keys", "scripts"]
"""With keys at 16.7 steps per second, or with scripts and still images as a model does."""

View = Literal["first", "third", "top"]
"""Through the agent's eyes, from behind it, or from above the arena without perspective."""

Palette = Literal["standard", "colour-safe"]
"""The picture's colours: as they are, or such that nobody confuses red and green."""

VIEWS: tuple[View, ...] = ("first", "third", "top")


class State(NamedTuple):
    """The state after the newest step that was played: `health` 0 to 100, `total_reward` so far, `outcome` at
    the end.

    `passed` is None before the end, and for a task without a pass mark. `events` are those of the steps just
    taken, each with its reward. `balls` counts the green and yellow balls that were touched.
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
        """Whether the episode is over."""
        return self.outcome is not None


Request = Literal["open", "step", "stop", "draw", "close"]


class Open(NamedTuple):
    """An episode with its past, `actions` (indices into `arena.ACTIONS`); play ends after `max_steps`."""

    task: Task
    seed: int
    trial: int
    actions: tuple[int, ...] = ()
    max_steps: int = SAFETY_STEPS


class Played(NamedTuple):
    """The state after a request, and the `actions` (indices into `arena.ACTIONS`) that were really taken.

    `end` is known once the episode is over; after "open", `instructions` say what a laboratory arena asks.
    """

    state: State
    actions: tuple[int, ...] = ()
    end: PlayEnd | None = None
    instructions: str = ""


class Drawn(NamedTuple):
    """An image of an episode as a JPEG file; `due` is when its step was (Unix seconds), `size` in pixels."""

    step: int
    due: float
    size: int
    quality: int
    view: View
    jpeg: bytes
