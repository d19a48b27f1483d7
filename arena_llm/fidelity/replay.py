"""A recording's scripts, played in our arena."""

from collections.abc import Mapping
from typing import NamedTuple

from arena import IDLE, Episode, Event, Outcome, Scene
from arena.replay import play
from arena.scene import Vector
from arena_llm.fidelity.trace import Instant, RecordedTurn, Trace
from llm_control.choices import ArenaChoices


class ReplayedTurn(NamedTuple):
    """One turn as replayed: its number of steps, and the state after it (metres, degrees, m/s)."""

    recorded: RecordedTurn
    steps: int
    tick: int
    health: float
    position: Vector
    yaw: float
    speed: float
    events: tuple[Event, ...]

    @property
    def agrees(self) -> bool | None:
        """Whether health is as recorded; None if it was not recorded."""
        return self.recorded.agrees(self.health)


class ReplayedEpisode(NamedTuple):
    """A whole replay: the turns up to its end, and the scenes at the recording's pictures and turns' ends.

    `unreached` are the recorded turns after our end.
    """

    turns: tuple[ReplayedTurn, ...]
    unreached: tuple[RecordedTurn, ...]
    scenes: Mapping[Instant, Scene]
    total_reward: float
    ticks: int
    outcome: Outcome | None

    @property
    def ended(self) -> bool:
        """Whether the episode was over by the end of the scripts."""
        return self.outcome is not None

    @property
    def judged(self) -> int:
        """Number of turns whose health was recorded."""
        turns = (*(turn.recorded for turn in self.turns), *self.unreached)
        return sum(turn.health is not None for turn in turns)

    @property
    def agreeing(self) -> int:
        """Number of turns that were reached with the recorded health."""
        return sum(turn.agrees is True for turn in self.turns)


def replay(trace: Trace, seed: int = 0) -> ReplayedEpisode:
    """Play a recording's scripts to their end or the episode's; raises LayoutError for a broken arena."""
    scenes: dict[Instant, Scene] = {}
    turns: list[ReplayedTurn] = []
    with Episode(trace.spec, task_id=trace.name, seed=seed) as episode:
        _wait(episode, trace, scenes)
        for turn in trace.turns:
            if episode.done:
                break
            turns.append(_play(episode, turn, trace, scenes))
        return ReplayedEpisode(
            tuple(turns),
            trace.turns[len(turns) :],
            scenes,
            episode.total_reward,
            episode.ticks,
            episode.outcome,
        )


def _wait(episode: Episode, trace: Trace, scenes: dict[Instant, Scene]) -> None:
    """The idle steps before the first script: a picture after the first one and after each 16 more."""
    first, between, *_ = ArenaChoices().initial_idle_steps
    for step in range(1, trace.idle_steps + 1):
        if not episode.done:
            episode.step(IDLE)
        number, rest = divmod(step - first, between)
        if not rest and (0, number) in trace.pictures:
            scenes[Instant(0, number)] = episode.scene()


def _play(episode: Episode, turn: RecordedTurn, trace: Trace, scenes: dict[Instant, Scene]) -> ReplayedTurn:
    events: list[Event] = []
    steps = 0
    for steps, moment in enumerate(play(episode, zip(turn.script.actions())), start=1):
        events += moment.events
        if steps == turn.script.steps or (turn.turn, steps) in trace.pictures:
            scenes[Instant(turn.turn, steps)] = episode.scene()
    return ReplayedTurn(
        turn,
        steps,
        episode.ticks,
        episode.health,
        episode.position,
        episode.yaw,
        episode.speed,
        tuple(events),
    )
