"""What perfect inference reaches: the Bayes-optimal predictor after random and after the best experiments."""

import csv
import time
from collections.abc import Iterable, Iterator
from importlib.resources import files
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
    episodes: int
    means: tuple[float, ...]
    halves: tuple[float, ...]


def kinds() -> Iterator[tuple[str, str]]:
    """Every environment with each of its goals."""
    return ((name, goal) for name, world in WORLDS.items() for goal in world.goals)


def drawn(name: str, number: int) -> tuple[World, np.random.Generator]:
    """The world of an environment's number, always the same one, and the generator of its questions."""
    rng = np.random.default_rng([list(WORLDS).index(name), number])
    return WORLDS[name](rng), rng


def errors(name: str, strategy: str, number: int, questions: int = 10) -> dict[str, list[float]]:
    """By goal the mean errors of one episode after each of `EVALUATIONS`."""
    world, rng = drawn(name, number)
    asked = {goal: Questions(world, goal, "repaired", rng, questions) for goal in world.goals}
    found: dict[str, list[float]] = {}
    # Goals that ask for all parameters have the same best designs.
    own = [goal for goal in asked if goal in world.partial]
    for about, goals in [
        ("prediction", [goal for goal in asked if goal not in own]),
        *((g, [g]) for g in own),
    ]:
        found |= _errors(world, {goal: asked[goal] for goal in goals}, about, strategy, number)
    return {goal: found[goal] for goal in asked}


def _errors(
    world: World, asked: dict[str, Questions], about: str, strategy: str, number: int
) -> dict[str, list[float]]:
    """The same with designs that are the best for one goal."""
    found: dict[str, list[float]] = {goal: [] for goal in asked}
    own, posterior = (
        np.random.default_rng([number, 1]),
        posterior_of(world, np.random.default_rng([number, 2])),
    )
    for done in range(EVALUATIONS[-1] + 1):
        if done in EVALUATIONS:
            for goal, each in asked.items():
                found[goal].append(float(each.errors(each.best(posterior)).mean()))
        if done < EVALUATIONS[-1]:
            x = world.random_design(own) if strategy == "random" else best_design(world, posterior, about)
            posterior.observe(x, world.observe(x, own))
    return found


def rows(name: str, episodes: int) -> Iterator[Row]:
    """For each goal the errors of both strategies over episodes of their own worlds, the same for both."""
    for strategy in STRATEGIES:
        found = [errors(name, strategy, 1000 + k) for k in range(episodes)]
        for goal in found[0]:
            table = np.array([each[goal] for each in found])
            halves = [mean_half(column.tolist()) for column in table.T]
            yield Row(name, goal, strategy, episodes, tuple(table.mean(axis=0).tolist()), tuple(halves))


def shipped() -> list[Row]:
    """The rows of oracle.csv, which `python -m suites.boxing --out` writes."""
    text = files("suites.boxing").joinpath("oracle.csv").read_text(encoding="utf-8")
    found = []
    for name, goal, strategy, episodes, *cells in csv.reader(text.splitlines()[1:]):
        means, halves = cells[::2], cells[1::2]
        found.append(
            Row(name, goal, strategy, int(episodes), tuple(map(float, means)), tuple(map(float, halves)))
        )
    return found


def as_csv(rows: Iterable[Row]) -> str:
    """The text of oracle.csv."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = (f"{what}_{n}" for n in EVALUATIONS for what in ("mean", "half"))
    writer.writerow(("environment", "goal", "designs", "episodes", *columns))
    for each in rows:
        cells = (f"{value:.4g}" for pair in zip(each.means, each.halves, strict=True) for value in pair)
        writer.writerow((*each[:4], *cells))
    return out.getvalue()


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


def heading() -> str:
    """The line above the rows."""
    return f"{'environment':15}{'goal':12}{'designs':9}" + "".join(f"{n:>20}" for n in EVALUATIONS)


def printed(row: Row) -> str:
    """A row as a line."""
    pairs = zip(row.means, row.halves, strict=True)
    cells = "".join(f"{f'{mean:.4g} ± {half:.2g}':>20}" for mean, half in pairs)
    return f"{row.name:15}{row.goal:12}{row.strategy:9}{cells}"
