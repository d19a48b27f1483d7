"""An agent's body, moved by Animal-AI's rules (section 2 of the behaviour specification)."""

from collections.abc import Callable, Mapping

import numpy as np

from arena.action import TICK_S, Action
from arena.geometry.placed import AGENT_RADIUS, AgentStart
from arena.kernel import motion
from arena.kernel.contacts import AGENT_MASS, FALL
from arena.kernel.parts import Parts
from arena.kernel.solver import solve
from arena.kernel.tables import BODY, CONTACT, GROUNDED, MOST_CONTACTS, VX, YAW, X
from arena.physics.bodies import Body, swap
from arena.physics.bullet import bullet
from arena.physics.contacts import apply_reactions, find_contacts, push_out
from arena.scene import Floats, Vector


class AgentBody:
    """An agent's sphere.

    `state` is that of the kernel (`arena.kernel.tables.BODY`); what is read from it is in Animal-AI's frame.
    """

    def __init__(self, start: AgentStart) -> None:
        self._client = self.body = -1
        self.state: Floats = np.zeros(BODY)
        self.state[X : X + 3], self.state[YAW] = start.position, start.yaw
        self._driven_velocity: Vector = (0.0, 0.0, 0.0)
        self._found = np.zeros(MOST_CONTACTS, CONTACT)

    @property
    def position(self) -> Vector:
        """Centre, metres."""
        x, y, z = self.state[X : X + 3].tolist()
        return x, y, z

    @property
    def velocity(self) -> Vector:
        """Velocity, m/s."""
        x, y, z = self.state[VX : VX + 3].tolist()
        return x, y, z

    @property
    def yaw(self) -> float:
        """Heading, degrees from 0 to 360."""
        return float(self.state[YAW])

    def drive(self, action: Action, frozen: bool) -> None:
        """Apply an action to the next tick; a frozen agent only falls and slides."""
        if frozen:
            self._driven_velocity = motion.fallen(*self.velocity)
        else:
            *velocity, self.state[YAW] = motion.driven(self.state, int(action.move), int(action.rotate))
            self._driven_velocity = (velocity[0], velocity[1], velocity[2])

    def stop(self) -> None:
        """Take all speed from the agent."""
        self.state[VX : VX + 3] = 0.0

    def settle(self, parts: Parts) -> bool:
        """Move the agent through a tick among parts at rest.

        Returns False and does nothing if it would push or tip one of them.
        """
        return motion.settle(self.state, parts, self._found, *self._driven_velocity)

    def enter(self, client: int, body: int) -> None:
        """Take a body of a Bullet client."""
        self._client, self.body = client, body

    def write_to_bullet(self) -> None:
        """Set position and driven velocity in Bullet, before its step."""
        client, at, (x, y, z) = self._client, swap(self.position), self._driven_velocity
        bullet.resetBasePositionAndOrientation(self.body, at, (0, 0, 0, 1), physicsClientId=client)
        # Bullet adds gravity in its step.
        bullet.resetBaseVelocity(self.body, (x, z, y + FALL), physicsClientId=client)

    def braked(self, action: Action) -> tuple[Vector, float]:
        """Velocity and yaw at once after an action: braked and turned; driving acts later, as a force."""
        x, y, z, yaw = motion.braked(self.state, int(action.move), int(action.rotate))
        return (x, y, z), yaw

    def resolve_contacts(self, bodies: Mapping[int, Body], is_asleep: Callable[[int], bool]) -> None:
        """Move the agent as PhysX would, given this tick's contacts in Bullet.

        `bodies` are all bodies by Bullet's id; `is_asleep` says whether one of them is held still.
        """
        client = self._client
        points = bullet.getContactPoints(bodyA=self.body, physicsClientId=client)
        self.state[GROUNDED] = any(point[7][2] > motion.UP for point in points)
        found = find_contacts(client, points, bodies, is_asleep, TICK_S, FALL)
        x, y, z = self._driven_velocity
        px, py, pz = (push / AGENT_MASS for push in found.impulse)
        solved = np.zeros((4, 3))
        solved[0] = x + px, y + pz, z + py
        solve(found.rows, len(found.rows), AGENT_RADIUS, 0.0, solved)
        apply_reactions(client, found)
        before = self.position
        pushed = swap(push_out(client, self.body, swap(before), found.normals, TICK_S))
        at = tuple(p + v * TICK_S + out for p, v, out in zip(before, solved[2].tolist(), pushed, strict=True))
        bullet.resetBasePositionAndOrientation(self.body, swap(at), (0, 0, 0, 1), physicsClientId=client)
        self.state[VX : VX + 3], self.state[X : X + 3] = solved[0], at
