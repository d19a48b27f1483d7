"""Scaffolds for language models, as in `animalai.LLM_scaffolds` (package `animalai` 6.2).

Actions in words go to the environment, pictures come back. The names of the wrappers are imported when they
are first used: that for Inspect AI is an extra (`pip install 'arena-llm[eval]'`), that for Kaggle Benchmarks
needs `pip install kaggle-benchmarks 'hishel<2'`. `arena-llm eval` evaluates models with all that these lack.
"""

import sys
from abc import ABC, abstractmethod
from importlib import import_module
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from arena.animalai.base_env import ActionTuple, Floats, TerminalSteps
from arena.animalai.environment import AnimalAIEnvironment
from arena.animalai.exception import InvalidValueError

_OF_INSPECT = ("act", "add_act_tool", "close_environment", "start_animalai", "total_reward_scorer")
_WRAPPERS = {"KaggleWrapper": "kaggle_wrapper", **dict.fromkeys(_OF_INSPECT, "inspect_wrapper")}

# The name under which the original has this code.
sys.modules[f"{__name__}.environment_scaffolds"] = sys.modules[__name__]

__all__ = ["EnvironmentScaffold", "FrameByFrameScaffold"]


def __getattr__(name: str) -> Any:
    if name not in _WRAPPERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WRAPPERS[name]}"), name)


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

DEFAULT_LAST_FRAME: Frame = np.zeros(0, np.uint8)
DEFAULT_TOTAL_STEPS = 0
DEFAULT_TOTAL_REWARD = 0.0
DEFAULT_DONE = False

DONE_REASON_TERMINAL = "env_terminal"
DONE_REASON_TIMEOUT = "ml_agents_timeout"
DONE_REASON_NO_AGENTS = "no_agents"

START_PROMPT = """You control an animal in a square, fenced arena and see through its eyes.
Collect every green and yellow ball, as fast as you can: your health falls with time and rises with each ball.
You collect a ball by touching it. The episode ends when all are collected or no health is left.
Avoid everything red: red balls cost you health, and red floor ends the episode.
Walls and arches do not move, and some walls are of glass; grey blocks can be pushed. Purple ramps can be
climbed. You can come down from a blue path or fall into a hole, but not get back up.

Answer with one of these actions: {actions}
"""
"""The text that explains the task. The original's says the same in other words."""


class EnvironmentScaffold(ABC, Generic[ObsType]):
    """Base of scaffolds: an environment that takes actions in words."""

    def __init__(self, env: AnimalAIEnvironment) -> None:
        self.env = env
        self._closed = False

    @abstractmethod
    def step(self, action: str) -> tuple[ObsType, float, bool, dict[str, Any]]:
        """Take an action; return observation, reward, done and info."""

    @abstractmethod
    def reset(self) -> tuple[ObsType, dict[str, Any]]:
        """Start the next episode; return the first observation and info."""

    @abstractmethod
    def is_finished(self) -> bool:
        """Return whether the episode is over."""

    def close(self) -> None:
        """Close the environment; may be called again."""
        if not self._closed:
            self._closed = True
            self.env.close()

    @property
    @abstractmethod
    def available_actions(self) -> list[str]:
        """The words that are actions."""

    @staticmethod
    @abstractmethod
    def get_default_system_prompt() -> str:
        """Return a text that explains the task to a model."""

    @property
    @abstractmethod
    def total_reward(self) -> float:
        """The reward of the episode so far."""


def parse_action(game_wrapper: EnvironmentScaffold[Any], response: str) -> str:
    """Return a reply's last word that is an action. Raises InvalidValueError, a ValueError, without one."""
    words = (word.strip(".,!?;:'\"()[]{}") for word in reversed(response.split()))
    found = next((word for word in words if word in game_wrapper.available_actions), None)
    if found is None:
        raise InvalidValueError(
            f"action: got {response.strip()!r}, expected one of {', '.join(game_wrapper.available_actions)}"
        )
    return found


class FrameByFrameScaffold(EnvironmentScaffold[Frame]):
    """Scaffold that returns a picture after each word. It is uint8 (r, r, 3), or (r, r) with grayscale; needs
    the camera. `done_reason` is why the episode ended; None while it is running."""

    available_actions = AVAILABLE_ACTIONS
    total_reward = 0.0

    @staticmethod
    def get_default_system_prompt() -> str:
        """Return a text that explains the task and lists the actions."""
        return START_PROMPT.format(actions=AVAILABLE_ACTIONS)

    def __init__(self, env: AnimalAIEnvironment, skipframe: int = 1) -> None:
        """Take the environment. `skipframe` is the number of steps for which an action is repeated.

        Raises InvalidValueError, a ValueError, if that is less than 1, there is no camera, or there are
        several agents.
        """
        super().__init__(env)
        if skipframe < 1:
            raise InvalidValueError(f"skipframe: got {skipframe!r}, expected 1 or more")
        if not env.useCamera:
            raise InvalidValueError("env: got an environment without a camera; create it with useCamera=True")
        self.skipframe = skipframe
        self.behavior_name = next(iter(env.behavior_specs))
        self._restart()

    def _restart(self) -> None:
        if len(self.env.behavior_specs) != 1:
            raise InvalidValueError(f"env: got the teams {list(self.env.behavior_specs)}, expected one")
        self._total_steps, self.total_reward = DEFAULT_TOTAL_STEPS, DEFAULT_TOTAL_REWARD
        self._done, self.last_frame = DEFAULT_DONE, DEFAULT_LAST_FRAME
        self.done_reason: str | None = None
        self._observe()

    @staticmethod
    def _classify_terminal(terminal: TerminalSteps) -> str:
        return DONE_REASON_TIMEOUT if terminal.interrupted[0] else DONE_REASON_TERMINAL

    def _observe(self) -> float:
        """Keep the picture and whether the episode has ended; return the reward."""
        decision, terminal = self.env.get_steps(self.behavior_name)
        steps = terminal if len(terminal) else decision
        if len(steps) > 1:
            raise InvalidValueError(f"env: got an arena of {len(steps)} agents, expected one")
        if len(terminal):
            self._done, self.done_reason = True, self._classify_terminal(terminal)
        if not len(steps):
            return 0.0
        self.last_frame = _frame(steps.obs)
        return float(steps.reward[0])

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
            if not self._done:
                reward += self._step(ACTION_MAP[action])
        self.total_reward += reward
        self._total_steps += 1
        return self.last_frame, reward, self._done, self.get_results() if self._done else {}

    def _step(self, branches: tuple[int, int]) -> float:
        if not len(self.env.get_steps(self.behavior_name)[0]):
            self._done, self.done_reason = True, DONE_REASON_NO_AGENTS
            return 0.0
        self.env.set_actions(self.behavior_name, ActionTuple(discrete=[branches]))
        self.env.step()
        return self._observe()

    def is_finished(self) -> bool:
        """Return whether the episode is over."""
        return self._done

    def get_results(self) -> dict[str, Any]:
        """Return number of steps, total reward and the reason for the end."""
        return {
            "num_steps": self._total_steps,
            "total_reward": self.total_reward,
            "done_reason": self.done_reason,
        }


def _frame(obs: list[Floats]) -> Frame:
    """Return the camera's picture, channels last; a grey one without its channel."""
    picture = obs[0][0]
    if picture.shape[0] in (1, 3):
        picture = picture.transpose(1, 2, 0)
    pixels: Frame = (picture * 255).astype(np.uint8)
    return pixels[..., 0] if pixels.shape[-1] == 1 else pixels
