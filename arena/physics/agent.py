"""An agent's body, moved by Animal-AI's rules (section 2 of the behaviour specification)."""

import numpy as np

from arena.action import Action
from arena.geometry.placed import AgentStart
from arena.kernel import motion
from arena.kernel.parts import Parts
from arena.kernel.tables import BODY, CONTACT, GROUNDED, MOST_CONTACTS, VX, YAW, X
from arena.scene import Floats, Vector


class AgentBody:
    """An agent's sphere.

    `state` is that of the kernel (`arena.kernel.tables.BODY`); what is read from it is in Animal-AI's frame.
    """

    def __init__(self, start: AgentStart) -> None:
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

    def braked(self, action: Action) -> tuple[Vector, float]:
        """Velocity and yaw at once after an action: braked and turned; driving acts later, as a force."""
        x, y, z, yaw = motion.braked(self.state, int(action.move), int(action.rotate))
        return (x, y, z), yaw

    @property
    def driven_velocity(self) -> Vector:
        """Velocity after the action, gravity and drag of this tick, before contacts, m/s."""
        return self._driven_velocity

    def move(self, position: Vector, velocity: Vector, grounded: bool) -> None:
        """Go to where a tick among moving bodies leads."""
        self.state[X : X + 3], self.state[VX : VX + 3], self.state[GROUNDED] = position, velocity, grounded
