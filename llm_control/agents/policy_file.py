"""Learned policies as files: what a training library saved, and what the policy observes and does.

A policy file is a zip archive of Stable-Baselines3 (`pip install 'arena-llm[rl]'`) with one more member,
`arena-llm.json`. The library unpickles what it loads: read files of people you trust.
"""

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from gymnasium import spaces
from pydantic import BaseModel, Field, ValidationError

from arena import Action, Episode
from arena.errors import ArenaError, ConfigError, EvaluationError, first_line
from arena.files import MAX_DATA_BYTES, read_bytes, write_file
from arena.gym.env import Controls, Sensors, check_options, controls, whole
from arena.packages import installed
from arena.recording import software_versions
from arena.seeds import episode_rng
from arena.taskfile.versions import Version

FORMAT = "stable-baselines3"
"""Name of the format in policy files."""

LIBRARIES = ("stable_baselines3", "sb3_contrib")
"""Packages whose algorithms are loaded."""

MEMBER = "arena-llm.json"
"""Name of the member that says what the policy observes and does."""

_HOW = "save_policy(model, path, observation=..., ...) of llm_control.agents.policy_file"


class PolicyOptions(BaseModel, frozen=True, extra="forbid"):
    """The options of `arena.ArenaEnv` that decide what a policy observes and what its actions mean.

    `version` is that of Animal-AI in which it was trained.
    """

    observation: str | tuple[str, ...] = ("camera", "vector")
    resolution: int = 84
    grayscale: bool = False
    frame_stack: int = 1
    rays_per_side: int = 2
    ray_max_degrees: float = 60.0
    ray_tags: int = 12
    renderer: str = "kernel"
    action: str = "discrete9"
    action_repeat: int = 1
    version: Version = Version.V3

    def sensors(self) -> Sensors:
        """The sensors of such an environment. Raises ConfigError for a wrong option."""
        return Sensors(**self.model_dump(exclude={"action", "action_repeat", "version"}))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its sensors."""
        return (self.observation,) if isinstance(self.observation, str) else self.observation

    def controls(self) -> Controls:
        """Return the kind of the policy's actions. Raises ConfigError for a wrong option."""
        whole("action_repeat", self.action_repeat)
        return controls(self.action)


class PolicyDescription(BaseModel, frozen=True, extra="forbid"):
    """Description of a policy in `arena-llm.json`.

    `format` is `FORMAT`; `algorithm` the class that loads it, such as stable_baselines3.PPO;
    `trained_on` the curriculum in words; `steps` the actions that it was trained for; `versions` those of the
    software that saved it.
    """

    format: str
    algorithm: str
    environment: PolicyOptions
    trained_on: str = ""
    steps: int | None = Field(default=None, ge=0)
    seed: int | None = None
    versions: dict[str, str] = {}


@dataclass(frozen=True)
class Policy:
    """A loaded policy: its file, the SHA-256 of that, what the file says of itself, and the model."""

    path: Path
    sha256: str
    description: PolicyDescription
    model: Any

    @cached_property
    def sensors(self) -> Sensors:
        """Make the policy's sensors, one for all its episodes, which are played one after another."""
        return self.description.environment.sensors()

    def facts(self) -> dict[str, Any]:
        """Return facts for the log: name and hash of the file, and its `arena-llm.json`."""
        return {"file": self.path.name, "sha256": self.sha256, **self.description.model_dump(mode="json")}


def save_policy(
    model: Any, path: str | Path, *, trained_on: str = "", seed: int | None = None, **options: Any
) -> Path:
    """Save a trained model of Stable-Baselines3 as a policy file, and return its path (with `.zip`).

    `options` are those that the environment was made with, of `PolicyOptions`; `trained_on` says in words
    what it learned on, `seed` which seed that had, by default the model's own.

    Raises ConfigError for options that are wrong or do not fit the model's spaces, and EvaluationError for a
    model that cannot be played and a file that cannot be written.
    """
    check_options(options, PolicyOptions)
    told = _described(model, trained_on, seed, options)
    content = io.BytesIO()
    model.save(content)
    with zipfile.ZipFile(content, "a") as archive:
        archive.writestr(MEMBER, json.dumps(told.model_dump(mode="json"), indent=1) + "\n")
    path = Path(path)
    path = path if path.suffix == ".zip" else path.with_name(path.name + ".zip")
    write_file(path, content.getvalue())
    return path


def _described(model: Any, trained_on: str, seed: int | None, options: dict[str, Any]) -> PolicyDescription:
    try:
        environment = PolicyOptions(**options)
    except ValidationError as error:
        raise ConfigError(f"save_policy: {_problem(error)}") from None
    _check_spaces(model, environment)
    return PolicyDescription(
        format=FORMAT,
        algorithm=_algorithm_of(model),
        environment=environment,
        trained_on=trained_on,
        steps=model.num_timesteps,
        seed=model.seed if seed is None else seed,
        versions=software_versions() | installed("stable-baselines3", "sb3-contrib", "torch"),
    )


def _library(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        missing = (error.name or name).partition(".")[0]
        raise EvaluationError(f"this policy needs {missing}: pip install 'arena-llm[rl]'") from None


def _algorithm_of(model: Any) -> str:
    """The class of a model as `library.NAME`: its own, or the nearest above that a library exports.

    Raises EvaluationError if there is none.
    """
    for kind in type(model).__mro__:
        library = kind.__module__.partition(".")[0]
        if library in LIBRARIES and getattr(import_module(library), kind.__name__, None) is kind:
            return f"{library}.{kind.__name__}"
    raise EvaluationError(
        f"save_policy: got {type(model).__name__}, expected a model of {' or '.join(LIBRARIES)}, such as PPO"
    )


def _check_spaces(model: Any, options: PolicyOptions) -> None:
    """Raise ConfigError where a model does not observe and act as these options say.

    A model may have pictures with their channels first, as the library turns them.
    """
    observations, actions = options.sensors().space(), options.controls().space()
    normalised = getattr(model, "get_vec_normalize_env", lambda: None)()
    if normalised is not None and normalised.norm_obs:
        raise ConfigError(
            "save_policy: the model was trained with VecNormalize, whose statistics a policy file does not "
            "keep; train with VecNormalize(..., norm_obs=False)"
        )
    if not _same(model.observation_space, observations):
        raise ConfigError(
            f"the policy observes {model.observation_space}, its options give {observations}; name those "
            "of the environment that it was trained in"
        )
    if not _same(model.action_space, actions):
        raise ConfigError(
            f"the policy acts in {model.action_space}, its options give {actions}; name the `action` of the "
            "environment that it was trained in"
        )


def _same(has: spaces.Space[Any], wanted: spaces.Space[Any]) -> bool:
    if isinstance(has, spaces.Dict) and isinstance(wanted, spaces.Dict):
        return has.keys() == wanted.keys() and all(_same(has[key], wanted[key]) for key in wanted.spaces)
    if has == wanted:
        return True
    if not (isinstance(has, spaces.Box) and isinstance(wanted, spaces.Box) and len(wanted.shape) == 3):
        return False
    turned = np.moveaxis(wanted.low, -1, 0), np.moveaxis(wanted.high, -1, 0)
    return has == spaces.Box(*turned, dtype=wanted.low.dtype.type)


def load_policy(path: str | Path) -> Policy:
    """Load a policy file. Torch then computes in one thread in this process.

    Raises EvaluationError, naming the file, where it cannot be read, is none, does not fit its options, or
    needs a library that is not installed.
    """
    path = Path(path).expanduser()
    content, told = _read(path)
    try:
        model = _model(content, told)
    except ArenaError as error:
        raise EvaluationError(f"{path}: {error}") from None
    return Policy(path, hashlib.sha256(content).hexdigest(), told, model)


def loaded(path: Path) -> Policy:
    """Load a policy, once per content of the file in a process."""
    try:
        state = path.expanduser().stat()
    except OSError:
        return load_policy(path)
    return _loaded(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=4)
def _loaded(path: Path, changed_ns: int, size: int) -> Policy:
    return load_policy(path)


def _model(content: bytes, told: PolicyDescription) -> Any:
    """A model of a saved file's bytes, on the processor and in one thread.

    Raises EvaluationError for a missing library, an unknown algorithm and a broken file, and ConfigError as
    `_check_spaces` does.
    """
    library, _, name = told.algorithm.rpartition(".")
    if library not in LIBRARIES:
        raise EvaluationError(
            f"algorithm: got {told.algorithm!r}, expected a class of {' or '.join(LIBRARIES)}"
        )
    kind = getattr(_library(library), name, None)
    if kind is None:
        raise EvaluationError(f"algorithm: {library} {version(library)} has no {name!r}; install a newer one")
    _library("torch").set_num_threads(1)
    try:
        # A policy that only plays needs no memory of training, which may have gigabytes.
        model = kind.load(io.BytesIO(content), device="cpu", custom_objects={"buffer_size": 1, "n_steps": 1})
    except Exception as error:  # what is unpickled fails anywhere
        raise EvaluationError(
            f"{name} cannot load it ({first_line(error)[:200]}); train or save it again with the "
            "versions that are installed here"
        ) from None
    _check_spaces(model, told.environment)
    return model


def _read(path: Path) -> tuple[bytes, PolicyDescription]:
    try:
        content = read_bytes(path, MAX_DATA_BYTES)
    except OSError as error:
        hint = f"; did you mean {path}.zip?" if path.with_name(path.name + ".zip").is_file() else ""
        raise EvaluationError(
            f"{path}: the policy cannot be read ({error.strerror or error}){hint}"
        ) from None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            # Of a file that was cut off, an archive inside it may be found.
            if min((member.header_offset for member in archive.infolist()), default=0) > 0:
                raise zipfile.BadZipFile("it is truncated")
            told = archive.read(MEMBER)
    except KeyError:
        raise EvaluationError(
            f"{path}: has no {MEMBER}, so its observations and actions are unknown; load it in the "
            f"library that saved it, and save it with {_HOW}"
        ) from None
    except (zipfile.BadZipFile, OSError, ValueError, EOFError) as error:
        raise EvaluationError(
            f"{path}: not a policy file, or a damaged one ({error}); make it with {_HOW}"
        ) from None
    try:
        found = PolicyDescription.model_validate_json(told)
    except ValidationError as error:
        raise EvaluationError(f"{path}: {MEMBER}: {_problem(error)}; save the policy with {_HOW}") from None
    if found.format != FORMAT:
        raise EvaluationError(f"{path}: {MEMBER}: format: got {found.format!r}, expected one of: {FORMAT}")
    return content, found


def _problem(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: got {first['input']!r:.80}: {first['msg']}" if place else first["msg"]


class PolicyAgent:
    """Plays one episode: observes as the environment does, and holds each action as long as it does there.

    Its observations are those of `arena.ArenaEnv` with the options of the policy's file, for the same task,
    seed and actions. With `sample` actions are drawn, from a seed that follows from the episode's seed, task
    and trial. One episode of a policy is played at a time: its sensors remember the frames of a stack. The
    hidden state of a recurrent model is kept from action to action.
    """

    def __init__(self, policy: Policy, sample: bool = False) -> None:
        options = policy.description.environment
        self._policy, self._sample = policy, sample
        self._read, self._repeat = options.controls().read, options.action_repeat
        self._left = 0
        self._action: Action | None = None
        self._state: Any = None

    def act(self, episode: Episode) -> Action:
        """The next action."""
        if self._action is None or self._left == 0:
            first = self._action is None
            if first and self._sample:
                from stable_baselines3.common.utils import set_random_seed

                rng = episode_rng(episode.seed, f"{episode.task_id}/policy", episode.trial)
                set_random_seed(seed := int(rng.integers(2**31)))
                self._policy.model.action_space.seed(seed)
            observation = self._policy.sensors.observe(episode, first=first)
            action, self._state = self._policy.model.predict(
                observation, self._state, np.array([first]), deterministic=not self._sample
            )
            self._action, self._left = self._read(action), self._repeat
        self._left -= 1
        return self._action
