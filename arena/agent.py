"""An agent's body: how it drives, brakes, turns and rubs (section 2 of the behaviour specification)."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from arena.action import Action, Move, Rotate
from arena.bodies import AGENT_MASS, Body, swap
from arena.bullet import bullet
from arena.friction import Partner, friction_impulse
from arena.placed import AgentStart
from arena.scene import Vector

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

_UP = 0.01
"""A contact normal whose vertical part is larger than this carries the agent."""


class AgentBody:
    """One agent's sphere in Bullet, moved by Animal-AI's rule.

    `position` (centre, metres) and `velocity` (m/s) are in Animal-AI's frame; `yaw` is in degrees, 0 to 360.
    """

    def __init__(self, client: int, body: int, start: AgentStart) -> None:
        self._client = client
        self.body = body
        self.position: Vector = start.position
        self.velocity: Vector = (0.0, 0.0, 0.0)
        self.yaw = start.yaw
        self.grounded = False

    def drive(self, action: Action, frozen: bool) -> None:
        """Apply an action for the coming tick; a frozen agent only falls and slides."""
        vx, vy, vz = self.velocity if frozen else self._driven(action)
        # PhysX drags after gravity, though Bullet adds gravity only inside its step.
        fall = GRAVITY * TICK_S
        dragged = (vx * DRAG_FACTOR, vz * DRAG_FACTOR, (vy - fall) * DRAG_FACTOR + fall)
        bullet.resetBaseVelocity(self.body, dragged, physicsClientId=self._client)

    def _driven(self, action: Action) -> Vector:
        """Velocity after braking or driving; the force has the heading before this tick's turn."""
        vx, vy, vz = self.velocity
        heading = math.radians(self.yaw)
        if action.rotate is not Rotate.NONE:
            turn = TURN_DEG if action.rotate is Rotate.RIGHT else -TURN_DEG
            self.yaw = (self.yaw + turn) % 360
        if not self.grounded:
            return (vx, vy, vz)
        if action.move is Move.NONE:
            return (vx * QUICK_STOP, vy * QUICK_STOP, vz * QUICK_STOP)
        gain = (DRIVE if action.move is Move.FORWARD else -DRIVE) * TICK_S
        return (vx + gain * math.sin(heading), vy, vz + gain * math.cos(heading))

    def settle(self, bodies: Mapping[int, Body], is_still: Callable[[int], bool]) -> None:
        """Take over Bullet's result of the tick, with friction applied to the motion.

        `bodies` by Bullet's id; `is_still` tells those of them that cannot move now.
        """
        client = self._client
        velocity = bullet.getBaseVelocity(self.body, physicsClientId=client)[0]
        at = bullet.getBasePositionAndOrientation(self.body, physicsClientId=client)[0]
        contacts = bullet.getContactPoints(bodyA=self.body, physicsClientId=client)
        self.grounded = any(contact[7][2] > _UP for contact in contacts)
        slowed = velocity
        for contact in contacts:
            other = bodies[contact[2]]
            # Of two agents, the first sees to the friction between them.
            if not (other.is_agent and other.id < self.body):
                slowed = self._rub(slowed, contact, other, is_still)
        if slowed is not velocity:
            x, y, z = (p + (b - a) * TICK_S for p, a, b in zip(at, velocity, slowed, strict=True))
            at = (x, y, z)
            bullet.resetBasePositionAndOrientation(self.body, at, (0, 0, 0, 1), physicsClientId=client)
        self.velocity, self.position = swap(slowed), swap(at)

    def _rub(
        self, velocity: Vector, contact: tuple[Any, ...], other: Body, is_still: Callable[[int], bool]
    ) -> Vector:
        """The velocity (Bullet's frame) after the friction of one of Bullet's contact points."""
        partner, arm = None, np.zeros(3)
        if other.mass and not is_still(other.id):
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
        inertia = np.array(bullet.getDynamicsInfo(other.id, -1, physicsClientId=client)[2])
        at, turn = bullet.getBasePositionAndOrientation(other.id, physicsClientId=client)
        linear, spin = bullet.getBaseVelocity(other.id, physicsClientId=client)
        axes = np.reshape(bullet.getMatrixFromQuaternion(turn), (3, 3))
        # An inertia of 0 stands for one that nothing turns: another agent's.
        inverse = (axes * np.divide(1.0, inertia, out=np.zeros(3), where=inertia > 0)) @ axes.T
        partner = Partner(1 / other.mass, inverse, np.array(linear), np.array(spin))
        return partner, np.array(point) - np.array(at)
