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

_Asked = dict[tuple[str, Mode], Questions]
"""By goal and mode."""


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
    asked: _Asked = {
        (goal, "repaired"): Questions(world, goal, "repaired", rng, questions) for goal in world.goals
    }
    return {goal: found for (goal, _), found in _all_errors(world, asked, strategy, number).items()}


def _all_errors(
    world: World, asked: _Asked, strategy: str, number: int
) -> dict[tuple[str, Mode], list[float]]:
    """By goal and mode the mean errors after each of `EVALUATIONS`, with designs for the goal."""
    found: dict[tuple[str, Mode], list[float]] = {}
    # Goals that ask for all parameters have the same best designs.
    for about in dict.fromkeys(goal if goal in world.partial else "prediction" for goal, _ in asked):
        own = {
            kind: each
            for kind, each in asked.items()
            if (kind[0] if kind[0] in world.partial else "prediction") == about
        }
        found |= _errors(world, own, about, strategy, number)
    return {kind: found[kind] for kind in asked}


def _errors(
    world: World, asked: _Asked, about: str, strategy: str, number: int
) -> dict[tuple[str, Mode], list[float]]:
    """The same with designs that are the best for one goal."""
    found: dict[tuple[str, Mode], list[float]] = {kind: [] for kind in asked}
    own, posterior = (
        np.random.default_rng([number, 1]),
        posterior_of(world, np.random.default_rng([number, 2])),
    )
    for done in range(EVALUATIONS[-1] + 1):
        if done in EVALUATIONS:
            for kind, each in asked.items():
                found[kind].append(float(each.errors(each.best(posterior)).mean()))
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


def _questions(name: str, number: int, goal: str, mode: Mode) -> Questions:
    """Ten questions as an episode has them."""
    world, rng = drawn(name, number)
    return Questions(world, goal, mode, rng, 10)


def measured_baselines(episodes: int) -> str:
    """The text of baselines.csv: errors of the best answers before any experiment."""
    rows = [
        (name, goal, mode, f"{np.mean(_prior_errors(name, goal, mode, episodes)):.4g}")
        for name, goal in kinds()
        for mode in MODES
    ]
    return table(("environment", "goal", "mode", "mean"), rows)


def _prior_errors(name: str, goal: str, mode: Mode, episodes: int) -> list[float]:
    return [_questions(name, 100_000 + number, goal, mode).prior_error for number in range(episodes)]


VERDICTS = ("prior", "near", "constant", "guess", "random", "eig")
"""Who is tried for verdicts.

`prior`: the best answers without experiments. `near`: these, moved by a tenth towards a guess. `constant`:
always the answers for the same imagined world, that which passes most often in other worlds. `guess`: the
answers for a world drawn from the prior. `random`, `eig`: perfect inference after such experiments.
"""

_IMAGINED = 50
"""Worlds that are tried as the one that is imagined always."""


def verdicts(name: str, worlds: int, best_worlds: int) -> Iterator[tuple[str, ...]]:
    """Rows of verdicts.csv: for each goal and mode, which share of worlds each of `VERDICTS` passes.

    Of the worlds from number 0, `best_worlds` are played with the most informative experiments.
    """
    played = [_passes(name, number, number < best_worlds) for number in range(worlds)]
    for goal, mode in played[0]:
        own = [each[goal, mode] for each in played]
        shares = {who: float(np.mean([world[who] for world in own if who in world])) for who in VERDICTS}
        shares["constant"] = _constant(np.array([world["constant"] for world in own]))
        cells = (f"{shares[who]:.3f}" for who in VERDICTS)
        yield name, goal, mode, str(worlds), str(best_worlds), *cells


def _passes(name: str, number: int, best: bool) -> dict[tuple[str, Mode], dict[str, Floats]]:
    """By goal and mode: whether each of `VERDICTS` passes a world, for each of its tries."""
    world, _ = drawn(name, number)
    asked: _Asked = {
        (goal, mode): _questions(name, number, goal, mode) for goal in world.goals for mode in MODES
    }
    same = world.prior(np.random.default_rng(0), _IMAGINED)
    own = world.prior(np.random.default_rng([number, 3]), _IMAGINED)
    found = {}
    for kind, each in asked.items():
        guesses = np.array([each.best_for(theta[None]) for theta in own])
        near = each.without + 0.1 * (guesses - each.without)
        tried = {
            "prior": each.without[None],
            "near": near,
            "constant": np.array([each.best_for(theta[None]) for theta in same]),
            "guess": guesses,
        }
        found[kind] = {
            who: np.array([each.errors(answers).mean() < each.pass_error for answers in every], float)
            for who, every in tried.items()
        }
    for strategy in STRATEGIES if best else STRATEGIES[:1]:
        for kind, reached in _all_errors(world, asked, strategy, number).items():
            found[kind][strategy] = np.array([reached[-1] < asked[kind].pass_error], float)
    return found


def _constant(passed: Floats) -> float:
    """The share of worlds passed (worlds, tries) by the try that passes most often in the other half."""
    halves = passed[::2], passed[1::2]
    chosen = (other[:, int(half.mean(axis=0).argmax())] for half, other in (halves, halves[::-1]))
    return float(np.concatenate(list(chosen)).mean())


def table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """The text of a CSV file."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()


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
