"""What a mechanism sees of an episode, and what it may do there."""

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from arena.action import TICK_S
from arena.geometry.layout import Placer
from arena.geometry.placed import Placed
from arena.physics.world import World
from arena.rules import Account, Event, Goals, Outcome
from arena.taskfile.config import ArenaSpec, Item
from arena.taskfile.versions import DIFFERENCES, Differences


class Mechanism(Protocol):
    """Something that acts by itself."""

    def act(self, stage: "Stage") -> Iterable[Event]:
        """Act before the physics of a tick; yields what agents should know of."""
        ...


class Stage:
    """One arena while it is played: its world, balls, accounts, clock and generator.

    `tick` counts from 0 at the arena's start. `frozen_until` is the tick up to which each agent stands still.
    """

    def __init__(
        self,
        spec: ArenaSpec,
        world: World,
        goals: Goals,
        accounts: Sequence[Account],
        placer: Placer,
        rng: np.random.Generator,
    ) -> None:
        self.spec = spec
        self.world = world
        self.goals = goals
        self.accounts = accounts
        self.rng = rng
        self.tick = 0
        self.differs: Differences = DIFFERENCES[spec.version]
        self.frozen_until = [round(start.frozen_s / TICK_S) for start in world.layout.agents]
        self.mechanisms: list[Mechanism] = []
        self._placer = placer

    @property
    def seconds(self) -> float:
        """Time since the arena's start."""
        return self.tick * TICK_S

    def is_frozen(self, agent: int) -> bool:
        """Whether an agent stands still in this tick."""
        return self.tick <= self.frozen_until[agent] or self.accounts[agent].done

    def freeze(self, agent: int, ticks: int) -> None:
        """Let an agent stand still for a number of ticks, from the next one on."""
        self.frozen_until[agent] = max(self.frozen_until[agent], self.tick + ticks)

    def end(self, agent: int, reward: float) -> None:
        """End an agent's episode by an operation, with a last reward."""
        account = self.accounts[agent]
        account.grant(reward)
        account.outcome = account.outcome or Outcome.OPERATION

    def add(self, placed: Placed, held: bool = False) -> int:
        """Let a thing appear; a `held` one hangs until the world lets it go."""
        index = self.world.add(placed, held)
        self.goals.add(placed)
        return index

    def place(self, item: Item) -> list[int]:
        """Let every instance of an item appear where there is room; what finds none does not appear."""
        from arena.mechanisms import mechanism_of

        shown = []
        for number in range(item.instances):
            things = self._placer.things(item, number)
            if not any(placed.blocked for placed in things):
                for placed in things:
                    index = self.add(placed)
                    self.mechanisms += mechanism_of(index, placed, self)
                    shown.append(index)
        return shown
