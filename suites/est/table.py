"""The reference agents beside the paper's Table 2: `python -m suites.est`."""

import csv
from collections.abc import Iterable, Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from rich.table import Table

from suites.est.agents import AGENTS, Maker
from suites.est.hypotheses import Floats
from suites.est.world import CONTEXT, HORIZON, Machines, Preset

COLUMNS = ("context accuracy, %", "context reward", "accuracy, %", "reward")
"""After the four context panels, and after the episode; rewards are totals."""


class Measured(NamedTuple):
    """Rows of `COLUMNS`, one for each run of an agent."""

    agent: str
    runs: Floats

    @property
    def means(self) -> Floats:
        """The mean over the runs."""
        return np.asarray(self.runs.mean(axis=0))

    @property
    def spread(self) -> Floats:
        """The standard deviation of a run: the sampling error of a figure of one run, such as the paper's."""
        return np.asarray(self.runs.std(axis=0, ddof=1))


def play(make: Maker, preset: Preset, episodes: int, rng: np.random.Generator) -> tuple[float, ...]:
    """One run of an agent: the figures of `COLUMNS` over a number of episodes."""
    world = Machines(preset, episodes, rng)
    player = make(preset, episodes, rng)
    solved, total, figures = np.zeros(episodes, np.bool_), np.zeros(episodes), []
    for number in range(1, HORIZON + 1):
        step = world.step(*player.act(world.panels, world.lights))
        solved, total = solved | step.solved, total + step.rewards
        if number in (CONTEXT, HORIZON):
            figures += [100 * float(solved.mean()), float(total.mean())]
    return tuple(figures)


def measure(agent: str, preset: Preset, episodes: int, runs: int, seed: int) -> Measured:
    """Several runs of an agent, each with a generator of its own."""
    seeds = np.random.SeedSequence(seed).spawn(runs)
    return Measured(
        agent,
        np.array([play(AGENTS[agent], preset, episodes, np.random.default_rng(each)) for each in seeds]),
    )


def published() -> dict[str, tuple[float, ...]]:
    """Table 2 of the paper, by our agents' names."""
    rows = csv.reader(
        files("suites.est").joinpath("published.csv").read_text(encoding="utf-8").splitlines()[1:]
    )
    return {name: tuple(map(float, figures)) for name, *figures in rows}


def printed(
    measured: Iterable[Measured], title: str, paper: Mapping[str, tuple[float, ...]] = MappingProxyType({})
) -> Table:
    """Means with the spread of a run, and the paper's figures below."""
    table = Table(title=title, title_justify="left")
    for column in ("agent", *COLUMNS):
        table.add_column(column, justify="right" if column in COLUMNS else "left")
    for row in measured:
        cells = [f"{mean:.2f} ± {spread:.2f}" for mean, spread in zip(row.means, row.spread, strict=True)]
        table.add_row(row.agent, *cells)
        if row.agent in paper:
            table.add_row("  paper", *(f"{figure:.2f}" for figure in paper[row.agent]), style="dim")
    return table
