"""Bodies that push each other: Bullet finds their contacts, the kernel solves them as PhysX does.

Contacts are arranged in patches for the solver. Vectors are in Bullet's frame (right-handed, z up) unless a
docstring says otherwise.
"""

import math
import weakref
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arena.action import TICK_S
from arena.geometry.placed import Placed
from arena.kernel.contacts import FALL, SAME_NORMAL
from arena.kernel.motion import CALM_SPEED, MAX_SPIN, SPIN_FACTOR, STILL_TICKS, UP, rested
from arena.kernel.solver import ALONG_X, BIAS, MAX_DEPENETRATION, MOVER, NO_SLIP, PAIR, PATCH, solve_bodies
from arena.physics.bullet import Body, Builder, acquire, bullet, read_poses, release, swap
from arena.physics.things import AgentBody
from arena.scene import Floats, Vector

ANCHOR_GAP = 0.04
"""Friction acts only at points nearer than this, metres: PhysX's `frictionOffsetThreshold`."""

_STALE = 1e-4
"""Bullet keeps points of earlier ticks. One whose normal misses the middle of a sphere by more, metres, is
one of them: a sphere has one point for each face that it touches."""

_MOST_POINTS = 50_000
"""Points in one answer of PyBullet 3.2.7 that can be relied on; rows after some 70,800 are wrong."""

_ZERO: Vector = (0.0, 0.0, 0.0)


Pose = tuple[Vector, Sequence[float]]
"""Centre (metres) and quaternion of a body."""


class Point(NamedTuple):
    """A point of contact: where it is (metres), and the distance there (negative: overlap)."""

    at: Vector
    gap: float


class Patch(NamedTuple):
    """The points at which two bodies, by their ids, touch with one `normal`, which points to `one`."""

    one: int
    other: int
    normal: Vector
    points: list[Point]


def solve_tick(
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


def find_patches(client: int, bodies: Mapping[int, Body]) -> list[Patch]:
    """The patches of all bodies where they are now; those of two movable bodies come first, as in PhysX."""
    bullet.performCollisionDetection(physicsClientId=client)
    patches: list[Patch] = []
    by_pair: defaultdict[tuple[int, int], list[Patch]] = defaultdict(list)
    for row in _contact_points(client, bodies):
        one, other, (on_one, on_other, normal, gap) = row[1], row[2], row[5:9]
        # Points of spheres are judged from the surface that they touch.
        if _is_stale(client, bodies[one], normal, on_other) or _is_stale(
            client, bodies[other], normal, on_one
        ):
            continue
        same = by_pair[one, other]
        for patch in reversed(same):
            if _dot(patch.normal, normal) > SAME_NORMAL:
                patch.points.append(Point(on_other, gap))
                break
        else:
            same.append(Patch(one, other, normal, [Point(on_other, gap)]))
            patches.append(same[-1])
    return sorted(patches, key=lambda patch: not (bodies[patch.one].mass and bodies[patch.other].mass))


def _contact_points(client: int, bodies: Mapping[int, Body]) -> Iterable[Any]:
    """Bullet's points of contact, asked for one body at a time where there are too many for one answer."""
    rows = bullet.getContactPoints(physicsClientId=client) or ()
    if len(rows) <= _MOST_POINTS:
        return rows
    # Asked for one body, PyBullet names it first.
    each = ((body, bullet.getContactPoints(bodyA=body, physicsClientId=client)) for body in sorted(bodies))
    return [row for body, own in each for row in own if row[2] > body]


def rows_of(
    patches: Sequence[Patch],
    bodies: Mapping[int, Body],
    numbers: Mapping[int, int],
    centres: Floats,
    velocities: Floats,
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The rows and patches for the solver (`arena.kernel.solver`).

    `numbers` are those of movable bodies among the solver's, by id; `centres` (metres) and `velocities` (m/s,
    after gravity and damping) (n, 3) are those of the solver's bodies.
    """
    rows: list[tuple[Any, ...]] = []
    arranged = []
    for patch in patches:
        one, other = numbers.get(patch.one, 0), numbers.get(patch.other, 0)
        if not (one or other):
            continue
        first = len(rows)
        for point in patch.points:
            leave = min(-point.gap * BIAS / TICK_S, MAX_DEPENETRATION)
            rows.append(_row(one, other, patch.normal, point.at, centres, leave))
        rubs = len(rows)
        axes = _axes(patch.normal, (velocities[one] - velocities[other]).tolist())
        for anchor in _anchors(patch.points):
            rows += [_row(one, other, axis, anchor.at, centres, 0.0) for axis in axes]
        # Unity takes the average of both coefficients.
        friction = (bodies[patch.one].friction + bodies[patch.other].friction) / 2
        arranged.append((first, rubs, len(rows), friction))
    return np.array(rows, PAIR), np.array(arranged, PATCH)


def _row(one: int, other: int, axis: Vector, at: Vector, centres: Floats, leave: float) -> tuple[Any, ...]:
    arms = at - centres[one], at - centres[other]
    return (one, other, axis, *arms, _ZERO, _ZERO, 0.0, leave, 0.0)


def _anchors(points: Sequence[Point]) -> Sequence[Point]:
    """The two points farthest apart of those that are near enough for friction."""
    near = [point for point in points if point.gap < ANCHOR_GAP]
    if len(near) < 2:
        return near
    return max(combinations(near, 2), key=lambda pair: math.dist(pair[0].at, pair[1].at))


def _axes(normal: Vector, slip: Sequence[float]) -> tuple[Vector, Vector]:
    """The axes of friction, along and across a velocity."""
    along = _dot(slip, normal)
    x, y, z = (s - along * n for s, n in zip(slip, normal, strict=True))
    if x * x + y * y + z * z < NO_SLIP * NO_SLIP:
        # PhysX's choice, in which y is up.
        x, y, z = (0.0, -normal[2], normal[1]) if abs(normal[0]) < ALONG_X else (-normal[1], normal[0], 0.0)
    length = math.sqrt(x * x + y * y + z * z)
    first = (x / length, y / length, z / length)
    return first, _cross(normal, first)


def _is_stale(client: int, body: Body, normal: Vector, at: Vector) -> bool:
    """Whether a body is a sphere that no longer touches another surface `at` a point."""
    if not body.radius:
        return False
    centre = bullet.getBasePositionAndOrientation(body.id, physicsClientId=client)[0]
    way = [c - a for c, a in zip(centre, at, strict=True)]
    along = _dot(way, normal)
    aside = [w - along * n for w, n in zip(way, normal, strict=True)]
    return _dot(aside, aside) > _STALE**2


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


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
        pairs = list(zip(agents, self.agents, strict=True))
        solve_tick(self.client, self.by_id, pairs, [self.bodies[index] for index in moving])
        read_poses(self.client, self._loose | self._balls | awake, positions, rotations)
        for ball, turned in self._turned.items():
            rotations[ball] = rotations[ball] @ turned
        paces = (pace(self.client, body) for body in self._loose.values())
        return max([self._sleeping.sleep_still(), *paces])

    def stop(self) -> None:
        """Stop what still creeps, balls aside, and let everything heavy sleep."""
        for body in self._loose.values():
            bullet.resetBaseVelocity(body, (0, 0, 0), (0, 0, 0), physicsClientId=self.client)
        self._sleeping.sleep_all()

    def add(self, index: int, placed: Placed, held: bool = False) -> None:
        """Add the body of a solid thing, at rest; with `held` it hangs in the air until `drop`."""
        body = self.bodies[index] = self._builder.thing(placed)
        self.by_id[body.id] = body
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
