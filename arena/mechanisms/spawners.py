"""Trees, dispensers and containers, which spawn multi goals (section 7.5)."""

import math
from collections.abc import Iterable

import numpy as np

from arena.action import TICK_S
from arena.geometry.ball_sizes import SHRINK
from arena.geometry.placed import Placed
from arena.mechanisms.stage import Stage
from arena.rules import Event
from arena.scene import Vector, yaw_rotation
from arena.taskfile.catalog import KINDS
from arena.taskfile.kind import Settings, Spawner
from arena.taskfile.versions import Differences

_FRUIT = KINDS["GoodGoalMulti"]

TREE_DELAY_S = 2.0
CROWN_CENTRE = (-0.1, 4.3, -0.1)
"""Centre of the sphere on which fruit grows, relative to the tree's foot in its own frame, metres."""

CROWN_RADIUS = 2.25
CROWN_POLAR_DEG = (36.0, 144.0)
"""Range of the angle between the direction of a fruit and the vertical."""

DOOR_OPENS_S = 1.0
"""Time in which a door opens or closes."""

DOOR_SHORTEST_S = 1.4
"""Minimum time between openings of a door, and the time for which it stays open."""

_OPEN_HEIGHT = 0.005
"""Height of an open door, metres; Bullet requires a positive one."""


def settings_of(placed: Placed, differs: Differences) -> Settings:
    """A spawner's settings: the file's in v3.1.3, the prefab's in version 4."""
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
    """Grows fruit on its crown and drops it when ripe; has its own random generator with seed 1.

    While the arena takes no more it waits.
    """

    def __init__(self, placed: Placed, differs: Differences) -> None:
        self._placed = placed
        self._settings = settings_of(placed, differs)
        self._rng = np.random.default_rng(1)
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
        polar = math.radians(self._rng.uniform(*CROWN_POLAR_DEG))
        around = self._rng.uniform(0, 2 * math.pi)
        out = CROWN_RADIUS * math.sin(polar)
        x, y, z = CROWN_CENTRE
        local = (x + out * math.cos(around), y + CROWN_RADIUS * math.cos(polar), z + out * math.sin(around))
        return _in_arena(self._placed, local)


class House:
    """A dispenser or container: spawns balls inside while there is room."""

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
        at = _in_arena(self._placed, (0.0, _spawner(self._placed).height, 0.0))
        around = stage.world.overlapping(at, size / 2, besides=self._index)
        if not any(stage.goals.placed(index).kind.is_goal for index in around):
            self._next_s = stage.seconds + self._settings.interval_s
            self._given += 1
            stage.add(_ball(self._placed, size, at), spawner=self._placed)
        return ()


class Door:
    """The door of a dispenser or container, which opens by sinking into the ground within a second.

    It stays open if `timesBetweenDoorOpens` is negative or missing; otherwise it closes again.
    """

    def __init__(self, index: int, placed: Placed) -> None:
        self._index = index
        self._placed = placed
        self._height = placed.size[1]
        self._delay_s = _spawner(placed).door_delay_s
        cycle = placed.entry(placed.item.times_between_door_opens, -1.0)
        self._cycle_s = None if cycle < 0 else max(cycle, DOOR_SHORTEST_S)

    def act(self, stage: Stage) -> Iterable[Event]:
        """Set the door's current height."""
        (width, closed, depth), (x, y, z) = self._placed.size, self._placed.position
        height = max(_OPEN_HEIGHT, closed * (1 - self._openness(stage.seconds - self._delay_s)))
        if height != self._height:
            self._height = height
            stage.world.resize(self._index, (width, height, depth), (x, y - closed / 2 + height / 2, z))
        return ()

    def _openness(self, seconds: float) -> float:
        """From 0, closed, to 1, open."""
        if seconds <= 0:
            return 0.0
        if self._cycle_s is None:
            return min(1.0, seconds / DOOR_OPENS_S)
        phase = seconds % (DOOR_OPENS_S + DOOR_SHORTEST_S + DOOR_OPENS_S + self._cycle_s)
        closing = phase - DOOR_OPENS_S - DOOR_SHORTEST_S
        return min(1.0, phase / DOOR_OPENS_S) if closing < 0 else max(0.0, 1 - closing / DOOR_OPENS_S)


def _spawner(placed: Placed) -> Spawner:
    """The properties of a spawner, or of a door's spawner."""
    assert placed.kind.spawner is not None
    return placed.kind.spawner


def _ball(spawner: Placed, size: float, at: Vector) -> Placed:
    color = spawner.entry(spawner.item.spawn_colors, None)
    painted = None if color is None or min(color.r, color.g, color.b) < 0 else color
    rgb = None if painted is None else (painted.r / 255, painted.g / 255, painted.b / 255)
    diameter = size * SHRINK
    return Placed(_FRUIT, (diameter, diameter, diameter), at, 0.0, rgb)


def _in_arena(placed: Placed, local: Vector) -> Vector:
    """A point relative to the centre of a thing's foot, in its own frame, converted to the arena's frame."""
    x, y, z = yaw_rotation(placed.yaw) @ np.array(local) + np.array(placed.position)
    return (float(x), float(y) - placed.size[1] / 2, float(z))
