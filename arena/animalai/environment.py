"""The environment as in `animalai.environment` (package `animalai` 4.0 to 6.2)."""

import warnings
from collections.abc import Mapping
from numbers import Integral
from types import MappingProxyType
from typing import Any

import numpy as np

from arena.action import TICKS_PER_STEP
from arena.animalai.base_env import (
    ActionSpec,
    ActionTuple,
    BehaviorSpec,
    DecisionSteps,
    Floats,
    ObservationSpec,
    TerminalSteps,
    no_obs,
    one_action,
)
from arena.errors import ConfigError
from arena.geometry.layout import seed_words
from arena.gym.curriculum import Config
from arena.gym.env import ArenaEnv
from arena.gym.options import degrees, side, whole
from arena.rays.rays import ROW_LENGTH

BEHAVIOR = "AnimalAI?team=0"
"""Name of the only behaviour, as in the original's build."""

_IDLE = np.zeros(2, np.int32)
_NO_WINDOW = "no window is opened; to play yourself, use: arena-llm play"


class AnimalAIEnvironment:
    """One agent in an arena, with the Python interface of the Unity environment.

    `step` takes the action of `set_actions`, by default no movement. `get_steps` then returns the agent that
    is to act. At the end of an episode it also returns the agent that ended; the agent that is to act is then
    already that of the next arena, with another id and a reward of 0.

    An observation is a list of float32 arrays whose first axis is that of agents: the camera (n, r, r, 3), 0
    to 1, top row first, or with grayscale=True the mean of the channels (n, r, r, 1); the rays (n, 14 x rays)
    of `arena.Rays`; and health, velocity and position (n, 7), the "vector" of `arena.ArenaEnv`.
    """

    def __init__(
        self,
        additional_args: list[str] | None = None,
        log_folder: str = "",
        file_name: str | None = None,
        worker_id: int = 0,
        base_port: int = 5005,
        seed: int = 0,
        play: bool = False,
        arenas_configurations: Config = "",
        inference: bool = False,
        useCamera: bool = True,
        resolution: int | None = 150,
        grayscale: bool = False,
        useRayCasts: bool = False,
        raysPerSide: float = 2,
        rayMaxDegrees: float = 60,
        decisionPeriod: int = TICKS_PER_STEP,
        side_channels: list[Any] | None = None,
        no_graphics: bool = False,
        use_YAML: bool = True,
        timescale: float = 1,
        targetFrameRate: int = 60,
        captureFrameRate: int = 0,
        timeout: int | None = None,
        *,
        version: str | None = None,
        renderer: str = "moderngl",
    ) -> None:
        """The original's arguments in its order, and two more: `version` of Animal-AI and `renderer`.

        Those with an effect are seed, arenas_configurations (also a loaded file, a list or a curriculum),
        useCamera, resolution (None: 84, as in Unity's build), grayscale, useRayCasts, raysPerSide,
        rayMaxDegrees and decisionPeriod, a multiple of 3 ticks of 0.02 s. All others concern the Unity
        program and are ignored; `play` and `inference` warn that there is no window, and `no_graphics` does
        not turn the camera off.

        Raises ConfigError for an invalid option, and as `reset` does.
        """
        if play or inference:
            warnings.warn(_NO_WINDOW, stacklevel=2)
        self.useCamera, self.useRayCasts = bool(useCamera), bool(useRayCasts)
        self._grayscale = grayscale
        self._options: dict[str, Any] = {
            "observation": (*_chosen(useCamera, "camera"), *_chosen(useRayCasts, "rays"), "vector"),
            "resolution": side("resolution", 84 if resolution is None else resolution),
            "rays_per_side": _whole("raysPerSide", raysPerSide),
            "ray_max_degrees": degrees("rayMaxDegrees", rayMaxDegrees),
            "action": "multidiscrete",
            "action_repeat": _steps_of(decisionPeriod),
            "version": version,
            "renderer": renderer,
        }
        self._seeds = _generator(seed)
        self._set_initial_state()
        if not _is_missing(arenas_configurations):
            self.reset(arenas_configurations)

    def _set_initial_state(self) -> None:
        self._spec = BehaviorSpec(self._observation_specs(), ActionSpec(0, (3, 3)))
        self._env: ArenaEnv | None = None
        self._closed = False
        self._agent_id = -1
        self._action = _IDLE
        self._terminal = self._none_ended()
        nobody = self._terminal
        self._decision = DecisionSteps(nobody.obs, nobody.reward, nobody.agent_id)

    def _observation_specs(self) -> list[ObservationSpec]:
        side = self._options["resolution"]
        rays = ROW_LENGTH * (2 * self._options["rays_per_side"] + 1)
        shapes = {
            "camera": (side, side, 1 if self._grayscale else 3),
            "rays": (rays,),
            "vector": (7,),
        }
        return [ObservationSpec(shapes[name], name) for name in self._options["observation"]]

    @property
    def behavior_specs(self) -> Mapping[str, BehaviorSpec]:
        """Observations and actions of the only behaviour, `AnimalAI?team=0`."""
        return MappingProxyType({BEHAVIOR: self._spec})

    def reset(self, arenas_configurations: Config = "", *, seed: int | None = None) -> None:
        """Start the next arena of the file, or the first one of another file or with `seed`.

        Raises ConfigError for an invalid or missing file or a closed environment, and LayoutError for an
        arena that cannot be built.
        """
        if not _is_missing(arenas_configurations):
            drawn = self._load(arenas_configurations)
            seed = drawn if seed is None else seed
        observation, _ = self._playing.reset(seed=seed)
        self._begin(observation)
        self._terminal = self._none_ended()

    def _none_ended(self) -> TerminalSteps:
        specs = self._spec.observation_specs
        return TerminalSteps(no_obs(specs), np.zeros(0, np.float32), np.zeros(0, np.int32))

    def _load(self, config: Config) -> int:
        """Load arenas; return their seed, which differs each time, as Unity's generator is not restarted."""
        if self._closed:
            raise ConfigError("the environment is closed; make a new one")
        if self._env is None:
            self._env = ArenaEnv(config, **self._options)
        else:
            self._env.set_curriculum(config)
        return int(self._seeds.integers(2**31))

    @property
    def _playing(self) -> ArenaEnv:
        if self._env is None or self._closed:
            raise ConfigError(
                "the environment is closed; make a new one"
                if self._closed
                else "arenas_configurations: got no task file; pass its path to the environment or to reset"
            )
        return self._env

    def step(self) -> None:
        """Take the action that was set, by default no movement, for one `decisionPeriod`."""
        env = self._playing
        observation, reward, terminated, truncated, _ = env.step(self._action)
        self._terminal = self._none_ended()
        if not (terminated or truncated):
            self._decision = self._decisions(observation, reward)
            self._action = _IDLE
            return
        self._terminal = TerminalSteps(
            self._batch(observation),
            np.array([reward], np.float32),
            np.array([self._agent_id], np.int32),
            np.array([not terminated]),
        )
        self._begin(env.reset()[0])

    def _begin(self, observation: Any) -> None:
        self._agent_id += 1
        self._decision = self._decisions(observation, 0.0)
        self._action = _IDLE

    def _decisions(self, observation: Any, reward: float) -> DecisionSteps:
        return DecisionSteps(
            self._batch(observation), np.array([reward], np.float32), np.array([self._agent_id], np.int32)
        )

    def _batch(self, observation: Any) -> list[Floats]:
        """An observation in the original's format: a list of arrays with an axis for agents."""
        sent = dict(observation)
        if self.useCamera:
            camera = observation["camera"].astype(np.float32) / np.float32(255)
            sent["camera"] = camera.mean(axis=2, keepdims=True) if self._grayscale else camera
        return [sent[spec.name][None] for spec in self._spec.observation_specs]

    def get_steps(self, behavior_name: str) -> tuple[DecisionSteps, TerminalSteps]:
        """The agent that is to act, and the one whose episode has just ended, if any.

        Raises ConfigError for another behaviour, or if there is no arena.
        """
        self._check(behavior_name)
        return self._decision, self._terminal

    def set_actions(self, behavior_name: str, action: ActionTuple) -> None:
        """Set the action of the next step; raises ConfigError if it is not one of the nine."""
        self._check(behavior_name)
        self._action = one_action(self._spec.action_spec, action)

    def set_action_for_agent(self, behavior_name: str, agent_id: int, action: ActionTuple) -> None:
        """`set_actions` for an agent; raises ConfigError for an unknown one."""
        if agent_id != self._agent_id:
            raise ConfigError(f"agent_id: got {agent_id!r}, expected {self._agent_id}")
        self.set_actions(behavior_name, action)

    def _check(self, behavior_name: str) -> None:
        if behavior_name != BEHAVIOR:
            raise ConfigError(f"behavior_name: got {behavior_name!r}, expected {BEHAVIOR!r}")
        _ = self._playing

    def get_obs_dict(self, obs: list[Floats]) -> dict[str, Any]:
        """The first agent's observation by name, from `steps.obs`.

        `camera` (r, r, 3), `rays` (14 x rays,), `health` a float32 number, `velocity` (3,), `position` (3,);
        an empty list for a sensor that is off. Raises ConfigError if `obs` has no agent.
        """
        if len(obs) != len(self._spec.observation_specs) or any(len(each) == 0 for each in obs):
            raise ConfigError(
                f"obs: got {[np.shape(each) for each in obs]}, expected the `obs` of steps with an agent"
            )
        names = [spec.name for spec in self._spec.observation_specs]
        seen: dict[str, Any] = {"camera": [], "rays": []}
        seen |= {name: each[0] for name, each in zip(names, obs, strict=True)}
        vector = seen.pop("vector")
        return seen | {"health": vector[0], "velocity": vector[1:4], "position": vector[4:7]}

    def close(self) -> None:
        """Close the environment; may be called again."""
        if self._env is not None:
            self._env.close()
        self._closed = True


def _is_missing(config: Config | None) -> bool:
    return config is None or config == ""


def _chosen(wanted: bool, name: str) -> tuple[str, ...]:
    return (name,) if wanted else ()


def _whole(option: str, value: float) -> int:
    """A whole number of at least 0, also as a float such as `(rays - 1) / 2`."""
    is_whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return whole(option, int(value) if is_whole else value, 0)


def _generator(seed: int) -> np.random.Generator:
    """The generator of the arenas' seeds; raises ConfigError for a seed that is not a whole number."""
    if isinstance(seed, bool) or not isinstance(seed, Integral):
        raise ConfigError(f"seed: got {seed!r}, expected a whole number")
    return np.random.default_rng(seed_words(int(seed)))


def _steps_of(decision_period: int) -> int:
    """Number of steps of `ArenaEnv` in a decision period of some ticks."""
    steps, rest = divmod(_whole("decisionPeriod", decision_period), TICKS_PER_STEP)
    if rest or steps < 1:
        raise ConfigError(
            f"decisionPeriod: got {decision_period!r}, expected a multiple of {TICKS_PER_STEP} ticks, the "
            "length of a step here"
        )
    return steps
