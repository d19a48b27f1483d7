"""The agent's contacts, solved as PhysX 4.1 solves them (projected Gauss-Seidel with patch friction).

Bullet finds what touches what and moves everything else; it would give the agent another motion along
walls. In PhysX each contact has one normal row and two friction rows along fixed perpendicular axes, the
rows are solved one after the other a fixed number of times, and friction takes no part in the first of these
sweeps. Where floor and wall are touched together this decides how much each of them slows the agent.
The numbers below are those of PhysX's solver (`DyContactPrep.cpp`, `DySolverConstraints.cpp`) and of
Unity's project settings; positions move with the velocity before the corrections of overlap are taken out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arena.scene import Vector

SWEEPS = 12
"""Position iterations, and as many velocity iterations after them (`DynamicsManager.asset`)."""

FRICTION_SWEEPS = 3
"""Friction is solved in the last position iterations only, and in all velocity iterations."""

BIAS = 0.8
"""Share of an overlap, or of a gap, that one tick closes; also the share of a slip that one sweep stops."""

MAX_DEPENETRATION = 10.0
"""Overlapping bodies are parted no faster than this, m/s (`DynamicsManager.asset`)."""

_SETTLED = 1e-9
"""A sweep that changes no velocity by more than this (m/s) is the last: the others would not either."""

_ALONG_X = math.sqrt(0.5)
"""Normals nearer to the x axis than 45 degrees get another friction axis where nothing slides yet."""


@dataclass(slots=True)
class Contact:
    """One contact of the agent, in Bullet's frame.

    `normal` points to the agent, `gap` is the distance between the surfaces (metres, negative: overlap),
    `friction` the coefficient of the pair. `surface` is the velocity (m/s) of what is touched, and
    `surface_before` the one that it has when the tick's forces have acted and no contact has been solved.
    """

    normal: Vector
    gap: float
    friction: float
    surface: Vector = (0.0, 0.0, 0.0)
    surface_before: Vector = (0.0, 0.0, 0.0)


class Motion(NamedTuple):
    """What a tick does to the agent.

    `moving` is the velocity (m/s) that carries it through the tick, `after` the one that is kept; `impulses`
    are those of each contact on it, N s per kg.
    """

    moving: Vector
    after: Vector
    impulses: tuple[Vector, ...]


def solve(velocity: Vector, contacts: Sequence[Contact], tick_s: float) -> Motion:
    """The motion of a body that cannot turn, among contacts with what it cannot move.

    `velocity` (m/s) has gravity, drive and drag of this tick in it. `contacts` are solved in the given
    order. The body's mass plays no part.
    """
    rows = [_Rows(contact, velocity, tick_s) for contact in contacts]
    state = list(velocity)
    _sweep(state, rows, SWEEPS - FRICTION_SWEEPS, rub=False)
    _sweep(state, rows, FRICTION_SWEEPS, rub=True)
    moving = (state[0], state[1], state[2])
    for rows_of_one in rows:
        rows_of_one.forget_overlap()
    _sweep(state, rows, SWEEPS, rub=True)
    impulses = tuple(rows_of_one.impulse() for rows_of_one in rows)
    return Motion(moving, (state[0], state[1], state[2]), impulses)


def _sweep(state: list[float], rows: Sequence["_Rows"], times: int, rub: bool) -> None:
    for _ in range(times):
        changed = 0.0
        for rows_of_one in rows:
            changed += rows_of_one.part(state)
            if rub:
                changed += rows_of_one.rub(state, 0) + rows_of_one.rub(state, 1)
        if changed < _SETTLED:
            return


class _Rows:
    """The normal row and both friction rows of a contact, with the impulses (N s per kg) found so far."""

    __slots__ = ("axes", "contact", "leave", "pressing", "rubbing")

    def __init__(self, contact: Contact, velocity: Vector, tick_s: float) -> None:
        self.contact = contact
        self.leave = min(-contact.gap * BIAS / tick_s, MAX_DEPENETRATION)
        slip = [v - u for v, u in zip(velocity, contact.surface_before, strict=True)]
        self.axes = _axes(contact.normal, (slip[0], slip[1], slip[2]))
        self.pressing = 0.0
        self.rubbing = [0.0, 0.0]

    def forget_overlap(self) -> None:
        """From here on velocities alone count; a gap may still be closed."""
        self.leave = min(self.leave, 0.0)

    def part(self, state: list[float]) -> float:
        """Solve the normal row; returns by how much (m/s) the velocity changed."""
        x, y, z = self.contact.normal
        ux, uy, uz = self.contact.surface
        speed = (state[0] - ux) * x + (state[1] - uy) * y + (state[2] - uz) * z
        now = self.pressing + self.leave - speed
        if now < 0.0:
            now = 0.0
        change = now - self.pressing
        self.pressing = now
        return _add(state, self.contact.normal, change) if change else 0.0

    def rub(self, state: list[float], which: int) -> float:
        """Solve one friction row; returns by how much (m/s) the velocity changed."""
        x, y, z = self.axes[which]
        ux, uy, uz = self.contact.surface
        slip = (state[0] - ux) * x + (state[1] - uy) * y + (state[2] - uz) * z
        limit = self.contact.friction * self.pressing
        now = self.rubbing[which] - BIAS * slip
        if now > limit:
            now = limit
        elif now < -limit:
            now = -limit
        change = now - self.rubbing[which]
        self.rubbing[which] = now
        return _add(state, self.axes[which], change) if change else 0.0

    def impulse(self) -> Vector:
        """All three rows together."""
        total = [0.0, 0.0, 0.0]
        _add(total, self.contact.normal, self.pressing)
        _add(total, self.axes[0], self.rubbing[0])
        _add(total, self.axes[1], self.rubbing[1])
        return total[0], total[1], total[2]


def _add(state: list[float], along: Vector, size: float) -> float:
    state[0] += along[0] * size
    state[1] += along[1] * size
    state[2] += along[2] * size
    return abs(size)


def _axes(normal: Vector, slip: Vector) -> tuple[Vector, Vector]:
    """Both friction axes: along the slip before the tick is solved, and across it."""
    nx, ny, nz = normal
    into = slip[0] * nx + slip[1] * ny + slip[2] * nz
    x, y, z = slip[0] - into * nx, slip[1] - into * ny, slip[2] - into * nz
    length = math.sqrt(x * x + y * y + z * z)
    if length < 1e-12:
        x, y, z = (0.0, -nz, ny) if abs(nx) < _ALONG_X else (-ny, nx, 0.0)
        length = math.sqrt(x * x + y * y + z * z)
    x, y, z = x / length, y / length, z / length
    return (x, y, z), (ny * z - nz * y, nz * x - nx * z, nx * y - ny * x)
