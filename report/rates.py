"""Pass rates of runs by group of tasks, alone or beside others: the table that figures and pages show."""

import math
from collections.abc import Callable, Hashable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import pandas as pd
from rich.table import Table
from rich.text import Text

from arena.errors import EvaluationError
from evaluation.results import GROUP
from evaluation.run_card import RunCard
from evaluation.statistics import MISSING_NOTE, RATES, pass_rates
from report.formats import percent

COLUMNS = (
    *(GROUP, "level_name", "who", "source", "task_set", "tasks", "planned", "trials", "passes", "missing"),
    *(*RATES, "quartile_1", "quartile_3", "comparable"),
)

Row = dict[Hashable, Any]
"""A row of the table by its columns, as `to_dict("records")` gives it."""

HEADINGS = ("Who", "Passed", "Tasks", "Rate", "95 %", "Judged", "Bounds", "Middle half")
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
    both = both.assign(level_name=both[GROUP].map(name), comparable=both["comparable"].ne(False))
    # Of published groups every trial has a verdict.
    known = {"planned": both["trials"], "missing": 0}
    both = both.assign(**{key: both[key].fillna(value).astype(int) for key, value in known.items()})
    others = both["source"] != "run"
    both.loc[others, ["judged_rate", "most"]] = both.loc[others, "pass_rate"]
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
    """A row as text, under `HEADINGS`; a dash stands for a missing value, and where no trial is missing."""
    missing = f" ({row['missing']} missing)" if row["missing"] else ""
    return (
        who(row),
        f"{row['passes']}/{row['planned']}{missing}",
        str(row["tasks"]),
        _rate(row["pass_rate"]),
        _span(row["low"], row["high"]),
        _rate(row["judged_rate"]) if row["missing"] else "-",
        _span(row["pass_rate"], row["most"]) if row["missing"] else "-",
        _span(row["quartile_1"], row["quartile_3"]),
    )


def _rate(share: float) -> str:
    return "-" if math.isnan(share) else f"{percent(share)} %"


def _span(low: float, high: float) -> str:
    return "-" if math.isnan(low) else f"{percent(low)}-{percent(high)}"


def rates_table(rates: pd.DataFrame, group: str, caption: str = "") -> Table:
    """The table for a terminal; `group` is what a group of tasks is called, such as level.

    Columns without any value are left out.
    """
    if rates["missing"].any():
        caption = f"{MISSING_NOTE} {caption}".strip()
    table = Table(title=f"Trials passed, by {group}", caption=caption or None, caption_justify="left")
    found = [(label(row), cells(row)) for row in rates.to_dict("records")]
    shown = [place for place in range(len(HEADINGS)) if any(row[place] != "-" for _, row in found)]
    for place in shown:
        table.add_column(HEADINGS[place], justify="right" if place else "left", overflow="fold")
    for name, rows in groupby(found, key=itemgetter(0)):
        table.add_section()
        table.add_row(Text(name, "bold"))
        for _, row in rows:
            table.add_row(*(Text(row[place]) for place in shown))
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
        table.add_row(Text(card.agent), f"{card.passed}/{card.judged + card.missing}", *tokens, *prices)
    return table
