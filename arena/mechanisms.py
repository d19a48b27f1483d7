"""Mechanisms of an arena: changing balls, spawners, doors, buttons and data zones."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Protocol

import numpy as np

from arena.action import TICK_S, Action
from arena.geometry.layout import LIFT, MAX_GROWING, MAX_THINGS, OccupiedSpace, Placer
from arena.geometry.placed import AGENT_RADIUS, SHRINK, SMALLEST_BALL, Layout, Placed, changing_values
from arena.geometry.shapes import ARENA_SIZE, FLOOR_Y, button_trigger
from arena.kernel.motion import drive_uneventful
from arena.kernel.tables import Parts, Singles
from arena.physics.world import World
from arena.rules import Account, Event, EventKind, Goals, Outcome, passed
from arena.scene import Floats, Vector, local, sin_cos
from arena.seeds import Chance, NetRandom
from arena.taskfile.catalog import KINDS
from arena.taskfile.config import (
    ArenaSpec,
    EndEpisode,
    FreezeAgent,
    GrantContinuousReward,
    GrantReward,
    Item,
    LimitedInvocations,
    Operation,
    OperationFromList,
    ToggleObject,
    Vector3,
)
from arena.taskfile.kind import Change, Settings, Shape, Spawner
from arena.taskfile.versions import DIFFERENCES, Differences


class Mechanism(Protocol):
    """An object that acts in every tick."""

    def act(self, stage: "Stage") -> Iterable[Event]:
        """Act, usually before a tick's physics; return the events for the agents."""


class Stage:
    """One arena of an episode: its world, balls, accounts, clock and generator.

    `tick` counts from 0 at the arena's start. Until `paused_until` an agent and its clock are paused; until
    `frozen_until` the agent only cannot move.
    """

    def __init__(
        self,
        spec: ArenaSpec,
        world: World,
        goals: Goals,
        accounts: Sequence[Account],
        placer: Placer,
        chance: Chance,
    ) -> None:
        self.spec = spec
        self.world = world
        self.goals = goals
        self.accounts = accounts
        self.chance = chance
        self.tick = 0
        self.differs: Differences = DIFFERENCES[spec.version]
        self.paused_until = [round(start.frozen_s / TICK_S) for start in world.layout.agents]
        self.frozen_until = list(self.paused_until)
        self.mechanisms: list[Mechanism] = []
        self.zones: Mechanism | None = None
        """Operations of data zones, which act after the physics of a tick."""
        self.unripe: set[int] = set()
        """Indices of the fruit that grows on trees."""
        self.spawned: list[tuple[Placed | None, Placed]] = []
        """Things added since the start, with their spawner, button or data zone."""
        self.operator: Placed | None = None
        """The button or data zone whose operations are running."""
        self._placer = placer

    @property
    def seconds(self) -> float:
        """Seconds since the arena's start."""
        return self.tick * TICK_S

    def idle(self, until: Sequence[int]) -> list[bool]:
        """Return which agents are inactive. They are until their tick in `until`, and at their end."""
        agents = zip(until, self.accounts, strict=True)
        return [self.tick <= last or account.done for last, account in agents]

    @property
    def is_uneventful(self) -> bool:
        """True if only the single agent should move in the next tick."""
        acts = self.mechanisms or self.zones or self.tick + 1 <= self.frozen_until[0]
        return not acts and len(self.accounts) == 1 and not self.accounts[0].zones and self.world.is_at_rest

    def lend(self, body: Floats, clock: Singles) -> Parts:
        """Lend the only agent and its clock to a caller's uneventful steps. Returns the table of parts, of
        which the caller uses a copy. The stage must not be used until `take_back`."""
        agent, account = self.world.agents[0], self.accounts[0]
        body[:], clock[:] = agent.state, account.clock
        agent.state, account.clock = body, clock
        return self.world.things.parts

    def take_back(self, parts: Parts, ticks: int) -> None:
        """Continue after the caller's ticks, with its copy of the parts."""
        agent, account = self.world.agents[0], self.accounts[0]
        agent.state, account.clock = agent.state.copy(), account.clock.copy()
        self.world.things.parts[:] = parts
        self.world.things.take_balls()
        self.tick += ticks

    def drive_uneventful(self, action: Action, most: int) -> int:
        """Simulate up to `most` uneventful ticks in one call; return their number."""
        if not self.is_uneventful:
            return 0
        state, things, (move, turn) = self.world.agents[0].state, self.world.things, map(int, action)
        ticks = drive_uneventful(state, self.accounts[0].clock, things.parts, move, turn, most)
        things.take_balls()
        self.tick += ticks
        return ticks

    def merges(self, rewards: Iterable[float]) -> bool:
        """Return whether the episode continues in the next arena. It does with health left, if one of the
        agents' total `rewards` reaches the pass mark."""
        ended = any(account.outcome and account.health > 0 for account in self.accounts)
        if self.spec.then is None or not ended:
            return False
        free = self.differs.zero_mark_passes and self.spec.pass_mark == 0
        return free or any(passed(reward, self.spec.pass_mark) is not False for reward in rewards)

    def freeze(self, agent: int, ticks: int) -> None:
        """Stop an agent, and freeze it for a number of ticks. This tick is the first; time continues."""
        if ticks:
            self.world.agents[agent].stop()
            self.frozen_until[agent] = max(self.frozen_until[agent], self.tick + ticks - 1)

    def end(self, agent: int, reward: float) -> None:
        """End an agent's episode with a last reward."""
        account = self.accounts[agent]
        account.grant(reward)
        account.outcome = account.outcome or Outcome.OPERATION

    def takes(self, growing: bool) -> bool:
        """Return whether one more thing, or growing thing, may be added now."""
        if len(self.world.things.present()) >= MAX_THINGS:
            return False
        things = (self.goals.placed(index) for index in self.world.things.present())
        return not growing or len(self.unripe) + sum(each.kind.is_growing for each in things) < MAX_GROWING

    def add(self, placed: Placed, held: bool = False, spawner: Placed | None = None) -> int:
        """Add a thing. With `held` it hangs in the air until it is dropped."""
        index = self.world.add(placed, held)
        self.goals.add(placed)
        self.spawned.append((spawner or self.operator, placed))
        return index

    def place(self, item: Item, anywhere: bool = False) -> list[int]:
        """Add every instance of an item that has room; return the indices. With `anywhere` nothing is in the
        way, as long as the arena has room for more."""
        shown: list[int] = []
        self._placer.occupied = self._occupied()
        for number in range(item.instances):
            if not self.takes(growing=False):
                break
            things = self._placer.things(item, number, anywhere)
            if not things[0].blocked and self.takes(things[0].kind.is_growing):
                for placed in things:
                    index = self.add(placed)
                    self.mechanisms += mechanism_of(index, placed, self)
                    shown.append(index)
        return shown

    def _occupied(self) -> OccupiedSpace:
        """Return the space that agents and things occupy now, without blocked things."""
        things, space = self.world.things, OccupiedSpace()
        for body in self.world.agents:
            space.add_ball(body.position, AGENT_RADIUS)
        for index in things.present():
            placed = self.goals.placed(index)
            if not placed.blocked:
                ahead = things.rotations[index, :, 2]
                yaw = math.degrees(math.atan2(ahead[0], ahead[2]))
                at, size = things.position(index), things.size(index)
                space.add(replace(placed, position=at, size=size, yaw=yaw))
        return space


CONTINUOUS = "grantContinuousReward"
"""Event name of rewards given in every tick."""

Operate = Callable[[Stage, int], Iterable[Event]]
"""An operation, called with the number of the agent that triggered it."""


def run(operations: Iterable[Operate], stage: Stage, agent: int, operator: Placed) -> Iterator[Event]:
    """Run operations of a button or zone until the agent's episode ends."""
    stage.operator = operator
    for operate in operations:
        if not stage.accounts[agent].done:
            yield from operate(stage, agent)
    stage.operator = None


def operate_of(operation: Operation, stage: Stage) -> Operate:
    """Return the operation as a function. Adds objects that it shows from the start."""
    if isinstance(operation, ToggleObject):
        return _Toggle(operation, stage)
    if isinstance(operation, LimitedInvocations):
        return _limited(operate_of(operation.operation, stage), operation.max_invocations)
    if isinstance(operation, OperationFromList):
        return _one_of([operate_of(each, stage) for each in operation.operations], operation.weights)
    return lambda stage, agent: _simple(operation, stage, agent)


def _simple(operation: Operation, stage: Stage, agent: int) -> Iterable[Event]:
    account = stage.accounts[agent]
    if isinstance(operation, GrantReward):
        account.grant(operation.reward)
        return (_grant(stage, operation.reward),)
    if isinstance(operation, GrantContinuousReward):
        if stage.operator is None or stage.operator.kind.name != "DataZone":
            return ()  # As in the original, a button's has no effect.
        account.grant(operation.reward_per_step)
        return (_grant(stage, operation.reward_per_step, CONTINUOUS),)
    if isinstance(operation, EndEpisode):
        stage.end(agent, operation.reward)
        return (_grant(stage, operation.reward),)
    if isinstance(operation, FreezeAgent):
        stage.freeze(agent, operation.freeze_steps)
    return ()


def _grant(stage: Stage, reward: float, name: str = "") -> Event:
    return Event(stage.tick, EventKind.GRANT, -1, name, reward)


class _Toggle:
    def __init__(self, operation: ToggleObject, stage: Stage) -> None:
        self._item = operation.spawnable
        self._forgets = operation.spawn_and_forget
        # As in the original, objects that are spawned and forgotten do not exist at the start.
        there = operation.initially_present and not self._forgets
        self._shown: list[int] = stage.place(self._item) if there else []

    def __call__(self, stage: Stage, agent: int) -> Iterable[Event]:
        there = [index for index in self._shown if stage.world.is_there(index)]
        if there and not self._forgets:
            for index in there:
                stage.world.remove(index)
            self._shown = []
        else:
            self._shown = stage.place(self._item)
        return ()


def _limited(operate: Operate, most: int) -> Operate:
    left = repeat(operate, most) if 0 <= most < 2**63 else repeat(operate)
    return lambda stage, agent: next(left, _do_nothing)(stage, agent)


def _do_nothing(stage: Stage, agent: int) -> Iterable[Event]:
    return ()


def _one_of(choices: Sequence[Operate], weights: Sequence[float]) -> Operate:
    """Return an operation that draws one of several by weight each time."""
    if not choices:
        return _do_nothing
    given = [weights[i] if i < len(weights) else 0.0 for i in range(len(choices))]
    if sum(given) > 0:
        return lambda stage, agent: choices[stage.chance.pick(given)](stage, agent)
    return lambda stage, agent: choices[stage.chance.below(len(choices))](stage, agent)


def reward_of(item: Item, stage: Stage) -> Operate | None:
    """Return the reward operation of a button without operations of its own.

    With a probability, one of its rewards appears. A reward position of (0, 0, 0) means a random one; a count
    of -1 means no limit. Versions from 4.2 on search for a free place (`SpawnerButton.cs`), earlier ones do
    not (`Spawner_InteractiveButton.cs`).
    """
    if not item.reward_names:
        return None
    at, most = item.reward_position, item.max_reward_counts
    place = Vector3(x=-1.0, y=0.0, z=-1.0) if (at.x, at.y, at.z) == (0, 0, 0) else at
    shown = [Item(name=name, positions=(place,), sizes=(item.reward_size,)) for name in item.reward_names]
    limits = [most[number] if number < len(most) else -1 for number in range(len(shown))]
    if not stage.differs.button_acts_when_pressed:
        early = [_EarlyReward(each, item, limit) for each, limit in zip(shown, limits, strict=True)]
        return _one_of(early, item.reward_weights)
    toggles = (ToggleObject(type="toggleObject", spawnable=each, spawn_and_forget=True) for each in shown)
    rewards = [_limited(_Toggle(each, stage), limit) for each, limit in zip(toggles, limits, strict=True)]
    drawn = _one_of(rewards, item.reward_weights)
    return lambda stage, agent: drawn(stage, agent) if stage.chance.happens(item.spawn_probability) else ()


class _EarlyReward:
    """A button's reward before 4.2. It appears at its position even if that is occupied."""

    def __init__(self, reward: Item, button: Item, most: int) -> None:
        self._reward, self._button, self._left = reward, button, most

    def __call__(self, stage: Stage, agent: int) -> Iterable[Event]:
        if self._left and stage.chance.happens(self._button.spawn_probability, by_value=True):
            self._left -= 1
            at = self._reward.positions[0]
            if min(at.x, at.z) < 0 and not stage.chance.buttons_find:
                return ()
            x = stage.chance.uniform(0.0, ARENA_SIZE) if at.x < 0 else at.x
            z = stage.chance.uniform(0.0, ARENA_SIZE) if at.z < 0 else at.z
            there = Vector3(x=x, y=at.y, z=z)
            stage.place(self._reward.model_copy(update={"positions": (there,), "rotations": (0.0,)}), True)
        return ()


class DataZones:
    """Data zones, which trigger operations for agents that enter them.

    Continuous rewards are given in every tick, and twice in the tick of the entry: Unity starts such an
    operation at once, and continues it at the end of the same tick (`GrantContinuousRewardOperation.cs`).
    """

    def __init__(self, operations: Mapping[int, Sequence[tuple[bool, Operate]]]) -> None:
        """Take `operations` by the zone's index. True marks those that repeat while an agent is inside."""
        self._operations = operations
        self._inside: dict[int, frozenset[int]] = {}

    def act(self, stage: Stage) -> Iterable[Event]:
        """Run the operations of zones that agents have entered."""
        for agent, account in enumerate(stage.accounts):
            before, now = self._inside.get(agent, frozenset()), account.zones
            self._inside[agent] = now
            for index in sorted(now & self._operations.keys()):
                enters = index not in before
                for repeats, operate in self._operations[index]:
                    yield from run([operate] * (repeats + enters), stage, agent, stage.goals.placed(index))


DURATION_S = 1.0
"""Default time in which the button moves in or out; our choice."""

REACH = 0.25
"""Pressing distance of a button before version 4, metres. It is from the button's front to the agent's
sphere; our choice."""


class Button:
    """A button that moves in and out when its front is touched. The front is its local +x side.

    It triggers its operations when it is in (version 4) or when it is out again (v3.1.3). While it moves it
    cannot be pressed again.
    """

    def __init__(self, index: int, placed: Placed, operations: Sequence[Operate]) -> None:
        item = placed.item
        self._index = index
        self._placed = placed
        self._operations = operations
        self._move_s = _duration(placed.entry(item.move_durations, DURATION_S))
        self._reset_s = _duration(placed.entry(item.reset_durations, DURATION_S))
        self._inside: set[int] = set()
        self._free_at = 0.0
        self._due: tuple[float, int] | None = None

    def act(self, stage: Stage) -> Iterable[Event]:
        """Detect agents that press it, and run operations that are due."""
        for agent, body in enumerate(stage.world.agents):
            touches = self._is_in_front(body.position)
            if touches and agent not in self._inside and stage.seconds >= self._free_at:
                yield self._press(stage, agent)
            (self._inside.add if touches else self._inside.discard)(agent)
        if self._due and stage.seconds >= self._due[0]:
            agent, self._due = self._due[1], None
            yield from run(self._operations, stage, agent, self._placed)

    def _press(self, stage: Stage, agent: int) -> Event:
        self._free_at = stage.seconds + self._move_s + self._reset_s
        delay = self._move_s if stage.differs.button_acts_when_pressed else self._move_s + self._reset_s
        self._due = (stage.seconds + delay, agent)
        return Event(stage.tick, EventKind.BUTTON, self._index, self._placed.kind.name, 0.0)

    def _is_in_front(self, centre: Vector) -> bool:
        (x, y, z), (at_x, at_y, at_z) = centre, self._placed.position
        right, up, forward = local((x - at_x, y - at_y, z - at_z), self._placed.yaw)
        if self._placed.kind.fitted:
            trigger = button_trigger(self._placed.size)
            sides = zip((right, up, forward), trigger.centre, trigger.size, strict=True)
            return math.hypot(*(max(abs(at - mid) - size / 2, 0.0) for at, mid, size in sides)) < AGENT_RADIUS
        ahead = right - self._placed.size[0] / 2
        # The area in front of that button is 0.6 m wide.
        inside = abs(forward) < 0.3 + AGENT_RADIUS and abs(up) < self._placed.size[1] / 2 + AGENT_RADIUS
        return inside and 0 < ahead < AGENT_RADIUS + REACH


def _duration(requested: float) -> float:
    return max(TICK_S, requested if requested >= 0 else DURATION_S)


RATE = 0.005
"""Default change per tick."""


RISE = 10.0 * TICK_S
"""Separation of overlapping bodies per tick, metres. The limit is 10 m/s (`DynamicsManager.asset`)."""


class _ChangingBall:
    def __init__(self, index: int, placed: Placed, stage: Stage) -> None:
        self._index = index
        self._value, self._final = changing_values(placed)
        late = max(stage.tick, 1) if stage.differs.starts_late else 0
        # The tick after which it begins to change.
        self._after = late + placed.entry(placed.item.delays, 0.0)
        self._rate = abs(placed.entry(placed.item.change_rates, RATE))


class ValuedBall(_ChangingBall):
    """A decay or ripen goal: constant size, changing reward."""

    def __init__(self, index: int, placed: Placed, stage: Stage) -> None:
        super().__init__(index, placed, stage)
        stage.goals.set_value(index, self._value)

    def act(self, stage: Stage) -> Iterable[Event]:
        """Change the value for one tick."""
        if stage.tick > self._after and self._value != self._final:
            self._value = _towards(self._value, self._final, self._rate)
            stage.goals.set_value(self._index, self._value)
        return ()


class RisingBall:
    """A ball that starts inside the floor and rises out of it. Its place was found before it had its size."""

    def __init__(self, index: int, placed: Placed) -> None:
        self._index = index
        self._place = placed.position
        self._rise = 0.0

    def act(self, stage: Stage) -> Iterable[Event]:
        """Lift the ball from its second tick on. Once it stands on the floor it moves by itself."""
        if not stage.world.is_there(self._index):
            return ()
        (x, y, z), size = self._place, stage.world.things.size(self._index)
        standing = FLOOR_Y + size[1] / 2
        self._place = (x, min(y + self._rise, standing), z)
        self._rise = RISE
        rises = self._place[1] < standing
        stage.world.resize(self._index, size, self._place, held=rises)
        if not rises:
            stage.mechanisms.remove(self)
        return ()


class GrowingBall(_ChangingBall):
    """A grow or shrink goal: changing size and reward."""

    def __init__(self, index: int, placed: Placed, stage: Stage) -> None:
        super().__init__(index, placed, stage)
        self._size = placed.size[0]
        self._grows = placed.kind.change is Change.GROW

    def act(self, stage: Stage) -> Iterable[Event]:
        """Change the size for one tick. Growth pauses while there is no room."""
        world = stage.world
        if stage.tick <= self._after or not world.is_there(self._index):
            return ()
        size = max(SMALLEST_BALL, SHRINK * _towards(self._size, self._final, self._rate))
        if abs(size - self._size) < 1e-6 or (self._grows and self._is_cramped(stage)):
            return ()
        self._size = size
        world.resize(self._index, (size, size, size))
        stage.goals.set_value(self._index, size)
        return ()

    def _is_cramped(self, stage: Stage) -> bool:
        """Return whether something lies on the ball, or bounds it immovably."""
        x, y, z = stage.world.things.position(self._index)
        radius = self._size / 2
        if not all(radius < value < ARENA_SIZE - radius for value in (x, z)):
            return True
        around = stage.world.things.boxes_overlapping((x, y, z), radius, besides=self._index)
        immovable = (stage.goals.placed(i).kind for i in around)
        if any(kind.mass == 0 or kind.is_heavy for kind in immovable):
            return True
        return bool(stage.world.things.boxes_overlapping((x, y + radius, z), 0.05, besides=self._index))


def _towards(value: float, final: float, rate: float) -> float:
    return min(value + rate, final) if final >= value else max(value - rate, final)


_FRUIT = KINDS["GoodGoalMulti"]

TREE_DELAY_S = 2.0
CROWN_CENTRE = (-0.1, 4.3, -0.1)
"""Centre of the sphere of a tree's fruit, metres from the foot."""

CROWN_RADIUS = 2.25
CROWN_SPAN, CROWN_LEAST = float(np.float32(0.6)), float(np.float32(0.2))
"""Span and minimum of a fruit's angle from the vertical, half turns."""

DOOR_OPENS_S = 1.0
"""Time in which a door opens or closes."""

DOOR_SHORTEST_S = 1.4
"""Minimum time between openings of a door, and its opening time."""

_OPEN_HEIGHT = 0.005
"""Height of an open door, metres: a body has an inertia."""


def settings_of(placed: Placed, differs: Differences) -> Settings:
    """Return a spawner's settings: the file's (v3.1.3) or the prefab's (version 4)."""
    spawner = _spawner(placed)
    if not differs.spawner_settings:
        return spawner.fixed
    item, defaults, (low, high) = placed.item, spawner.defaults, spawner.sizes
    initial, final = (
        min(max(placed.entry(values, default), low), high)
        for values, default in ((item.initial_values, defaults.initial), (item.final_values, defaults.final))
    )
    return Settings(
        max(TICK_S, placed.entry(item.times_between_spawns, defaults.interval_s)),
        max(0.0, placed.entry(item.ripen_times, defaults.ripening_s)),
        initial,
        final,
        int(placed.entry(item.spawn_counts, defaults.most)),
    )


class Tree:
    """Tree that grows fruit on its crown and drops it when ripe.

    It waits while the arena takes no more things. As in `GoalSpawner.cs` its generator has the seed 1, and
    fruit does not turn with the tree: every tree drops the same fruit in every episode.
    """

    def __init__(self, placed: Placed, differs: Differences) -> None:
        self._placed = placed
        self._settings = settings_of(placed, differs)
        self._rng = NetRandom(1)
        self._next_s = TREE_DELAY_S
        self._given = 0
        self._growing: dict[int, float] = {}

    def act(self, stage: Stage) -> Iterable[Event]:
        """Add, grow and drop fruit."""
        for index, since in list(self._growing.items()):
            self._grow(stage, index, stage.seconds - since)
        if self._given == self._settings.most or stage.seconds < self._next_s:
            return ()
        if not stage.takes(growing=True):
            self._next_s = stage.seconds
        else:
            self._next_s += self._settings.interval_s
            self._given += 1
            fruit = _ball(self._placed, self._settings.initial, self._place())
            index = stage.add(fruit, held=True, spawner=self._placed)
            self._growing[index] = stage.seconds
            stage.unripe.add(index)
        return ()

    def _grow(self, stage: Stage, index: int, age: float) -> None:
        world, (initial, final) = stage.world, (self._settings.initial, self._settings.final)
        if not world.is_there(index):
            self._off(stage, index)
            return
        share = min(1.0, age / self._settings.ripening_s) if self._settings.ripening_s else 1.0
        size = SHRINK * (initial + (final - initial) * share)
        world.resize(index, (size, size, size), held=True)
        if share >= 1:
            world.drop(index)
            self._off(stage, index)

    def _off(self, stage: Stage, index: int) -> None:
        del self._growing[index]
        stage.unripe.discard(index)

    def _place(self) -> Vector:
        sin, cos = sin_cos(360 * self._rng.random())
        out, up = sin_cos(180 * (CROWN_SPAN * self._rng.random() + CROWN_LEAST))
        (x, y, z), (right, top, ahead) = self._placed.position, CROWN_CENTRE
        radius = CROWN_RADIUS * out
        foot = y - self._placed.size[1] / 2
        return (x + right + radius * cos, foot + top + CROWN_RADIUS * up, z + ahead + radius * sin)


class House:
    """A dispenser or container, which spawns balls inside while there is room."""

    def __init__(self, index: int, placed: Placed, differs: Differences) -> None:
        self._index = index
        self._placed = placed
        self._settings = settings_of(placed, differs)
        self._next_s = self._settings.interval_s
        self._given = 0

    def act(self, stage: Stage) -> Iterable[Event]:
        """Spawn a ball if it is due and its position is free."""
        due = self._given != self._settings.most and stage.seconds >= self._next_s
        if not due or not stage.takes(growing=False):
            return ()
        size = self._settings.final
        at = in_arena(self._placed, (0.0, _spawner(self._placed).height, 0.0))
        around = stage.world.things.boxes_overlapping(at, size / 2, besides=self._index)
        if not any(stage.goals.placed(index).kind.is_goal for index in around):
            self._next_s = stage.seconds + self._settings.interval_s
            self._given += 1
            stage.add(_ball(self._placed, size, at), spawner=self._placed)
        return ()


class Door:
    """A door, which opens by sinking into the ground within a second."""

    def __init__(self, index: int, closed: Placed, since_s: float, cycle_s: float = -1.0) -> None:
        """Start the door at `since_s`. It closes again after `cycle_s`; a negative one leaves it open."""
        self._index, self._closed, self._since_s = index, closed, since_s
        self._cycle_s = None if cycle_s < 0 else max(cycle_s, DOOR_SHORTEST_S)

    def act(self, stage: Stage) -> Iterable[Event]:
        """Set the door's current height, until it is open for good."""
        openness = self._openness(stage.seconds - self._since_s)
        (width, full, depth), (x, y, z) = self._closed.size, self._closed.position
        height = max(_OPEN_HEIGHT, full * (1 - openness))
        if height != stage.world.things.size(self._index)[1]:
            stage.world.resize(self._index, (width, height, depth), (x, y - full / 2 + height / 2, z))
        if openness == 1 and self._cycle_s is None:
            stage.mechanisms.remove(self)
        return ()

    def _openness(self, seconds: float) -> float:
        """Return the openness from 0, closed, to 1, open."""
        if seconds <= 0:
            return 0.0
        if self._cycle_s is None:
            return min(1.0, seconds / DOOR_OPENS_S)
        phase = seconds % (DOOR_OPENS_S + DOOR_SHORTEST_S + DOOR_OPENS_S + self._cycle_s)
        closing = phase - DOOR_OPENS_S - DOOR_SHORTEST_S
        return min(1.0, phase / DOOR_OPENS_S) if closing < 0 else max(0.0, 1 - closing / DOOR_OPENS_S)


def _spawner(placed: Placed) -> Spawner:
    """Return the properties of a spawner, or of a door's spawner."""
    assert placed.kind.spawner is not None
    return placed.kind.spawner


def _ball(spawner: Placed, size: float, at: Vector) -> Placed:
    color = spawner.entry(spawner.item.spawn_colors, None)
    painted = None if color is None or min(color.r, color.g, color.b) < 0 else color
    rgb = None if painted is None else (painted.r / 255, painted.g / 255, painted.b / 255)
    diameter = size * SHRINK
    return Placed(_FRUIT, (diameter, diameter, diameter), at, 0.0, rgb)


def in_arena(placed: Placed, local: Vector) -> Vector:
    """Convert a point relative to a thing's foot to the arena's frame."""
    x, y, z = placed.within(local)
    return (x, y - placed.size[1] / 2, z)


def start_mechanisms(layout: Layout, stage: Stage) -> None:
    """Start a new arena's mechanisms in creation order. Operations may show objects."""
    zones: dict[int, list[tuple[bool, Operate]]] = {}
    for index, placed in enumerate(layout.things):
        stage.mechanisms += mechanism_of(index, placed, stage)
        if placed.kind.name == "DataZone":
            zones[index] = [
                (isinstance(operation, GrantContinuousReward), operate_of(operation, stage))
                for operation in placed.item.operations
            ]
    stage.zones = DataZones(zones) if zones else None


def mechanism_of(index: int, placed: Placed, stage: Stage) -> Iterator[Mechanism]:
    """Return the mechanism of a thing; None for most things."""
    kind = placed.kind
    if kind.change is not Change.NONE:
        yield (GrowingBall if kind.is_growing else ValuedBall)(index, placed, stage)
        if placed.position[1] - placed.size[1] / 2 < FLOOR_Y - LIFT and not placed.blocked:
            yield RisingBall(index, placed)
    elif kind.shape is Shape.TREE:
        yield Tree(placed, stage.differs)
    elif kind.shape is Shape.HOUSE:
        yield House(index, placed, stage.differs)
    elif kind.name == "Door":
        cycle_s = placed.entry(placed.item.times_between_door_opens, -1.0)
        yield Door(index, placed, _spawner(placed).door_delay_s, cycle_s)
    elif kind.name in ("LitLamp", "Segment"):
        stage.world.show(index, False)
    elif kind.name == "SpawnerButton":
        for _ in range(3 * stage.differs.button_draws_color):
            stage.chance.unseen(0.0, 1.0)
        reward = reward_of(placed.item, stage)
        operations = [operate_of(operation, stage) for operation in placed.item.operations]
        yield Button(index, placed, operations or ([reward] if reward else []))
