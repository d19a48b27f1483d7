"""One run: an algorithm learns with a seed, and its policy plays the test episodes."""

import json
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import torch
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm

from arena.errors import EvaluationError
from arena.files import atomic_file, read_text, write_file
from suites.est.agents import Maker
from suites.est.learners.algorithms import ALGORITHMS, model
from suites.est.learners.notears import Notears
from suites.est.learners.policy import load_policy
from suites.est.learners.result import Row
from suites.est.table import play
from suites.est.world import PRESETS

TEST_SEED = 1_000_000
"""Of the test episodes, the same for all trained policies; training has the seeds 1, 2 and so on."""

NOTEARS = "notears"
"""The learner that is not trained, as it learns within an episode."""

LEARNERS = (*ALGORITHMS, NOTEARS)
"""The names of all."""

SLOW = (NOTEARS, *(name for name, each in ALGORITHMS.items() if each.observation == "image"))
"""Those that take so long in tests that they play at most `FEW` episodes."""

FEW = 500


def learn(name: str, seed: int, out: Path, steps: int | None, episodes: int) -> list[Row]:
    """Train a learner, write its policy into the folder `out`, play test episodes, and write the rows.

    `steps` is by default the algorithm's own number. PPO is tested by the actions that it draws, as the
    paper's public code does, and by its best ones; NOTEARS by its beliefs and by its guesses. Rows that
    are there are not repeated. The same run gives the same figures on the same machine. Raises
    EvaluationError for files that cannot be read or written.
    """
    path = out / f"{name}-seed{seed}.json"
    if path.is_file():
        return _read(path)
    torch.set_num_threads(1)
    began, done = time.process_time(), 0
    if name == NOTEARS:
        figures, packages = notears_figures(seed, episodes), ["scipy"]
    else:
        done = _train(name, seed, path.with_suffix(".zip"), steps or ALGORITHMS[name].steps)
        figures = policy_figures(name, path.with_suffix(".zip"), episodes)
        packages = ["stable-baselines3", "sb3-contrib", "torch"]
    seconds = round(time.process_time() - began)
    versions = " ".join(f"{package}-{version(package)}" for package in ("numpy", *packages))
    seen = "symbol" if name == NOTEARS else ALGORITHMS[name].observation
    rows = [
        Row(variant.removesuffix("-image"), seen, seed, done, seconds, episodes, *four, versions)
        for variant, four in figures.items()
    ]
    write_file(path, json.dumps([row._asdict() for row in rows], indent=1) + "\n")
    return rows


def _read(path: Path) -> list[Row]:
    try:
        return [Row(**row) for row in json.loads(read_text(path))]
    except (ValueError, TypeError) as error:
        raise EvaluationError(f"{path}: no result of this command ({error}); delete it") from None


def _train(name: str, seed: int, path: Path, steps: int) -> int:
    learner = model(name, seed)
    learner.learn(steps)
    with atomic_file(path) as beside:
        learner.save(beside)
    return learner.num_timesteps


Figures = tuple[float, float, float, float]


def policy_figures(name: str, path: Path, episodes: int) -> dict[str, Figures]:
    """The figures of a policy file in the test episodes, by the names of its rows."""
    best = score(load_policy(name, path), TEST_SEED, episodes)
    if issubclass(ALGORITHMS[name].kind, OffPolicyAlgorithm):
        return {name: best}
    drawn = score(load_policy(name, path, sampled=True), TEST_SEED, episodes)
    return {name: drawn, f"{name}-best": best}


def notears_figures(seed: int, episodes: int) -> dict[str, Figures]:
    """The figures of NOTEARS by its beliefs and by its guesses, with episodes and trials drawn by a seed."""

    def maker(guess: bool) -> Maker:
        return lambda preset, episodes, rng: Notears(episodes, rng, guess=guess)

    return {
        NOTEARS: score(maker(False), seed, episodes),
        f"{NOTEARS}-guess": score(maker(True), seed, episodes),
    }


def score(make: Maker, seed: int, episodes: int) -> Figures:
    """The figures of an agent on the episodes of a seed: accuracy in percent and reward, after the context
    and after the episode."""
    a, b, c, d = play(make, PRESETS["est"], episodes, np.random.default_rng(seed))
    return round(a, 2), round(b, 3), round(c, 2), round(d, 3)
