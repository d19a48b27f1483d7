"""What perfect inference reaches: the Bayes-optimal predictor after random and after the best experiments."""

import csv
import time
from collections.abc import Iterable, Iterator
from io import StringIO
from typing import NamedTuple

import numpy as np

from evaluation.statistics import mean_half
from suites.boxing.design import RANDOM_DESIGNS, best_design, information
from suites.boxing.environments import WORLDS
from suites.boxing.outcomes import Floats
from suites.boxing.posterior import posterior_of
from suites.boxing.questions import MODES, Mode, Questions
from suites.boxing.world import World

EVALUATIONS = (0, 1, 3, 5, 7, 10)
"""Numbers of experiments after which the paper evaluates."""

STRATEGIES = ("random", "eig")


class Row(NamedTuple):
    """Mean errors after numbers of experiments, and the halves of their 95 % intervals."""

    name: str
    goal: str
    strategy: str
    means: tuple[float, ...]
    halves: tuple[float, ...]


def kinds() -> Iterator[tuple[str, str]]:
    """Every environment with each of its goals."""
    return ((name, goal) for name, world in WORLDS.items() for goal in world.goals)


def drawn(name: str, number: int) -> tuple[World, np.random.Generator]:
    """The world of an environment's number, always the same one, and the generator of its questions."""
    rng = np.random.default_rng([list(WORLDS).index(name), number])
    return WORLDS[name](rng), rng


def errors(
    name: str, goal: str, strategy: str, number: int, questions: int = 10, mode: Mode = "repaired"
) -> list[float]:
    """The mean errors of one episode after each of `EVALUATIONS`."""
    world, rng = drawn(name, number)
    asked = Questions(world, goal, mode, rng, questions)
    own, found = np.random.default_rng([number, 1]), []
    posterior = posterior_of(world, np.random.default_rng([number, 2]))
    for done in range(EVALUATIONS[-1] + 1):
        if done in EVALUATIONS:
            found.append(float(asked.errors(asked.best(posterior)).mean()))
        x = world.random_design(own) if strategy == "random" else best_design(world, posterior)
        posterior.observe(x, world.observe(x, own))
    return found


def row(name: str, goal: str, strategy: str, episodes: int) -> Row:
    """The errors of a strategy over episodes of their own worlds, the same ones for both strategies."""
    table = np.array([errors(name, goal, strategy, 1000 + k) for k in range(episodes)])
    halves = [mean_half(column.tolist()) for column in table.T]
    return Row(name, goal, strategy, tuple(table.mean(axis=0).tolist()), tuple(halves))


def measured_baselines(episodes: int, questions: int = 10) -> str:
    """The text of baselines.csv: errors of the best answers before any experiment."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("environment", "goal", "mode", "mean"))
    for name, goal in kinds():
        for mode in MODES:
            found = _prior_errors(name, goal, mode, episodes, questions)
            writer.writerow((name, goal, mode, f"{found.mean():.4g}"))
    return out.getvalue()


def _prior_errors(name: str, goal: str, mode: Mode, episodes: int, questions: int) -> Floats:
    found = []
    for number in range(episodes):
        world, rng = drawn(name, 100_000 + number)
        asked = Questions(world, goal, mode, rng, questions)
        answers = asked.best(posterior_of(world, np.random.default_rng(number)))
        found.append(float(asked.errors(answers).mean()))
    return np.array(found)


def speed(name: str) -> float:
    """Seconds of this processor for 10 experiments, each the best of 100 random designs."""
    world, rng = drawn(name, 0)
    start = time.process_time()
    posterior = posterior_of(world, rng)
    for _ in range(EVALUATIONS[-1]):
        xs = np.array([world.random_design(rng) for _ in range(RANDOM_DESIGNS)])
        x = xs[int(information(world, posterior, xs).argmax())]
        posterior.observe(x, world.observe(x, rng))
    return time.process_time() - start


def printed(rows: Iterable[Row]) -> Iterator[str]:
    """A line for each row."""
    yield f"{'environment':15}{'goal':12}{'designs':9}" + "".join(f"{n:>20}" for n in EVALUATIONS)
    for each in rows:
        pairs = zip(each.means, each.halves, strict=True)
        cells = "".join(f"{f'{mean:.4g} ± {half:.2g}':>20}" for mean, half in pairs)
        yield f"{each.name:15}{each.goal:12}{each.strategy:9}{cells}"
