"""Gymnasium wrappers of `AnimalAIEnvironment`, as in `animalai.wrappers` (package `animalai` 6.2)."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv

from arena.animalai.base_env import ActionTuple, DecisionSteps, Floats, TerminalSteps
from arena.animalai.environment import AnimalAIEnvironment, checked
from arena.animalai.exception import InvalidTypeError, InvalidValueError, UnityGymnasiumException
from arena.animalai.exception import UnityGymException as UnityGymException
from arena.gym.env import whole


class UnityToGymnasiumWrapper(gymnasium.Env[Any, Any]):
    """An `AnimalAIEnvironment` as a Gymnasium environment.

    The observation is the camera, or without a camera an array of rays and vector; with `allow_multiple_obs`
    a tuple of the camera, if there is one, and that array. An action is two numbers, move and rotate, or with
    `flatten_branched` an index 0 to 8 into `arena.ACTIONS`. `info["step"]` has the agent's steps.

    Like the original it resets the environment when it is created, so the first arena of a file is skipped.
    """

    metadata = {"render_modes": ["rgb_array"]}  # noqa: RUF012

    def __init__(
        self,
        unity_env: AnimalAIEnvironment,
        uint8_visual: bool = False,
        flatten_branched: bool = False,
        allow_multiple_obs: bool = False,
        action_space_seed: int | None = None,
        render_mode: str | None = "rgb_array",
        *,
        four_values: bool = False,
    ) -> None:
        """Wrap the environment. With `uint8_visual` pictures are uint8, 0 to 255, instead of float32, 0 to 1.
        With `four_values` `reset` returns the observation alone and `step` four values, as Gym's environments
        did.

        Raises InvalidTypeError, a TypeError, for another environment, and as `reset` does
        UnityGymnasiumException for an arena of several agents.
        """
        if not isinstance(unity_env, AnimalAIEnvironment):
            raise InvalidTypeError(f"unity_env: got {unity_env!r}, expected an AnimalAIEnvironment")
        self._env, self.name = unity_env, next(iter(unity_env.behavior_specs))
        self.render_mode = render_mode
        self.uint8_visual = uint8_visual
        self._flat, self._several, self._four = flatten_branched, allow_multiple_obs, four_values
        self.group_spec = unity_env.behavior_specs[self.name]
        self.visual_obs: Any = None
        unity_env.reset()
        self._check_agents()
        branches = list(self.group_spec.action_spec.discrete_branches)
        self.action_space: spaces.Space[Any] = (
            spaces.Discrete(int(np.prod(branches))) if flatten_branched else spaces.MultiDiscrete(branches)
        )
        if action_space_seed is not None:
            self.action_space.seed(action_space_seed)
        self.observation_space = self._space()

    def _check_agents(self) -> None:
        agents = sum(len(self._env.get_steps(name)[0]) for name in self._env.behavior_specs)
        if agents > 1:
            raise UnityGymnasiumException(f"unity_env: got an arena of {agents} agents, expected one")

    def _shape(self, name: str) -> tuple[int, ...]:
        return next(spec.shape for spec in self.group_spec.observation_specs if spec.name == name)

    def _picture_box(self) -> spaces.Box:
        shape = self._shape("camera")
        if self.uint8_visual:
            return spaces.Box(0, 255, shape, np.uint8)
        return spaces.Box(0, 1, shape, np.float32)

    def _space(self) -> spaces.Space[Any]:
        sizes = [spec.shape[0] for spec in self.group_spec.observation_specs if len(spec.shape) == 1]
        flat = spaces.Box(-np.inf, np.inf, (sum(sizes),), np.float32)
        boxes = [self._picture_box(), flat] if self._env.useCamera else [flat]
        return spaces.Tuple(boxes) if self._several else boxes[0]

    def _observe(self, obs: Sequence[Floats]) -> Any:
        """Return the observation from the list of one agent's observations."""
        seen: list[Any] = [self._picture(each[0]) for each in obs if each.ndim == 4]
        seen.append(np.concatenate([each[0] for each in obs if each.ndim == 2]))
        return tuple(seen) if self._several else seen[0]

    def _picture(self, camera: Floats) -> Any:
        self.visual_obs = np.rint(camera * 255).astype(np.uint8) if self.uint8_visual else camera
        return self.visual_obs

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> Any:
        """Start the next arena; return observation and info.

        With `options={"arena_config": PATH}` it is the first one of another file. With `seed` the file's
        first arena is started with that seed and the action space is seeded; the original only seeds the
        action space.
        """
        super().reset(seed=seed)
        if seed is not None:
            self.action_space.seed(seed)
        self._env.reset((options or {}).get("arena_config", ""), seed=seed)
        self._check_agents()
        decision, _ = self._env.get_steps(self.name)
        seen = self._observe(decision.obs)
        return seen if self._four else (seen, {"step": decision})

    def step(self, action: Any) -> Any:
        """Take an action; return observation, reward, terminated, truncated and info. At the end the
        observation is the episode's last. With `four_values`: observation, reward, done, info."""
        branches = divmod(int(action), 3) if self._flat else action
        self._env.set_actions(self.name, ActionTuple(discrete=np.reshape(branches, (1, -1))))
        self._env.step()
        decision, terminal = self._env.get_steps(self.name)
        ended = len(terminal) > 0
        steps: DecisionSteps | TerminalSteps = terminal if ended else decision
        cut = ended and bool(terminal.interrupted[0])
        seen, reward, info = self._observe(steps.obs), float(steps.reward[0]), {"step": steps}
        return (seen, reward, ended, info) if self._four else (seen, reward, ended and not cut, cut, info)

    def seed(self, seed: int | None = None) -> None:
        """Seed the action space, as scripts for Gym do. Arenas have the seed of the environment."""
        self.action_space.seed(seed)

    def render(self) -> Any:
        """Return the last picture of the camera; None without one."""
        return self.visual_obs

    def close(self) -> None:
        """Close the environment."""
        self._env.close()


UnityToGymWrapper = UnityToGymnasiumWrapper
"""Name of the class in `mlagents_envs.envs.unity_gym_env`. There `step` returns Gym's four values, as here
with `four_values=True`; by default it returns Gymnasium's five, which stable-baselines3 2 takes directly."""


class ActionFlattener:
    """Actions of several branches as one number; the last branch counts fastest."""

    def __init__(self, branched_action_space: Sequence[int]) -> None:
        """Take the sizes of the branches, `branched_action_space`."""
        combined = itertools.product(*map(range, branched_action_space))
        self.action_lookup = {number: list(action) for number, action in enumerate(combined)}
        self.action_space: spaces.Space[Any] = spaces.Discrete(len(self.action_lookup))

    def lookup_action(self, action: int) -> list[int]:
        """Return the action of each branch."""
        return self.action_lookup[action]


class AnimalAIGymnasiumWrapper(UnityToGymnasiumWrapper):
    """An `AnimalAIEnvironment` with a dictionary of included parts as observation.

    It is an array if only one is included. `camera` and `rays` are included by default if the environment has
    them; `health` (), `velocity` (3,) and `position` (3,) unless excluded.
    """

    def __init__(
        self,
        unity_env: AnimalAIEnvironment,
        *,
        include_camera: bool | None = None,
        include_rays: bool | None = None,
        include_health: bool = True,
        include_velocity: bool = True,
        include_position: bool = True,
        **options: Any,
    ) -> None:
        """Wrap the environment with the `options` of `UnityToGymnasiumWrapper`.

        Raises InvalidTypeError, a TypeError, for another environment, and InvalidValueError, a ValueError,
        for a sensor that it does not have, or if nothing is included.
        """
        if not isinstance(unity_env, AnimalAIEnvironment):
            raise InvalidTypeError(f"unity_env: got {unity_env!r}, expected an AnimalAIEnvironment")
        there = {"camera": unity_env.useCamera, "rays": unity_env.useRayCasts}
        wanted = {"camera": include_camera, "rays": include_rays, "health": include_health}
        wanted |= {"velocity": include_velocity, "position": include_position}
        for name, want in wanted.items():
            if want and not there.get(name, True):
                raise InvalidValueError(f"include_{name}: got True, but the environment has no {name}")
        used = {name: there.get(name, True) if want is None else want for name, want in wanted.items()}
        self._keys = [name for name in used if used[name]]
        if not self._keys:
            raise InvalidValueError("include_*: nothing is included; include at least one")
        super().__init__(unity_env, **options)

    def _space(self) -> spaces.Space[Any]:
        boxes: dict[str, spaces.Space[Any]] = {name: self._box(name) for name in self._keys}
        return boxes[self._keys[0]] if len(boxes) == 1 else spaces.Dict(boxes)

    def _box(self, name: str) -> spaces.Box:
        if name == "camera":
            return self._picture_box()
        if name in ("rays", "health"):
            return spaces.Box(0, np.inf, self._shape("rays") if name == "rays" else (), np.float32)
        return spaces.Box(-np.inf, np.inf, (3,), np.float32)

    def _observe(self, obs: Sequence[Floats]) -> Any:
        named = self._env.get_obs_dict(list(obs))
        seen = {
            name: self._picture(named[name]) if name == "camera" else np.asarray(named[name], np.float32)
            for name in self._keys
        }
        return seen[self._keys[0]] if len(seen) == 1 else seen


_EACH_ITS_OWN = ("worker_id", "base_port", "seed", "arenas_configurations")


def make_animalai_env_fns(
    num_envs: int,
    *,
    worker_id_start: int = 0,
    base_port: int = 5005,
    seed: int = 0,
    arenas_configurations: str | Sequence[str] = "",
    env_kwargs: Mapping[str, Any] | None = None,
    wrapper_kwargs: Mapping[str, Any] | None = None,
    serialize_launch: bool = True,
    launch_lock_timeout: float = 300.0,
    launch_lock_path: str | None = None,
) -> list[Callable[[], AnimalAIGymnasiumWrapper]]:
    """Return functions creating `num_envs` environments. Number k has the seed `seed` + k.

    `arenas_configurations` is one file for all, or a list with one for each. Port and worker numbers and the
    lock for the start of programs are ignored. Raises InvalidValueError, a ValueError, for another number of
    files, or for `env_kwargs` that are arguments here.
    """
    count, options = checked(whole, "num_envs", num_envs), dict(env_kwargs or {})
    if given := [name for name in _EACH_ITS_OWN if name in options]:
        raise InvalidValueError(f"env_kwargs: got {given}; pass these to the function itself")
    files = (
        list(arenas_configurations)
        if isinstance(arenas_configurations, list | tuple)
        else [arenas_configurations] * count
    )
    if len(files) != count:
        raise InvalidValueError(f"arenas_configurations: got {len(files)} files, expected one, or {count}")

    def make(number: int) -> AnimalAIGymnasiumWrapper:
        env = AnimalAIEnvironment(seed=seed + number, arenas_configurations=files[number], **options)
        return AnimalAIGymnasiumWrapper(env, **(wrapper_kwargs or {}))

    return [partial(make, number) for number in range(count)]


def make_animalai_vec_env(
    num_envs: int, *, vectorization_mode: str = "sync", **options: Any
) -> VectorEnv[Any, Any, Any]:
    """Create a Gymnasium vector environment, "sync" or "async".

    With "sync" it runs in this process, with "async" in one process per environment. `options` are those of
    `make_animalai_env_fns`. Processes are spawned, so that they can render; the program must create them
    under `if __name__ == "__main__":`. `arena.gym.vector_env.ArenaVectorEnv` is faster. Raises
    InvalidValueError for another mode.
    """
    if vectorization_mode not in ("sync", "async"):
        raise InvalidValueError(f"vectorization_mode: got {vectorization_mode!r}, expected 'sync' or 'async'")
    makers = make_animalai_env_fns(num_envs, **options)
    return AsyncVectorEnv(makers, context="spawn") if vectorization_mode == "async" else SyncVectorEnv(makers)
