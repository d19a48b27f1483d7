"""The comparison, as a table and as plain values for JSON."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.peers.contenders import OURS, SIDES
from benchmarks.peers.rounds import Comparison, Row
from benchmarks.report import spread_words

SCENE_WORDS = "50 things, played at random, the same episode for all"


def print_comparison(console: Console, found: Comparison) -> None:
    """A table of each contender's work, which ones are missing and why, and what each draws."""
    measured = [row for row in found.rows if row.rates]
    console.print(_table(measured, found))
    absent = (
        f"{row.contender.name} did not run ({row.work}): {row.reason}" for row in found.rows if row.reason
    )
    for line in dict.fromkeys(absent):
        console.print(line, highlight=False, style="yellow", markup=False)
    console.print("What each does:", highlight=False)
    does = (f"  {row.contender.name}, {row.work}: {row.contender.does[row.work]}." for row in measured)
    for line in dict.fromkeys(does):
        console.print(line, highlight=False, markup=False)
    for name, about in found.about.items():
        facts = ", ".join(f"{key} {value}" for key, value in about.items())
        console.print(f"  {name} ran with {facts}.", highlight=False, markup=False)


def comparison_dict(found: Comparison) -> dict[str, Any]:
    """Every measured rate, and why others are missing."""
    return {
        "scene": SCENE_WORDS,
        "about": found.about,
        "rows": [_row_dict(row, found) for row in found.rows],
    }


def _row_dict(row: Row, found: Comparison) -> dict[str, Any]:
    spread, ratio = row.spread, found.ratio(row)
    return {
        "name": row.contender.name,
        "work": str(row.work),
        "unit": f"{row.work.unit} per second",
        "side": row.side or None,
        "does": row.contender.does[row.work],
        "absent": row.reason,
        "times_per_round": row.times,
        "rates": row.rates,
        "spread": spread._asdict() if spread else None,
        "arena_llm_is_times_faster": ratio._asdict() if ratio else None,
    }


def _table(rows: Sequence[Row], found: Comparison) -> Table:
    table = Table(
        title=f"one scene of {SCENE_WORDS}: per second, median and lowest-highest round; below it how many"
        f" times faster {OURS} is",
        title_justify="left",
    )
    table.add_column("measured")
    table.add_column("by")
    for side in (*SIDES, 0):
        table.add_column(f"{side} x {side}" if side else "no picture", justify="right")
    keys = dict.fromkeys((row.work, row.contender.name) for row in rows)
    for work, name in keys:
        cells = {
            row.side: _cell(row, found) for row in rows if (row.work, row.contender.name) == (work, name)
        }
        ours = name == OURS
        table.add_row(
            str(work) if ours else "",
            name,
            *(cells.get(side, "") for side in (*SIDES, 0)),
            style="bold" if ours else None,
        )
    return table


def _cell(row: Row, found: Comparison) -> str:
    ratio = found.ratio(row)
    assert row.spread is not None
    below = f"\n{ratio.median:.2f} x [{ratio.low:.2f}-{ratio.high:.2f}]" if ratio else ""
    return spread_words(row.spread) + below
