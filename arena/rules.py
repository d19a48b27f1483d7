"""The rules of an episode: rewards, health and its end; no physics.

As in `TrainingAgent.cs` of animal-ai-unity (revision 0739f7f). Sums are in single precision, as there, so
that a time limit of 250, 500 or 1000 ends after 1250, 2500 or 5001 ticks.
"""

from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from arena.geometry.placed import Placed
from arena.kernel.motion import run_clock
from arena.kernel.tables import DECAY, HEALTH, REWARD
from arena.taskfile.kind import Change, Ends
from arena.taskfile.versions import DIFFERENCES, Version

TICKS_PER_UNIT = 5
"""Ticks per unit of the YAML's `t` and blackouts. A unit is 5/3 steps (`TrainingArena.cs`)."""

SAFETY_STEPS = 20_000
"""Step limit of an arena without a time limit. The longest with one takes 1667."""

FULL_HEALTH = 100.0
HOT_ZONE_FACTOR = 10.0
HOT_ZONE_LEAST = 0.001
"""Minimum cost of a hot zone per tick. It is ten times the decay of the clock."""


class Outcome(StrEnum):
    """Reason for the end of an agent's episode."""

    GOAL = "goal"
    """A good goal ended it, or the last of the multi goals."""
    BAD_GOAL = "bad goal"
    DECOY = "decoy goal"
    DEATH_ZONE = "death zone"
    HEALTH = "health gone"
    """Health reached 0: by the clock or in a hot zone."""
    OPERATION = "operation"
    """A button or data zone ended it."""
    OTHER_AGENT = "another agent finished"
    STOPPED = "stopped"
    """Ended from outside."""


class EventKind(StrEnum):
    """Kinds of events."""

    GOOD_GOAL = "good goal"
    BAD_GOAL = "bad goal"
    DECOY = "decoy goal"
    DEATH_ZONE = "death zone"
    HOT_ZONE = "hot zone"
    """The agent entered a hot zone; one event per stay."""
    ZONE_ENTRY = "data zone entered"
    ZONE_EXIT = "data zone left"
    BUTTON = "button pressed"
    GRANT = "reward granted"
    """An operation rewarded the agent."""
    EXPERIMENT = "experiment"
    """An experiment that a pad began has shown its outcome."""
    NO_EXPERIMENT = "no experiment"
    """A pad had no effect. No experiment is left, or something still moves."""
    DOOR = "door opened"


class Event(NamedTuple):
    """An event of an agent: tick, kind, thing, name and reward.

    The thing is an index into the world, the name that of the thing. `zone` is the name that the file gives a
    data zone (`triggerZoneID`), `detail` the outcome of an experiment, the reason for none, or the number of
    a door; "" for everything else.
    """

    tick: int
    kind: EventKind
    thing: int
    name: str
    reward: float
    zone: str = ""
    detail: str = ""

    def as_dict(self) -> dict[str, object]:
        """Return plain values. `zone` and `detail` appear only if set, as logs of version 0.2 have none."""
        return {key: value for key, value in self._asdict().items() if value or key not in ("zone", "detail")}


class Goals:
    """The balls of an arena: current values and counts. `number` counts the good goals that were built or
    spawned, without blocked ones (`ArenaBuilders.cs`)."""

    def __init__(self, things: Iterable[Placed], version: Version) -> None:
        self.number = 0
        self.eaten = 0
        self._changing_goals_end = DIFFERENCES[version].changing_goals_end
        self.change_health = not DIFFERENCES[version].only_the_clock
        """True if contacts change health as well as reward."""
        self._things: list[Placed] = []
        self._values: dict[int, float] = {}
        for placed in things:
            self.add(placed)

    def add(self, placed: Placed) -> None:
        """Add the next thing of the world."""
        self._things.append(placed)
        counts = placed.kind.is_good_goal and not placed.blocked
        # In 4.x decay, ripen, grow and shrink goals are not tagged as good goals.
        if counts and not (self._changing_goals_end and placed.kind.change is not Change.NONE):
            self.number += 1

    def placed(self, index: int) -> Placed:
        """Return a thing by its index."""
        return self._things[index]

    def value(self, index: int) -> float:
        """Current reward for touching a ball."""
        placed = self._things[index]
        return self._values.get(index, placed.kind.reward * placed.size[0])

    def set_value(self, index: int, value: float) -> None:
        """Set the reward for touching a ball."""
        self._values[index] = value

    def eat(self, index: int) -> bool:
        """Count a touched ball; return whether it ends the episode."""
        kind = self._things[index].kind
        # In 4.x every good goal counts, not only the multi goals.
        if kind.ends is Ends.LAST or (self._changing_goals_end and kind.is_good_goal):
            self.eaten += 1
        # Only multi goals of either sign depend on the count, and not before one was eaten.
        counted = kind.ends is not Ends.ALWAYS and self.eaten > 0 and kind.reward != 0
        # A blocked ball that is eaten takes the count beyond the number, which ends nothing before 4.x.
        all_eaten = self.eaten >= self.number if self._changing_goals_end else self.eaten == self.number
        return kind.ends is Ends.ALWAYS or (counted and all_eaten)


_FULL, _EMPTY = np.float32(FULL_HEALTH), np.float32(0)


class Account:
    """Health, reward and outcome of one agent, updated in every tick."""

    def __init__(self, time_limit: int, goals: Goals) -> None:
        self.clock = np.array([FULL_HEALTH, 0.0, 0.0], np.float32)
        """Health, step reward and decay per tick, shared with the kernel."""
        self.outcome: Outcome | None = None
        self.zones: frozenset[int] = frozenset()
        """Indices of the zones that the agent is in."""
        self.enter(time_limit, goals)

    def enter(self, time_limit: int, goals: Goals) -> None:
        """Enter another arena, with its time limit and goals. Health and reward are kept."""
        self._goals = goals
        self.clock[DECAY] = decay = decay_of(time_limit)
        self._hot = np.float32(min(HOT_ZONE_FACTOR * float(decay), -HOT_ZONE_LEAST))
        self.zones = frozenset()
        self.outcome = None

    @property
    def done(self) -> bool:
        """True if the episode is over for this agent."""
        return self.outcome is not None

    @property
    def step_reward(self) -> float:
        """Reward accumulated since it was last taken."""
        return float(self.clock[REWARD])

    @property
    def health(self) -> np.float32:
        """Health, 0 to 100."""
        return self.clock[HEALTH]

    def take_step_reward(self) -> float:
        """Take the reward accumulated since the last call."""
        reward = self.step_reward
        self.clock[REWARD] = 0.0
        return reward

    def decay(self) -> None:
        """Apply the clock's decay of one tick."""
        if self.clock[DECAY]:
            run_clock(self.clock)
            self._end_without_health()

    def grant(self, amount: float) -> None:
        """Add a positive or negative reward. Ends the episode if no health is left."""
        self._add(np.float32(amount))
        self._end_without_health()

    def _end_without_health(self) -> None:
        if self.health <= _EMPTY:
            self.outcome = Outcome.HEALTH

    def apply_contacts(self, tick: int, goals: Collection[int], zones: Collection[int]) -> tuple[Event, ...]:
        """Apply the contacts of one tick, in creation order; return the events."""
        if not (goals or zones or self.zones):
            return ()
        events: list[Event] = []
        for index in goals:
            if not self.done:
                events.append(self._touch_goal(tick, index))
        inside = frozenset(zones)
        for index in sorted(inside):
            if not self.done:
                events += self._in_zone(tick, index)
        for index in sorted(self.zones - inside):
            placed = self._goals.placed(index)
            if placed.kind.name == "DataZone":
                events.append(Event(tick, EventKind.ZONE_EXIT, index, "DataZone", 0.0, placed.zone_name))
        self.zones = inside
        return tuple(events)

    def _touch_goal(self, tick: int, index: int) -> Event:
        kind = self._goals.placed(index).kind
        reward = np.float32(self._goals.value(index))
        self._add(reward)
        ends = self._goals.eat(index)
        event, outcome = _BALL_TOUCHED[(kind.reward > 0) - (kind.reward < 0)]
        if ends:
            self.outcome = outcome
        elif self.health <= 0:
            self.outcome = Outcome.HEALTH
        return Event(tick, event, index, kind.name, float(reward))

    def _in_zone(self, tick: int, index: int) -> list[Event]:
        placed = self._goals.placed(index)
        kind, entered = placed.kind, index not in self.zones
        if kind.laboratory:
            return []
        if kind.name == "DataZone":
            event = Event(tick, EventKind.ZONE_ENTRY, index, kind.name, 0.0, placed.zone_name)
            return [event] if entered else []
        if kind.ends is Ends.ALWAYS:
            self._add(np.float32(kind.reward))
            self.outcome = Outcome.DEATH_ZONE
            return [Event(tick, EventKind.DEATH_ZONE, index, kind.name, kind.reward)]
        self._add(self._hot)
        self._end_without_health()
        return [Event(tick, EventKind.HOT_ZONE, index, kind.name, float(self._hot))] if entered else []

    def _add(self, amount: np.float32) -> None:
        if self._goals.change_health:
            health = self.health + _FULL * amount
            self.clock[HEALTH] = _FULL if health > _FULL else _EMPTY if health < _EMPTY else health
        self.clock[REWARD] += amount


_BALL_TOUCHED = {
    1: (EventKind.GOOD_GOAL, Outcome.GOAL),
    0: (EventKind.DECOY, Outcome.DECOY),
    -1: (EventKind.BAD_GOAL, Outcome.BAD_GOAL),
}
"""Event and outcome of touching a ball, by its reward's sign."""


def decay_of(time_limit: int) -> np.float32:
    """Return the clock's reward per tick; 0 without a time limit."""
    return np.float32(-1.0) / np.float32(TICKS_PER_UNIT * time_limit) if time_limit else np.float32(0)


def lights_on(blackouts: tuple[int, ...], tick: int) -> bool:
    """Return whether the light is on after `tick` ticks (`Lights.cs`). A negative first entry toggles the
    light periodically; otherwise each entry toggles it once. A leading 0 means dark from the start."""
    if not blackouts:
        return True
    if blackouts[0] < 0:
        return tick // (TICKS_PER_UNIT * -blackouts[0]) % 2 == 0
    return sum(TICKS_PER_UNIT * frame <= tick for frame in blackouts) % 2 == 0


def passed(total_reward: float, pass_mark: float | None) -> bool | None:
    """Return whether the total reward reaches the pass mark. None without a mark."""
    return None if pass_mark is None else total_reward >= pass_mark
