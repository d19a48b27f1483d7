"""Bullet, which finds the contacts of what the kernel does not move: its clients, bodies and shapes."""

import math
import os
from collections.abc import Mapping
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from arena.geometry.placed import AGENT_RADIUS, Placed
from arena.geometry.shapes import ARENA_SIZE, FLOOR_Y, TUBE_INNER, Part, parts_of, prism_vertices, ring
from arena.kernel.contacts import AGENT_MASS
from arena.kernel.tables import write_poses
from arena.scene import Floats, Vector
from arena.taskfile.kind import DEFAULT_FRICTION, Shape

# PyBullet prints a line on standard error when it is loaded.
_stderr = os.dup(2)
_nowhere = os.open(os.devnull, os.O_WRONLY)
os.dup2(_nowhere, 2)
try:
    import pybullet
finally:
    os.dup2(_stderr, 2)
    os.close(_stderr)
    os.close(_nowhere)

bullet = pybullet
"""The module, in which bodies and clients are numbers."""

MOST_IDLE = 2
"""Maximum number of idle clients; each holds about 30 MB."""

_idle: list[int] = []

COLLISION_MARGIN = 0.001
"""Bullet rounds the edges of boxes by this much, 0.04 m by default; PhysX keeps them sharp."""

_THICK = 50.0
"""Half the thickness of floor and boundary, metres. Unity's are 1 m thick, and bodies pass through them: a
block that fell 100 m moves 0.9 m per tick, and Bullet pushes overlapping L blocks 20 m apart in one."""


def acquire() -> int:
    """A client without bodies; creating one takes ten times as long as resetting one."""
    try:
        return _idle.pop()
    except IndexError:
        return int(bullet.connect(bullet.DIRECT))


def release(client: int) -> None:
    """Free the bodies of a client, which must not be used any more.

    A client that was reset simulates the same bits as a new one.
    """
    if len(_idle) < MOST_IDLE:
        bullet.resetSimulation(physicsClientId=client)
        _idle.append(client)
    else:
        bullet.disconnect(client)


class Body(NamedTuple):
    """A body in Bullet: its id, coefficient of friction, mass (kg; 0: immovable), inertia about its own axes
    (kg m2; 0: it never turns) and, for a sphere, radius (metres)."""

    id: int
    friction: float
    mass: float
    inertia: Vector
    radius: float = 0.0


def read_poses(client: int, bodies: Mapping[int, int], positions: Floats, rotations: Floats) -> None:
    """Write positions (n, 3), metres, and rotations (n, 3, 3) of some bodies, given by row, in Animal-AI's
    frame."""
    if bodies:
        poses = [
            bullet.getBasePositionAndOrientation(body, physicsClientId=client) for body in bodies.values()
        ]
        read = np.array([(*at, *turn) for at, turn in poses])
        write_poses(read, np.fromiter(bodies, np.int64, len(bodies)), positions, rotations)


def swap(vector: tuple[float, ...]) -> Vector:
    """Exchange y and z: from Animal-AI's frame (left-handed, y up) to Bullet's (z up) or back."""
    return (vector[0], vector[2], vector[1])


_VERTICES: list[list[float]] = []
_VERTICES_LOCK = Lock()
"""PyBullet never releases the vertex lists of a mesh: each tunnel would leak 0.1 MB per episode. Therefore
the same small lists are passed every time, and the long ones are emptied afterwards."""


class Builder:
    """Adds bodies to a Bullet client."""

    def __init__(self, client: int) -> None:
        self._client = client

    def configure(self) -> None:
        """Set what repeats bit by bit; Bullet only finds contacts."""
        bullet.setPhysicsEngineParameter(deterministicOverlappingPairs=1, physicsClientId=self._client)

    def ground_and_boundary(self) -> list[Body]:
        """The floor slab and four walls, 400 m high, whose inner faces are the arena's bounds."""
        middle, tall, along = ARENA_SIZE / 2, 200.0, ARENA_SIZE / 2 + 2 * _THICK
        bodies = [self._box((along, _THICK, along), (middle, FLOOR_Y - _THICK, middle))]
        for side in (-_THICK, ARENA_SIZE + _THICK):
            bodies.append(self._box((_THICK, tall, along), (side, 0.0, middle)))
            bodies.append(self._box((along, tall, _THICK), (middle, 0.0, side)))
        return bodies

    def agent(self, centre: Vector) -> Body:
        """The agent's sphere, which never rotates."""
        shape = bullet.createCollisionShape(
            bullet.GEOM_SPHERE, radius=AGENT_RADIUS, physicsClientId=self._client
        )
        body = self._body(shape, AGENT_MASS, centre, 0.0, DEFAULT_FRICTION)
        return body._replace(inertia=(0.0, 0.0, 0.0), radius=AGENT_RADIUS)

    def thing(self, placed: Placed) -> Body:
        """The body of an object, at rest."""
        kind = placed.kind
        body = self._body(self._shape(placed), kind.mass, placed.position, placed.yaw, kind.friction)
        return body._replace(radius=placed.size[0] / 2) if kind.shape is Shape.BALL else body

    def _box(self, half: Vector, centre: Vector) -> Body:
        shape = bullet.createCollisionShape(
            bullet.GEOM_BOX, halfExtents=swap(half), physicsClientId=self._client
        )
        return self._body(shape, 0.0, centre, 0.0, DEFAULT_FRICTION)

    def _body(self, shape: int, mass: float, centre: Vector, yaw: float, friction: float) -> Body:
        body = bullet.createMultiBody(
            baseMass=mass,
            baseCollisionShapeIndex=shape,
            basePosition=swap(centre),
            baseOrientation=bullet.getQuaternionFromEuler((0, 0, -math.radians(yaw))),
            useMaximalCoordinates=True,
            physicsClientId=self._client,
        )
        bullet.changeDynamics(body, -1, collisionMargin=COLLISION_MARGIN, physicsClientId=self._client)
        inertia = bullet.getDynamicsInfo(body, -1, physicsClientId=self._client)[2]
        return Body(body, friction, mass, inertia)

    def _shape(self, placed: Placed) -> int:
        client, size, shape = self._client, placed.size, placed.kind.shape
        if shape is Shape.BALL:
            return int(
                bullet.createCollisionShape(bullet.GEOM_SPHERE, radius=size[0] / 2, physicsClientId=client)
            )
        if shape is Shape.BOX or (shape is Shape.BUTTON and not placed.kind.fitted):
            half = [length / 2 for length in swap(size)]
            return int(bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=half, physicsClientId=client))
        if parts := parts_of(shape, size, placed.kind.fitted):
            return self._composed(parts)
        if shape is Shape.PRISM:
            return self._mesh([swap(tuple(corner)) for corner in prism_vertices(size)])
        vertices, indices = _tube_mesh(size)
        return self._mesh(vertices, indices=indices, flags=bullet.GEOM_FORCE_CONCAVE_TRIMESH)

    def _composed(self, parts: tuple[Part, ...]) -> int:
        return int(
            bullet.createCollisionShapeArray(
                shapeTypes=[bullet.GEOM_BOX] * len(parts),
                halfExtents=[[length / 2 for length in swap(part.size)] for part in parts],
                collisionFramePositions=[swap(part.centre) for part in parts],
                physicsClientId=self._client,
            )
        )

    def _mesh(self, vertices: list[Vector], **options: Any) -> int:
        """A triangle mesh if `indices` are given, else the convex hull of the vertices."""
        with _VERTICES_LOCK:
            _VERTICES.extend([0.0, 0.0, 0.0] for _ in range(len(vertices) - len(_VERTICES)))
            lent = _VERTICES[: len(vertices)]
            for own, vertex in zip(lent, vertices, strict=True):
                own[:] = vertex
            shape = bullet.createCollisionShape(
                bullet.GEOM_MESH, vertices=lent, physicsClientId=self._client, **options
            )
            lent.clear()
        options.get("indices", []).clear()
        return int(shape)


def _tube_mesh(size: Vector) -> tuple[list[Vector], list[int]]:
    """Triangles of a tunnel's outer, inner and end faces, in Bullet's frame."""
    outer = ring(size[0] / 2, size[1] / 2)
    loops = [(points, z) for z in (-size[2] / 2, size[2] / 2) for points in (outer, outer * TUBE_INNER)]
    vertices = [swap((x, y, z)) for points, z in loops for x, y in points]
    count = len(outer)
    here = np.arange(count)
    there = (here + 1) % count
    # Loops: 0 outer and 1 inner at -z, 2 outer and 3 inner at +z; four bands join them.
    bands = []
    for a, b in ((0, 2), (3, 1), (2, 3), (1, 0)):
        corners = (a * count + here, a * count + there, b * count + there, b * count + here)
        bands.append(np.stack([corners[i] for i in (0, 1, 2, 0, 2, 3)], axis=1))
    return vertices, [int(index) for index in np.concatenate(bands).ravel()]
