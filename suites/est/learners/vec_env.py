"""The Blicket machine as a vector environment of stable-baselines3, which has its own interface for them."""

from collections.abc import Iterable
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from suites.est.env import ACTIONS, EstVectorEnv
from suites.est.hypotheses import OBJECTS
from suites.est.sensor import SYMBOLS
from suites.est.world import Preset

FIRST_BELIEF = 0.5
"""The last belief in the observation of an episode's first step."""

Float32 = npt.NDArray[np.float32]
Infos = list[dict[str, Any]]

WIDTH, HEIGHT = 80, 60
"""Of the pictures that learners see: half of the paper's a side, as drawing them takes most of the time."""

_SYMMETRIC = spaces.Box(-1, 1, ACTIONS.shape, np.float32)
_WITH_BELIEF = {
    "symbol": spaces.Box(0, 1, (SYMBOLS.shape[0] + OBJECTS,), np.float32),
    "image": spaces.Box(0, 255, (WIDTH * HEIGHT * 3 + OBJECTS,), np.uint8),
}


def actions_of(symmetric: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Actions of the environment, 0 to 1, from those of an algorithm, -1 to 1."""
    found: npt.NDArray[Any] = np.clip((symmetric + 1) / 2, 0, 1)
    return found


def with_belief(seen: npt.NDArray[Any], beliefs: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Observations with beliefs (..., 9) behind them; pictures (..., HEIGHT, WIDTH, 3) become flat, and the
    beliefs of pictures go from 0 to 255."""
    if seen.dtype == np.uint8:
        seen, beliefs = seen.reshape(*beliefs.shape[:-1], -1), np.rint(255 * beliefs)
    return np.concatenate([seen, beliefs.astype(seen.dtype)], axis=-1)


class EstVecEnv(VecEnv):
    """`EstVectorEnv` as a `VecEnv` of stable-baselines3: one array computation for all episodes.

    Actions are -1 to 1, as its algorithms expect, instead of 0 to 1. With `last_belief` the belief that was
    stated in the previous step follows the panel in the observation, (19,), as for the paper's feed-forward
    agents; `FIRST_BELIEF` in the first step. Pictures (`observation="image"`) are flat, see `with_belief`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        preset: str | Preset = "est",
        *,
        last_belief: bool = True,
        observation: str = "symbol",
    ) -> None:
        """Raises ConfigError as `EstVectorEnv` does."""
        sensor = {"observation": observation, "width": WIDTH, "height": HEIGHT}
        self._envs = EstVectorEnv(num_envs, preset, autoreset_mode=AutoresetMode.SAME_STEP, **sensor)
        self._last_belief = last_belief
        self._actions: Float32 | None = None
        super().__init__(num_envs, _WITH_BELIEF[observation] if last_belief else SYMBOLS, _SYMMETRIC)

    def reset(self) -> npt.NDArray[Any]:
        """Begin all episodes; `seed` before it makes them repeatable."""
        seen, _ = self._envs.reset(seed=self._seeds[0])
        self._reset_seeds()
        return self._with(seen, np.full((self.num_envs, OBJECTS), FIRST_BELIEF, np.float32))

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Store the actions for `step_wait`."""
        self._actions = actions_of(actions)

    def step_wait(self) -> tuple[npt.NDArray[Any], Float32, npt.NDArray[np.bool_], Infos]:
        """Take the actions; return observations, rewards, dones and infos. Ended episodes are reset."""
        assert self._actions is not None, "step_async comes first"
        seen, rewards, ended, _, info = self._envs.step(self._actions)
        beliefs = self._actions[:, :OBJECTS].astype(np.float32)
        infos: Infos = [{} for _ in range(self.num_envs)]
        for number in np.flatnonzero(ended):
            last = self._with(info["final_obs"][number], beliefs[number])
            solved = bool(info["is_success"][number])
            infos[number] = {"terminal_observation": last, "is_success": solved}
        beliefs[ended] = FIRST_BELIEF
        return self._with(seen, beliefs), rewards.astype(np.float32), ended, infos

    def _with(self, seen: npt.NDArray[Any], beliefs: Float32) -> npt.NDArray[Any]:
        return with_belief(seen, beliefs) if self._last_belief else seen

    def close(self) -> None:
        """Free what pictures are drawn with."""
        self._envs.close()

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """The value of an attribute, the same for each environment; raises AttributeError without it."""
        value = getattr(self._envs, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:
        """Set an attribute of all environments."""
        setattr(self._envs, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: int | Iterable[int] | None = None, **options: Any
    ) -> list[Any]:
        """The result of a method of the batch, for each environment."""
        value = getattr(self._envs, method_name)(*method_args, **options)
        return [value for _ in self._get_indices(indices)]

    def env_is_wrapped(
        self,
        wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]],
        indices: int | Iterable[int] | None = None,
    ) -> list[bool]:
        """False for each, as the environments have no wrappers."""
        return [False for _ in self._get_indices(indices)]
