"""The agent's contacts, read from Bullet for the solver, and the reactions on what it touches.

Everything but the rows of contacts is in Bullet's frame (right-handed, z up).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arena.kernel.balls import STILL_SPEED
from arena.kernel.contacts import AGENT_MASS, SAME_NORMAL
from arena.kernel.tables import CONTACT
from arena.physics.bodies import Body, swap
from arena.physics.bullet import bullet
from arena.scene import Vector
from arena.taskfile.kind import HEAVY_KG

Point = tuple[Any, ...]
"""A row of Bullet's `getContactPoints`."""


_STILL: Vector = (0.0, 0.0, 0.0)

_UNSOLVED = np.zeros(1, CONTACT).tolist()[0][6:]
"""What the solver sets in a row."""


class AwakeBody(NamedTuple):
    """A wall or ramp that is simulated: its id in Bullet, mass (kg) and contact point (metres).

    `impulse` (N s) is the one that Bullet applied to the agent there in this tick.
    """

    id: int
    mass: float
    point: Vector
    impulse: Vector


class AgentContacts(NamedTuple):
    """The agent's contacts in a tick.

    `rows` (`arena.kernel.tables.CONTACT`) are those with heavy and static bodies, in PhysX's order: movable
    bodies (walls, ramps) first; `awake` has an entry for each, None for a body that cannot move. A light body
    may be jammed between the agent and something else, which only Bullet knows, so the `impulse` of light
    bodies on the agent (N s) is Bullet's, friction included. `normals` are those of light bodies.
    """

    rows: npt.NDArray[Any]
    awake: list[AwakeBody | None]
    impulse: Vector
    normals: list[Vector]


def find_contacts(
    client: int,
    points: list[Point],
    bodies: Mapping[int, Body],
    is_asleep: Callable[[int], bool],
    tick_s: float,
    fall: float,
) -> AgentContacts:
    """The agent's contacts after Bullet's step.

    `points` are its contact points, `bodies` all other bodies by id; `is_asleep` says whether one is held
    still; `fall` is the velocity that gravity adds in a tick, m/s.
    """
    light = [point for point in points if 0 < bodies[point[2]].mass < HEAVY_KG]
    heavy = [point for point in points if not 0 < bodies[point[2]].mass < HEAVY_KG]
    contacts: list[tuple[Any, ...]] = []
    awake: list[AwakeBody | None] = []
    for group in sorted(_groups(heavy), key=lambda group: (bodies[group[0][2]].mass == 0, group[0][2])):
        nearest, other = group[0], bodies[group[0][2]]
        is_awake = other.mass > 0 and not is_asleep(other.id)
        surface = _surface_velocity(client, nearest, fall, is_awake) if other.mass else (_STILL, _STILL)
        contacts.append((swap(nearest[7]), nearest[8], other.friction, 0.0, *surface, *_UNSOLVED))
        body = AwakeBody(other.id, other.mass, nearest[6], _impulse(group, tick_s)) if is_awake else None
        awake.append(body)
    rows = np.array(contacts, CONTACT)
    return AgentContacts(rows, awake, _impulse(light, tick_s), [point[7] for point in light])


def apply_reactions(client: int, found: AgentContacts) -> None:
    """Apply the solver's impulses, which are in the contacts, to walls and ramps.

    They replace Bullet's, which can be twice as large where several contacts load each other.
    """
    for body, (a, c, b) in zip(found.awake, found.rows["impulse"].tolist(), strict=True):
        if body is not None:
            x, y, z = (old - new * AGENT_MASS for new, old in zip((a, b, c), body.impulse, strict=True))
            _push(client, body, (x, y, z))


def push_out(client: int, agent: int, start: Vector, normals: Sequence[Vector], tick_s: float) -> Vector:
    """How far (metres) Bullet moved the agent from `start` out of light bodies that it overlaps."""
    if not normals:
        return (0.0, 0.0, 0.0)
    at = bullet.getBasePositionAndOrientation(agent, physicsClientId=client)[0]
    velocity = bullet.getBaseVelocity(agent, physicsClientId=client)[0]
    shift = np.array(at) - np.array(start) - np.array(velocity) * tick_s
    normal = np.array(max(normals, key=lambda normal: float(shift @ normal)))
    x, y, z = (max(0.0, float(shift @ normal)) * normal).tolist()
    return (x, y, z)


def _push(client: int, body: AwakeBody, impulse: Vector) -> None:
    at, turn = bullet.getBasePositionAndOrientation(body.id, physicsClientId=client)
    linear, spin = bullet.getBaseVelocity(body.id, physicsClientId=client)
    inertia = bullet.getDynamicsInfo(body.id, -1, physicsClientId=client)[2]
    axes = bullet.getMatrixFromQuaternion(turn)
    arm = (body.point[0] - at[0], body.point[1] - at[1], body.point[2] - at[2])
    tx, ty, tz = _cross(arm, impulse)
    # The torque over the inertia, in the body's own axes.
    own = [(axes[k] * tx + axes[k + 3] * ty + axes[k + 6] * tz) / inertia[k] for k in range(3)]
    # Not by `sum`, which rounds differently since Python 3.12.
    turned = [
        s + (axes[k] * own[0] + axes[k + 1] * own[1] + axes[k + 2] * own[2])
        for k, s in zip((0, 3, 6), spin, strict=True)
    ]
    moved = [v + push / body.mass for v, push in zip(linear, impulse, strict=True)]
    bullet.resetBaseVelocity(body.id, moved, turned, physicsClientId=client)


def _surface_velocity(client: int, point: Point, fall: float, awake: bool) -> tuple[Vector, Vector]:
    """Surface velocities of the wall or ramp that is touched, now and before, in Animal-AI's frame.

    PhysX chooses the friction axes after gravity has acted on both bodies and before any contact is solved.
    """
    linear, spin = bullet.getBaseVelocity(point[2], physicsClientId=client)
    # In Bullet a standing body sinks by up to 1 mm/s, in PhysX it does not.
    if not awake or max(map(abs, (*linear, *spin))) < STILL_SPEED:
        return _STILL, (0.0, -fall, 0.0)
    at = bullet.getBasePositionAndOrientation(point[2], physicsClientId=client)[0]
    place = point[6]
    x, y, z = _cross(spin, (place[0] - at[0], place[1] - at[1], place[2] - at[2]))
    return (linear[0] + x, linear[2] + z, linear[1] + y), (linear[0], linear[2] - fall, linear[1])


def _cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _impulse(points: list[Point], tick_s: float) -> Vector:
    """Bullet's impulse on the agent at some points, N s."""
    x = y = z = 0.0
    for point in points:
        for force, axis in ((9, 7), (10, 11), (12, 13)):
            size, (u, v, w) = point[force] * tick_s, point[axis]
            x, y, z = x + size * u, y + size * v, z + size * w
    return (x, y, z)


def _groups(points: list[Point]) -> list[list[Point]]:
    """Points grouped by body and normal; in each group the deepest or nearest comes first."""
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
