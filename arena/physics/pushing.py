"""A tick of bodies that push each other: Bullet finds the contacts, the kernel solves them as PhysX does.

Everything is in Bullet's frame (right-handed, z up).
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.action import TICK_S
from arena.kernel.balls import MAX_SPIN, SPIN_FACTOR
from arena.kernel.bodies import MOVER, solve_bodies
from arena.kernel.contacts import FALL
from arena.kernel.motion import UP
from arena.physics.agent import AgentBody
from arena.physics.bodies import Body, swap
from arena.physics.bullet import bullet
from arena.physics.contacts import Patch, find_patches, rows_of
from arena.scene import Vector

Pose = tuple[Vector, Sequence[float]]
"""Centre (metres) and quaternion of a body."""


def advance(
    client: int, bodies: Mapping[int, Body], agents: Sequence[tuple[AgentBody, Body]], moving: Sequence[Body]
) -> None:
    """Move the agents, each with its body, and what is `moving` through a tick.

    `bodies` are all of a Bullet client, by id; the others stand still.
    """
    for agent, body in agents:
        _place(client, body.id, swap(agent.position), (0, 0, 0, 1))
    patches = find_patches(client, bodies)
    movable = [*(body for _, body in agents), *moving]
    poses = [bullet.getBasePositionAndOrientation(body.id, physicsClientId=client) for body in movable]
    movers = _movers(client, agents, moving, poses)
    centres = np.array([(0.0, 0.0, 0.0), *(at for at, _ in poses)])
    numbers = {body.id: number for number, body in enumerate(movable, start=1)}
    solve_bodies(movers, *rows_of(patches, bodies, numbers, centres, movers["motion"][:, 0].copy()))
    motions = movers["motion"][1:].tolist()
    for (agent, body), (at, _), (after, _, way, _) in zip(agents, poses, motions, strict=False):
        agent.move(swap(_moved(at, way)), swap(after), _is_borne(body.id, patches))
    for body, pose, motion in zip(moving, poses[len(agents) :], motions[len(agents) :], strict=True):
        _move(client, body.id, pose, motion)


def _movers(
    client: int, agents: Sequence[tuple[AgentBody, Body]], moving: Sequence[Body], poses: Sequence[Pose]
) -> npt.NDArray[Any]:
    """The solver's bodies: everything immovable, the agents, and what is moving."""
    movers = np.zeros(1 + len(poses), MOVER)
    for mover, (agent, body) in zip(movers[1:], agents, strict=False):
        mover["lightness"], mover["motion"][0] = 1 / body.mass, swap(agent.driven_velocity)
    own = zip(movers[1 + len(agents) :], moving, poses[len(agents) :], strict=True)
    for mover, body, (_, turn) in own:
        mover["lightness"], mover["inertia"] = 1 / body.mass, _inverse_inertia(body, turn)
        mover["motion"][:2] = _free(client, body.id)
    return movers


def _inverse_inertia(body: Body, turn: Sequence[float]) -> list[list[float]]:
    """The inverse inertia of a turned body; the last bits of a product of matrices differ between CPUs."""
    own = bullet.getMatrixFromQuaternion(turn)
    rows = [own[k : k + 3] for k in (0, 3, 6)]
    a, b, c = body.inertia
    return [[p[0] * q[0] / a + p[1] * q[1] / b + p[2] * q[2] / c for q in rows] for p in rows]


def _length(x: float, y: float, z: float) -> float:
    """Length of a vector; the last bit of `hypot` differs between versions of Python."""
    return math.sqrt(x * x + y * y + z * z)


def _free(client: int, body: int) -> tuple[Vector, Vector]:
    """Velocity and spin of a body after a tick's gravity and damping."""
    (x, y, z), spin = bullet.getBaseVelocity(body, physicsClientId=client)
    rate = _length(*spin) * SPIN_FACTOR
    a, b, c = (part * SPIN_FACTOR * min(1.0, MAX_SPIN / max(rate, MAX_SPIN)) for part in spin)
    return (x, y, z - FALL), (a, b, c)


def _moved(at: Vector, velocity: Vector) -> Vector:
    x, y, z = (p + v * TICK_S for p, v in zip(at, velocity, strict=True))
    return x, y, z


def _move(client: int, body: int, pose: Pose, motion: Sequence[Vector]) -> None:
    """Move and turn a body by its motion during a tick, and set its velocities after it."""
    after, spin_after, way, turn = motion
    rate = _length(*turn)
    by = bullet.getQuaternionFromAxisAngle(turn if rate else (0.0, 0.0, 1.0), rate * TICK_S)
    turned = bullet.multiplyTransforms((0, 0, 0), by, (0, 0, 0), pose[1])[1]
    _place(client, body, _moved(pose[0], way), turned)
    bullet.resetBaseVelocity(body, after, spin_after, physicsClientId=client)


def _place(client: int, body: int, at: Vector, turn: Sequence[float]) -> None:
    bullet.resetBasePositionAndOrientation(body, at, turn, physicsClientId=client)


def _is_borne(body: int, patches: Sequence[Patch]) -> bool:
    """Whether something bears a body."""
    ups = (p.normal[2] if p.one == body else -p.normal[2] for p in patches if body in (p.one, p.other))
    return max(ups, default=0.0) > UP
