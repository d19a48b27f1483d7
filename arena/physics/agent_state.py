"""One agent's state in an episode, as callers see it."""

import math
from collections.abc import Callable

from arena import rules
from arena.physics.agent import AgentBody
from arena.rules import Account, Outcome
from arena.scene import Vector


class AgentState:
    """What one agent has and where it is; kept up to date by its episode."""

    def __init__(self, account: Account, pass_mark: float | None, body: Callable[[], AgentBody]) -> None:
        """`body` gives the agent's body in the arena that is played now."""
        self._account = account
        self._pass_mark = pass_mark
        self._now = body
        self._before = 0.0
        self.total_reward = 0.0

    def take_reward(self) -> float:
        """The reward of the step that just ended; adds it to the total."""
        reward = self._before + self._account.take_step_reward()
        self._before = 0.0
        self.total_reward += reward
        return reward

    def keep_reward(self) -> None:
        """Keep what this step brought so far, as the account changes arenas."""
        self._before += self._account.take_step_reward()

    @property
    def reward_so_far(self) -> float:
        """The total reward, the step under way included."""
        return self.total_reward + self._before + self._account.step_reward

    @property
    def health(self) -> float:
        """0 to 100, as the agent is told it."""
        return float(self._account.health)

    @property
    def outcome(self) -> Outcome | None:
        """Why the episode ended for this agent; None while it goes on."""
        return self._account.outcome

    @property
    def passed(self) -> bool | None:
        """Whether the total reward so far reaches the pass mark; None for an arena without one."""
        return rules.passed(self.total_reward, self._pass_mark)

    @property
    def position(self) -> Vector:
        """Centre in metres, Animal-AI frame."""
        return self._body.position

    @property
    def velocity(self) -> Vector:
        """Velocity in m/s, Animal-AI frame."""
        return self._body.velocity

    @property
    def local_velocity(self) -> Vector:
        """Velocity in m/s in the agent's own frame: right, up, forward."""
        x, y, z = self.velocity
        yaw = math.radians(self.yaw)
        sin, cos = math.sin(yaw), math.cos(yaw)
        return (x * cos - z * sin, y, x * sin + z * cos)

    @property
    def yaw(self) -> float:
        """Heading in degrees, 0 to 360, clockwise from +z seen from above."""
        return self._body.yaw

    @property
    def _body(self) -> AgentBody:
        return self._now()
