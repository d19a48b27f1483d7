"""The environment as in `animalai.environment` (package `animalai` 4.0 to 6.2)."""

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from numbers import Integral
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from arena.action import TICKS_PER_STEP
from arena.animalai import exception
from arena.animalai.base_env import (
    ActionSpec,
    ActionTuple,
    BaseEnv,
    BehaviorSpec,
    DecisionSteps,
    Floats,
    Ints,
    ObservationSpec,
    TerminalSteps,
    actions_of,
    batch,
    observation_spec,
)
from arena.errors import ConfigError
from arena.gym.curriculum import Config, Curriculum, Files, UnityFiles, curriculum
from arena.gym.env import AgentsEnv, degrees, side, whole
from arena.rays import TAGS, TAGS_4_4
from arena.seeds import seed_words
from arena.taskfile.load import load_text
from arena.taskfile.versions import Version, version_of


def find_executable(base: str | Path = "") -> str:
    """Return an empty `file_name`. This arena needs no program; the original searches `base` for one."""
    return ""


def find_or_download_executable(base: str | Path = "", auto_download: bool = True) -> str:
    """Return an empty `file_name`; no download takes place."""
    return ""


_EMPTY = "!ArenaConfig\narenas:\n  0: !Arena\n    t: 0\n"
"""Default arena: an agent in a random position, no time limit."""


def tasks_of(config: Config | None, version: str | None, chance: str) -> Curriculum:
    """Return the arenas of an argument, by default an empty one.

    Files are read as `version`, by default 4, and draw their random values by `chance`, also loaded ones.
    Raises MissingFileError, a FileNotFoundError, if there is no such file, and as `arena.load` does.
    """
    read_as = version_of(Version.V4 if version is None else version)
    if config is None or config == "":
        config = load_text(_EMPTY, "<empty arena>", read_as)
    stream = curriculum(config, read_as)
    if type(stream) is not Files:
        return stream
    files = [file.drawn_by(chance) for file in stream.files]
    return Files(files) if chance == "own" else UnityFiles(files)


def generator(seed: int | None) -> np.random.Generator:
    """Return the generator of the arenas' seeds, None being 0. Raises InvalidTypeError, a TypeError, for a
    seed that is not a whole number."""
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, Integral)):
        raise exception.InvalidTypeError(f"seed: got {seed!r}, expected a whole number")
    return np.random.default_rng(seed_words(int(seed or 0)))


def whole_number(option: str, value: float) -> int:
    """Return a whole number of at least 0. Also accepts a float such as `(rays - 1) / 2`."""
    is_whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return checked(partial(whole, least=0), option, int(value) if is_whole else value)


def log_file(file_name: str | os.PathLike[str] | None, version: str | None) -> Path | None:
    """Return the CSV log's path of the original's build at `file_name`.

    None if its folder is missing. In 4.x it is in the folder of the program, on macOS in the program, below
    ObservationLogs, named after the minute.
    """
    program = Path(file_name if isinstance(file_name, str | os.PathLike) else "")
    folder = program if program.suffix == ".app" else program.parent
    if not str(version or Version.V4).startswith("4") or program.parent == Path() or not folder.is_dir():
        return None
    name = f"Observations_{datetime.now():%d-%m-%y_%H%M}"
    tries = (f"{name}{f'_{again}' if again > 1 else ''}.csv" for again in range(1, 10_000))
    paths = (folder / "ObservationLogs" / each for each in tries)
    return next(path for path in paths if not path.exists())


def steps_of(decision_period: int) -> int:
    """Return the number of `ArenaEnv` steps in a decision period."""
    steps, rest = divmod(whole_number("decisionPeriod", decision_period), TICKS_PER_STEP)
    if rest or steps < 1:
        raise exception.InvalidValueError(
            f"decisionPeriod: got {decision_period!r}, expected a multiple of {TICKS_PER_STEP} ticks, the "
            "length of a step here"
        )
    return steps


def checked(check: Callable[[str, Any], Any], option: str, value: Any) -> Any:
    """Return a checked value. The error is also a ValueError."""
    try:
        return check(option, value)
    except ConfigError as error:
        raise exception.InvalidValueError(str(error)) from None


_NO_WINDOW = "no window is opened; to play yourself, use: arena-llm play"


class PlayTrain(NamedTuple):
    """A setting of the original's window, for playing and for training."""

    play: int
    train: int


class AnimalAIEnvironment(BaseEnv):
    """Agents in an arena, usually one, with the Unity environment's interface.

    `step` takes the actions of `set_actions`, by default no movement. `get_steps` then returns the agents
    that are to act. At the end of an episode it also returns those that ended; the agents that are to act are
    then already those of the next arena, with other ids and a reward of 0.

    An observation is a list of float32 arrays whose first axis is that of agents: the camera (n, 3, r, r), 0
    to 1, top row first, or with grayscale=True the mean of the channels (n, 1, r, r); the rays (n, 20 x rays)
    of `arena.Rays` with 18 tags; and health, velocity and position (n, 7), the "vector" of `arena.ArenaEnv`.
    """

    WINDOW_WIDTH = PlayTrain(play=1200, train=32)
    WINDOW_HEIGHT = PlayTrain(play=800, train=32)
    QUALITY_LEVEL = PlayTrain(play=1, train=1)

    def __init__(
        self,
        additional_args: list[str] | None = None,
        log_folder: str = "",
        file_name: str | PathLike[str] | None = None,
        worker_id: int = 0,
        base_port: int = 5005,
        seed: int | None = 0,
        play: bool = False,
        arenas_configurations: Config | None = "",
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
        renderer: str = "kernel",
        channels_first: bool = True,
        rayTags: int | None = None,
        csv_log: str | PathLike[str] | bool | None = None,
        chance: str = "unity",
    ) -> None:
        """Take the original's arguments in its order, and six more.

        Those with an effect are seed (None: 0), arenas_configurations (also a loaded file, a list or a
        curriculum; by default an empty arena), useCamera, resolution (None: 84, as in Unity's build),
        grayscale, useRayCasts, raysPerSide, rayMaxDegrees and decisionPeriod, a multiple of 3 ticks of 0.02
        s. All others concern the Unity program and are ignored; `play`, which asks for a person, warns that
        there is no window, and `no_graphics` does not turn the camera off.

        `version` is that of Animal-AI as which files are read, by default 4; loaded files and curricula keep
        theirs. `renderer` is that of `ArenaEnv`. `channels_first=False` puts the channels last, (n, r, r, 3),
        as `mlagents_envs` 0.30 of `animalai` 3 and 4 does. `rayTags` is the number of kinds that rays
        distinguish: 18, as in 4.4, or 12, as in v3.1.3, which is the default of other versions than 4.
        `csv_log` is the path of a CSV log (`arena.csv_log`). By default it is where the original's program
        writes it, in ObservationLogs in the folder of `file_name`, if `file_name` has a folder and that
        exists; with False there is none. `chance="own"` draws places and colours of files by numpy's
        generator; by default they are those of Unity's program with this seed.

        Raises ConfigError for an invalid option, and as `reset` does; the error is also a ValueError or
        TypeError where the original raises these.
        """
        if play:
            warnings.warn(_NO_WINDOW, stacklevel=2)
        if timeout is not None and not timeout > 0:
            raise exception.InvalidValueError(
                f"timeout: got {timeout!r}, expected a positive number of seconds"
            )
        self.useCamera, self.useRayCasts = bool(useCamera), bool(useRayCasts)
        self.play, self.inference, self.timeout = play, inference, timeout or (10 if play else 60)
        self.side_channels, self.use_YAML = side_channels or [], use_YAML
        self.timescale = timescale
        self.targetFrameRate, self.captureFrameRate = targetFrameRate, captureFrameRate
        self._grayscale, self._first, self._version = grayscale, channels_first, version
        used = {"camera": self.useCamera, "rays": self.useRayCasts, "vector": True}
        options: dict[str, Any] = {
            "observation": tuple(name for name, is_used in used.items() if is_used),
            "resolution": checked(side, "resolution", 84 if resolution is None else resolution),
            "rays_per_side": whole_number("raysPerSide", raysPerSide),
            "ray_max_degrees": checked(degrees, "rayMaxDegrees", rayMaxDegrees),
            "ray_tags": rayTags or len(TAGS_4_4 if version in (None, Version.V4) else TAGS),
            "action": "multidiscrete",
            "action_repeat": steps_of(decisionPeriod),
            "version": version,
            "renderer": renderer,
            "csv_log": (log_file(file_name, version) if csv_log in (None, True) else csv_log) or None,
        }
        self._seeds = generator(seed)
        self._chance = chance
        self._env = AgentsEnv(tasks_of(arenas_configurations, version, chance), **options)
        self.obsdict: dict[str, Any] = {
            name: [] for name in ("camera", "rays", "health", "velocity", "position")
        }
        self._spec = BehaviorSpec(self._observation_specs(), ActionSpec(0, (3, 3)))
        self._closed = False
        self._specs: dict[str, BehaviorSpec] = {}
        self._ids = range(0)
        in_unity = isinstance(self._env.curriculum, UnityFiles)
        self._begin(self._env, int(seed or 0) % 2**32 if in_unity else self._drawn_seed())

    def _drawn_seed(self) -> int:
        """Draw the next file's seed. Each is another, as Unity's generator is not restarted."""
        return int(self._seeds.integers(2**31))

    def _observation_specs(self) -> list[ObservationSpec]:
        shapes = {name: box.shape for name, box in self._env.sensors.boxes.items()}
        if "camera" in shapes:
            *sides, _ = shapes["camera"]
            channels = 1 if self._grayscale else 3
            shapes["camera"] = (channels, *sides) if self._first else (*sides, channels)
        return [observation_spec(shape, name) for name, shape in shapes.items()]

    @property
    def behavior_specs(self) -> Mapping[str, BehaviorSpec]:
        """Observations and actions of each known team. It is `AnimalAI?team=0` if the file has none."""
        return MappingProxyType(self._specs)

    def reset(self, arenas_configurations: Config | None = "", *, seed: int | None = None) -> None:
        """Start the next arena, or the first of a file or `seed`.

        As in the original, the generator continues from its last draw, unless there is a `seed`.

        Raises MissingFileError, a FileNotFoundError, for a missing file, ConfigError for an invalid one,
        UnityEnvironmentException, a ConfigError, if the environment is closed, and LayoutError for an arena
        that cannot be built.
        """
        env = self._playing
        if arenas_configurations not in (None, ""):
            before, stream = env.curriculum, tasks_of(arenas_configurations, self._version, self._chance)
            if isinstance(before, UnityFiles) and isinstance(stream, UnityFiles):
                before.play(stream)
            else:
                env.set_curriculum(stream)
                drawn = self._drawn_seed()
                seed = drawn if seed is None else seed
        self._begin(env, seed)

    @property
    def _playing(self) -> AgentsEnv:
        if self._closed:
            raise exception.UnityEnvironmentException("the environment is closed; make a new one")
        return self._env

    def step(self) -> None:
        """Take the set action, by default no movement, for one `decisionPeriod`."""
        env = self._playing
        results, terminated, truncated = env.take([env.read_action(action) for action in self._actions])
        observations = env.observe(range(len(results)))
        rewards = [result.reward for result in results]
        if not (terminated or truncated):
            self._decide(observations, rewards)
            return
        terminal: dict[str, TerminalSteps] = {}
        for name, rows in self._rows.items():
            obs, rewarded, ids = self._of(rows, observations, rewards)
            terminal[name] = TerminalSteps(obs, rewarded, np.full(len(rows), not terminated), ids)
        self._begin(env)
        self._terminal = terminal

    def _begin(self, env: AgentsEnv, seed: int | None = None) -> None:
        env.begin(seed)
        teams = env.teams
        self._ids = range(self._ids.stop, self._ids.stop + len(teams))
        self._rows = {
            f"AnimalAI?team={team}": [row for row, each in enumerate(teams) if each == team]
            for team in sorted(set(teams))
        }
        self._specs |= dict.fromkeys(self._rows, self._spec)
        self._decide(env.observe(range(len(teams)), first=True), [0.0] * len(teams))

    def _decide(self, observations: list[Any], rewards: list[float]) -> None:
        self._decision = {
            name: DecisionSteps(*self._of(rows, observations, rewards)) for name, rows in self._rows.items()
        }
        self._terminal = {}
        self._actions: Ints = np.zeros((len(observations), 2), np.int32)

    def _of(
        self, rows: list[int], observations: list[Any], rewards: list[float]
    ) -> tuple[list[Floats], Floats, Ints]:
        """Return some agents' observations, rewards and ids in the original's format."""
        obs = batch([observations[row] for row in rows], self._spec.observation_specs, self._grayscale)
        ids = np.array([self._ids[row] for row in rows], np.int32)
        return obs, np.array([rewards[row] for row in rows], np.float32), ids

    def get_steps(self, behavior_name: str) -> tuple[DecisionSteps, TerminalSteps]:
        """Return the agents that act next, and those that just ended. Both are in the order of their items.
        Raises UnityActionException, a ConfigError, for another behaviour."""
        self._check(behavior_name)
        decision, terminal = self._decision.get(behavior_name), self._terminal.get(behavior_name)
        return decision or DecisionSteps.empty(self._spec), terminal or TerminalSteps.empty(self._spec)

    def set_actions(self, behavior_name: str, action: ActionTuple) -> None:
        """Set the actions of the next step, a row for each agent. Raises UnityActionException if one is not
        among the nine, or for another number of them."""
        self._check(behavior_name)
        rows = self._rows.get(behavior_name, [])
        self._actions[rows] = actions_of(self._spec.action_spec, action, len(rows))

    def set_action_for_agent(self, behavior_name: str, agent_id: int, action: ActionTuple) -> None:
        """Set an agent's actions of the next step. Raises NoAgentError, an IndexError, if unknown."""
        self._check(behavior_name)
        ids = [self._ids[row] for row in self._rows.get(behavior_name, [])]
        if agent_id not in ids:
            raise exception.NoAgentError(f"agent_id: got {agent_id!r}, expected one of {ids}")
        self._actions[agent_id - self._ids.start] = actions_of(self._spec.action_spec, action, 1)[0]

    def _check(self, behavior_name: str) -> None:
        if behavior_name not in self._specs:
            known = ", ".join(map(repr, self._specs))
            raise exception.UnityActionException(f"behavior_name: got {behavior_name!r}, expected {known}")
        _ = self._playing

    def get_obs_dict(self, obs: Sequence[Floats], agent_index: int = 0) -> dict[str, Any]:
        """Return an agent's observation by name, from `steps.obs`. It is also kept as `obsdict`.

        `camera` (3, r, r), `rays` (20 x rays,), `health` a float32 number, `velocity` (3,), `position` (3,);
        an empty list for a sensor that is off. Raises NoAgentError, an IndexError, if `obs` has no such
        agent.
        """
        names = [*(("camera",) if self.useCamera else ()), *(("rays",) if self.useRayCasts else ())]
        if len(obs) != len(names) + 1 or not 0 <= agent_index < min(len(each) for each in obs):
            raise exception.NoAgentError(
                f"obs: got {[np.shape(each) for each in obs]}, expected the `obs` of steps with an agent "
                f"{agent_index}"
            )
        *sensors, vector = (each[agent_index] for each in obs)
        parts = {"health": vector[0], "velocity": vector[1:4], "position": vector[4:7]}
        self.obsdict = {"camera": [], "rays": []} | dict(zip(names, sensors, strict=True)) | parts
        return self.obsdict

    def get_obs_dicts(self, obs: Sequence[Floats]) -> list[dict[str, Any]]:
        """Return the observation by name of every agent in `obs`."""
        return [self.get_obs_dict(obs, agent) for agent in range(len(obs[0]))]

    def close(self) -> None:
        """Close the environment; may be called again."""
        self._env.close()
        self._closed = True
