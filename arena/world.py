"""The physics: bodies in Bullet, advanced one tick (0.02 s) at a time by Animal-AI's motion rule.

Positions and velocities inside this module and `arena/bodies.py` that come from Bullet are in its frame
(right-handed, z up); everything public is in Animal-AI's (left-handed, y up). Exchanging the last two
components converts either way.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from arena.action import Action, Move, Rotate
from arena.bodies import AGENT_MASS, Body, Builder, swap
from arena.bullet import bullet
from arena.catalog import Body as BodyType
from arena.friction import Partner, friction_impulse
from arena.heavy import Heavy
from arena.layout import AGENT_RADIUS, Layout, Placed
from arena.scene import Scene, Vector, yaw_rotation
from arena.support import resting_heights

TICK_S = 0.02
"""Unity's fixed timestep (`TimeManager.asset`)."""

GRAVITY = 9.81
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

MAX_SPIN = 7.0
"""Unity's default limit on angular speed, rad/s."""

_UP = 0.01
"""A contact normal whose vertical part is larger than this carries the agent."""


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
        self._velocity: Vector = (0.0, 0.0, 0.0)
        self._agent_at: Vector = layout.agent.position
        self._client = bullet.connect(bullet.DIRECT)
        self._configure()
        builder = Builder(self._client)
        fixed = builder.ground_and_boundary()
        self._agent = builder.agent(layout.agent.position).id
        firm = resting_heights(layout.things)
        self._bodies = [
            None if placed.kind.body is BodyType.ZONE else builder.thing(_at_rest(placed, firm.get(index)))
            for index, placed in enumerate(layout.things)
        ]
        self._by_id: dict[int, Body] = {body.id: body for body in (*fixed, *self._bodies) if body}
        self._heavy = self._heavy_bodies(firm)
        self._inertia: dict[int, Any] = {}
        self._index_sets()
        at = [_at_rest(placed, firm.get(index)).position for index, placed in enumerate(layout.things)]
        self._positions = np.array(at).reshape(-1, 3)
        self._rotations = np.array([yaw_rotation(placed.yaw) for placed in layout.things]).reshape(-1, 3, 3)
        self._sizes = np.array([placed.size for placed in layout.things]).reshape(-1, 3)
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
        velocity = self._velocity if frozen else self._driven(action)
        self._set_velocity(velocity)
        self._heavy.wake_touched(self._agent_at)
        bullet.stepSimulation(physicsClientId=self._client)
        self._read_agent()
        self._heavy.rest()
        self._limit_spin()
        return touches

    def remove(self, index: int) -> None:
        """Take a thing out of the world, as when a ball is eaten."""
        body = self._bodies[index]
        if body is not None:
            self._refresh(index)
            bullet.removeBody(body.id, physicsClientId=self._client)
            self._bodies[index] = None
            self._visible[index] = False
            self._index_sets()

    def scene(self, lights_on: bool = True) -> Scene:
        """A copy of the present state for a camera."""
        for index in (*self._moving, *self._heavy.take_moved()):
            self._refresh(index)
        return Scene(
            self.things,
            self._positions.copy(),
            self._rotations.copy(),
            self._sizes.copy(),
            self._visible.copy(),
            self._agent_at,
            self.agent_yaw,
            lights_on=lights_on,
        )

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

    def _index_sets(self) -> None:
        """What each tick looks at, in creation order."""
        things = self.layout.things
        alive = [index for index, body in enumerate(self._bodies) if body is not None]
        self._goals = [index for index in alive if things[index].kind.is_goal]
        self._moving = [
            index
            for index in alive
            if things[index].kind.body is BodyType.DYNAMIC and not things[index].kind.is_heavy
        ]
        self._zones = [index for index, placed in enumerate(things) if placed.kind.body is BodyType.ZONE]

    def _heavy_bodies(self, firm: Mapping[int, float]) -> Heavy:
        """Walls and ramps; those that stand firmly sleep from the start."""
        things = self.layout.things
        bodies = {i: body for i, body in enumerate(self._bodies) if body and things[i].kind.is_heavy}
        heavy = Heavy(self._client, bodies, things)
        for index in bodies:
            if index in firm:
                heavy.sleep(index)
        return heavy

    def _driven(self, action: Action) -> Vector:
        """Velocity after braking or driving; the force has the heading before this tick's turn."""
        vx, vy, vz = self._velocity
        heading = math.radians(self.agent_yaw)
        if action.rotate is not Rotate.NONE:
            turn = TURN_DEG if action.rotate is Rotate.RIGHT else -TURN_DEG
            self.agent_yaw = (self.agent_yaw + turn) % 360
        if not self.grounded:
            return (vx, vy, vz)
        if action.move is Move.NONE:
            return (vx * QUICK_STOP, vy * QUICK_STOP, vz * QUICK_STOP)
        gain = (DRIVE if action.move is Move.FORWARD else -DRIVE) * TICK_S
        return (vx + gain * math.sin(heading), vy, vz + gain * math.cos(heading))

    def _set_velocity(self, velocity: Vector) -> None:
        """Apply drag as PhysX does, after gravity, though Bullet adds gravity only inside its step."""
        vx, vy, vz = velocity
        fall = GRAVITY * TICK_S
        dragged = (vx * DRAG_FACTOR, vz * DRAG_FACTOR, (vy - fall) * DRAG_FACTOR + fall)
        bullet.resetBaseVelocity(self._agent, dragged, physicsClientId=self._client)

    def _read_agent(self) -> None:
        """Take the agent's state from Bullet, with friction applied to this tick's motion."""
        client, agent = self._client, self._agent
        velocity = bullet.getBaseVelocity(agent, physicsClientId=client)[0]
        at = bullet.getBasePositionAndOrientation(agent, physicsClientId=client)[0]
        contacts = bullet.getContactPoints(bodyA=agent, physicsClientId=client)
        self.grounded = any(contact[7][2] > _UP for contact in contacts)
        slowed = velocity
        for contact in contacts:
            slowed = self._rub(slowed, contact)
        if slowed is not velocity:
            x, y, z = (p + (b - a) * TICK_S for p, a, b in zip(at, velocity, slowed, strict=True))
            at = (x, y, z)
            bullet.resetBasePositionAndOrientation(agent, at, (0, 0, 0, 1), physicsClientId=client)
        self._velocity, self._agent_at = swap(slowed), swap(at)

    def _rub(self, velocity: Vector, contact: tuple[Any, ...]) -> Vector:
        """The agent's velocity (Bullet frame) after the friction of one of Bullet's contact points."""
        other = self._by_id[contact[2]]
        partner, arm = None, np.zeros(3)
        if other.mass and not self._heavy.is_asleep(other.id):
            partner, arm = self._partner(other, contact[6])
        limit = other.friction * contact[9] * TICK_S
        push = friction_impulse(velocity, contact[7], limit, 1 / AGENT_MASS, partner, arm)
        if push == (0.0, 0.0, 0.0):
            return velocity
        if partner is not None:
            linear = partner.velocity - np.array(push) * partner.inverse_mass
            spin = partner.spin - partner.inverse_inertia @ np.cross(arm, push)
            bullet.resetBaseVelocity(other.id, linear.tolist(), spin.tolist(), physicsClientId=self._client)
        x, y, z = (float(v + p / AGENT_MASS) for v, p in zip(velocity, push, strict=True))
        return (x, y, z)

    def _partner(self, other: Body, point: Vector) -> tuple[Partner, Any]:
        """A movable body that the agent slides on, and the arm from its centre to the contact point."""
        client = self._client
        if other.id not in self._inertia:
            self._inertia[other.id] = np.array(
                bullet.getDynamicsInfo(other.id, -1, physicsClientId=client)[2]
            )
        at, turn = bullet.getBasePositionAndOrientation(other.id, physicsClientId=client)
        linear, spin = bullet.getBaseVelocity(other.id, physicsClientId=client)
        axes = np.reshape(bullet.getMatrixFromQuaternion(turn), (3, 3))
        inverse = (axes / self._inertia[other.id]) @ axes.T
        partner = Partner(1 / other.mass, inverse, np.array(linear), np.array(spin))
        return partner, np.array(point) - np.array(at)

    def _limit_spin(self) -> None:
        for index in self._goals:
            body = self._id(index)
            linear, spin = bullet.getBaseVelocity(body, physicsClientId=self._client)
            rate = math.sqrt(spin[0] ** 2 + spin[1] ** 2 + spin[2] ** 2)
            if rate > MAX_SPIN:
                slower = [component * MAX_SPIN / rate for component in spin]
                bullet.resetBaseVelocity(body, linear, slower, physicsClientId=self._client)

    def _touched_goals(self) -> tuple[int, ...]:
        x, y, z = self._agent_at
        touched = []
        for index in self._goals:
            at = bullet.getBasePositionAndOrientation(self._id(index), physicsClientId=self._client)[0]
            reach = AGENT_RADIUS + self.layout.things[index].size[0] / 2 + CONTACT_OFFSET
            if (at[0] - x) ** 2 + (at[1] - z) ** 2 + (at[2] - y) ** 2 < reach**2:
                touched.append(index)
        return tuple(touched)

    def _entered_zones(self) -> tuple[int, ...]:
        return tuple(
            index for index in self._zones if _ball_in_box(self._agent_at, self.layout.things[index])
        )

    def _refresh(self, index: int) -> None:
        at, turn = bullet.getBasePositionAndOrientation(self._id(index), physicsClientId=self._client)
        self._positions[index] = swap(at)
        matrix = np.reshape(bullet.getMatrixFromQuaternion(turn), (3, 3))
        self._rotations[index] = matrix[np.ix_((0, 2, 1), (0, 2, 1))]

    def _id(self, index: int) -> int:
        body = self._bodies[index]
        assert body is not None, "the thing was removed"
        return body.id

    def energy(self) -> float:
        """Mechanical energy (J) of the agent and of all that can move: motion, spin and height above y = 0.

        The ledger of the physics: without drive it does not grow.
        """
        client = self._client
        vx, vy, vz = self._velocity
        motion = (vx * vx + vy * vy + vz * vz) / 2
        total = AGENT_MASS * (motion + GRAVITY * self._agent_at[1])
        for body in filter(None, self._bodies):
            at, turn = bullet.getBasePositionAndOrientation(body.id, physicsClientId=client)
            linear, spin = map(np.array, bullet.getBaseVelocity(body.id, physicsClientId=client))
            inertia = np.array(bullet.getDynamicsInfo(body.id, -1, physicsClientId=client)[2])
            local = spin @ np.reshape(bullet.getMatrixFromQuaternion(turn), (3, 3))
            total += body.mass * (linear @ linear / 2 + GRAVITY * at[2]) + inertia @ local**2 / 2
        return float(total)


def _at_rest(placed: Placed, height: float | None) -> Placed:
    """A heavy thing at the height where it comes to rest; everything else where it was placed."""
    if height is None or not placed.kind.is_heavy:
        return placed
    return replace(placed, position=(placed.position[0], height, placed.position[2]))


def _ball_in_box(centre: Vector, zone: Placed) -> bool:
    """Whether the agent's sphere overlaps a zone's box, which is turned by its yaw only."""
    yaw = math.radians(zone.yaw)
    sin, cos = math.sin(yaw), math.cos(yaw)
    dx, dy, dz = (a - b for a, b in zip(centre, zone.position, strict=True))
    local = (dx * cos - dz * sin, dy, dx * sin + dz * cos)
    gaps = (max(abs(a) - size / 2, 0.0) for a, size in zip(local, zone.size, strict=True))
    return sum(gap * gap for gap in gaps) < AGENT_RADIUS**2
