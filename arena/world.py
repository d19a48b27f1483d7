"""The physics: bodies in Bullet, advanced one tick (0.02 s) at a time by Animal-AI's motion rule.

This is the only place that knows PyBullet and its frame of reference. Animal-AI is left-handed with y up,
Bullet right-handed with z up; exchanging the last two components converts either way.
"""

import math
from typing import NamedTuple

import numpy as np

from arena.action import Action, Move, Rotate
from arena.bullet import bullet
from arena.catalog import DEFAULT_FRICTION, LOW_FRICTION, Body, Shape
from arena.layout import AGENT_RADIUS, Layout, Placed
from arena.scene import Scene, Vector, yaw_rotation
from arena.shapes import ARENA_SIZE, BARS, FLOOR_Y, TUBE_INNER, bar_parts, prism_vertices, ring

TICK_S = 0.02
"""Unity's fixed timestep (`TimeManager.asset`)."""

GRAVITY = 9.81
AGENT_MASS = 100.0
DRIVE = 50.0
"""Forward or backward acceleration, m/s2: speed 25 x 100 x 0.02 s (`TrainingAgent.cs`)."""

DRAG_FACTOR = 1 - 1.6 * TICK_S
"""PhysX scales the velocity by 1 - drag x dt each tick; the agent's linear drag is 1.6 per second."""

QUICK_STOP = 0.9
"""Factor on a grounded agent's velocity in each tick without forward or backward input."""

TURN_DEG = 2.0
"""Heading change of one tick of turning: 100 degrees/s x 0.02 s."""

CONTACT_OFFSET = 0.02
"""Two colliders touch when closer than this: PhysX adds up both contact offsets of 0.01."""

COLLISION_MARGIN = 0.001
"""Bullet rounds the edges of boxes by this much, 0.04 m by default; PhysX keeps them sharp."""

MAX_SPIN = 7.0
"""Unity's default limit on angular speed, rad/s."""

_ANGULAR_DAMPING = 1 - math.exp(-0.05)
"""Bullet damps by (1 - d) per second, PhysX by exp(-0.05) per second to first order."""

_GROUND = (21.0, 0.5, 21.0)
"""Half extents of the ground box; it spans -1 to 41 in x and z."""

_UP = 0.01
"""A contact normal whose vertical part is larger than this carries the agent."""

# Bullet multiplies the friction of two bodies, Unity averages it. Friction between the agent and static
# bodies is computed here (`_rub`), so static bodies exist twice: without friction for the agent, and with
# friction for all else. The values below give Unity's average for every pair of agent, pushable box and
# static world; off are only a ball or an L, J or U block against one of those or a box (0.50 for 0.60 and
# 0.35 for 0.425).
_BOX = math.sqrt(LOW_FRICTION)
_AGENT = (DEFAULT_FRICTION + LOW_FRICTION) / 2 / _BOX
_OTHER = DEFAULT_FRICTION / _AGENT


class _Class(NamedTuple):
    """Collision class of a body: Bullet's filter bit, the bits it collides with, and its friction."""

    bit: int
    mask: int
    friction: float


_STATIC_FOR_AGENT = _Class(1, 4, 0.0)
_STATIC_FOR_REST = _Class(2, 8 | 16, DEFAULT_FRICTION / _OTHER)
_AGENT_CLASS = _Class(4, 1 | 8 | 16, _AGENT)
_BOX_CLASS = _Class(8, 2 | 4 | 8 | 16, _BOX)
_OTHER_CLASS = _Class(16, 2 | 4 | 8 | 16, _OTHER)


class Touches(NamedTuple):
    """What the agent touched in one tick: indices into the layout's things, in creation order."""

    goals: tuple[int, ...]
    zones: tuple[int, ...]


class World:
    """An arena of bodies built from a layout; rebuilt, never restored, so that replays are exact."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.things = tuple(placed.thing for placed in layout.things)
        self.agent_yaw = layout.agent.yaw
        self.grounded = False
        self._velocity = (0.0, 0.0, 0.0)
        self._statics: set[int] = set()
        self._client = bullet.connect(bullet.DIRECT)
        self._configure()
        self._static_box(_GROUND, (ARENA_SIZE / 2, FLOOR_Y - _GROUND[1], ARENA_SIZE / 2))
        self._build_boundary()
        self._agent = self._build_agent()
        self._agent_at: Vector = layout.agent.position
        self._bodies: list[int | None] = [self._build(placed) for placed in layout.things]
        self._index_sets()
        self._positions = np.array([placed.position for placed in layout.things]).reshape(-1, 3)
        self._rotations = np.array([yaw_rotation(placed.yaw) for placed in layout.things]).reshape(-1, 3, 3)
        self._visible = np.ones(len(layout.things), dtype=np.bool_)

    def close(self) -> None:
        """Free Bullet's memory; the world cannot be used afterwards."""
        if self._client >= 0:
            bullet.disconnect(self._client)
            self._client = -1

    @property
    def agent_position(self) -> Vector:
        """Centre of the agent, metres, Animal-AI frame."""
        return self._agent_at

    @property
    def agent_velocity(self) -> Vector:
        """Velocity of the agent, m/s, Animal-AI frame."""
        return self._velocity

    def advance(self, action: Action, frozen: bool = False) -> Touches:
        """One tick: drive, simulate, report contacts.

        Contacts come from the poses at the start of the tick, as in PhysX: what the tick's own motion
        brings together is reported by the next one.
        """
        touches = Touches(self._touched_goals(), self._entered_zones())
        if not frozen:
            self._drive(action)
        else:
            self._set_velocity(self._velocity)
        bullet.stepSimulation(physicsClientId=self._client)
        self._read_agent()
        self._limit_spin()
        return touches

    def remove(self, index: int) -> None:
        """Take a thing out of the world, as when a ball is eaten."""
        body = self._bodies[index]
        if body is not None:
            self._refresh(index)
            bullet.removeBody(body, physicsClientId=self._client)
            self._bodies[index] = None
            self._visible[index] = False
            self._index_sets()

    def scene(self, lights_on: bool = True) -> Scene:
        """A copy of the present state for a camera."""
        for index in self._moving:
            self._refresh(index)
        return Scene(
            self.things,
            self._positions.copy(),
            self._rotations.copy(),
            self._visible.copy(),
            self._agent_at,
            self.agent_yaw,
            lights_on,
        )

    # --- building

    def _configure(self) -> None:
        bullet.setGravity(0, 0, -GRAVITY, physicsClientId=self._client)
        # Penetration is resolved apart from momentum, as PhysX's position iterations do.
        bullet.setPhysicsEngineParameter(
            fixedTimeStep=TICK_S,
            numSolverIterations=24,
            useSplitImpulse=1,
            splitImpulsePenetrationThreshold=0.0,
            contactERP=0.8,
            erp=0.8,
            restitutionVelocityThreshold=2.0,
            deterministicOverlappingPairs=1,
            physicsClientId=self._client,
        )

    def _build_boundary(self) -> None:
        middle, out, tall, along = ARENA_SIZE / 2, 0.5, 200.0, ARENA_SIZE / 2 + 1
        for side in (-out, ARENA_SIZE + out):
            self._static_box((out, tall, along), (side, 0.0, middle))
            self._static_box((along, tall, out), (middle, 0.0, side))

    def _static_box(self, half: Vector, centre: Vector) -> None:
        shape = bullet.createCollisionShape(
            bullet.GEOM_BOX, halfExtents=_swap(half), physicsClientId=self._client
        )
        self._add_static(shape, centre, 0.0)

    def _add_static(self, shape: int, centre: Vector, yaw: float) -> int:
        self._add_body(shape, 0.0, centre, yaw, _STATIC_FOR_REST)
        body = self._add_body(shape, 0.0, centre, yaw, _STATIC_FOR_AGENT)
        self._statics.add(body)
        return body

    def _build_agent(self) -> int:
        shape = bullet.createCollisionShape(
            bullet.GEOM_SPHERE, radius=AGENT_RADIUS, physicsClientId=self._client
        )
        body = self._add_body(shape, AGENT_MASS, self.layout.agent.position, 0.0, _AGENT_CLASS)
        # An infinite inertia: all three rotations of the agent are frozen.
        self._change(body, mass=AGENT_MASS, localInertiaDiagonal=(0, 0, 0))
        return body

    def _build(self, placed: Placed) -> int | None:
        if placed.kind.body is Body.ZONE:
            return None
        shape = self._shape(placed)
        if placed.kind.body is Body.STATIC:
            return self._add_static(shape, placed.position, placed.yaw)
        body = self._add_body(shape, placed.kind.mass, placed.position, placed.yaw, _class_of(placed))
        if placed.kind.launch:
            yaw = math.radians(placed.yaw)
            speed = placed.kind.launch
            self._set_motion(body, (speed * math.sin(yaw), 0.0, speed * math.cos(yaw)))
        return body

    def _shape(self, placed: Placed) -> int:
        client, size = self._client, placed.size
        if placed.kind.shape is Shape.BALL:
            return int(
                bullet.createCollisionShape(bullet.GEOM_SPHERE, radius=size[0] / 2, physicsClientId=client)
            )
        if placed.kind.shape is Shape.BOX:
            half = _swap((size[0] / 2, size[1] / 2, size[2] / 2))
            return int(bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=half, physicsClientId=client))
        if placed.kind.shape in BARS:
            return self._bars(placed)
        if placed.kind.shape is Shape.PRISM:
            corners = [_swap(tuple(corner)) for corner in prism_vertices(size)]
            return int(
                bullet.createCollisionShape(bullet.GEOM_MESH, vertices=corners, physicsClientId=client)
            )
        vertices, indices = _tube_mesh(size)
        return int(
            bullet.createCollisionShape(
                bullet.GEOM_MESH,
                vertices=vertices,
                indices=indices,
                flags=bullet.GEOM_FORCE_CONCAVE_TRIMESH,
                physicsClientId=client,
            )
        )

    def _bars(self, placed: Placed) -> int:
        parts = bar_parts(placed.kind.shape, placed.size)
        return int(
            bullet.createCollisionShapeArray(
                shapeTypes=[bullet.GEOM_BOX] * len(parts),
                halfExtents=[[length / 2 for length in _swap(part.size)] for part in parts],
                collisionFramePositions=[_swap(part.centre) for part in parts],
                physicsClientId=self._client,
            )
        )

    def _add_body(self, shape: int, mass: float, centre: Vector, yaw: float, group: _Class) -> int:
        body = int(
            bullet.createMultiBody(
                baseMass=mass,
                baseCollisionShapeIndex=shape,
                basePosition=_swap(centre),
                baseOrientation=bullet.getQuaternionFromEuler((0, 0, -math.radians(yaw))),
                useMaximalCoordinates=True,
                physicsClientId=self._client,
            )
        )
        self._change(
            body,
            lateralFriction=group.friction,
            restitution=0.0,
            linearDamping=0.0,
            angularDamping=_ANGULAR_DAMPING,
            rollingFriction=0.0,
            spinningFriction=0.0,
            collisionMargin=COLLISION_MARGIN,
        )
        bullet.setCollisionFilterGroupMask(body, -1, group.bit, group.mask, physicsClientId=self._client)
        return body

    def _change(self, body: int, **properties: object) -> None:
        bullet.changeDynamics(body, -1, physicsClientId=self._client, **properties)

    def _index_sets(self) -> None:
        """What each tick looks at, in creation order."""
        things = self.layout.things
        alive = [index for index, body in enumerate(self._bodies) if body is not None]
        self._goals = [index for index in alive if things[index].kind.is_goal]
        self._moving = [index for index in alive if things[index].kind.body is Body.DYNAMIC]
        self._zones = [index for index, placed in enumerate(things) if placed.kind.body is Body.ZONE]

    # --- one tick

    def _drive(self, action: Action) -> None:
        vx, vy, vz = self._velocity
        heading = math.radians(self.agent_yaw)
        ax = az = 0.0
        if self.grounded and action.move is Move.NONE:
            vx, vy, vz = vx * QUICK_STOP, vy * QUICK_STOP, vz * QUICK_STOP
        elif self.grounded:
            push = DRIVE if action.move is Move.FORWARD else -DRIVE
            ax, az = push * math.sin(heading), push * math.cos(heading)
        if action.rotate is not Rotate.NONE:
            self.agent_yaw = (
                self.agent_yaw + (TURN_DEG if action.rotate is Rotate.RIGHT else -TURN_DEG)
            ) % 360
        self._set_velocity((vx + ax * TICK_S, vy, vz + az * TICK_S))

    def _set_velocity(self, velocity: Vector) -> None:
        """Apply drag as PhysX does, after gravity, though Bullet adds gravity only inside its step."""
        vx, vy, vz = velocity
        fall = GRAVITY * TICK_S
        self._set_motion(self._agent, (vx * DRAG_FACTOR, (vy - fall) * DRAG_FACTOR + fall, vz * DRAG_FACTOR))

    def _set_motion(self, body: int, velocity: Vector) -> None:
        bullet.resetBaseVelocity(body, linearVelocity=_swap(velocity), physicsClientId=self._client)

    def _read_agent(self) -> None:
        client, agent = self._client, self._agent
        velocity = bullet.getBaseVelocity(agent, physicsClientId=client)[0]
        at = bullet.getBasePositionAndOrientation(agent, physicsClientId=client)[0]
        contacts = bullet.getContactPoints(bodyA=agent, physicsClientId=client)
        self.grounded = any(contact[7][2] > _UP for contact in contacts)
        rubbed = velocity
        for contact in contacts:
            if contact[2] in self._statics:
                rubbed = _rub(rubbed, contact[7], DEFAULT_FRICTION * contact[9] * TICK_S / AGENT_MASS)
        if rubbed is not velocity:
            at = tuple(p + (b - a) * TICK_S for p, a, b in zip(at, velocity, rubbed, strict=True))
            bullet.resetBasePositionAndOrientation(agent, at, (0, 0, 0, 1), physicsClientId=client)
        self._velocity, self._agent_at = _swap(rubbed), _swap(at)

    def _limit_spin(self) -> None:
        for index in self._goals:
            body = self._bodies[index]
            linear, spin = bullet.getBaseVelocity(body, physicsClientId=self._client)
            rate = math.sqrt(spin[0] ** 2 + spin[1] ** 2 + spin[2] ** 2)
            if rate > MAX_SPIN:
                slower = [component * MAX_SPIN / rate for component in spin]
                bullet.resetBaseVelocity(body, linear, slower, physicsClientId=self._client)

    def _touched_goals(self) -> tuple[int, ...]:
        x, y, z = self._agent_at
        touched = []
        for index in self._goals:
            at = bullet.getBasePositionAndOrientation(self._bodies[index], physicsClientId=self._client)[0]
            reach = AGENT_RADIUS + self.layout.things[index].size[0] / 2 + CONTACT_OFFSET
            if (at[0] - x) ** 2 + (at[1] - z) ** 2 + (at[2] - y) ** 2 < reach**2:
                touched.append(index)
        return tuple(touched)

    def _entered_zones(self) -> tuple[int, ...]:
        return tuple(
            index for index in self._zones if _ball_in_box(self._agent_at, self.layout.things[index])
        )

    def _refresh(self, index: int) -> None:
        at, turn = bullet.getBasePositionAndOrientation(self._bodies[index], physicsClientId=self._client)
        self._positions[index] = _swap(at)
        matrix = np.reshape(bullet.getMatrixFromQuaternion(turn), (3, 3))
        self._rotations[index] = matrix[np.ix_((0, 2, 1), (0, 2, 1))]


def _class_of(placed: Placed) -> _Class:
    return _BOX_CLASS if placed.kind.friction == LOW_FRICTION else _OTHER_CLASS


def _swap(vector: tuple[float, ...]) -> Vector:
    return (vector[0], vector[2], vector[1])


def _rub(velocity: Vector, normal: Vector, limit: float) -> Vector:
    """Coulomb friction of one contact: slow the sliding part of a velocity by at most `limit` (m/s).

    Bullet's own friction acts along two fixed axes and, where floor and wall are touched together, lets
    each contact load the other; an agent would stick to walls along which Unity's slides.
    """
    into = sum(v * n for v, n in zip(velocity, normal, strict=True))
    sliding = [v - into * n for v, n in zip(velocity, normal, strict=True)]
    speed = math.sqrt(sum(s * s for s in sliding))
    if limit <= 0 or speed == 0:
        return velocity
    share = min(1.0, limit / speed)
    x, y, z = (v - share * s for v, s in zip(velocity, sliding, strict=True))
    return (x, y, z)


def _ball_in_box(centre: Vector, zone: Placed) -> bool:
    """Whether the agent's sphere overlaps a zone's box, which is turned by its yaw only."""
    yaw = math.radians(zone.yaw)
    sin, cos = math.sin(yaw), math.cos(yaw)
    dx, dy, dz = (a - b for a, b in zip(centre, zone.position, strict=True))
    local = (dx * cos - dz * sin, dy, dx * sin + dz * cos)
    gaps = (max(abs(a) - size / 2, 0.0) for a, size in zip(local, zone.size, strict=True))
    return sum(gap * gap for gap in gaps) < AGENT_RADIUS**2


def _tube_mesh(size: Vector) -> tuple[list[Vector], list[int]]:
    """Triangles of a tunnel's outer, inner and end faces, in Bullet's frame."""
    outer = ring(size[0] / 2, size[1] / 2)
    loops = [(points, z) for z in (-size[2] / 2, size[2] / 2) for points in (outer, outer * TUBE_INNER)]
    count = len(outer)
    vertices = [_swap((x, y, z)) for points, z in loops for x, y in points]
    # Loops: 0 outer and 1 inner at -z, 2 outer and 3 inner at +z; four bands join them.
    indices: list[int] = []
    for a, b in ((0, 2), (3, 1), (2, 3), (1, 0)):
        for i in range(count):
            j = (i + 1) % count
            corners = (a * count + i, a * count + j, b * count + j, b * count + i)
            indices += [corners[0], corners[1], corners[2], corners[0], corners[2], corners[3]]
    return vertices, indices
