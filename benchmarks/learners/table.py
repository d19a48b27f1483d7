"""The table and the curves of what was learned."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from rich.table import Table

from benchmarks.learners import EPISODES, Run
from testbed import LEVEL_NAMES

SHOWN = 40
"""Parts into which a curve divides the training steps; each point is the pass rate of one part."""


def summary(results: pd.DataFrame) -> pd.DataFrame:
    """Mean, lowest and highest normalised score over the seeds of each algorithm and level.

    With a row "all" per algorithm: the mean over the levels for each seed, where all are there.
    """
    every = results.groupby(["algorithm", "seed"], sort=False)["normalised"].agg(["mean", "size"])
    whole = every[every["size"] == results["level"].nunique()].reset_index()
    whole = whole.rename(columns={"mean": "normalised"}).assign(level="all")
    rows = pd.concat([results[["algorithm", "level", "normalised"]], whole], ignore_index=True)
    grouped = rows.groupby(["algorithm", "level"], sort=False)["normalised"]
    return grouped.agg(["mean", "min", "max"]).reset_index()


def rows(results: pd.DataFrame) -> list[tuple[str, ...]]:
    """The same as text: a header, then a row for each level and one for all, a column for each algorithm."""
    found = summary(results)
    algorithms = list(dict.fromkeys(found["algorithm"]))
    cells = {(row.algorithm, row.level): _cell(row) for row in found.itertuples()}
    levels = [*sorted(set(results["level"])), "all"]
    return [
        ("level", *algorithms),
        *((str(level), *(cells.get((name, level), "") for name in algorithms)) for level in levels),
    ]


def _cell(row: Any) -> str:
    return f"{row.mean:.2f} [{row.min:.2f}, {row.max:.2f}]"


def printed(results: pd.DataFrame) -> Table:
    """The same for the console."""
    header, *body = rows(results)
    table = Table(
        *header,
        title="normalised score: mean and, in brackets, the lowest and highest seed",
        title_justify="left",
    )
    for row in body:
        table.add_row(*row)
    return table


def draw_curves(results: pd.DataFrame, out: Path, path: Path) -> None:
    """A panel per level, the pass rate of training episodes over steps: thin for a seed, thick their mean."""
    levels = sorted(set(results["level"]))
    columns = min(5, len(levels))
    figure = Figure(figsize=(2.4 * columns, 2.2 * -(-len(levels) // columns)), layout="constrained")
    axes = figure.subplots(-(-len(levels) // columns), columns, sharex=True, sharey=True, squeeze=False)
    for level, panel in zip(levels, axes.flat, strict=False):
        panel.set(title=f"{level} {LEVEL_NAMES[level].partition(' and ')[0]}", ylim=(0, 1))
        panel.title.set_fontsize(8)
        of_level = results[results["level"] == level]
        for number, (name, runs) in enumerate(of_level.groupby("algorithm", sort=False)):
            color = f"C{number}"
            ends = int(runs["steps"].max())
            curves = [
                _curve(Run(str(name), level, int(seed)).folder(out) / EPISODES, ends) for seed in runs["seed"]
            ]
            at = (np.arange(SHOWN) + 0.5) * ends / SHOWN / 1000
            for curve in curves:
                panel.plot(at, curve, color=color, linewidth=0.5, alpha=0.5)
            panel.plot(at, _means(curves), color=color, linewidth=1.5, label=str(name))
    axes.flat[0].legend(frameon=False, fontsize=7)
    figure.supxlabel("thousands of training steps", fontsize=8)
    figure.supylabel("pass rate while training", fontsize=8)
    figure.savefig(path, dpi=150)


def _curve(path: Path, ends: int) -> np.ndarray[Any, Any]:
    episodes = pd.read_csv(path)
    part = np.minimum((episodes["steps"].to_numpy() - 1) * SHOWN // ends, SHOWN - 1)
    return episodes.groupby(part)["passed"].mean().reindex(range(SHOWN)).to_numpy()


def _means(curves: Sequence[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    return pd.DataFrame(curves).mean().to_numpy()
