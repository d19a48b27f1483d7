"""The figures for reinforcement learning, as tables and as plain values for JSON."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.report import spread_words
from benchmarks.result import Figure
from benchmarks.rl.measure import RlFigures
from benchmarks.rl.setups import HELD

TITLES = {
    "tasks": "environment steps per second, one environment, over tasks",
    "50 things": "environment steps per second on one scene of 50 things, all in turn",
    "ArenaVectorEnv": "environment steps per second of all environments, resets included",
    "reset": "a reset with its observation, over tasks",
    "scaling": "environment steps per second by the number of things",
    "memory": "memory in use (resident set)",
}
"""Titles of the tables, in their order."""

NOTES = (
    f"Through gymnasium.make, observation included, each random action held for {HELD} steps; resets are"
    " not included.",
    "MiniWorld: nothing but the agent moves. Bare PyBullet: as many boxes and a driven ball, no rules; its"
    " rays are thin, ours are casts of a ball.",
    "Animal-AI itself: no published figure of its speed is known to us.",
)


def print_rl(console: Console, found: RlFigures) -> None:
    """A table for each section, and notes."""
    for section, figures in groupby(found.figures, lambda figure: figure.section):
        console.print(f"{TITLES[section]}:", style="italic", highlight=False)
        console.print(_table(list(figures)))
    for note in (*found.notes, *NOTES):
        console.print(note, highlight=False, markup=False)


def figure_dicts(figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """Every measured value."""
    return [
        {
            "section": figure.section,
            "name": figure.name,
            "unit": figure.unit,
            "subjects": list(figure.subjects),
            "over_subjects": dict(
                zip(("median", "percentile_10", "percentile_90"), figure.over_subjects, strict=True)
            ),
            "over_passes": figure.over_passes._asdict(),
            "values": figure.values.tolist(),
        }
        for figure in figures
    ]


def _table(figures: Sequence[Figure]) -> Table:
    several = len(figures[0].subjects) > 1
    table = Table()
    table.add_column("measured")
    table.add_column("unit")
    for heading in (*(("median", "10 %", "90 %") if several else ()), "median [lowest-highest pass]"):
        table.add_column(heading, justify="right")
    for figure in figures:
        over = figure.over_subjects if several else ()
        cells = [_number(value) for value in over]
        table.add_row(figure.name, figure.unit, *cells, spread_words(figure.over_passes))
    return table


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"
