"""An agent's body: how it drives, brakes, turns and rubs (section 2 of the behaviour specification)."""

import math
from collections.abc import Callable, Mapping

from arena.action import TICK_S, Action, Move, Rotate
from arena.geometry.placed import AgentStart
from arena.physics.bodies import AGENT_MASS, Body, swap
from arena.physics.bullet import bullet
from arena.physics.contacts import Firm, find, pushed_out, react
from arena.physics.solver import solve
from arena.scene import Vector

GRAVITY = 9.81
DRIVE = 50.0
"""Forward or backward acceleration, m/s2: speed 25 x 100 x 0.02 s (`TrainingAgent.cs`)."""

DRAG_FACTOR = 1 - 1.6 * TICK_S
"""PhysX scales the velocity by 1 - drag x dt each tick; the agent's linear drag is 1.6 per second."""

QUICK_STOP = 0.9
"""Factor on a grounded agent's velocity in each tick without forward or backward input."""

TURN_DEG = 2.0
"""Heading change of one tick of turning: 100 degrees/s x 0.02 s."""

_FALL = GRAVITY * TICK_S
"""What gravity adds to a velocity in a tick, m/s."""

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
        self._driven_velocity: Vector = (0.0, 0.0, 0.0)
        self._known_to_bullet = True

    def drive(self, action: Action, frozen: bool) -> None:
        """Apply an action for the coming tick; a frozen agent only falls and slides."""
        vx, vy, vz = self.velocity if frozen else self._driven(action)
        # PhysX drags after gravity.
        self._driven_velocity = (vx * DRAG_FACTOR, vz * DRAG_FACTOR, (vy - _FALL) * DRAG_FACTOR)

    def glide(self, firm: Firm) -> bool:
        """Move the agent through a tick in which it touches nothing that gives way.

        Returns False, and does nothing, where it would push or tip over what it touches.
        """
        motion = solve(self._driven_velocity, firm.contacts, TICK_S)
        for (x, y, _), limit in zip(motion.impulses, firm.limits, strict=True):
            if AGENT_MASS * math.hypot(x, y) > limit:
                return False
        self.grounded = any(contact.normal[2] > _UP for contact in firm.contacts)
        px, py, pz = self.position
        vx, vy, vz = motion.moving
        self.position = (px + vx * TICK_S, py + vz * TICK_S, pz + vy * TICK_S)
        self.velocity = swap(motion.after)
        self._known_to_bullet = False
        return True

    def hand_over(self) -> None:
        """Tell Bullet where the agent is and how it was driven, before Bullet's step."""
        client = self._client
        if not self._known_to_bullet:
            bullet.resetBasePositionAndOrientation(
                self.body, swap(self.position), (0, 0, 0, 1), physicsClientId=client
            )
            self._known_to_bullet = True
        x, y, z = self._driven_velocity
        # Bullet adds gravity inside its step.
        bullet.resetBaseVelocity(self.body, (x, y, z + _FALL), physicsClientId=client)

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
        """Move the agent as PhysX does: through this tick's contacts, which Bullet has found.

        `bodies` by Bullet's id; `is_still` tells those of them that cannot move now.
        """
        client = self._client
        points = bullet.getContactPoints(bodyA=self.body, physicsClientId=client)
        self.grounded = any(point[7][2] > _UP for point in points)
        found = find(client, points, bodies, is_still, TICK_S, _FALL)
        x, y, z = self._driven_velocity
        px, py, pz = found.impulse
        start = (x + px / AGENT_MASS, y + py / AGENT_MASS, z + pz / AGENT_MASS)
        motion = solve(start, found.contacts, TICK_S)
        react(client, found, motion.impulses)
        before = swap(self.position)
        pushed = pushed_out(client, self.body, before, found.normals, TICK_S)
        x, y, z = (p + v * TICK_S + out for p, v, out in zip(before, motion.moving, pushed, strict=True))
        bullet.resetBasePositionAndOrientation(self.body, (x, y, z), (0, 0, 0, 1), physicsClientId=client)
        self.velocity, self.position = swap(motion.after), (x, z, y)
