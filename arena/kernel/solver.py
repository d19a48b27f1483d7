"""Contacts solved as in PhysX 4.1: projected Gauss-Seidel, friction by patches.

These are contacts of a sphere, the agent or a ball: each has one normal row and two friction rows along fixed
perpendicular axes. The rows are solved one after the other a fixed number of times, and friction takes no
part in the first of these sweeps. If floor and wall are touched together, this decides how much each of them
slows it. The numbers below are those of PhysX's solver (`DyContactPrep.cpp`, `DySolverConstraints.cpp`) and
of Unity's project settings; positions move with the velocity before the correction of overlaps is removed.
"""

import math

from arena.action import TICK_S
from arena.kernel.compiled import compiled
from arena.kernel.tables import ContactRow, Contacts
from arena.scene import Floats, Vector

SWEEPS = 12
"""Number of position iterations, and of velocity iterations after them (`DynamicsManager.asset`)."""

RUB_SWEEPS = 3
"""Number of last position iterations that solve friction. All velocity iterations do."""

BIAS = 0.8
"""Share of an overlap or gap that one tick closes. Also the share of a slip that one sweep stops."""

MAX_DEPENETRATION = 10.0
"""Maximum speed at which overlapping bodies are separated, m/s (`DynamicsManager.asset`)."""

SETTLED = 1e-9
"""Velocity change (m/s) below which a sweep is the last. Further ones would not change more."""

NO_SLIP = 1e-12
"""Speed along the surface (m/s) below which bodies do not slide."""

BALL_INERTIA = 5 / 2
"""Inverse moment of inertia of a ball, in units of 1/(m r2)."""

SPUN = 1 + BALL_INERTIA
"""Ratio of surface to centre velocity change by friction on spinning balls."""

ALONG_X = math.sqrt(0.5)
"""Cosine to the x axis above which normals get another friction axis. It applies if there is no slip yet."""


@compiled
def solve(contacts: Contacts, count: int, radius: float, inertia: float, motion: Floats) -> None:
    """Solve a sphere's tick with the first `count` of the `contacts`.

    `motion` (4, 3) are its velocity (m/s) and spin (rad/s), which begin with gravity, drive and drag of this
    tick and become those after it, and both during the tick. The inverse `inertia` is in units of 1/(m r2):
    5/2 for a ball, and 0 for the agent, which never turns. The impulses are left in the contacts. The result
    depends on the sphere's mass only where it touches what gives way.
    """
    velocity, spin = motion[0], motion[1]
    for number in range(count):
        normal = contacts[number].normal
        x, y, z = cross(spin, normal)
        _prepare(
            contacts[number], velocity[0] - radius * x, velocity[1] - radius * y, velocity[2] - radius * z
        )
    _sweep(contacts, count, radius, inertia, velocity, spin, SWEEPS - RUB_SWEEPS, False)
    _sweep(contacts, count, radius, inertia, velocity, spin, RUB_SWEEPS, True)
    # In a loop: to compile a slice's assignment, with its errors, takes seconds.
    for k in range(3):
        motion[2, k], motion[3, k] = velocity[k], spin[k]
    for number in range(count):
        # Overlaps count no longer; a gap may still be closed.
        contacts[number].leave = min(contacts[number].leave, 0.0)
    _sweep(contacts, count, radius, inertia, velocity, spin, SWEEPS, True)
    for number in range(count):
        contact = contacts[number]
        for k in range(3):
            pressed = contact.normal[k] * contact.press
            contact.impulse[k] = (
                pressed + contact.along[k] * contact.rub + contact.across[k] * contact.rub_across
            )


@compiled
def _prepare(contact: ContactRow, x: float, y: float, z: float) -> None:
    """Reset impulses, and set friction axes along and across the slip. The slip is that of the sphere's
    surface, whose velocity before the tick is solved is (x, y, z)."""
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
def _sweep(
    contacts: Contacts,
    count: int,
    radius: float,
    inertia: float,
    velocity: Floats,
    spin: Floats,
    times: int,
    rub: bool,
) -> None:
    """Solve every row in turn, at most `times` times. Changes velocity and spin."""
    for _ in range(times):
        changed = 0.0
        for number in range(count):
            contact = contacts[number]
            axis, surface, before = contact.normal, contact.surface, contact.press
            away = contact.leave - _along(velocity, surface, axis)
            contact.press = max(before + away / (1.0 + contact.mass_ratio), 0.0)
            change = contact.press - before
            _push(velocity, axis, change)
            _push(surface, axis, -change * contact.mass_ratio)
            changed += abs(change)
            if rub:
                before = contact.rub
                contact.rub = _rubbed(contact, contact.along, before, radius, inertia, velocity, spin)
                changed += abs(contact.rub - before)
                before = contact.rub_across
                contact.rub_across = _rubbed(contact, contact.across, before, radius, inertia, velocity, spin)
                changed += abs(contact.rub_across - before)
        if changed < SETTLED:
            break


@compiled
def _rubbed(
    contact: ContactRow,
    axis: Floats,
    before: float,
    radius: float,
    inertia: float,
    velocity: Floats,
    spin: Floats,
) -> float:
    """Return an axis's friction impulse once its row is solved. Velocities change with it."""
    surface, limit, gives = contact.surface, contact.friction * contact.press, contact.mass_ratio * SPUN
    u, v, w = cross(axis, contact.normal)
    slip = _along(velocity, surface, axis) + radius * (spin[0] * u + spin[2] * w + spin[1] * v)
    rub: float = min(max(before - BIAS * slip / (1.0 + inertia + gives), -limit), limit)
    turn = (rub - before) * inertia / radius
    spin[0], spin[1], spin[2] = spin[0] + u * turn, spin[1] + v * turn, spin[2] + w * turn
    _push(velocity, axis, rub - before)
    _push(surface, axis, (before - rub) * gives)
    return rub


@compiled
def _along(velocity: Floats, surface: Floats, axis: Floats) -> float:
    """Return an axis's component of a velocity relative to a surface's."""
    return (
        (velocity[0] - surface[0]) * axis[0]
        + (velocity[2] - surface[2]) * axis[2]
        + (velocity[1] - surface[1]) * axis[1]
    )


@compiled
def _push(velocity: Floats, axis: Floats, change: float) -> None:
    """Change a velocity along an axis."""
    if change:
        for k in range(3):
            velocity[k] += axis[k] * change


@compiled
def cross(a: Floats | Vector, b: Floats | Vector) -> Vector:
    """Return the cross product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
