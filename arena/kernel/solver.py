"""The agent's contacts, solved as PhysX 4.1 solves them (projected Gauss-Seidel with patch friction).

In PhysX each contact has one normal row and two friction rows along fixed perpendicular axes, the rows are
solved one after the other a fixed number of times, and friction takes no part in the first of these sweeps.
If floor and wall are touched together, this decides how much each of them slows the agent. The numbers below
are those of PhysX's solver (`DyContactPrep.cpp`, `DySolverConstraints.cpp`) and of Unity's project settings;
positions move with the velocity before the correction of overlaps is removed.
"""

import math
from typing import Any

from arena.action import TICK_S
from arena.kernel.compiled import compiled
from arena.scene import Vector

SWEEPS = 12
"""Number of position iterations, and of velocity iterations after them (`DynamicsManager.asset`)."""

FRICTION_SWEEPS = 3
"""Friction is solved only in this many last position iterations, and in all velocity iterations."""

BIAS = 0.8
"""Share of an overlap or gap that one tick closes; also the share of a slip that one sweep stops."""

MAX_DEPENETRATION = 10.0
"""Maximum speed at which overlapping bodies are separated, m/s (`DynamicsManager.asset`)."""

SETTLED = 1e-9
"""A sweep that changes no velocity by more than this (m/s) is the last: further ones would not either."""

NO_SLIP = 1e-12
"""Below this speed along the surface (m/s) nothing slides."""

SPUN = 1 + 5 / 2
"""Friction moves the surface of a ball by so much more than its centre, as it spins: I = 2/5 m r2."""

ALONG_X = math.sqrt(0.5)
"""Normals within 45 degrees of the x axis get another friction axis if nothing slides yet."""


@compiled
def solve(contacts: Any, count: int, x: float, y: float, z: float) -> tuple[Vector, Vector]:
    """The agent's velocity (m/s) during a tick and after it, with the first `count` of the `contacts`.

    The velocity (x, y, z) includes gravity, drive and drag of this tick. The impulses are left in the
    contacts. The result depends on the agent's mass only where it touches balls.
    """
    for number in range(count):
        prepare(contacts[number], x, y, z)
    early = _sweep(contacts, count, x, y, z, SWEEPS - FRICTION_SWEEPS, False)
    moving = _sweep(contacts, count, early[0], early[1], early[2], FRICTION_SWEEPS, True)
    for number in range(count):
        # Overlaps count no longer; a gap may still be closed.
        contacts[number].leave = min(contacts[number].leave, 0.0)
    after = _sweep(contacts, count, moving[0], moving[1], moving[2], SWEEPS, True)
    for number in range(count):
        contact = contacts[number]
        for k in range(3):
            pressed = contact.normal[k] * contact.press
            contact.impulse[k] = (
                pressed + contact.along[k] * contact.rub + contact.across[k] * contact.rub_across
            )
    return moving, after


@compiled
def prepare(contact: Any, x: float, y: float, z: float) -> None:
    """Set no impulse, and the friction axes along and across the slip of the sphere's surface, whose velocity
    before the tick is solved is (x, y, z)."""
    normal, before = contact.normal, contact.surface_before
    nx, ny, nz = normal[0], normal[1], normal[2]
    x, y, z = x - before[0], y - before[1], z - before[2]
    into = x * nx + z * nz + y * ny
    x, y, z = x - into * nx, y - into * ny, z - into * nz
    length = math.sqrt(x * x + z * z + y * y)
    if length < NO_SLIP:
        if abs(nx) < ALONG_X:
            x, y, z = 0.0, nz, -ny
        else:
            x, y, z = -nz, 0.0, nx
        length = math.sqrt(x * x + z * z + y * y)
    x, y, z = x / length, y / length, z / length
    along, across = contact.along, contact.across
    along[0], along[1], along[2] = x, y, z
    across[0], across[1], across[2] = nz * y - ny * z, nx * z - nz * x, ny * x - nx * y
    contact.leave = min(-contact.gap * BIAS / TICK_S, MAX_DEPENETRATION)
    contact.press = contact.rub = contact.rub_across = 0.0


@compiled
def _sweep(contacts: Any, count: int, x: float, y: float, z: float, times: int, rub: bool) -> Vector:
    """Solve every row in turn, at most `times` times; return the resulting velocity."""
    for _ in range(times):
        changed = 0.0
        for number in range(count):
            contact = contacts[number]
            push, spun = contact.mass_ratio, contact.mass_ratio * SPUN
            axis, before = contact.normal, contact.press
            slip = _slip(contact, axis, x, y, z)
            contact.press = max(before + (contact.leave - slip) / (1.0 + push), 0.0)
            change = contact.press - before
            x, y, z = x + axis[0] * change, y + axis[1] * change, z + axis[2] * change
            _give_way(contact, axis, change * push)
            changed += abs(change)
            if not rub:
                continue
            limit = contact.friction * contact.press
            axis, before = contact.along, contact.rub
            slip = _slip(contact, axis, x, y, z)
            contact.rub = min(max(before - BIAS * slip / (1.0 + spun), -limit), limit)
            change = contact.rub - before
            x, y, z = x + axis[0] * change, y + axis[1] * change, z + axis[2] * change
            _give_way(contact, axis, change * spun)
            changed += abs(change)
            axis, before = contact.across, contact.rub_across
            slip = _slip(contact, axis, x, y, z)
            contact.rub_across = min(max(before - BIAS * slip / (1.0 + spun), -limit), limit)
            change = contact.rub_across - before
            x, y, z = x + axis[0] * change, y + axis[1] * change, z + axis[2] * change
            _give_way(contact, axis, change * spun)
            changed += abs(change)
        if changed < SETTLED:
            break
    return x, y, z


@compiled
def _slip(contact: Any, axis: Any, x: float, y: float, z: float) -> float:
    """The speed of the agent along an axis relative to the touched surface."""
    surface = contact.surface
    speed: float = (x - surface[0]) * axis[0] + (z - surface[2]) * axis[2] + (y - surface[1]) * axis[1]
    return speed


@compiled
def _give_way(contact: Any, axis: Any, change: float) -> None:
    """Change the velocity of the touched surface by `change` (m/s) against an axis."""
    if change:
        surface = contact.surface
        for k in range(3):
            surface[k] -= axis[k] * change
