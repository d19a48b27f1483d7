"""A recording's scripts, played in our arena."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from arena import IDLE, ArenaSpec, Episode, Event, Outcome, Scene
from arena.replay import play
from arena.scene import Vector
from arena_llm.fidelity.trace import Row, Trace
from llm_control.choices import ArenaChoices


class Moment(NamedTuple):
    """An instant of an episode: after the n-th step of a turn; in turn 0, n counts pictures from 0."""

    turn: int
    n: int

    def __str__(self) -> str:
        return f"obs-{self.turn}.{self.n}"


@dataclass(frozen=True, slots=True)
class Played:
    """One turn as played: `steps` that it took, and what was so after it (metres, degrees, m/s)."""

    row: Row
    steps: int
    tick: int
    health: float
    position: Vector
    yaw: float
    speed: float
    events: tuple[Event, ...]

    @property
    def agrees(self) -> bool | None:
        """Whether health is the recorded one; None where none was recorded."""
        return self.row.agrees(self.health)


@dataclass(frozen=True, slots=True)
class Replay:
    """A whole replay: the turns up to its end, and the scenes of the recording's pictures and turns' ends.

    `unreached` are the recorded turns that came after our end.
    """

    turns: tuple[Played, ...]
    unreached: tuple[Row, ...]
    scenes: Mapping[Moment, Scene]
    total_reward: float
    ticks: int
    outcome: Outcome | None

    @property
    def ended(self) -> bool:
        """Whether the episode was over by the end of the scripts."""
        return self.outcome is not None

    @property
    def judged(self) -> int:
        """Turns whose health was recorded."""
        return sum(row.health is not None for row in (*(turn.row for turn in self.turns), *self.unreached))

    @property
    def agreeing(self) -> int:
        """Turns whose health is as recorded; one that was not reached is not."""
        return sum(turn.agrees is True for turn in self.turns)


def replay(trace: Trace, seed: int = 0) -> Replay:
    """Play a recording's scripts to their end or the episode's; raises LayoutError for a broken arena."""
    scenes: dict[Moment, Scene] = {}
    turns: list[Played] = []
    with Episode(trace.spec, task_id=trace.name, seed=seed) as episode:
        _wait(episode, trace, scenes)
        for row in trace.rows:
            if episode.done:
                break
            turns.append(_play(episode, row, trace, scenes))
        return Replay(
            tuple(turns),
            trace.rows[len(turns) :],
            scenes,
            episode.total_reward,
            episode.ticks,
            episode.outcome,
        )


def has_random_places(spec: ArenaSpec) -> bool:
    """Whether two seeds build different arenas, so that no replay can be expected to agree."""
    with Episode(spec, task_id="one", seed=1) as one, Episode(spec, task_id="other", seed=2) as other:
        here, there = one.scene(), other.scene()
    return (
        here.agent_position != there.agent_position
        or here.agent_yaw != there.agent_yaw
        or here.positions.shape != there.positions.shape
        or not np.array_equal(here.positions, there.positions)
        or not np.array_equal(here.rotations, there.rotations)
    )


def _wait(episode: Episode, trace: Trace, scenes: dict[Moment, Scene]) -> None:
    """The idle steps before the first script: a picture after the first one and after each 16 more."""
    first, between, *_ = ArenaChoices().initial_idle_steps
    for step in range(1, trace.idle_steps + 1):
        if not episode.done:
            episode.step(IDLE)
        number, rest = divmod(step - first, between)
        if not rest and (0, number) in trace.pictures:
            scenes[Moment(0, number)] = episode.scene()


def _play(episode: Episode, row: Row, trace: Trace, scenes: dict[Moment, Scene]) -> Played:
    events: list[Event] = []
    steps = 0
    for steps, moment in enumerate(play(episode, zip(row.script.actions())), start=1):
        events += moment.events
        if steps == row.script.steps or (row.turn, steps) in trace.pictures:
            scenes[Moment(row.turn, steps)] = episode.scene()
    return Played(
        row,
        steps,
        episode.ticks,
        episode.health,
        episode.position,
        episode.yaw,
        episode.speed,
        tuple(events),
    )
