"""Bullet finds the contacts of bodies: its clients, bodies and shapes, in its frame (z up) unless said."""

import math
import os
import weakref
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arena.action import TICK_S
from arena.geometry.placed import AGENT_RADIUS, Placed
from arena.geometry.shapes import ARENA_SIZE, FLOOR_Y, TUBE_INNER, Part, parts_of, prism_vertices, ring
from arena.kernel.contacts import AGENT_MASS
from arena.kernel.motion import CALM_SPEED, MAX_SPIN, STILL_TICKS, rested
from arena.kernel.pushing import BODY, PAIR, PATCH, POINT, begin, group, solve_bodies
from arena.kernel.tables import write_poses
from arena.physics.things import AgentBody
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

MOST_IDLE = 8
"""Maximum number of idle clients: each holds about 30 MB, and takes 15 ms to create."""

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


_MOST_POINTS = 50_000
"""Points in one answer of PyBullet 3.2.7 that can be relied on; rows after some 70,800 are wrong."""


def solve_tick(
    client: int, bodies: npt.NDArray[Any], agents: Mapping[int, AgentBody], moving: list[int], held: list[int]
) -> None:
    """Move the agents and what is `moving`, by ids in Bullet, through a tick.

    The `bodies` are all of a Bullet client, by id; the others stand still, or are `held` in the air.
    """
    for body, agent in agents.items():
        at = swap(agent.position)
        bullet.resetBasePositionAndOrientation(body, at, (0, 0, 0, 1), physicsClientId=client)
    bullet.performCollisionDetection(physicsClientId=client)
    ids = [*agents, *moving]
    poses = [bullet.getBasePositionAndOrientation(body, physicsClientId=client) for body in ids]
    velocities = [bullet.getBaseVelocity(body, physicsClientId=client) for body in moving]
    bodies["moves"] = bodies["motion"] = 0
    bodies["moves"][ids] = 1
    bodies["centre"][ids] = [at for at, _ in poses]
    bodies["axes"][ids] = np.reshape([bullet.getMatrixFromQuaternion(turn) for _, turn in poses], (-1, 3, 3))
    bodies["motion"][moving, :2] = np.array(velocities).reshape(-1, 2, 3)
    begin(bodies)
    for body, agent in agents.items():
        bodies["motion"][body, 0] = swap(agent.driven_velocity)
    for body in held:
        bodies["centre"][body] = bullet.getBasePositionAndOrientation(body, physicsClientId=client)[0]
    _solve(_contact_points(client, len(bodies)), bodies)
    motions, borne = bodies["motion"][ids].tolist(), bodies["borne"][ids].tolist()
    places = (bodies["centre"][ids] + bodies["motion"][ids, 2] * TICK_S).tolist()
    for agent, at, motion, is_borne in zip(agents.values(), places, motions, borne, strict=False):
        agent.move(swap(at), swap(motion[0]), bool(is_borne))
    for body, at, (_, turn), motion in list(zip(ids, places, poses, motions, strict=True))[len(agents) :]:
        _move(client, body, at, turn, motion)


def _solve(found: Sequence[Any], bodies: npt.NDArray[Any]) -> None:
    """Solve a tick of bodies with Bullet's points of contact."""
    flat = chain.from_iterable((r[1], r[2], *r[5], *r[6], *r[7], r[8], -1.0) for r in found)
    points = np.fromiter(flat, np.float64).view(POINT)
    patches = np.zeros(1 + len(points), PATCH)
    patches = patches[1 : 1 + group(points, bodies, patches)]
    # Those of two movable bodies come first, as in PhysX.
    patches = patches[np.argsort(patches["fixed"], kind="stable")]
    # A patch has a row for each point, and two for each of up to two anchors.
    solve_bodies(bodies, points, patches, np.zeros(len(points) + 4 * len(patches), PAIR))


def _move(client: int, body: int, at: Vector, before: Sequence[float], motion: Sequence[Vector]) -> None:
    """Place a body, turned by its motion during a tick from `before`, and set its velocities after it."""
    after, spin_after, _, turn = motion
    x, y, z = turn
    # The last bit of `hypot` differs between versions of Python.
    rate = math.sqrt(x * x + y * y + z * z)
    by = bullet.getQuaternionFromAxisAngle(turn if rate else (0.0, 0.0, 1.0), rate * TICK_S)
    turned = bullet.multiplyTransforms((0, 0, 0), by, (0, 0, 0), before)[1]
    bullet.resetBasePositionAndOrientation(body, at, turned, physicsClientId=client)
    bullet.resetBaseVelocity(body, after, spin_after, physicsClientId=client)


def _contact_points(client: int, bodies: int) -> Sequence[Any]:
    """Bullet's points of contact, asked for one body at a time where there are too many for one answer."""
    rows = bullet.getContactPoints(physicsClientId=client) or ()
    if len(rows) <= _MOST_POINTS:
        return rows
    # Asked for one body, PyBullet names it first.
    each = ((body, bullet.getContactPoints(bodyA=body, physicsClientId=client)) for body in range(bodies))
    return [row for body, own in each for row in own or () if row[2] > body]


_AWAKE = (1, -1)
_ASLEEP = (2, ~2)
"""Bullet's collision group and mask: sleeping bodies need not be tested against each other."""


def pace(client: int, body: int) -> float:
    """The largest component of a body's velocity (m/s) and spin (rad/s)."""
    linear, spin = bullet.getBaseVelocity(body, physicsClientId=client)
    fastest: float = max(map(abs, (*linear, *spin)))
    return fastest


class SleepingBodies:
    """The heavy bodies of a world, each asleep (held still) or awake (simulated)."""

    def __init__(self, client: int, bodies: Mapping[int, Body], asleep: Collection[int]) -> None:
        """`bodies` by index into the world's things; those at rest are `asleep`."""
        self._client, self._bodies = client, bodies
        self._still = dict.fromkeys(bodies, 0)
        for index in bodies:
            if index in asleep:
                self.sleep(index)

    def sleep_all(self) -> None:
        """Put every body to sleep, also those that are touched."""
        for index in tuple(self._still):
            self.sleep(index)

    @property
    def awake(self) -> tuple[int, ...]:
        """Indices, in order, of the bodies that are simulated."""
        return tuple(sorted(self._still))

    def wake(self, indices: Iterable[int]) -> None:
        """Wake some bodies, or keep them awake."""
        for index in indices:
            if index not in self._still:
                self._set_mass(index, self._bodies[index].mass, _AWAKE)
            self._still[index] = 0

    def sleep_still(self) -> float:
        """Put to sleep every body that was still for long enough; return the largest pace now."""
        fastest = 0.0
        for index in tuple(self._still):
            now = pace(self._client, self._bodies[index].id)
            fastest = max(fastest, now)
            # Each tick counts once, however calm.
            self._still[index] = rested(self._still[index], max(now, CALM_SPEED))
            if self._still[index] >= STILL_TICKS:
                self.sleep(index)
        return fastest

    def sleep(self, index: int) -> None:
        """Put a body to sleep where it is."""
        del self._still[index]
        self._set_mass(index, 0.0, _ASLEEP)
        body = self._bodies[index].id
        bullet.resetBaseVelocity(body, (0, 0, 0), (0, 0, 0), physicsClientId=self._client)

    def _set_mass(self, index: int, mass: float, group: tuple[int, int]) -> None:
        body, client = self._bodies[index].id, self._client
        bullet.changeDynamics(body, -1, mass=mass, physicsClientId=client)
        bullet.setCollisionFilterGroupMask(body, -1, *group, physicsClientId=client)


class Simulation:
    """Bullet's bodies of an arena's solid things; never restored from a state, so that replays are exact.

    Things are named by their indices into the world's. Positions (n, 3) and rotations (n, 3, 3) are those of
    all things, in Animal-AI's frame.
    """

    def __init__(
        self, things: Mapping[int, Placed], agents: Sequence[AgentBody], asleep: Collection[int]
    ) -> None:
        """Things where they are now, in the order of their indices; heavy ones may be `asleep`."""
        self.client = acquire()
        # A client takes about 30 MB; one that is garbage-collected is freed even if not closed.
        self.close = weakref.finalize(self, release, self.client)
        self._builder = Builder(self.client)
        self._builder.configure()
        self.bodies: dict[int, Body] = {}
        self._loose: dict[int, int] = {}
        self._balls: dict[int, int] = {}
        self._turned: dict[int, Floats] = {}
        """Rotations of balls where Bullet's begin."""
        self._held: set[int] = set()
        self.agents = [self._builder.agent(agent.position) for agent in agents]
        others = self._builder.ground_and_boundary()
        self.by_id = {body.id: body for body in (*self.agents, *others)}
        self._made: npt.NDArray[Any] | None = None
        for index, placed in things.items():
            self.add(index, placed)
        heavy = {index: body for index, body in self.bodies.items() if things[index].kind.is_heavy}
        self._sleeping = SleepingBodies(self.client, heavy, asleep)

    def advance(
        self, agents: Sequence[AgentBody], touched: Iterable[int], positions: Floats, rotations: Floats
    ) -> float:
        """Simulate a tick; write the poses of what has moved.

        `touched` are the heavy things that an agent touches. Returns the pace (m/s or rad/s) of what is
        fastest, agents and balls aside.
        """
        self._sleeping.wake(touched)
        awake = {index: self.bodies[index].id for index in self._sleeping.awake}
        moving = sorted({*self._loose, *self._balls, *awake} - self._held)
        ids, held = ([self.bodies[index].id for index in some] for some in (moving, self._held))
        pairs = {body.id: agent for body, agent in zip(self.agents, agents, strict=True)}
        solve_tick(self.client, self._table(), pairs, ids, held)
        read_poses(self.client, self._loose | self._balls | awake, positions, rotations)
        if balls := list(self._turned):
            # The product of matrices as `scene.rotated` has it, for all balls at once.
            r, t = rotations[balls], np.array(list(self._turned.values()))
            rotations[balls] = r[:, :, :1] * t[:, :1] + r[:, :, 1:2] * t[:, 1:2] + r[:, :, 2:] * t[:, 2:]
        paces = (pace(self.client, body) for body in self._loose.values())
        return max([self._sleeping.sleep_still(), *paces])

    def _table(self) -> npt.NDArray[Any]:
        """All bodies as the kernel has them, by id."""
        if self._made is None:
            self._made = np.zeros(1 + max(self.by_id), BODY)
            for body, friction, mass, own, radius in self.by_id.values():
                self._made[["mass", "friction", "own", "radius"]][body] = (mass, friction, own, radius)
        return self._made

    def stop(self) -> None:
        """Stop what still creeps, balls aside, and let everything heavy sleep."""
        for body in self._loose.values():
            bullet.resetBaseVelocity(body, (0, 0, 0), (0, 0, 0), physicsClientId=self.client)
        self._sleeping.sleep_all()

    def add(self, index: int, placed: Placed, held: bool = False) -> None:
        """Add the body of a solid thing, at rest; with `held` it hangs in the air until `drop`."""
        body = self.bodies[index] = self._builder.thing(placed)
        self.by_id[body.id], self._made = body, None
        if placed.kind.is_goal:
            self._balls[index] = body.id
        elif placed.kind.is_loose:
            self._loose[index] = body.id
        if held:
            self._held.add(index)

    def motions(self, balls: Sequence[int]) -> Floats:
        """Velocity (m/s) and spin (rad/s, by the right-hand formulas) of balls (n, 2, 3), Animal-AI frame;
        limits the spin as Unity does."""
        bodies, client = [self._balls[ball] for ball in balls], self.client
        read = [bullet.getBaseVelocity(body, physicsClientId=client) for body in bodies]
        motions = np.array(read).reshape(-1, 2, 3)
        for row in np.flatnonzero(np.linalg.norm(motions[:, 1], axis=1) > MAX_SPIN).tolist():
            linear, spin = read[row]
            motions[row, 1] = [part * MAX_SPIN / math.hypot(*spin) for part in spin]
            bullet.resetBaseVelocity(bodies[row], linear, motions[row, 1].tolist(), physicsClientId=client)
        # Exchanging two axes turns the sense of a rotation.
        return np.stack([motions[:, 0], -motions[:, 1]], axis=1)[:, :, [0, 2, 1]]

    def move(self, ball: int, position: Vector, rotation: Floats, motion: Floats) -> None:
        """Set the pose of a ball, and its motion (2, 3) as `motions` gives it."""
        body, client, (linear, spin) = self._balls[ball], self.client, motion.tolist()
        bullet.resetBasePositionAndOrientation(body, swap(position), (0, 0, 0, 1), physicsClientId=client)
        bullet.resetBaseVelocity(body, swap(linear), [-part for part in swap(spin)], physicsClientId=client)
        self._turned[ball] = rotation.copy()

    def remove(self, index: int) -> None:
        """Remove a thing's body."""
        bullet.removeBody(self.bodies.pop(index).id, physicsClientId=self.client)
        self._loose.pop(index, None)
        self._balls.pop(index, None)
        self._turned.pop(index, None)
        self._held.discard(index)

    def drop(self, index: int) -> None:
        """Drop a held thing."""
        self._held.discard(index)

    def resize(self, index: int, placed: Placed, position: Vector, held: bool) -> None:
        """Replace a thing's body by one of another size at `position` (metres); it keeps its velocity."""
        old, client = self.bodies[index].id, self.client
        turn = bullet.getBasePositionAndOrientation(old, physicsClientId=client)[1]
        velocities = bullet.getBaseVelocity(old, physicsClientId=client)
        bullet.removeBody(old, physicsClientId=client)
        self.add(index, placed)
        new = self.bodies[index].id
        bullet.resetBasePositionAndOrientation(new, swap(position), turn, physicsClientId=client)
        bullet.resetBaseVelocity(new, *velocities, physicsClientId=client)
        if held:
            self._held.add(index)

    def overlapping(self, centre: Vector, radius: float, besides: int) -> list[int]:
        """Things, except `besides`, whose bounding boxes overlap that of a sphere."""
        low, high = ([c + sign * radius for c in swap(centre)] for sign in (-1, 1))
        found = bullet.getOverlappingObjects(low, high, physicsClientId=self.client) or ()
        ids = {body for body, _ in found}
        return [index for index, body in self.bodies.items() if body.id in ids and index != besides]
