"""The agent's body: driving, braking, turning and friction (section 2 of the behaviour specification)."""

import math
from collections.abc import Callable, Mapping

from arena.action import TICK_S, Action, Move, Rotate
from arena.geometry.placed import AgentStart
from arena.physics.bodies import AGENT_MASS, Body, swap
from arena.physics.bullet import bullet
from arena.physics.contacts import WallContacts, apply_reactions, find_contacts, push_out
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
"""Velocity that gravity adds in one tick, m/s."""

_UP = 0.01
"""A contact whose normal has a larger vertical component supports the agent."""


class AgentBody:
    """An agent's sphere in Bullet, moved by Animal-AI's rules.

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
        self._is_written = True

    def drive(self, action: Action, frozen: bool) -> None:
        """Apply an action to the next tick; a frozen agent only falls and slides."""
        vx, vy, vz = self.velocity if frozen else self._driven(action)
        # PhysX applies drag after gravity.
        self._driven_velocity = (vx * DRAG_FACTOR, vz * DRAG_FACTOR, (vy - _FALL) * DRAG_FACTOR)

    def stop(self) -> None:
        """Take all speed from the agent."""
        self.velocity = (0.0, 0.0, 0.0)

    def step_against_static(self, walls: WallContacts) -> bool:
        """Move the agent through a tick in which it touches static bodies only.

        Returns False and does nothing if it would push or tip one of them.
        """
        motion = solve(self._driven_velocity, walls.contacts, TICK_S)
        for (x, y, _), limit in zip(motion.impulses, walls.limits, strict=True):
            if AGENT_MASS * math.hypot(x, y) > limit:
                return False
        self.grounded = any(contact.normal[2] > _UP for contact in walls.contacts)
        px, py, pz = self.position
        vx, vy, vz = motion.moving
        self.position = (px + vx * TICK_S, py + vz * TICK_S, pz + vy * TICK_S)
        self.velocity = swap(motion.after)
        self._is_written = False
        return True

    def write_to_bullet(self) -> None:
        """Set position and driven velocity in Bullet, before its step."""
        client = self._client
        if not self._is_written:
            bullet.resetBasePositionAndOrientation(
                self.body, swap(self.position), (0, 0, 0, 1), physicsClientId=client
            )
            self._is_written = True
        x, y, z = self._driven_velocity
        # Bullet adds gravity in its step.
        bullet.resetBaseVelocity(self.body, (x, y, z + _FALL), physicsClientId=client)

    def braked(self, action: Action) -> tuple[Vector, float]:
        """Velocity and yaw at once after an action: braked and turned; driving acts later, as a force."""
        yaw = self.yaw
        if action.rotate is not Rotate.NONE:
            yaw = (yaw + (TURN_DEG if action.rotate is Rotate.RIGHT else -TURN_DEG)) % 360
        if action.move is not Move.NONE or not self.grounded:
            return self.velocity, yaw
        vx, vy, vz = self.velocity
        return (vx * QUICK_STOP, vy * QUICK_STOP, vz * QUICK_STOP), yaw

    def _driven(self, action: Action) -> Vector:
        """Velocity after braking or driving; the force acts along the heading before this tick's turn."""
        heading = math.radians(self.yaw)
        velocity, self.yaw = self.braked(action)
        if action.move is Move.NONE or not self.grounded:
            return velocity
        vx, vy, vz = velocity
        gain = (DRIVE if action.move is Move.FORWARD else -DRIVE) * TICK_S
        return (vx + gain * math.sin(heading), vy, vz + gain * math.cos(heading))

    def resolve_contacts(self, bodies: Mapping[int, Body], is_asleep: Callable[[int], bool]) -> None:
        """Move the agent as PhysX would, given this tick's contacts in Bullet.

        `bodies` are all bodies by Bullet's id; `is_asleep` says whether one of them is held still.
        """
        client = self._client
        points = bullet.getContactPoints(bodyA=self.body, physicsClientId=client)
        self.grounded = any(point[7][2] > _UP for point in points)
        found = find_contacts(client, points, bodies, is_asleep, TICK_S, _FALL)
        x, y, z = self._driven_velocity
        px, py, pz = found.impulse
        start = (x + px / AGENT_MASS, y + py / AGENT_MASS, z + pz / AGENT_MASS)
        motion = solve(start, found.contacts, TICK_S)
        apply_reactions(client, found, motion.impulses)
        before = swap(self.position)
        pushed = push_out(client, self.body, before, found.normals, TICK_S)
        x, y, z = (p + v * TICK_S + out for p, v, out in zip(before, motion.moving, pushed, strict=True))
        bullet.resetBasePositionAndOrientation(self.body, (x, y, z), (0, 0, 0, 1), physicsClientId=client)
        self.velocity, self.position = swap(motion.after), (x, z, y)
