"""Agents and things of an arena, and the table of their parts."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arena.action import TICK_S, Action
from arena.geometry.placed import AgentStart, Placed
from arena.geometry.shapes import FLOOR_Y
from arena.kernel import motion
from arena.kernel.contacts import CONTACT_OFFSET, reached, touched
from arena.kernel.motion import STILL_TICKS, any_rolls
from arena.kernel.tables import (
    BODY,
    CONTACT,
    GROUNDED,
    MOST_CONTACTS,
    PART,
    VX,
    YAW,
    Parts,
    Role,
    X,
    arena_parts,
    place,
    shape_parts,
)
from arena.scene import Floats, Vector, yaw_rotation
from arena.taskfile.kind import DEFAULT_FRICTION, GRAVITY, Body, Kind

HOLD = 0.9
"""Share of the moving impulse below which walls and ramps are static. The impulse makes them slide or tip."""


class AgentBody:
    """An agent's sphere, moved by Animal-AI's rules (`TrainingAgent.cs`).

    `state` is that of the kernel (`arena.kernel.tables.BODY`); what is read from it is in Animal-AI's frame.
    `driven_velocity` is that after the action, gravity and drag of a tick, before contacts, m/s.
    """

    def __init__(self, start: AgentStart) -> None:
        self.state: Floats = np.zeros(BODY)
        self.state[X : X + 3], self.state[YAW] = start.position, start.yaw
        self.driven_velocity: Vector = (0.0, 0.0, 0.0)
        self._found = np.zeros(MOST_CONTACTS, CONTACT)

    @property
    def position(self) -> Vector:
        """Centre, metres."""
        x, y, z = self.state[X : X + 3].tolist()
        return x, y, z

    @property
    def velocity(self) -> Vector:
        """Velocity, m/s."""
        x, y, z = self.state[VX : VX + 3].tolist()
        return x, y, z

    @property
    def yaw(self) -> float:
        """Heading, degrees from 0 to 360."""
        return float(self.state[YAW])

    def drive(self, action: Action, frozen: bool) -> None:
        """Apply an action to the next tick. A frozen agent only falls and slides."""
        if frozen:
            self.driven_velocity = motion.fallen(*self.velocity)
        else:
            x, y, z, self.state[YAW] = motion.driven(self.state, int(action.move), int(action.rotate))
            self.driven_velocity = (x, y, z)

    def stop(self) -> None:
        """Take all speed from the agent."""
        self.state[VX : VX + 3] = 0.0

    def settle(self, parts: Parts) -> bool:
        """Move the agent and balls through a tick among parts at rest. Returns False and does nothing if they
        would push or tip one of them."""
        return motion.settle(self.state, parts, self._found, *self.driven_velocity)

    def braked(self, action: Action) -> tuple[Vector, float]:
        """Return velocity and yaw right after an action. Driving acts later, as a force."""
        x, y, z, yaw = motion.braked(self.state, int(action.move), int(action.rotate))
        return (x, y, z), yaw

    def move(self, position: Vector, velocity: Vector, grounded: bool) -> None:
        """Move to the result of a tick among moving bodies."""
        self.state[X : X + 3], self.state[VX : VX + 3], self.state[GROUNDED] = position, velocity, grounded


class Touches(NamedTuple):
    """Indices of balls and zones touched in a tick, in creation order."""

    goals: tuple[int, ...]
    zones: tuple[int, ...]


NOTHING = Touches((), ())


class Poses(NamedTuple):
    """Read-only positions, rotations, sizes and visibility. (n, 3), (n, 3, 3), (n, 3) and (n,)."""

    positions: Floats
    rotations: Floats
    sizes: Floats
    seen: npt.NDArray[np.bool_]


class Things:
    """The things of an arena and the table of their parts.

    Their indices never change. `positions` (n, 3), `rotations` (n, 3, 3) and `sizes` (n, 3) are current after
    each tick; call `moved` after changing them. Everything except agents and balls was still for `still`
    ticks; what sleeps was `woken` by a change. `looks` are the constant properties, for cameras; `rolls` is
    True while a ball is awake.
    """

    def __init__(self, placed: Sequence[Placed]) -> None:
        self.placed = list(placed)
        self.looks = tuple(each.thing for each in placed)
        self.positions = np.array([each.position for each in placed]).reshape(-1, 3)
        self.rotations = np.array([yaw_rotation(each.yaw) for each in placed]).reshape(-1, 3, 3)
        self.sizes = np.array([each.size for each in placed]).reshape(-1, 3)
        self.visible = np.ones(len(placed), dtype=np.bool_)
        self.still = 0
        self.woken = False
        self.balls: list[int] = []
        self._table, self._rows = np.empty(0, PART), np.empty(0, np.int64)
        self._poses: Poses | None = None
        self._list_parts()
        self._listed, self._placed = True, False

    @property
    def rest(self) -> bool:
        """True if everything except agents and balls is at rest. Then the kernel can move these."""
        return self.still >= STILL_TICKS

    def moved(self) -> None:
        """Record a motion or change. The table follows when it is next used."""
        self._poses, self._placed = None, False

    def changed(self, wakes: bool = True) -> None:
        """Record an addition, removal or resizing. If it `wakes` others, things at rest may move."""
        if wakes:
            self.still, self.woken = 0, True
        self._listed = False
        self.moved()

    @property
    def parts(self) -> Parts:
        """Parts of all things and the boundary at their poses. One array until something changes."""
        self._catch_up()
        return self._table

    def _catch_up(self) -> None:
        """Bring the table of parts up to date."""
        if not self._listed:
            self._list_parts()
        if not self._placed:
            place(self._own, self.positions, self.rotations, self._table)
            self._table["hold"] = 0.0
            if self.rest:
                self._stand()
            self._listed = self._placed = True

    def _list_parts(self) -> None:
        """Make the table of current parts. Balls that were there keep moving."""
        before = {ball: self._table[row] for ball, row in zip(self.balls, self._rows.tolist(), strict=True)}
        there = self.present()
        placed = [self.placed[index] for index in there]
        shapes = [
            shape_parts(each.kind.shape, tuple(self.sizes[index].tolist()), each.kind.fitted)
            for index, each in zip(there, placed, strict=True)
        ]
        self._own = arena_parts(shapes, there, len(self.placed))
        counts = [len(each) for each in shapes]
        for name, values in (
            ("role", [role_of(each.kind) for each in placed]),
            ("friction", [agent_friction(each.kind) for each in placed]),
            ("mass", [each.kind.mass for each in placed]),
            ("slide", [each.kind.friction for each in placed]),
        ):
            self._own[name][: sum(counts)] = np.repeat(values, counts)
        self._table = self._own.copy()
        self._rows = np.flatnonzero(self._own["role"] == Role.BALL)
        self._heavy = np.flatnonzero(self._own["role"] == Role.HEAVY)
        self.balls = self._own["owner"][self._rows].tolist()
        for ball, row in zip(self.balls, self._rows.tolist(), strict=True):
            if ball in before:
                self._table[row]["motion"] = before[ball]["motion"]
                self._table[row]["still"] = 0 if self.woken else before[ball]["still"]
        self.rolls = any_rolls(self._table)
        self._owners = np.empty(len(self._own), np.int64)
        self._drawn = np.array([each.is_drawn for each in self.placed], dtype=np.bool_)
        self.unseen = frozenset(np.flatnonzero(self.visible & ~self._drawn).tolist())

    def _stand(self) -> None:
        """Mark walls and ramps that stand upright on the floor, at rest."""
        heavy, table = self._heavy, self._table
        index = table["owner"][heavy]
        bottom, upright = self.positions[index, 1] - self.sizes[index, 1] / 2, self.rotations[index, 1, 1]
        # A standing thing is upright, at most 0.02 m above the floor; 0.9999 is the cosine of its tilt.
        stands = (abs(bottom - FLOOR_Y) <= 0.02) & (upright >= 0.9999)
        table["hold"][heavy] = np.where(stands, HOLD * table["mass"][heavy] * GRAVITY * TICK_S, 0.0)
        table["bottom"][heavy] = bottom
        # A ramp's centre of mass is a third of its length from its tall end.
        table["arm"][heavy] = self.sizes[index][:, [0, 2]].min(axis=1) / (2 + table["is_prism"][heavy])

    def take_balls(self) -> None:
        """Take the poses of balls from the kernel's table. Does nothing unless one is awake."""
        if not self.rolls:
            return
        self.positions[self.balls] = self._table["centre"][self._rows]
        self.rotations[self.balls] = self._table["axes"][self._rows].transpose(0, 2, 1)
        self.rolls, self._poses = any_rolls(self._table), None

    def push(self, ball: int, velocity: Vector) -> None:
        """Add to the velocity (m/s) of a ball."""
        row = self.parts[self._rows[self.balls.index(ball)]]
        row["motion"][0] += velocity
        row["still"] = 0
        self.rolls = True

    def balls_moved(self) -> None:
        """Record that balls of the table have moved with everything else."""
        self.moved()
        self.rolls = any_rolls(self._table)

    def add(self, placed: Placed) -> None:
        """Add a thing, whose index is the next one."""
        self.placed.append(placed)
        self.looks = (*self.looks, placed.thing)
        self.positions = np.vstack([self.positions, placed.position])
        self.rotations = np.vstack([self.rotations, yaw_rotation(placed.yaw)[None]])
        self.sizes = np.vstack([self.sizes, placed.size])
        self.visible = np.append(self.visible, True)
        self.changed()

    def remove(self, index: int) -> None:
        """Remove a thing. Movable things that lean on it move now."""
        size = self.size(index)
        radius = size[0] / 2 if self.placed[index].kind.is_goal else math.hypot(*size) / 2
        near = self.overlapping(self.position(index), radius + CONTACT_OFFSET, Role.HEAVY, Role.BALL)
        self.visible[index] = False
        self.changed(wakes=bool(set(near) - {index}))

    def resize(self, index: int, size: Vector, position: Vector) -> None:
        """Change the size and centre of a thing, metres."""
        self.placed[index] = replace(self.placed[index], size=size)
        self.positions[index], self.sizes[index] = position, size
        self.changed()

    def position(self, index: int) -> Vector:
        """Return the centre of a thing, metres."""
        x, y, z = self.positions[index].tolist()
        return (x, y, z)

    def size(self, index: int) -> Vector:
        """Current size of a thing, metres."""
        x, y, z = self.sizes[index].tolist()
        return (x, y, z)

    def present(self) -> list[int]:
        """Return the indices of the things that have not been removed."""
        return np.flatnonzero(self.visible).tolist()

    def poses(self) -> Poses:
        """Current poses, sizes and visibility. The same arrays until something moves."""
        if self._poses is None:
            self._catch_up()
            seen = self.visible & self._drawn
            self._poses = Poses(self.positions.copy(), self.rotations.copy(), self.sizes.copy(), seen)
            for array in self._poses:
                array.setflags(write=False)
        return self._poses

    def touched(self, centre: Vector) -> Touches:
        """Return what an agent's sphere at a centre (metres) touches."""
        count = touched(self.parts, *centre, self._owners)
        if not count:
            return NOTHING
        found = self._owners[:count].tolist()
        return Touches(
            tuple(index for index in found if index >= 0), tuple(-1 - index for index in found if index < 0)
        )

    def overlapping(self, centre: Vector, radius: float, first: Role, last: Role) -> list[int]:
        """Return the things in roles `first` to `last` that a sphere overlaps."""
        count = reached(self.parts, *centre, radius, int(first), int(last), self._owners)
        return [int(owner) for owner in self._owners[:count]]

    def boxes_overlapping(self, centre: Vector, radius: float, besides: int) -> list[int]:
        """Return solid things, except `besides`, with a box overlapping a sphere's. They are indices."""
        parts = self.parts
        solid = parts[(parts["role"] < Role.ZONE) & (parts["owner"] != besides)]
        reach = (np.abs(solid["axes"]) * solid["half"][:, :, None]).sum(axis=1)
        reach += solid["rounding"][:, None] + radius + CONTACT_OFFSET
        near = (np.abs(solid["centre"] - np.array(centre)) < reach).all(axis=1)
        return sorted(set(solid["owner"][near].tolist()))


def agent_friction(kind: Kind) -> float:
    """Return a kind's friction coefficient against an agent. It is the average of the two, as in Unity."""
    return (kind.friction + DEFAULT_FRICTION) / 2


def role_of(kind: Kind) -> Role:
    """Return the role of a kind when it is touched."""
    if kind.body is Body.ZONE:
        return Role.ZONE
    if kind.is_goal:
        return Role.BALL
    return Role.HEAVY if kind.is_heavy else Role.LOOSE if kind.mass else Role.FIXED
