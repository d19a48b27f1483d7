"""What the server and its worker processes say to each other through a pipe.

Both ends are ours and run the same code, so the messages are pickled as they are.
"""

from typing import Literal, NamedTuple

from arena import Recording
from arena.rules import SAFETY_STEPS
from testbed import Task

Mode = Literal["keys", "scripts"]
"""How a person plays: by keys at 16.7 steps per second, or by scripts and still pictures as a model does."""

View = Literal["first", "third", "top"]
"""Through the agent's eyes, from behind it, or from above the arena without perspective."""

VIEWS: tuple[View, ...] = ("first", "third", "top")


class State(NamedTuple):
    """An episode after its newest step: `health` 0 to 100, `total_reward` so far, `outcome` once it is over.

    `passed` is None before the end, and where the task has no pass mark. `events` are those of the steps that
    were just taken: what happened, and its reward.
    """

    step: int
    health: float
    total_reward: float
    outcome: str | None = None
    passed: bool | None = None
    events: tuple[tuple[str, float], ...] = ()

    @property
    def done(self) -> bool:
        """Whether the episode is over."""
        return self.outcome is not None


class Open(NamedTuple):
    """Make an episode and take its `actions` (indices into `arena.ACTIONS`) again; answered with `Opened`.

    With `scripts` it is played by scripts; these were the earlier ones, in order; `actions` is then empty.

    An episode by keys is stopped after `most_steps`.
    """

    game: int
    task: Task
    seed: int
    trial: int
    mode: Mode
    actions: tuple[int, ...] = ()
    scripts: tuple[str, ...] = ()
    most_steps: int = SAFETY_STEPS


class Step(NamedTuple):
    """Take actions (indices into `arena.ACTIONS`) until the episode is over; answered with `Stepped`."""

    game: int
    actions: tuple[int, ...]


class Draw(NamedTuple):
    """Draw the episode when nothing else is to be done; one that comes later takes its place.

    `due` is passed back: when the step that is drawn was due, Unix seconds. `size` is in pixels a side.
    """

    game: int
    due: float
    view: View
    size: int
    quality: int


class Reply(NamedTuple):
    """Play a script's text; answered with `Replied`."""

    game: int
    text: str


class Stop(NamedTuple):
    """End the episode from outside, with the outcome `stopped`; answered with `Stepped`."""

    game: int


class Close(NamedTuple):
    """Forget an episode; not answered."""

    game: int


Request = Open | Step | Draw | Reply | Stop | Close


class Picture(NamedTuple):
    """A still picture of the scripts' mode, as a PNG file's bytes: bit for bit the one that a model gets."""

    png: bytes


class Told(NamedTuple):
    """What a model is told at this point: the words, and the pictures before them.

    `script` is what it answers, `error` why that was no script; `steps` were taken by it.
    """

    words: str
    pictures: tuple[Picture, ...]
    script: str | None = None
    error: str | None = None
    steps: int = 0


class Opened(NamedTuple):
    """Ready. In scripts' mode `told` is the conversation so far, `instructions` what precedes it,
    and `actions` (indices into `arena.ACTIONS`) are those that were taken.
    """

    game: int
    state: State
    told: tuple[Told, ...] = ()
    instructions: str = ""
    actions: tuple[int, ...] = ()
    recording: Recording | None = None


class Stepped(NamedTuple):
    """The state after the actions, of which the first `taken` were taken; `recording` once it is over.

    `idle` steps followed in which the clock ran down, because the episode was ended before its time.
    """

    game: int
    state: State
    taken: int
    idle: int
    recording: Recording | None


class Replied(NamedTuple):
    """What came of a script, and each action (index into `arena.ACTIONS`) it took, idle ones included."""

    game: int
    state: State
    actions: tuple[int, ...]
    told: Told
    recording: Recording | None


class Drawn(NamedTuple):
    """A picture of an episode as a JPEG file's bytes."""

    game: int
    step: int
    due: float
    size: int
    quality: int
    view: View
    jpeg: bytes


class Failed(NamedTuple):
    """An episode cannot be played, and why, in a sentence."""

    game: int
    reason: str


Answer = Opened | Stepped | Replied | Failed
