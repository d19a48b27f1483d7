"""Data sets of the arena for Minari: recorded actions, replayed in the Gymnasium environment."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from shutil import rmtree
from statistics import fmean
from typing import Any, NamedTuple

import gymnasium
import minari
from minari.data_collector import EpisodeBuffer
from minari.dataset.minari_dataset import MinariDataset, parse_dataset_id
from minari.storage.datasets_root_dir import get_dataset_path

from arena import ArenaSpec, Episode, Recording, Replay
from arena.errors import ConfigError, RecordingError
from arena.geometry.layout import episode_rng
from arena.gym.env import Sensors, check_options
from arena.recording import software_versions
from arena_llm.replay import arena_of, find_recording
from evaluation.capabilities import player
from evaluation.choices.keys import plain
from evaluation.log.run import RunLog
from evaluation.opened import Opened
from llm_control.agents.informed import REPLAY, stored_solutions
from llm_control.agents.step_agents import STEP_AGENTS
from llm_control.environment import recording_of
from render import DRAWN_BY
from testbed.oracle.solve import solve
from testbed.proof.prove import random_reward


class MinariSpec(NamedTuple):
    """What a data set is made of: `split` is that of an agent's tasks, `testbed` a folder for recordings."""

    name: str
    opened: Opened
    agent: str
    split: str
    size: int | None
    testbed: Path | None
    sensors: Mapping[str, Any]

    def check(self) -> None:
        """Raise ArenaError for a name that Minari does not take or has, or a wrong agent or option."""
        check_options(self.sensors, Sensors)
        Sensors(**self.sensors)
        _check_name(self.name)
        suite, agent = self.opened.suite, self.agent
        if suite.name != "arena" or not (agent == "oracle" or self.replays or player(suite, agent)):
            known = ", ".join(("oracle", "random", *STEP_AGENTS, "policy:FILE", f"{REPLAY}PATH"))
            raise ConfigError(f"--minari: got agent {agent} of {suite.name}, expected of arena: {known}")
        if self.size is None and not self.replays:
            raise ConfigError(f"--agent {agent} needs --size, the number of episodes")

    @property
    def replays(self) -> bool:
        """Whether recordings take the place of an agent."""
        return self.agent.startswith(REPLAY)

    def episodes(self) -> Iterator[tuple[Any, Any]]:
        """Arena and recording, or task and trial, of each episode. Raises ArenaError as `recordings` does."""
        if not self.replays:
            return islice(self.opened.episodes(self.split), self.size)
        return islice(recordings(Path(self.agent.removeprefix(REPLAY)), self.testbed), self.size)


def _check_name(name: str) -> None:
    try:
        parse_dataset_id(name)
    except (TypeError, ValueError):
        raise ConfigError(f"--minari: got {name!r}, expected NAME-v0 or GROUP/NAME-v0") from None
    if (path := get_dataset_path(name)).exists():
        raise ConfigError(f"--minari {name}: {path} exists; choose another name or version")


class Made(NamedTuple):
    """A recording in its arena, and the total rewards of random actions and of the oracle there."""

    spec: ArenaSpec
    recording: Recording
    random: float
    oracle: float


def agent_named(name: str) -> str:
    """The suite's own name: `random` acts at random in every step, `policy:FILE` is a learned policy."""
    return "random-steps" if name == "random" else name.replace("policy:", "policy/", 1)


def sensor_options(texts: Iterable[str]) -> dict[str, Any]:
    """Options from NAME=VALUE; commas make a list."""
    pairs = ((name, value) for name, _, value in (text.partition("=") for text in texts))
    return {name: value.split(",") if "," in value else plain(value) for name, value in pairs}


def recordings(path: Path, testbed: Path | None) -> Iterator[tuple[ArenaSpec, Recording]]:
    """The recordings of a file, a folder or a log, with their arenas; those without steps are left out.

    Raises ArenaError for one that is broken or whose arena is unknown.
    """
    for file in sorted(path.rglob("*.json")) if path.is_dir() else [path]:
        samples = RunLog(file).samples() if file.suffix == ".eval" else [(None, 1)]
        for sample, epoch in samples:
            found = find_recording(file, sample, epoch - 1)
            if found.recording.steps:
                yield arena_of(found.recording, None, testbed or found.folder), found.recording


def make(episode: tuple[Any, Any], spec: MinariSpec) -> Made:
    """Play a task and trial, or replay a recording. Raises RecordingError if it has another end here."""
    arena, recording = episode if spec.replays else _played(spec, *episode)
    with Replay(recording, arena) as again:
        again.to_end()
        again.check()
    task_id, seed, trial = recording.task_id, recording.seed, recording.trial
    best = recording if spec.agent == "oracle" else _solution(arena, task_id, seed, trial)
    with Episode(arena, task_id=task_id, seed=seed, trial=trial) as started:
        random = random_reward(started, episode_rng(seed, f"{task_id}/random-steps", trial))
    return Made(arena, recording, random, best.total_reward)


def _played(spec: MinariSpec, task_id: str, trial: int) -> tuple[ArenaSpec, Recording]:
    setup = spec.opened.setup(task_id, trial)._replace(draws=False)
    arena: ArenaSpec = setup.task.content.spec
    if agent := player(setup.suite, spec.agent):
        return arena, recording_of(agent.play(setup).replay)
    return arena, _solution(arena, task_id, setup.choices.seed, trial)


def _solution(arena: ArenaSpec, task_id: str, seed: int, trial: int) -> Recording:
    """The battery's solution of an episode, or else the oracle's."""
    stored = stored_solutions().get(task_id)
    if stored and stored.is_of(arena) and (stored.seed, stored.trial) == (seed, trial):
        return stored
    return solve(arena, task_id=task_id, seed=seed, trial=trial).recording


def write(spec: MinariSpec, made: Sequence[Made]) -> MinariDataset:
    """Replay episodes into a data set, which is removed again if that fails.

    Raises ConfigError if there are none, RecordingError if a task was recorded in two arenas.
    """
    if not made:
        raise ConfigError(f"{spec.agent}: no recordings with steps (*.json, or of a log) are there")
    arenas = {each.recording.task_id: each.spec for each in made}
    config = {
        task_id: arena.model_dump(mode="json", exclude_defaults=True) for task_id, arena in arenas.items()
    }
    make_env = partial(gymnasium.make, "arena-llm/Arena-v0", config=config, **spec.sensors)
    _check_name(spec.name)
    try:
        # Minari advises to name authors, who can be added later.
        with closing(make_env()) as env, warnings.catch_warnings(action="ignore"):
            data = minari.create_dataset_from_buffers(
                spec.name,
                (_replayed(env, each.recording) for each in made),
                env,
                algorithm_name=spec.agent,
                requirements=[f"arena-llm=={version('arena-llm')}"],
                jpeg_encoding=False,
            )
        data.storage.update_episode_metadata(_facts(each.recording) for each in made)
        data.storage.update_metadata(_metadata(made))
        return MinariDataset(data.storage)
    except BaseException:
        rmtree(get_dataset_path(spec.name), ignore_errors=True)
        raise


def _facts(recording: Recording) -> dict[str, Any]:
    outcome, passed = str(recording.outcome), recording.passed is True
    return {"task_id": recording.task_id, "outcome": outcome, "passed": passed}


def _metadata(made: Sequence[Made]) -> dict[str, Any]:
    return {
        "versions": software_versions() | {"pictures": DRAWN_BY},
        "ref_min_score": fmean(each.random for each in made),
        "ref_max_score": fmean(each.oracle for each in made),
        "num_episodes_average_score": len(made),
    }


def _replayed(env: gymnasium.Env[Any, Any], recording: Recording) -> EpisodeBuffer:
    """An episode in the environment; its last step is truncated if only the recording ends there."""
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
