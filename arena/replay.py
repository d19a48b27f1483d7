"""Replay of recorded actions, compared with the recording at the end."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from arena.action import Action
from arena.closing import Closing
from arena.episode import Episode
from arena.errors import RecordingError
from arena.recording import Recording, software_versions
from arena.rules import Event, Outcome
from arena.seeds import UnityRandom
from arena.taskfile.config import ArenaSpec

_COMPARED = ("steps", "total_reward", "health", "outcome", "passed")


class Moment(NamedTuple):
    """Start of an episode (`step` 0), or the state after a step.

    `actions` are those of the step, one for each agent, and `events` those of the first agent in it; both are
    empty at the start. `episode` is live: read it before the next moment.
    """

    episode: Episode
    step: int
    actions: tuple[Action, ...] = ()
    events: tuple[Event, ...] = ()


def play(episode: Episode, steps: Iterable[Sequence[Action]]) -> Iterator[Moment]:
    """Take steps, one action per agent, until the actions or episode end. Yields the moment after each step.
    For a single agent `zip(actions)` makes steps of its actions."""
    for actions in steps:
        if episode.done:
            return
        events = episode.step_all(actions)[0].events
        yield Moment(episode, episode.steps, tuple(actions), events)


def begun(spec: ArenaSpec, recording: Recording) -> Episode:
    """Return the start of a recorded episode."""
    unity = None if recording.unity is None else UnityRandom.at(recording.unity)
    return Episode(spec, task_id=recording.task_id, seed=recording.seed, trial=recording.trial, unity=unity)


class Replay(Closing):
    """A recorded episode, replayed from its actions; a context manager.

    Iterate over `moments()` or call `to_end()`, once; then compare. Leaving the block frees the physics. The
    arena `spec` is not compared with the recorded one here: see `Recording.is_of`.

    Raises RecordingError if the arena has another number of agents, LayoutError if it cannot be built.
    """

    def __init__(self, recording: Recording, spec: ArenaSpec) -> None:
        self.recording = recording
        self.episode = begun(spec, recording)
        if len(recording.others) != len(self.episode.agents) - 1:
            raise RecordingError(
                f"the recording has {len(recording.others) + 1} agents, its arena {len(self.episode.agents)}"
            )

    def moments(self) -> Iterator[Moment]:
        """Yield the start and the moment after each step. A stopped episode is stopped at the end."""
        yield Moment(self.episode, 0)
        yield from play(self.episode, self.recording.steps_taken())
        if self.recording.outcome is Outcome.STOPPED:
            self.episode.stop()

    def to_end(self) -> Episode:
        """Replay all steps and return the episode."""
        for _ in self.moments():
            pass
        return self.episode

    def unlike(self) -> tuple[tuple[str, object, object], ...]:
        """Return name, recorded value and replayed value of each differing result."""
        again = self.episode.recording()
        ends = [(name, getattr(self.recording, name), getattr(again, name)) for name in _COMPARED]
        return tuple(end for end in ends if end[1] != end[2])

    def differences(self) -> tuple[str, ...]:
        """Return the differences as text; empty for a faithful replay."""
        return tuple(f"{name}: recorded {_text(kept)}, got {_text(got)}" for name, kept, got in self.unlike())

    def check(self) -> None:
        """Raise RecordingError, with the differences, if the ends differ."""
        if found := self.differences():
            versions = self.other_versions()
            because = f" (recorded with {'; '.join(versions)})" if versions else ""
            ends = f"the replay does not end as the recording does: {'; '.join(found)}{because}"
            raise RecordingError(f"{self.recording.task_id}: {ends}")

    def other_versions(self) -> tuple[str, ...]:
        """Return software that affects the bits and has another version than recorded."""
        here, there = software_versions(), self.recording.versions
        return tuple(
            f"{name} {there.get(name, 'unknown')}, here {here[name]}"
            for name in here
            if here[name] != there.get(name)
        )

    def close(self) -> None:
        """Free the physics of the episode."""
        self.episode.close()


def _text(value: object) -> str:
    return "nothing" if value is None else str(value)


class PickledEpisode(NamedTuple):
    """A pickled episode, which is replayed when it is read. The physics cannot be stored exactly."""

    spec: ArenaSpec
    recording: Recording

    def replayed(self) -> Episode:
        """Replay the episode. Raises RecordingError if other software replays it differently."""
        recorded = self.recording
        episode = Replay(recorded, self.spec).to_end()
        if (episode.total_reward, episode.health) != (recorded.total_reward, recorded.health):
            raise RecordingError(
                f"{recorded.task_id}: the environment's episode does not replay here: reward and health are "
                f"{episode.total_reward:g} and {episode.health:g}, expected {recorded.total_reward:g} and "
                f"{recorded.health:g}; it was pickled by {recorded.versions}"
            )
        return episode
