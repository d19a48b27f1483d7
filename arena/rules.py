"""What contacts are worth: rewards, health and the end of an episode, without any physics.

Follows `TrainingAgent.cs` of Animal-AI (section 6 of the behaviour specification). Sums are kept in
single precision, as there, so that a clock of 250, 500 or 1000 runs out after 1250, 2500 or 5001 ticks.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from arena.catalog import Ends
from arena.layout import Placed

TICKS_PER_STEP = 3
"""Physics ticks in one environment step."""

TICKS_PER_UNIT = 5
"""The YAML's `t` and blackout frames count units of 5 ticks, i.e. 5/3 steps (section 0, facts 2 and 3)."""

FULL_HEALTH = 100.0
HOT_ZONE_FACTOR = 10.0
HOT_ZONE_LEAST = 0.001
"""A hot zone costs ten times the clock's decay per tick, and at least this."""


class Outcome(StrEnum):
    """Why an episode ended."""

    GOAL = "goal"
    """A good goal that ends the episode, or the last of the multi goals."""
    BAD_GOAL = "bad goal"
    DEATH_ZONE = "death zone"
    HEALTH = "health gone"
    """Health reached 0: the clock ran down, or a hot zone did it."""
    STOPPED = "stopped"
    """Ended from outside, before the arena did."""


class EventKind(StrEnum):
    """What can happen to the agent in a tick."""

    GOOD_GOAL = "good goal"
    BAD_GOAL = "bad goal"
    DEATH_ZONE = "death zone"
    HOT_ZONE = "hot zone"
    """The agent came into a hot zone; one event for a stay of any length."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: in which tick, with which thing (index into the layout), for what reward."""

    tick: int
    kind: EventKind
    thing: int
    name: str
    reward: float


class Account:
    """Health, reward and outcome of one episode, updated tick by tick."""

    def __init__(self, time_limit: int, things: tuple[Placed, ...]) -> None:
        self.health = np.float32(FULL_HEALTH)
        self.outcome: Outcome | None = None
        self._things = things
        self._decay = (
            np.float32(-1.0) / np.float32(TICKS_PER_UNIT * time_limit) if time_limit else np.float32(0)
        )
        hot = min(HOT_ZONE_FACTOR * float(self._decay), -HOT_ZONE_LEAST)
        self._hot = np.float32(hot)
        self._good_goals = sum(placed.kind.is_good_goal and not placed.blocked for placed in things)
        self._eaten = 0
        self._inside: frozenset[int] = frozenset()
        self._step_reward = np.float32(0)

    @property
    def done(self) -> bool:
        """Whether the episode is over."""
        return self.outcome is not None

    def take_step_reward(self) -> float:
        """The reward since this was last asked."""
        reward, self._step_reward = float(self._step_reward), np.float32(0)
        return reward

    def decay(self) -> None:
        """The clock's share of one tick."""
        if self._decay:
            self._add(self._decay)
            if self.health <= 0:
                self.outcome = Outcome.HEALTH

    def settle(self, tick: int, goals: Iterable[int], zones: Iterable[int]) -> tuple[Event, ...]:
        """Account for one tick's contacts, in creation order, and say what happened."""
        events: list[Event] = []
        for index in goals:
            if not self.done:
                events.append(self._touch_goal(tick, index))
        inside = frozenset(zones)
        for index in sorted(inside):
            if not self.done:
                events += self._in_zone(tick, index)
        self._inside = inside
        return tuple(events)

    def _touch_goal(self, tick: int, index: int) -> Event:
        kind = self._things[index].kind
        reward = np.float32(kind.reward * self._things[index].size[0])
        self._add(reward)
        if kind.ends is Ends.LAST:
            self._eaten += 1
        ends = kind.ends is Ends.ALWAYS or self._eaten == self._good_goals
        good = kind.is_good_goal
        if ends:
            self.outcome = Outcome.GOAL if good else Outcome.BAD_GOAL
        elif self.health <= 0:
            self.outcome = Outcome.HEALTH
        return Event(
            tick, EventKind.GOOD_GOAL if good else EventKind.BAD_GOAL, index, kind.name, float(reward)
        )

    def _in_zone(self, tick: int, index: int) -> list[Event]:
        kind = self._things[index].kind
        if kind.ends is Ends.ALWAYS:
            self._add(np.float32(kind.reward))
            self.outcome = Outcome.DEATH_ZONE
            return [Event(tick, EventKind.DEATH_ZONE, index, kind.name, kind.reward)]
        self._add(self._hot)
        if self.health <= 0:
            self.outcome = Outcome.HEALTH
        if index in self._inside:
            return []
        return [Event(tick, EventKind.HOT_ZONE, index, kind.name, float(self._hot))]

    def _add(self, amount: np.float32) -> None:
        full = np.float32(FULL_HEALTH)
        self.health = np.float32(max(np.float32(0), min(full, self.health + full * amount)))
        self._step_reward = np.float32(self._step_reward + amount)


def lights_on(blackouts: tuple[int, ...], tick: int) -> bool:
    """Whether the light is on after `tick` ticks (section 6.5).

    A first entry that is negative toggles the light with that period for ever; otherwise each entry
    toggles it once. A leading 0 means dark from the start.
    """
    if not blackouts:
        return True
    if blackouts[0] < 0:
        return tick // (TICKS_PER_UNIT * -blackouts[0]) % 2 == 0
    return sum(TICKS_PER_UNIT * frame <= tick for frame in blackouts) % 2 == 0


def passed(total_reward: float, pass_mark: float | None) -> bool | None:
    """The pass rule: a total reward of at least the pass mark; None where there is no mark."""
    return None if pass_mark is None else total_reward >= pass_mark
