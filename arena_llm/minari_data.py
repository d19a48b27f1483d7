"""Minari data sets of the arena: recorded actions, replayed in the Gymnasium environment."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from shutil import rmtree
from statistics import fmean
from typing import Any, NamedTuple

import gymnasium
import minari
from minari.data_collector import EpisodeBuffer
from minari.dataset.minari_dataset import parse_dataset_id
from minari.storage.datasets_root_dir import get_dataset_path

from arena import ArenaSpec, Episode, Recording, Replay
from arena.errors import ConfigError, RecordingError
from arena.gym.env import Sensors, check_options
from arena.recording import software_versions
from arena.seeds import episode_rng
from arena.taskfile.nodes import plain
from arena_llm.replay import arena_of, find_recording
from evaluation.capabilities import player
from evaluation.log.run import RunLog
from evaluation.opened import Opened
from evaluation.suite import Suite
from llm_control.agents.informed import REPLAY, stored_solutions
from llm_control.agents.step_agents import STEP_AGENTS
from llm_control.environment import recording_of
from render import DRAWN_BY
from testbed.oracle.solve import solve
from testbed.proof.prove import random_reward

FACTS = {"task_id", "outcome", "passed"}
"""Facts of an episode in its metadata; without a pass mark, `passed` is absent."""


class Made(NamedTuple):
    """Recording in its arena, and total rewards of random actions and of the oracle there."""

    spec: ArenaSpec
    recording: Recording
    random: float
    oracle: float


def check_name(name: str) -> None:
    """Raise ConfigError for a name that Minari refuses or already has."""
    try:
        parse_dataset_id(name)
        path = get_dataset_path(name)
    except (TypeError, ValueError):
        raise ConfigError(f"--minari: got {name!r}, expected NAME-v0 or GROUP/NAME-v0") from None
    except OSError as error:
        raise ConfigError(f"--minari: {error.filename}: {error.strerror}; set MINARI_DATASETS_PATH") from None
    if path.exists():
        raise ConfigError(f"--minari {name}: {path} exists; choose another name or version")


def agent_named(name: str, suite: Suite) -> str:
    """Resolve an agent's name, `policy:FILE` to `policy/FILE`. Raises ArenaError if unknown."""
    agent = "random-steps" if name == "random" else name.replace("policy:", "policy/", 1)
    if suite.name == "arena" and (agent == "oracle" or agent.startswith(REPLAY) or player(suite, agent)):
        return agent
    known = ", ".join(("oracle", "random", *STEP_AGENTS, "policy:FILE", f"{REPLAY}PATH"))
    raise ConfigError(f"--minari: got agent {name} of {suite.name}, expected of arena: {known}")


def sensor_options(texts: Iterable[str]) -> dict[str, Any]:
    """Parse options NAME=VALUE; commas make a list. Raises ConfigError for a wrong one."""
    options: dict[str, Any] = {}
    for name, _, value in (text.partition("=") for text in texts):
        options[name] = value.split(",") if "," in value else plain(value)
    check_options(options, Sensors)
    Sensors(**options)
    return options


def episodes(
    opened: Opened, agent: str, split: str, size: int | None, testbed: Path | None
) -> Iterator[tuple[Any, Any]]:
    """Yield task and trial of each episode, or arena and recording. Raises as `recordings`."""
    if agent.startswith(REPLAY):
        return islice(recordings(Path(agent.removeprefix(REPLAY)), testbed), size)
    if size is None:
        raise ConfigError(f"--agent {agent} needs --size, the number of episodes")
    return islice(opened.episodes(split), size)


def recordings(path: Path, testbed: Path | None) -> Iterator[tuple[ArenaSpec, Recording]]:
    """Read recordings of a file, folder or log, with their arenas, except those without steps.

    Raises ArenaError for one that is broken or whose arena is unknown.
    """
    for file in sorted(path.rglob("*.json")) if path.is_dir() else [path]:
        samples = RunLog(file).samples() if file.suffix == ".eval" else [(None, 1)]
        for sample, epoch in samples:
            recording, folder = find_recording(file, sample, epoch - 1)
            if recording.steps:
                yield arena_of(recording, None, testbed or folder), recording


def make(episode: tuple[Any, Any], opened: Opened, agent: str) -> Made:
    """Play a task and trial, or replay a recording. Raises RecordingError if its end differs."""
    spec, recording = episode if agent.startswith(REPLAY) else _played(*episode, opened, agent)
    with Replay(recording, spec) as again:
        again.to_end()
        again.check()
    task_id, seed, trial = recording.task_id, recording.seed, recording.trial
    best = recording if agent == "oracle" else _solution(spec, task_id, seed, trial)
    with Episode(spec, task_id=task_id, seed=seed, trial=trial) as started:
        random = random_reward(started, episode_rng(seed, f"{task_id}/random-steps", trial))
    return Made(spec, recording, random, best.total_reward)


def _played(task_id: str, trial: int, opened: Opened, agent: str) -> tuple[ArenaSpec, Recording]:
    setup = opened.setup(task_id, trial)._replace(draws=False)
    spec: ArenaSpec = setup.task.content.spec
    if found := player(opened.suite, agent):
        return spec, recording_of(found.play(setup).replay)
    return spec, _solution(spec, task_id, setup.choices.seed, trial)


def _solution(spec: ArenaSpec, task_id: str, seed: int, trial: int) -> Recording:
    """Return the battery's solution of an episode, or else the oracle's."""
    stored = stored_solutions().get(task_id)
    if stored and stored.is_of(spec) and (stored.seed, stored.trial) == (seed, trial):
        return stored
    return solve(spec, task_id=task_id, seed=seed, trial=trial).recording


def write(name: str, made: Sequence[Made], agent: str, sensors: Mapping[str, Any]) -> None:
    """Replay episodes into a data set, which is removed on failure.

    Raises ConfigError if there are none, RecordingError if a task was recorded in two arenas.
    """
    check_name(name)
    if not made:
        raise ConfigError(f"{agent}: found no recordings with steps (*.json, or in a log)")
    arenas = {each.recording.task_id: each.spec for each in made}
    config = {
        task_id: spec.model_dump(mode="json", exclude_defaults=True) for task_id, spec in arenas.items()
    }
    env: gymnasium.Env[Any, Any] = gymnasium.make("arena-llm/Arena-v0", config=config, **sensors)
    try:
        # Minari advises to name authors, who can be added later.
        with closing(env), warnings.catch_warnings(action="ignore"):
            data = minari.create_dataset_from_buffers(
                name,
                (_replayed(env, each.recording) for each in made),
                env,
                algorithm_name=agent,
                requirements=[f"arena-llm=={version('arena-llm')}"],
                jpeg_encoding=False,
            )
        data.storage.update_episode_metadata(
            each.recording.model_dump(mode="json", include=FACTS, exclude_none=True) for each in made
        )
        scores = {
            "ref_min_score": fmean(each.random for each in made),
            "ref_max_score": fmean(each.oracle for each in made),
            "num_episodes_average_score": len(made),
        }
        data.storage.update_metadata(scores | {"versions": software_versions() | {"pictures": DRAWN_BY}})
    except BaseException:
        rmtree(get_dataset_path(name), ignore_errors=True)
        raise


def _replayed(env: gymnasium.Env[Any, Any], recording: Recording) -> EpisodeBuffer:
    """Replay an episode in the environment; truncate the last step if only the recording ends there."""
    options = {"task": recording.task_id, "trial": recording.trial}
    first, _ = env.reset(seed=recording.seed, options=options)
    if not recording.is_of(env.unwrapped.episode.spec):  # type: ignore[attr-defined]
        raise RecordingError(f"{recording.task_id}: recorded in two arenas; make a data set of each")
    actions = [action for action, count in recording.actions for _ in range(count)]
    later, rewards, ends, *_ = map(list, zip(*map(env.step, actions), strict=True))
    seen: Any = [first, *later]
    if isinstance(first, dict):
        seen = {name: [each[name] for each in seen] for name in first}
    cuts = [False] * (len(ends) - 1) + [not ends[-1]]
    return EpisodeBuffer(None, recording.seed, options, seen, actions, rewards, ends, cuts, {})
