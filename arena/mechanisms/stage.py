"""The part of an episode that mechanisms read and change."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import numpy as np

from arena.action import TICK_S, Action
from arena.geometry.layout import MAX_GROWING, MAX_THINGS, Placer
from arena.geometry.placed import Placed
from arena.physics.world import World
from arena.rules import Account, Event, Goals, Outcome, passed
from arena.taskfile.config import ArenaSpec, Item
from arena.taskfile.versions import DIFFERENCES, Differences


class Mechanism(Protocol):
    """Something that acts in every tick."""

    def act(self, stage: "Stage") -> Iterable[Event]:
        """Act, usually before the physics of a tick; return the events for the agents."""


class Stage:
    """One arena of an episode: its world, balls, accounts, clock and random generator.

    `tick` counts from 0 at the arena's start. Until `paused_until` nothing happens to an agent, its clock
    stands still too; until `frozen_until` it only cannot move.
    """

    def __init__(
        self,
        spec: ArenaSpec,
        world: World,
        goals: Goals,
        accounts: Sequence[Account],
        placer: Placer,
        rng: np.random.Generator,
        mechanism_of: "MechanismOf",
    ) -> None:
        """`mechanism_of` makes the mechanisms of things that are placed later."""
        self.spec = spec
        self.world = world
        self.goals = goals
        self.accounts = accounts
        self.rng = rng
        self.tick = 0
        self.differs: Differences = DIFFERENCES[spec.version]
        self.paused_until = [round(start.frozen_s / TICK_S) for start in world.layout.agents]
        self.frozen_until = list(self.paused_until)
        self.mechanisms: list[Mechanism] = []
        self.zones: Mechanism | None = None
        """What data zones trigger, which acts after the physics of a tick."""
        self.unripe: set[int] = set()
        """Indices of the fruit that grows on trees."""
        self.spawned: list[tuple[Placed | None, Placed]] = []
        """Things added since the start, each with the spawner, button or data zone that added it."""
        self.operator: Placed | None = None
        """The button or data zone whose operations run."""
        self._placer, self._mechanism_of = placer, mechanism_of

    @property
    def seconds(self) -> float:
        """Seconds since the arena's start."""
        return self.tick * TICK_S

    def is_paused(self, agent: int) -> bool:
        """Whether nothing happens to an agent in this tick."""
        return self.tick <= self.paused_until[agent] or self.accounts[agent].done

    def is_frozen(self, agent: int) -> bool:
        """Whether an agent's actions have no effect in this tick."""
        return self.tick <= self.frozen_until[agent] or self.accounts[agent].done

    @property
    def is_quiet(self) -> bool:
        """Whether, as far as is known, nothing happens in the next tick but that the only agent drives."""
        acts = self.mechanisms or self.zones or self.tick + 1 <= self.frozen_until[0]
        return not acts and len(self.accounts) == 1 and not self.accounts[0].zones and self.world.is_at_rest

    def drive_quietly(self, action: Action, most: int) -> int:
        """Simulate up to `most` ticks in one call as long as they are quiet; return how many."""
        if not self.is_quiet:
            return 0
        ticks = self.world.drive_quietly(action, self.accounts[0].clock, most)
        self.tick += ticks
        return ticks

    def merges(self, rewards: Iterable[float]) -> bool:
        """Whether the episode continues in the next arena: with health left, and the pass mark reached by one
        of the agents' total `rewards`."""
        ended = any(account.outcome and account.health > 0 for account in self.accounts)
        if self.spec.then is None or not ended:
            return False
        free = self.differs.zero_mark_passes and self.spec.pass_mark == 0
        return free or any(passed(reward, self.spec.pass_mark) is not False for reward in rewards)

    def freeze(self, agent: int, ticks: int) -> None:
        """Stop an agent, and freeze it for a number of ticks, of which this is the first; time goes on."""
        if ticks:
            self.world.agents[agent].stop()
            self.frozen_until[agent] = max(self.frozen_until[agent], self.tick + ticks - 1)

    def end(self, agent: int, reward: float) -> None:
        """End an agent's episode with a last reward."""
        account = self.accounts[agent]
        account.grant(reward)
        account.outcome = account.outcome or Outcome.OPERATION

    def takes(self, growing: bool) -> bool:
        """Whether one more thing may be added now: the arena bounds how many it holds, and how many grow."""
        if len(self.world.present()) >= MAX_THINGS:
            return False
        return not growing or len(self.unripe) + self._growing_goals() < MAX_GROWING

    def _growing_goals(self) -> int:
        things = (self.goals.placed(index) for index in self.world.present())
        return sum(placed.kind.is_growing for placed in things)

    def add(self, placed: Placed, held: bool = False, spawner: Placed | None = None) -> int:
        """Add a thing; with `held` it hangs in the air until it is dropped."""
        index = self.world.add(placed, held)
        self.goals.add(placed)
        self.spawned.append((spawner or self.operator, placed))
        return index

    def place(self, item: Item) -> list[int]:
        """Add every instance of an item for which there is room; return the indices."""
        shown: list[int] = []
        for number in range(item.instances):
            if not self.takes(growing=False):
                break
            things = self._placer.things(item, number)
            if not things[0].blocked and self.takes(things[0].kind.is_growing):
                for placed in things:
                    index = self.add(placed)
                    self.mechanisms += self._mechanism_of(index, placed, self)
                    shown.append(index)
        return shown


MechanismOf = Callable[[int, Placed, Stage], Iterable[Mechanism]]
