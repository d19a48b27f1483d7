"""Where a conversation's episode is played: in this process, or by a worker of an engine."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar
from typing import Protocol as Interface

from arena import Action, ArenaSpec, Episode
from llm_control.choices import Protocol
from llm_control.observations import View, eye, words
from llm_control.play import EpisodeRecord, Play, Turn
from render.context import drawn_by
from testbed import Task

Made = TypeVar("Made")


class Setting(NamedTuple):
    """What an episode of a conversation depends on, besides the replies.

    `battery` are all tasks of the run, from which the shuffled control takes its pictures.
    """

    task: Task
    trial: int
    protocol: Protocol
    battery: tuple[Task, ...]


class Known(Interface):
    """What offline agents may know of an episode."""

    spec: ArenaSpec
    task_id: str
    seed: int
    trial: int

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions taken so far."""
        ...


@dataclass(frozen=True, slots=True)
class Shown:
    """What came of a reply, or of the idle steps at the beginning, where `turn` is None.

    `health` is 0 to 100. `view` is what the model is shown next, None where it is not asked any more.
    """

    turn: Turn | None
    health: float
    view: View | None
    wants_reply: bool
    drawn_by: str | None


class Stage(Interface):
    """One episode that is played by replies."""

    @property
    def episode(self) -> Known:
        """What is known of it."""
        ...

    def begin(self) -> Shown:
        """The idle steps before the first reply."""
        ...

    def reply(self, text: str) -> Shown:
        """Play a reply."""
        ...

    def refuse(self, text: str, problem: str) -> Shown:
        """Idle for one step, because a reply cannot be played."""
        ...

    def finish(self) -> EpisodeRecord:
        """Let the clock run down, and end the episode."""
        ...

    def close(self) -> None:
        """Free the physics of an episode that is broken off."""
        ...

    def call(self, function: Callable[..., Made], *args: Any, **options: Any) -> Made:
        """Call a function in the process that plays the episode."""
        ...


class HereStage:
    """An episode played in this process."""

    far = False

    def __init__(self, setting: Setting) -> None:
        task, trial, protocol, battery = setting
        self._protocol = protocol
        episode = Episode(task.spec, task_id=task.id, seed=protocol.seed, trial=trial)
        self.episode: Known = episode
        self._play = Play(episode, eye(protocol, task, battery, trial), protocol)

    def begin(self) -> Shown:
        """The idle steps before the first reply."""
        play = self._play
        view = View(play.begin(), words(self._protocol, play.episode.scene()))
        return self._shown(None, view)

    def reply(self, text: str) -> Shown:
        """Play a reply."""
        return self._after(self._play.reply(text))

    def refuse(self, text: str, problem: str) -> Shown:
        """Idle for one step, because a reply cannot be played."""
        return self._after(self._play.refuse(text, problem))

    def finish(self) -> EpisodeRecord:
        """Let the clock run down, and end the episode."""
        return self._play.finish()

    def close(self) -> None:
        """Free the physics of an episode that is broken off."""
        self._play.episode.close()

    def call(self, function: Callable[..., Made], *args: Any, **options: Any) -> Made:
        """Call a function here."""
        return function(*args, **options)

    def _after(self, turn: Turn) -> Shown:
        play = self._play
        if not play.wants_reply:
            return self._shown(turn, None)
        frames = (*play.along, play.frame()) if self._protocol.shows_images else ()
        return self._shown(turn, View(frames, words(self._protocol, play.episode.scene())))

    def _shown(self, turn: Turn | None, view: View | None) -> Shown:
        seen = self._protocol.shows_images and self._protocol.vision != "blind"
        health = self._play.episode.health
        return Shown(turn, health, view, self._play.wants_reply, drawn_by() if seen else None)


class Place(Interface):
    """Where episodes are played; `far` says that it is in other processes."""

    far: bool

    def __call__(self, setting: Setting) -> Stage:
        """Begin an episode there."""
        ...


_places: list[Place] = [HereStage]


@contextmanager
def playing_at(place: Place | None) -> Generator[None, None, None]:
    """Let episodes that begin now be played at another place; None changes nothing."""
    _places.append(place or _places[-1])
    try:
        yield
    finally:
        _places.pop()


def is_far() -> bool:
    """Whether episodes that begin now are played in other processes."""
    return _places[-1].far


def staged(task: Task, trial: int, protocol: Protocol, battery: Sequence[Task]) -> Stage:
    """A new episode of a task, at the place where episodes are played now."""
    # The other arenas are sent only to where they are shown.
    others = tuple(battery) if protocol.vision == "shuffled" else ()
    return _places[-1](Setting(task, trial, protocol, others))
