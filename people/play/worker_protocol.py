"""Messages between the server and its worker processes.

Both ends run the same code, so the messages are pickled as they are. A request is the number of an episode,
a `Request` and its arguments: those of the method of `worker_episode.WorkerEpisode` of that name. "open"
creates the episode from an `Open`, "close" discards it and is not answered, and "draw" is done when there is
nothing else to do; a later one replaces an earlier one. An answer is the number and `Played`, `Drawn` or a
sentence, why the episode cannot be played. None is the first message of a worker: it can build episodes now.
"""

from typing import Literal, NamedTuple

from arena import Recording
from arena.action import STEP_S
from arena.rules import SAFETY_STEPS
from testbed import Task

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


Request = Literal["open", "step", "reply", "stop", "draw", "close"]


class Open(NamedTuple):
    """An episode with its past: `actions` (indices into `arena.ACTIONS`) in keys mode, `scripts` in scripts
    mode. In keys mode play ends after `max_steps`.
    """

    task: Task
    seed: int
    trial: int
    mode: Mode
    actions: tuple[int, ...] = ()
    scripts: tuple[str, ...] = ()
    max_steps: int = SAFETY_STEPS


class ScriptTurn(NamedTuple):
    """A turn in scripts mode, exactly as a model sees it: `images` (PNG files), followed by `text`.

    `script` is the reply that led to it, `error` why that was not a valid script, `steps` how many it took.
    """

    text: str
    images: tuple[bytes, ...]
    script: str | None = None
    error: str | None = None
    steps: int = 0


class Played(NamedTuple):
    """The state after a request, the `actions` (indices into `arena.ACTIONS`) that were really taken, and the
    `turns` that scripts led to; `end` once the episode is over. After "open" in scripts mode these are all so
    far, and `instructions` is the system prompt; in keys mode what a laboratory arena asks for.
    """

    state: State
    actions: tuple[int, ...] = ()
    end: PlayEnd | None = None
    turns: tuple[ScriptTurn, ...] = ()
    instructions: str = ""


class Drawn(NamedTuple):
    """An image of an episode as a JPEG file; `due` is when its step was (Unix seconds), `size` in pixels."""

    step: int
    due: float
    size: int
    quality: int
    view: View
    jpeg: bytes
