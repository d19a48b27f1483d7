"""Scaffolds: actions in words to the environment, pictures back."""

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from arena.animalai.base_env import ActionTuple, Floats, TerminalSteps
from arena.animalai.environment import AnimalAIEnvironment
from arena.animalai.exception import InvalidValueError

ObsType = TypeVar("ObsType")
Frame = npt.NDArray[np.uint8]

ACTION_MAP = {
    "NOOP": (0, 0),
    "FORWARD": (1, 0),
    "BACKWARD": (2, 0),
    "TURN_RIGHT": (0, 1),
    "TURN_LEFT": (0, 2),
    "FORWARD_RIGHT": (1, 1),
    "FORWARD_LEFT": (1, 2),
}
"""Move and rotate of each word."""

AVAILABLE_ACTIONS = list(ACTION_MAP)

DONE_REASON_TERMINAL = "env_terminal"
DONE_REASON_TIMEOUT = "ml_agents_timeout"

START_PROMPT = """You control an animal in a square, fenced arena and see through its eyes.
Collect every green and yellow ball, as fast as you can: your health falls with time and rises with each ball.
You collect a ball by touching it. The episode ends when all are collected or no health is left.
Avoid everything red: red balls cost you health, and red floor ends the episode.
Walls and arches do not move, and some walls are of glass; grey blocks can be pushed. Purple ramps can be
climbed. You can come down from a blue path or fall into a hole, but not get back up.

Answer with one of these actions: {actions}
"""
"""The text that explains the task; the original's says the same in other words."""


class EnvironmentScaffold(ABC, Generic[ObsType]):
    """Base of scaffolds: an environment that is acted in by words."""

    def __init__(self, env: AnimalAIEnvironment) -> None:
        self.env = env

    @abstractmethod
    def step(self, action: str) -> tuple[ObsType, float, bool, dict[str, Any]]:
        """Take an action; returns observation, reward, whether the episode is over, and info."""

    @abstractmethod
    def reset(self) -> tuple[ObsType, dict[str, Any]]:
        """Start the next episode; returns the first observation and info."""

    @abstractmethod
    def is_finished(self) -> bool:
        """Whether the episode is over."""

    def close(self) -> None:
        """Close the environment; may be called again."""
        self.env.close()

    @property
    @abstractmethod
    def available_actions(self) -> list[str]:
        """The words that are actions."""

    @staticmethod
    @abstractmethod
    def get_default_system_prompt() -> str:
        """A text that explains the task to a model."""

    @property
    @abstractmethod
    def total_reward(self) -> float:
        """The reward of the episode so far."""


class FrameByFrameScaffold(EnvironmentScaffold[Frame]):
    """A picture after each word: uint8 (r, r, 3), or (r, r) with grayscale; needs the camera.

    `done_reason` is why the episode ended; None while it is running.
    """

    available_actions = AVAILABLE_ACTIONS
    total_reward = 0.0

    @staticmethod
    def get_default_system_prompt() -> str:
        """A text that explains the task and lists the actions."""
        return START_PROMPT.format(actions=AVAILABLE_ACTIONS)

    def __init__(self, env: AnimalAIEnvironment, skipframe: int = 1) -> None:
        """`skipframe` is the number of steps for which an action is repeated.

        Raises InvalidValueError, a ValueError, if that is less than 1, there is no camera, or
        there are several agents.
        """
        super().__init__(env)
        if skipframe < 1:
            raise InvalidValueError(f"skipframe: got {skipframe!r}, expected 1 or more")
        if not env.useCamera:
            raise InvalidValueError("env: got an environment without a camera; create it with useCamera=True")
        self.skipframe = skipframe
        self.behavior_name = next(iter(env.behavior_specs))
        agents = sum(len(env.get_steps(name)[0]) for name in env.behavior_specs)
        if agents > 1:
            raise InvalidValueError(f"env: got an arena of {agents} agents, expected one")
        self._restart()

    def _restart(self) -> None:
        self._total_steps, self.total_reward = 0, 0.0
        self._done = False
        self.done_reason: str | None = None
        self.last_frame = _frame(self.env.get_steps(self.behavior_name)[0].obs)

    def reset(self) -> tuple[Frame, dict[str, Any]]:
        """Start the next episode."""
        self.env.reset()
        self._restart()
        return self.last_frame, {}

    def step(self, action: str) -> tuple[Frame, float, bool, dict[str, Any]]:
        """Take one of `available_actions`; raises InvalidValueError, a ValueError, for any other."""
        if action not in ACTION_MAP:
            raise InvalidValueError(f"action: got {action!r}, expected one of {', '.join(ACTION_MAP)}")
        reward = 0.0
        for _ in range(self.skipframe):
            if self._done:
                break
            reward += self._step(ACTION_MAP[action])
        self.total_reward += reward
        self._total_steps += 1
        return self.last_frame, reward, self._done, self.get_results() if self._done else {}

    def _step(self, branches: tuple[int, int]) -> float:
        self.env.set_actions(self.behavior_name, ActionTuple(discrete=[branches]))
        self.env.step()
        decision, terminal = self.env.get_steps(self.behavior_name)
        steps = terminal if len(terminal) else decision
        self.last_frame = _frame(steps.obs)
        if isinstance(steps, TerminalSteps):
            self._done = True
            self.done_reason = DONE_REASON_TIMEOUT if steps.interrupted[0] else DONE_REASON_TERMINAL
        return float(steps.reward[0])

    def is_finished(self) -> bool:
        """Whether the episode is over."""
        return self._done

    def get_results(self) -> dict[str, Any]:
        """Number of steps, total reward and why the episode ended."""
        return {
            "num_steps": self._total_steps,
            "total_reward": self.total_reward,
            "done_reason": self.done_reason,
        }


def _frame(obs: list[Floats]) -> Frame:
    """The camera's picture, channels last; a grey one without its channel."""
    picture = obs[0][0]
    if picture.shape[0] in (1, 3):
        picture = picture.transpose(1, 2, 0)
    pixels: Frame = np.rint(picture * 255).astype(np.uint8)
    return pixels[..., 0] if pixels.shape[-1] == 1 else pixels
