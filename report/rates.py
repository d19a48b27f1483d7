"""Pass rates of runs by group of tasks, alone or beside others: the table that figures and pages show."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import pandas as pd
from rich.table import Table
from rich.text import Text

from arena.errors import EvaluationError
from evaluation.results import GROUP
from evaluation.run_card import RunCard
from evaluation.statistics import MISSING_NOTE, RATES, metric_means, pass_rates
from report.formats import decimals, percent

COLUMNS = (
    *(GROUP, "level_name", "who", "source", "task_set", "tasks", "planned", "trials", "passes", "missing"),
    *(*RATES, "quartile_1", "quartile_3", "comparable"),
)

LINKED = "linked"
"""Source of rows that are predicted from other tasks, so that they have no counts."""

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
    known: dict[str, Any] = {"planned": both["trials"], "missing": 0}
    both = both.assign(**{key: both[key].fillna(value).astype(int) for key, value in known.items()})
    others = both["source"] != "run"
    both.loc[others, ["judged_rate", "most"]] = both.loc[others, "pass_rate"]
    return both.sort_values(GROUP, kind="stable", ignore_index=True)


def headlines(results: pd.DataFrame, metrics: Mapping[str, str]) -> pd.DataFrame:
    """The headline metrics of each agent over all its tasks, and the pass rate last, one row each.

    `results` has the columns of `results_frame`; `metrics` are those of `Suite.headline`, of which only those
    that the results have are returned. Columns: `agent`, `metric`; `planned` and `missing` trials; `mean`,
    with 0 for a missing trial, `low`, `high` (95 %); `judged` of the trials that have it; `most`, with 1 for
    the missing ones.
    """
    columns = {**metrics, **({} if "passed" in metrics.values() else {PASS_RATE: "passed"})}
    whole = results.assign(**{GROUP: 0})
    names = {"pass_rate": "mean", "judged_rate": "judged", "score": "mean", "judged_score": "judged"}
    parts = [
        (pass_rates(whole) if column == "passed" else metric_means(whole, column))
        .rename(columns=names)
        .assign(metric=metric)
        for metric, column in columns.items()
        if column in results
    ]
    order = {agent: place for place, agent in enumerate(results["agent"].unique())}
    found = pd.concat(parts).sort_values("agent", key=lambda agents: agents.map(order), kind="stable")
    return found.reset_index(drop=True)[list(HEADLINE_COLUMNS)]


PASS_RATE = "pass rate"
HEADLINE_COLUMNS = ("agent", "metric", "planned", "missing", "mean", "low", "high", "judged", "most")
HEADLINE_HEADINGS = ("Who", "Metric", "Trials", "Missing", "Mean", "95 %", "Judged", "Bounds")
"""Columns of `headline_cells`."""


def headline_cells(row: Row) -> tuple[str, ...]:
    """A row of `headlines` as text, under `HEADLINE_HEADINGS`."""
    form = (lambda share: f"{percent(share)} %") if row["metric"] == PASS_RATE else decimals

    def span(low: float, high: float) -> str:
        return "-" if math.isnan(low) else f"{form(low)}-{form(high)}".replace(" %-", "-")

    judged = form(row["judged"]) if row["missing"] and not math.isnan(row["judged"]) else "-"
    return (
        *(row["agent"], row["metric"], str(row["planned"]), str(row["missing"] or "-")),
        "-" if math.isnan(row["mean"]) else form(row["mean"]),
        span(row["low"], row["high"]),
        judged,
        span(row["mean"], row["most"]) if row["missing"] else "-",
    )


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
    if row["source"] == LINKED:
        return f"{name}, {LINKED}"
    return name if row["comparable"] else f"{name} (not comparable)"


def passed(row: Row) -> str:
    """Passed of planned trials; a dash for a rate that is predicted."""
    return "-" if row["source"] == LINKED else f"{row['passes']}/{row['planned']}"


def cells(row: Row) -> tuple[str, ...]:
    """A row as text, under `HEADINGS`; a dash stands for a missing value, and where no trial is missing."""
    missing = f" ({row['missing']} missing)" if row["missing"] else ""
    return (
        who(row),
        f"{passed(row)}{missing}",
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
    shown = _add_columns(table, HEADINGS, [row for _, row in found], 1)
    for name, rows in groupby(found, key=itemgetter(0)):
        table.add_section()
        table.add_row(Text(name, "bold"))
        for _, row in rows:
            table.add_row(*(Text(row[place]) for place in shown))
    return table


def headlines_table(found: pd.DataFrame) -> Table:
    """The headline metrics over all tasks for a terminal, as `headlines` gives them."""
    table = Table(title="All tasks")
    rows = [headline_cells(row) for row in found.to_dict("records")]
    shown = _add_columns(table, HEADLINE_HEADINGS, rows, 2)
    for row in rows:
        table.add_row(*(Text(row[place]) for place in shown))
    return table


def _add_columns(
    table: Table, headings: Sequence[str], rows: Sequence[Sequence[str]], texts: int
) -> list[int]:
    """Add the columns that have any value, the first `texts` of which are text; returns their places."""
    shown = [place for place in range(len(headings)) if any(row[place] != "-" for row in rows)]
    for place in shown:
        table.add_column(headings[place], justify="left" if place < texts else "right", overflow="fold")
    return shown


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
