"""The state of one agent in an episode."""

from collections.abc import Sequence

from arena import rules
from arena.action import Action
from arena.mechanisms import Stage
from arena.physics.agent import AgentBody
from arena.rules import Account, Outcome
from arena.scene import Vector, local


class AgentState:
    """Health, reward and pose of one agent; always up to date."""

    def __init__(
        self, account: Account, pass_mark: float | None, stages: Sequence[Stage], number: int
    ) -> None:
        """It is the agent `number` of the last of the `stages`."""
        self._account = account
        self._pass_mark = pass_mark
        self._stages, self._number = stages, number
        self._carried = 0.0
        self.total_reward = 0.0

    def take_reward(self) -> float:
        """Reward of the step that just ended, which is added to the total."""
        self.keep_reward()
        reward, self._carried = self._carried, 0.0
        self.total_reward += reward
        return reward

    def keep_reward(self) -> None:
        """Keep the reward of this step so far while the account changes arenas."""
        self._carried += self._account.take_step_reward()

    @property
    def _body(self) -> AgentBody:
        return self._stages[-1].world.agents[self._number]

    @property
    def reward_so_far(self) -> float:
        """The total reward including the current step."""
        return self.total_reward + self._carried + self._account.step_reward

    @property
    def health(self) -> float:
        """0 to 100."""
        return float(self._account.health)

    @property
    def outcome(self) -> Outcome | None:
        """Why the episode ended for this agent; None while it is running."""
        return self._account.outcome

    @property
    def passed(self) -> bool | None:
        """Whether the total reward so far reaches the pass mark; None if the arena has none."""
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
        return local(self.velocity, self.yaw)

    def braked(self, action: Action) -> tuple[Vector, float]:
        """Local velocity and yaw at once after an action, before the physics of its tick."""
        velocity, yaw = self._body.braked(action)
        return local(velocity, yaw), yaw

    @property
    def yaw(self) -> float:
        """Heading in degrees, 0 to 360, clockwise from +z seen from above."""
        return self._body.yaw
