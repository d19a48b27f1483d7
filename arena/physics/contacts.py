"""What the agent touches in a tick, taken from Bullet for `arena/physics/solver.py`, and the forces back on
it.

Everything here is in Bullet's frame (right-handed, z up).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from arena.physics.bodies import AGENT_MASS, Body
from arena.physics.bullet import bullet
from arena.physics.sleeping_bodies import STILL_SPEED
from arena.physics.solver import Contact
from arena.scene import Vector
from arena.taskfile.kind import HEAVY_KG

Point = tuple[Any, ...]
"""A row of Bullet's `getContactPoints`."""

SAME_NORMAL = 0.99
"""Points of one body whose normals have a larger cosine than this are one contact: PhysX has a single point
where a sphere touches a box, Bullet remembers some of earlier ticks as well."""


class Loose(NamedTuple):
    """A wall or ramp that is awake: its id in Bullet, mass (kg), and where it is touched (metres).

    `impulse` (N s) is what Bullet has applied to the agent there in this tick.
    """

    id: int
    mass: float
    point: Vector
    impulse: Vector


class Found(NamedTuple):
    """What touches the agent in one tick.

    `contacts` are with what hardly gives way, in PhysX's order: movable bodies (walls, ramps), then fixed
    ones; `loose` has an entry for each, None where nothing can move. What is light may be jammed between the
    agent and something else, of which only Bullet knows, so its `impulse` on the agent (N s) is Bullet's,
    friction included. `normals` are those of light bodies.
    """

    contacts: list[Contact]
    loose: list[Loose | None]
    impulse: Vector
    normals: list[Vector]


class Firm(NamedTuple):
    """The agent's contacts in a tick, all with what stays where it is, in PhysX's order.

    `limits` has for each contact the horizontal impulse (N s) below which its body does; infinite for what
    cannot move.
    """

    contacts: list[Contact]
    limits: list[float]


def find(
    client: int,
    points: list[Point],
    bodies: Mapping[int, Body],
    is_asleep: Callable[[int], bool],
    tick_s: float,
    fall: float,
) -> Found:
    """The agent's contacts after Bullet's step.

    `points` are its contact points, `bodies` all others by id, `is_asleep` tells whether the body of an id
    is held still, `fall` is gravity's share of a tick, m/s.
    """
    light = [point for point in points if 0 < bodies[point[2]].mass < HEAVY_KG]
    firm = [point for point in points if not 0 < bodies[point[2]].mass < HEAVY_KG]
    contacts: list[Contact] = []
    loose: list[Loose | None] = []
    for group in sorted(_groups(firm), key=lambda group: (bodies[group[0][2]].mass == 0, group[0][2])):
        nearest, other = group[0], bodies[group[0][2]]
        awake = other.mass > 0 and not is_asleep(other.id)
        contact = Contact(nearest[7], nearest[8], other.friction)
        if other.mass:
            _follow(contact, client, nearest, fall, awake)
        contacts.append(contact)
        loose.append(Loose(other.id, other.mass, nearest[6], _impulse(group, tick_s)) if awake else None)
    return Found(contacts, loose, _impulse(light, tick_s), [point[7] for point in light])


def react(client: int, found: Found, impulses: Sequence[Vector]) -> None:
    """Let walls and ramps feel what the solver found (per contact, N s per kg of the agent).

    They have felt what Bullet found, which can be twice as much where several contacts load each other.
    """
    for loose, impulse in zip(found.loose, impulses, strict=True):
        if loose is not None:
            x, y, z = (b - a * AGENT_MASS for a, b in zip(impulse, loose.impulse, strict=True))
            _push(client, loose, (x, y, z))


def pushed_out(client: int, agent: int, start: Vector, normals: Sequence[Vector], tick_s: float) -> Vector:
    """How far (metres) Bullet moved the agent, from `start`, out of light bodies that it overlaps."""
    if not normals:
        return (0.0, 0.0, 0.0)
    at = bullet.getBasePositionAndOrientation(agent, physicsClientId=client)[0]
    velocity = bullet.getBaseVelocity(agent, physicsClientId=client)[0]
    shift = np.array(at) - np.array(start) - np.array(velocity) * tick_s
    way = np.array(max(normals, key=lambda normal: float(shift @ normal)))
    x, y, z = (max(0.0, float(shift @ way)) * way).tolist()
    return (x, y, z)


def _push(client: int, loose: Loose, impulse: Vector) -> None:
    at, turn = bullet.getBasePositionAndOrientation(loose.id, physicsClientId=client)
    linear, spin = bullet.getBaseVelocity(loose.id, physicsClientId=client)
    inertia = bullet.getDynamicsInfo(loose.id, -1, physicsClientId=client)[2]
    axes = bullet.getMatrixFromQuaternion(turn)
    arm = (loose.point[0] - at[0], loose.point[1] - at[1], loose.point[2] - at[2])
    tx, ty, tz = _cross(arm, impulse)
    # Torque in the body's own axes, over its inertia, and back.
    own = [(axes[k] * tx + axes[k + 3] * ty + axes[k + 6] * tz) / inertia[k] for k in range(3)]
    turned = [s + sum(axes[3 * row + k] * own[k] for k in range(3)) for row, s in enumerate(spin)]
    moved = [v + push / loose.mass for v, push in zip(linear, impulse, strict=True)]
    bullet.resetBaseVelocity(loose.id, moved, turned, physicsClientId=client)


def _follow(contact: Contact, client: int, point: Point, fall: float, awake: bool) -> None:
    """Set the velocities of the wall or ramp that is touched.

    PhysX chooses the friction axes when gravity has acted on both bodies and nothing has yet held them.
    """
    contact.surface_before = (0.0, 0.0, -fall)
    linear, spin = bullet.getBaseVelocity(point[2], physicsClientId=client)
    # Bullet lets what stands sink by up to 1 mm/s; in PhysX it stands.
    if not awake or max(map(abs, (*linear, *spin))) < STILL_SPEED:
        return
    at = bullet.getBasePositionAndOrientation(point[2], physicsClientId=client)[0]
    place = point[6]
    x, y, z = _cross(spin, (place[0] - at[0], place[1] - at[1], place[2] - at[2]))
    contact.surface = (linear[0] + x, linear[1] + y, linear[2] + z)
    contact.surface_before = (linear[0], linear[1], linear[2] - fall)


def _cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _impulse(points: list[Point], tick_s: float) -> Vector:
    """Bullet's impulse on the agent at some points, N s."""
    x = y = z = 0.0
    for point in points:
        for force, along in ((9, 7), (10, 11), (12, 13)):
            size, way = point[force] * tick_s, point[along]
            x, y, z = x + size * way[0], y + size * way[1], z + size * way[2]
    return (x, y, z)


def _groups(points: list[Point]) -> list[list[Point]]:
    """Points of the same body with nearly the same normal together, the nearest or deepest first."""
    groups: list[list[Point]] = []
    for point in sorted(points, key=lambda row: float(row[8])):
        for group in groups:
            if group[0][2] == point[2] and _cosine(group[0][7], point[7]) > SAME_NORMAL:
                group.append(point)
                break
        else:
            groups.append([point])
    return groups


def _cosine(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
