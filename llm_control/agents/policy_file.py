"""Learned policies as files: what a training library saved, and what the policy observes and does.

A policy file is a zip archive of its library with one more member, `arena-llm.json`. A further library takes
one function, in `FORMATS`. Libraries of learning unpickle what they load: read files of people you trust.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arena import Action, Episode
from arena.errors import ArenaError, ConfigError, EvaluationError
from arena.files import MAX_DATA_BYTES, read_bytes, write_file
from arena.gym.env import Controls, Sensors, check_options, controls, whole
from arena.recording import software_versions
from arena.seeds import episode_rng
from arena.taskfile.versions import Version
from llm_control.agents import policy_sb3

MEMBER = "arena-llm.json"
"""Name of the member that says what the policy observes and does."""

_HOW = "save_policy(model, path, observation=..., ...) of llm_control.agents.policy_file"


class PolicyOptions(BaseModel):
    """The options of `arena.ArenaEnv` that decide what a policy observes and what its actions mean.

    `version` is that of Animal-AI in which it was trained.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    observation: str | tuple[str, ...] = ("camera", "vector")
    resolution: int = 84
    grayscale: bool = False
    frame_stack: int = 1
    rays_per_side: int = 2
    ray_max_degrees: float = 60.0
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
        """What its actions are. Raises ConfigError for a wrong option."""
        whole("action_repeat", self.action_repeat)
        return controls(self.action)


class PolicyDescription(BaseModel):
    """What `arena-llm.json` says of a policy.

    `format` is a key of `FORMATS`; `algorithm` the class that loads it, such as stable_baselines3.PPO;
    `trained_on` the curriculum in words; `steps` the actions that it was trained for; `versions` those of the
    software that saved it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: str
    algorithm: str
    environment: PolicyOptions
    trained_on: str = ""
    steps: int | None = Field(default=None, ge=0)
    seed: int | None = None
    versions: dict[str, str] = {}


class Player(Protocol):
    """A policy of some library: observations in, actions out, both as in the environment."""

    def restart(self, seed: int) -> None:
        """Seed what is drawn at random from now on."""
        ...

    def act(self, observation: Any, sample: bool, first: bool) -> Any:
        """An element of the action space: the best action, or with `sample` one that is drawn.

        `first` is whether it is the first observation of an episode.
        """
        ...


FORMATS: dict[str, Callable[[bytes, PolicyDescription], Player]] = {
    policy_sb3.FORMAT: lambda content, told: policy_sb3.player(
        content, told.algorithm, told.environment.sensors().space(), told.environment.controls().space()
    )
}
"""What makes a player of a file's bytes, by the name of the format.

Raises EvaluationError, without the file's name, where it cannot.
"""


@dataclass(frozen=True)
class Policy:
    """A loaded policy: its file, the SHA-256 of that, what the file says of itself, and what plays."""

    path: Path
    sha256: str
    description: PolicyDescription
    player: Player

    @cached_property
    def sensors(self) -> Sensors:
        """What it observes with; one for all its episodes, which are played one after another."""
        return self.description.environment.sensors()

    def facts(self) -> dict[str, Any]:
        """What a log keeps of it: name and hash of the file, and its `arena-llm.json`."""
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
    policy_sb3.check_spaces(model, environment.sensors().space(), environment.controls().space())
    return PolicyDescription(
        format=policy_sb3.FORMAT,
        algorithm=policy_sb3.algorithm_of(model),
        environment=environment,
        trained_on=trained_on,
        steps=model.num_timesteps,
        seed=model.seed if seed is None else seed,
        versions=software_versions() | policy_sb3.versions(),
    )


def load_policy(path: str | Path) -> Policy:
    """Load a policy file. Torch then computes in one thread in this process.

    Raises EvaluationError, naming the file, where it cannot be read, is none, does not fit its options, or
    needs a library that is not installed.
    """
    path = Path(path).expanduser()
    content, told = _read(path)
    try:
        player = FORMATS[told.format](content, told)
    except ArenaError as error:
        raise EvaluationError(f"{path}: {error}") from None
    return Policy(path, hashlib.sha256(content).hexdigest(), told, player)


def loaded(path: Path) -> Policy:
    """The same, once for each content of the file in a process."""
    try:
        state = path.expanduser().stat()
    except OSError:
        return load_policy(path)
    return _loaded(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=4)
def _loaded(path: Path, changed_ns: int, size: int) -> Policy:
    return load_policy(path)


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
                raise zipfile.BadZipFile("it is cut off")
            told = archive.read(MEMBER)
    except KeyError:
        raise EvaluationError(
            f"{path}: has no {MEMBER}, so it is not known what this policy observes and does; load it in the "
            f"library that saved it, and save it by {_HOW}"
        ) from None
    except (zipfile.BadZipFile, OSError, ValueError, EOFError) as error:
        raise EvaluationError(
            f"{path}: no policy file, or a broken one ({error}); make it by {_HOW}"
        ) from None
    return content, _description(path, told)


def _description(path: Path, told: bytes) -> PolicyDescription:
    try:
        found = PolicyDescription.model_validate_json(told)
    except ValidationError as error:
        raise EvaluationError(f"{path}: {MEMBER}: {_problem(error)}; save the policy by {_HOW}") from None
    if found.format not in FORMATS:
        raise EvaluationError(
            f"{path}: {MEMBER}: format: got {found.format!r}, expected one of: {', '.join(FORMATS)}"
        )
    return found


def _problem(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: got {first['input']!r:.80}: {first['msg']}" if place else first["msg"]


class PolicyAgent:
    """Plays one episode: observes as the environment does, and holds each action as long as it does there.

    Its observations are those of `arena.ArenaEnv` with the options of the policy's file, for the same task,
    seed and actions. With `sample` actions are drawn, from a seed that follows from the episode's seed, task
    and trial. One episode of a policy is played at a time: its sensors remember the frames of a stack.
    """

    def __init__(self, policy: Policy, sample: bool = False) -> None:
        options = policy.description.environment
        self._policy, self._sample = policy, sample
        self._read, self._repeat = options.controls().read, options.action_repeat
        self._left = 0
        self._action: Action | None = None

    def act(self, episode: Episode) -> Action:
        """The next action."""
        if self._action is None or self._left == 0:
            self._action = self._read(self._choose(episode, first=self._action is None))
            self._left = self._repeat
        self._left -= 1
        return self._action

    def _choose(self, episode: Episode, first: bool) -> Any:
        if first and self._sample:
            rng = episode_rng(episode.seed, f"{episode.task_id}/policy", episode.trial)
            self._policy.player.restart(int(rng.integers(2**31)))
        observation = self._policy.sensors.observe(episode, first=first)
        return self._policy.player.act(observation, self._sample, first)
