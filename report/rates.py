"""Pass rates of runs by group of tasks, alone or beside others: the table that figures and pages show."""

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import pandas as pd
from rich.table import Table
from rich.text import Text

from arena.errors import EvaluationError
from evaluation.results import GROUP
from evaluation.run_card import RunCard
from evaluation.statistics import pass_rates
from report.formats import percent

COLUMNS = (
    *(GROUP, "level_name", "who", "source", "task_set", "tasks", "trials", "passes", "pass_rate"),
    *("low", "high", "quartile_1", "quartile_3", "missing", "comparable"),
)

Row = dict[Hashable, Any]
"""A row of the table by its columns, as `to_dict("records")` gives it."""

HEADINGS = ("Who", "Passed", "Tasks", "Rate", "95 %", "Middle half")
"""Columns of `cells`."""


def no_name(_: int | str) -> str:
    """For groups that have no name beside the one in the results."""
    return ""


def run_rates(results: pd.DataFrame) -> pd.DataFrame:
    """The rows of runs alone; `results` has the columns of `results_frame`."""
    return pass_rates(results).assign(task_set="this run", source="run").rename(columns={"agent": "who"})


def group_rates(
    results: pd.DataFrame, name: Callable[[Any], str] = no_name, rows: Sequence[pd.DataFrame] | None = None
) -> pd.DataFrame:
    """Pass rates by group, one row each, with `COLUMNS`; groups ascend, and `rows` keep their order.

    `rows` are tables with some of the columns, of which the groups in `results` are kept; default: the runs'.
    `name` is the name of a group. Raises EvaluationError if there are no results.
    """
    if results.empty:
        raise EvaluationError("there are no results to compare: no trial was planned")
    parts = [run_rates(results)] if rows is None else rows
    both = pd.concat([part.reindex(columns=list(COLUMNS)) for part in parts], ignore_index=True)
    both = both[both[GROUP].isin(set(results[GROUP]))]
    both = both.assign(level_name=both[GROUP].map(name), missing=both["missing"].fillna(0).astype(int))
    both = both.assign(comparable=both["comparable"].ne(False))
    return both.sort_values(GROUP, kind="stable", ignore_index=True)


class GroupRates(NamedTuple):
    """Rates by group as a report shows them.

    `table` is that of `group_rates`; `small_print` stands in its figure, `notes` below it on the page;
    `alone` is said in the figure of a group that only runs did.
    """

    table: pd.DataFrame
    small_print: Sequence[str] = ()
    notes: Sequence[str] = ()
    alone: str = ""


def label(row: Row) -> str:
    """A row's group, with its name if it has one."""
    return f"{row[GROUP]} {row['level_name']}".strip()


def who(row: Row) -> str:
    """Whose row it is; a run's second row says that it covers the children's tasks."""
    shared = (row["source"], row["task_set"]) == ("run", "children 40")
    name = f"{row['who']}, children's tasks" if shared else str(row["who"])
    return name if row["comparable"] else f"{name} (not comparable)"


def cells(row: Row) -> tuple[str, ...]:
    """A row as text, under `HEADINGS`; a dash stands for a missing value."""
    missing = f" ({row['missing']} missing)" if row["missing"] else ""
    return (
        who(row),
        f"{row['passes']}/{row['trials']}{missing}",
        str(row["tasks"]),
        "-" if math.isnan(row["pass_rate"]) else f"{percent(row['pass_rate'])} %",
        _span(row["low"], row["high"]),
        _span(row["quartile_1"], row["quartile_3"]),
    )


def _span(low: float, high: float) -> str:
    return "-" if math.isnan(low) else f"{percent(low)}-{percent(high)}"


def rates_table(rates: pd.DataFrame, group: str, caption: str = "") -> Table:
    """The table for a terminal; `group` is what a group of tasks is called, such as level."""
    table = Table(title=f"Trials passed, by {group}", caption=caption or None, caption_justify="left")
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading == "Who" else "right", overflow="fold")
    for _, rows in rates.groupby(GROUP, sort=False):
        table.add_section()
        table.add_row(Text(label(rows.iloc[0].to_dict()), "bold"))
        for row in rows.to_dict("records"):
            table.add_row(*map(Text, cells(row)))
    return table


def costs_table(cards: Sequence[RunCard]) -> Table:
    """Runs side by side for a terminal: what they used, and what a passed trial costs."""
    table = Table(title="Tokens and prices")
    headings = ("Passed", "Tokens out", "of which reasoning", "Price, US$", "per passed trial")
    for heading in ("Run", *headings):
        table.add_column(heading, justify="left" if heading == "Run" else "right", overflow="fold")
    for card in cards:
        tokens = (f"{card.output_tokens:,}", f"{card.reasoning_tokens:,}")
        prices = ("-" if cost is None else f"{cost:.4f}" for cost in (card.cost_usd, card.cost_per_pass_usd))
        table.add_row(Text(card.agent), f"{card.passed}/{card.judged}", *tokens, *prices)
    return table
