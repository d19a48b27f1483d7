"""The worlds by number, and what perfect inference reaches in others: oracle.csv."""

import csv
from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from suites.boxing.environments import WORLDS
from suites.boxing.world import World

EVALUATIONS = (0, 1, 3, 5, 7, 10)
"""Numbers of experiments after which the paper evaluates."""


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


def shipped() -> list[Row]:
    """Errors of the Bayes-optimal predictor, as `python -m benchmarks.boxing errors` printed them."""
    text = files("suites.boxing").joinpath("oracle.csv").read_text(encoding="utf-8")
    found = []
    for name, goal, strategy, episodes, *cells in csv.reader(text.splitlines()[1:]):
        means, halves = (tuple(map(float, part)) for part in (cells[::2], cells[1::2]))
        found.append(Row(name, goal, strategy, int(episodes), means, halves))
    return found
