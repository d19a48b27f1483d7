"""The agent's contacts, solved as PhysX 4.1 solves them (projected Gauss-Seidel with patch friction).

Bullet detects the contacts and moves everything else, but its solver would slide the agent along walls as
PhysX does not. In PhysX each contact has one normal row and two friction rows along fixed perpendicular axes,
the rows are solved one after the other a fixed number of times, and friction takes no part in the first of
these sweeps. If floor and wall are touched together, this decides how much each of them slows the agent.
The numbers below are those of PhysX's solver (`DyContactPrep.cpp`, `DySolverConstraints.cpp`) and of
Unity's project settings; positions move with the velocity before the correction of overlaps is removed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arena.scene import Vector

SWEEPS = 12
"""Number of position iterations, and of velocity iterations after them (`DynamicsManager.asset`)."""

FRICTION_SWEEPS = 3
"""Friction is solved only in this many last position iterations, and in all velocity iterations."""

BIAS = 0.8
"""Share of an overlap or gap that one tick closes; also the share of a slip that one sweep stops."""

MAX_DEPENETRATION = 10.0
"""Maximum speed at which overlapping bodies are separated, m/s (`DynamicsManager.asset`)."""

_SETTLED = 1e-9
"""A sweep that changes no velocity by more than this (m/s) is the last: further ones would not either."""

_NO_SLIP = 1e-12
"""Below this speed along the surface (m/s) nothing slides."""

_STILL: Vector = (0.0, 0.0, 0.0)

_ALONG_X = math.sqrt(0.5)
"""Normals within 45 degrees of the x axis get another friction axis if nothing slides yet."""


@dataclass(slots=True)
class Contact:
    """One contact of the agent, in Bullet's frame.

    `normal` points to the agent, `gap` is the distance between the surfaces (metres, negative: overlap),
    `friction` the coefficient of the pair. `surface` is the velocity (m/s) of the touched surface, and
    `surface_before` its velocity after the tick's forces have acted and before any contact is solved.
    """

    normal: Vector
    gap: float
    friction: float
    surface: Vector = _STILL
    surface_before: Vector = _STILL


class Motion(NamedTuple):
    """The agent's motion in a tick.

    `moving` is its velocity (m/s) during the tick, `after` the one it has afterwards; `impulses` are those
    of each contact on it, N s per kg.
    """

    moving: Vector
    after: Vector
    impulses: tuple[Vector, ...]


def solve(velocity: Vector, contacts: Sequence[Contact], tick_s: float) -> Motion:
    """The motion of a body that does not rotate, in contact with immovable surfaces.

    `velocity` (m/s) includes gravity, drive and drag of this tick. `contacts` are solved in the given order.
    The result does not depend on the body's mass.
    """
    if len(contacts) == 1 and contacts[0].surface == contacts[0].surface_before == _STILL:
        return _solve_one(velocity, contacts[0], tick_s)
    rows = [_rows(contact, velocity) for contact in contacts]
    pressed = [_Impulse() for _ in contacts]
    leave = [min(-contact.gap * BIAS / tick_s, MAX_DEPENETRATION) for contact in contacts]
    early = _sweep(velocity, rows, leave, pressed, SWEEPS - FRICTION_SWEEPS, rub=False)
    moving = _sweep(early, rows, leave, pressed, FRICTION_SWEEPS, rub=True)
    # Overlaps count no longer; a gap may still be closed.
    leave = [min(speed, 0.0) for speed in leave]
    after = _sweep(moving, rows, leave, pressed, SWEEPS, rub=True)
    impulses = tuple(map(_total, rows, pressed))
    return Motion(moving, after, impulses)


class _Impulse:
    """Impulse of one contact so far: along its normal and both friction axes, N s per kg."""

    __slots__ = ("normal", "rub", "rub_across")

    def __init__(self) -> None:
        self.normal = self.rub = self.rub_across = 0.0


_Rows = tuple[Vector, Vector, Vector, Vector, float]
"""Normal, both friction axes, surface velocity (m/s) and friction coefficient of a contact."""


def _sweep(
    velocity: Vector,
    rows: Sequence[_Rows],
    leave: Sequence[float],
    pressed: Sequence[_Impulse],
    times: int,
    rub: bool,
) -> Vector:
    """Solve every row in turn, at most `times` times; return the resulting velocity.

    One long loop over plain numbers, because most of a tick is spent here.
    """
    x, y, z = velocity
    for _ in range(times):
        changed = 0.0
        for row, speed, found in zip(rows, leave, pressed, strict=True):
            (nx, ny, nz), (ax, ay, az), (bx, by, bz), (ux, uy, uz), friction = row
            before = found.normal
            now = before + speed - ((x - ux) * nx + (y - uy) * ny + (z - uz) * nz)
            if now < 0.0:
                now = 0.0
            if now != before:
                change, found.normal = now - before, now
                x, y, z = x + nx * change, y + ny * change, z + nz * change
                changed += abs(change)
            if not rub:
                continue
            limit = friction * now
            before = found.rub
            along = before - BIAS * ((x - ux) * ax + (y - uy) * ay + (z - uz) * az)
            along = limit if along > limit else -limit if along < -limit else along
            if along != before:
                change, found.rub = along - before, along
                x, y, z = x + ax * change, y + ay * change, z + az * change
                changed += abs(change)
            before = found.rub_across
            across = before - BIAS * ((x - ux) * bx + (y - uy) * by + (z - uz) * bz)
            across = limit if across > limit else -limit if across < -limit else across
            if across != before:
                change, found.rub_across = across - before, across
                x, y, z = x + bx * change, y + by * change, z + bz * change
                changed += abs(change)
        if changed < _SETTLED:
            break
    return x, y, z


def _total(rows: _Rows, found: _Impulse) -> Vector:
    """Sum of the impulses of a contact's three rows, N s per kg."""
    (nx, ny, nz), (ax, ay, az), (bx, by, bz), _, _ = rows
    n, a, b = found.normal, found.rub, found.rub_across
    return nx * n + ax * a + bx * b, ny * n + ay * a + by * b, nz * n + az * a + bz * b


def _rows(contact: Contact, velocity: Vector) -> _Rows:
    """The rows of a contact; the friction axes are along the slip before the tick is solved, and across."""
    nx, ny, nz = contact.normal
    ux, uy, uz = contact.surface_before
    x, y, z = velocity[0] - ux, velocity[1] - uy, velocity[2] - uz
    into = x * nx + y * ny + z * nz
    x, y, z = x - into * nx, y - into * ny, z - into * nz
    length = math.sqrt(x * x + y * y + z * z)
    if length < _NO_SLIP:
        x, y, z = (0.0, -nz, ny) if abs(nx) < _ALONG_X else (-ny, nx, 0.0)
        length = math.sqrt(x * x + y * y + z * z)
    x, y, z = x / length, y / length, z / length
    across = (ny * z - nz * y, nz * x - nx * z, nx * y - ny * x)
    return contact.normal, (x, y, z), across, contact.surface, contact.friction


def _solve_one(velocity: Vector, contact: Contact, tick_s: float) -> Motion:
    """`solve` for a single contact at rest, as in most ticks: the same bits, about twice as fast."""
    row = _rows(contact, velocity)
    leave = min(-contact.gap * BIAS / tick_s, MAX_DEPENETRATION)
    nx, ny, nz = contact.normal
    x, y, z = velocity
    press = 0.0
    for _ in range(SWEEPS - FRICTION_SWEEPS):
        before, press = press, max(press + leave - (x * nx + y * ny + z * nz), 0.0)
        change = press - before
        x, y, z = x + nx * change, y + ny * change, z + nz * change
        if abs(change) < _SETTLED:
            break
    found = _Impulse()
    found.normal = press
    moving = _sweep_one((x, y, z), row, leave, found, FRICTION_SWEEPS)
    after = _sweep_one(moving, row, min(leave, 0.0), found, SWEEPS)
    return Motion(moving, after, (_total(row, found),))


def _sweep_one(velocity: Vector, row: _Rows, leave: float, found: _Impulse, times: int) -> Vector:
    """`_sweep` with friction for a single contact at rest."""
    x, y, z = velocity
    (nx, ny, nz), (ax, ay, az), (bx, by, bz), _, friction = row
    press, along, across = found.normal, found.rub, found.rub_across
    for _ in range(times):
        before, press = press, press + leave - (x * nx + y * ny + z * nz)
        if press < 0.0:
            press = 0.0
        change = press - before
        x, y, z = x + nx * change, y + ny * change, z + nz * change
        changed = abs(change)
        limit = friction * press
        before, along = along, along - BIAS * (x * ax + y * ay + z * az)
        along = limit if along > limit else -limit if along < -limit else along
        change = along - before
        x, y, z = x + ax * change, y + ay * change, z + az * change
        changed += abs(change)
        before, across = across, across - BIAS * (x * bx + y * by + z * bz)
        across = limit if across > limit else -limit if across < -limit else across
        change = across - before
        x, y, z = x + bx * change, y + by * change, z + bz * change
        if changed + abs(change) < _SETTLED:
            break
    found.normal, found.rub, found.rub_across = press, along, across
    return x, y, z
