"""Many arenas as a vector environment of stable-baselines3's own interface."""

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from arena.errors import ConfigError
from arena.gym.curriculum import Config
from arena.gym.env import Observation
from arena.gym.vector_env import ArenaVectorEnv

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError("stable-baselines3 is missing: pip install 'arena-llm[rl]'") from error

Infos = list[dict[str, Any]]
Step = tuple[Observation, npt.NDArray[np.float32], npt.NDArray[np.bool_], Infos]

_EACH = "each"


class _PerEnvInfos(ArenaVectorEnv):
    """Vector environment with a list of infos, as stable-baselines3 expects."""

    def _merged(self, infos: Sequence[dict[str, Any] | None]) -> dict[str, Any]:
        return {_EACH: list(infos)}


class ArenaVecEnv(VecEnv):
    """`arena.gym.vector_env.ArenaVectorEnv` as a `VecEnv` of stable-baselines3.

    Use it instead of `DummyVecEnv`. Wrap it in `VecMonitor` to log rewards and lengths of episodes;
    `is_success` is in `info`.
    """

    def __init__(self, num_envs: int = 1, config: Config = (), **options: Any) -> None:
        """Create the environments with `options` of `ArenaVectorEnv`; raises as that does."""
        for name in ("autoreset_mode", "copy"):
            if name in options:
                raise ConfigError(f"{name}: not an option here: stable-baselines3 requires one value")
        self._envs = _PerEnvInfos(num_envs, config, autoreset_mode="SAME_STEP", **options)
        self._actions: npt.NDArray[Any] | None = None
        super().__init__(num_envs, self._envs.single_observation_space, self._envs.single_action_space)

    def reset(self) -> Observation:
        """Start each environment's next task, or that of `set_options({"task": id})`. Raises ConfigError for
        options that are not the same for all environments."""
        options = self._options[0]
        if any(each != options for each in self._options):
            raise ConfigError(f"set_options: got {self._options!r}, expected the same for all environments")
        observations, infos = self._envs.reset(seed=list(self._seeds), options=options)
        self.reset_infos = infos[_EACH]
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Store the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> Step:
        """Take the actions; return observations, rewards (float32), dones, infos. Ended episodes are reset.
        Raises as `ArenaVectorEnv.step` does."""
        observations, rewards, terminated, truncated, infos = self._envs.step(self._actions)
        ended = terminated | truncated
        listed: Infos = infos[_EACH]
        for number in np.flatnonzero(ended):
            begun = listed[number]
            last, seen = begun.pop("final_info"), begun.pop("final_obs")
            cut = bool(truncated[number] and not terminated[number])
            listed[number] = last | {"terminal_observation": seen, "TimeLimit.truncated": cut}
            self.reset_infos[number] = begun
        return observations, rewards.astype(np.float32), ended, listed

    def close(self) -> None:
        """Close the environments."""
        self._envs.close()

    def get_images(self) -> Sequence[Any]:
        """Return views of all environments, uint8 (render_resolution, render_resolution, 3)."""
        return self._envs.render()

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """Return an attribute of each environment. Raises AttributeError if it does not exist."""
        values = self._envs.get_attr(attr_name)
        return [values[number] for number in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:
        """Set an attribute of the environments to the same value."""
        chosen = set(self._get_indices(indices))
        if len(chosen) < self.num_envs and attr_name == "curriculum":
            raise ConfigError(f"set_attr: got indices={indices!r}, expected None; or use set_curriculum")
        if len(chosen) == self.num_envs:
            values = [value] * self.num_envs
        else:
            before = self._envs.get_attr(attr_name)
            values = [value if number in chosen else before[number] for number in range(self.num_envs)]
        self._envs.set_attr(attr_name, values)

    def set_curriculum(self, config: Config) -> None:
        """Play other tasks from the next reset on, as in a callback. See `ArenaVectorEnv.set_curriculum`."""
        self._envs.set_curriculum(config)

    def env_method(
        self, method_name: str, *method_args: Any, indices: int | Iterable[int] | None = None, **options: Any
    ) -> list[Any]:
        """Return a method's results for all environments. Raises ConfigError for a subset of them."""
        if len(set(self._get_indices(indices))) != self.num_envs:
            raise ConfigError(
                f"env_method: got indices={indices!r}, expected None, as all environments are called"
            )
        return list(self._envs.call(method_name, *method_args, **options))

    def env_is_wrapped(
        self,
        wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]],
        indices: int | Iterable[int] | None = None,
    ) -> list[bool]:
        """Return False for each, as the environments have no wrappers."""
        return [False for _ in self._get_indices(indices)]
