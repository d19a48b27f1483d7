"""Additional tables of the suite boxing: `python -m benchmarks.boxing errors`, `baselines` or `verdicts`."""

import csv
import sys
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Annotated

import numpy as np
import typer

from arena.errors import ConfigError
from benchmarks import run
from evaluation.statistics import mean_half
from suites.boxing.environments import WORLDS, drawn
from suites.boxing.findings import EVALUATIONS
from suites.boxing.outcomes import Floats
from suites.boxing.posterior import best_design, posterior_of
from suites.boxing.questions import MODES, Mode, Questions
from suites.boxing.world import World

STRATEGIES = ("random", "eig")
"""Ways to choose experiments: the paper's random ones, and the most informative ones."""

VERDICTS = ("prior", "near", "constant", "guess", *STRATEGIES)
"""Players whose verdicts are measured.

`prior`: the best answers without experiments. `near`: these, moved by a tenth towards a guess. `constant`:
always the answers for the same imagined world, that which passes most often in other worlds. `guess`: the
answers for a world drawn from the prior. `random`, `eig`: perfect inference after such experiments.
"""

Row = tuple[object, ...]
Asked = dict[tuple[str, Mode], Questions]
"""By goal and mode."""

app = typer.Typer(add_completion=False, no_args_is_help=True)

Environments = Annotated[list[str] | None, typer.Option("--environment", help="Only this; may be repeated.")]


def _chosen(environments: list[str] | None) -> list[str]:
    if unknown := [name for name in environments or () if name not in WORLDS]:
        raise ConfigError(f"--environment: got {unknown[0]!r}, expected one of {', '.join(WORLDS)}")
    return environments or list(WORLDS)


def _print(columns: Row, rows: Iterable[Row]) -> None:
    """Print a table as CSV, each row as soon as it is measured."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(row)
        sys.stdout.flush()


@app.command("errors")
def print_errors(
    environment: Environments = None,
    worlds: Annotated[int, typer.Option(min=2, help="Worlds of each row.")] = 30,
) -> None:
    """Print errors of the Bayes-optimal predictor after 0 to 10 experiments, as oracle.csv has them."""
    columns = (f"{what}_{n}" for n in EVALUATIONS for what in ("mean", "half"))
    rows = (row for name in _chosen(environment) for row in error_rows(name, worlds))
    _print(("environment", "goal", "designs", "episodes", *columns), rows)


def error_rows(name: str, worlds: int) -> Iterator[Row]:
    """For each goal the errors of both strategies in worlds of their own, the same for both."""
    for strategy in STRATEGIES:
        found = [errors(name, strategy, 1000 + number) for number in range(worlds)]
        for goal in found[0]:
            columns = np.array([each[goal] for each in found]).T
            pairs = [(column.mean(), mean_half(column.tolist())) for column in columns]
            yield name, goal, strategy, worlds, *(f"{value:.4g}" for pair in pairs for value in pair)


def errors(name: str, strategy: str, number: int, questions: int = 10) -> dict[str, list[float]]:
    """Measure mean errors of an episode by goal, after each of `EVALUATIONS`."""
    world, rng = drawn(name, number)
    asked: Asked = {
        (goal, "repaired"): Questions(world, goal, "repaired", rng, questions) for goal in world.goals
    }
    return {goal: found for (goal, _), found in _all_errors(world, asked, strategy, number).items()}


def _all_errors(
    world: World, asked: Asked, strategy: str, number: int
) -> dict[tuple[str, Mode], list[float]]:
    """By goal and mode the mean errors after each of `EVALUATIONS`, with designs for the goal."""
    found: dict[tuple[str, Mode], list[float]] = {}
    # Goals that ask for all parameters have the same best designs.
    about = {kind: kind[0] if kind[0] in world.partial else "prediction" for kind in asked}
    for goal in dict.fromkeys(about.values()):
        own = {kind: each for kind, each in asked.items() if about[kind] == goal}
        found |= _errors(world, own, goal, strategy, number)
    return {kind: found[kind] for kind in asked}


def _errors(
    world: World, asked: Asked, about: str, strategy: str, number: int
) -> dict[tuple[str, Mode], list[float]]:
    """Measure errors with the best designs for one goal."""
    found: dict[tuple[str, Mode], list[float]] = {kind: [] for kind in asked}
    own, inference = (np.random.default_rng([number, k]) for k in (1, 2))
    posterior = posterior_of(world, inference)
    for done in range(EVALUATIONS[-1] + 1):
        if done in EVALUATIONS:
            for kind, each in asked.items():
                found[kind].append(float(each.errors(each.best(posterior)).mean()))
        if done < EVALUATIONS[-1]:
            x = world.random_design(own) if strategy == "random" else best_design(world, posterior, about)
            posterior.observe(x, world.observe(x, own))
    return found


def _asked(name: str, number: int) -> Asked:
    """Draw ten questions of each goal and mode, as an episode of a world has them."""
    asked: Asked = {}
    for goal, mode in product(WORLDS[name].goals, MODES):
        world, rng = drawn(name, number)
        asked[goal, mode] = Questions(world, goal, mode, rng, 10)
    return asked


@app.command("baselines")
def print_baselines(
    environment: Environments = None,
    worlds: Annotated[int, typer.Option(min=2, help="Worlds of each row.")] = 600,
) -> None:
    """Print errors of the best answers before any experiment, as baselines.csv has them."""
    rows = (row for name in _chosen(environment) for row in baseline_rows(name, worlds))
    _print(("environment", "goal", "mode", "mean"), rows)


def baseline_rows(name: str, worlds: int) -> Iterator[Row]:
    """For each goal and mode the mean error of the best answers without experiments."""
    asked = [_asked(name, 100_000 + number) for number in range(worlds)]
    for kind in asked[0]:
        yield name, *kind, f"{np.mean([each[kind].prior_error for each in asked]):.4g}"


@app.command("verdicts")
def print_verdicts(
    environment: Environments = None,
    worlds: Annotated[int, typer.Option(min=2, help="Worlds of each row.")] = 100,
    best: Annotated[int, typer.Option(min=1, help="Of these, worlds with the best experiments.")] = 100,
) -> None:
    """Print shares of worlds that pass by luck and by perfect inference, as verdicts.csv has them."""
    rows = (row for name in _chosen(environment) for row in verdict_rows(name, worlds, min(best, worlds)))
    _print(("environment", "goal", "mode", "worlds", "best_worlds", *VERDICTS), rows)


def verdict_rows(name: str, worlds: int, best_worlds: int) -> Iterator[Row]:
    """For each goal and mode, the share of worlds that each of `VERDICTS` passes.

    Of the worlds from number 0, `best_worlds` are played with the most informative experiments.
    """
    played = [_passes(name, number, number < best_worlds) for number in range(worlds)]
    for goal, mode in played[0]:
        own = [each[goal, mode] for each in played]
        shares = {who: float(np.mean([world[who] for world in own if who in world])) for who in VERDICTS}
        shares["constant"] = _constant(np.array([world["constant"] for world in own]))
        yield name, goal, mode, worlds, best_worlds, *(f"{shares[who]:.3f}" for who in VERDICTS)


def _passes(name: str, number: int, best: bool) -> dict[tuple[str, Mode], dict[str, Floats]]:
    """By goal and mode: whether each of `VERDICTS` passes a world, for each of its tries."""
    world, _ = drawn(name, number)
    asked = _asked(name, number)
    # 50 worlds are tried as the one that is imagined.
    same = world.prior(np.random.default_rng(0), 50)
    own = world.prior(np.random.default_rng([number, 3]), 50)
    found = {}
    for kind, each in asked.items():
        guesses = np.array([each.best_for(theta[None]) for theta in own])
        tried = {
            "prior": each.without[None],
            "near": each.without + 0.1 * (guesses - each.without),
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


if __name__ == "__main__":
    run(app, "benchmarks.boxing")
