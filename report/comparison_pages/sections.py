"""The comparison's tables as text: for the page, and in brief for a terminal."""

import math
from collections.abc import Iterable
from html import escape
from typing import Any

from rich.table import Table

from report.comparison.capacities import CAPACITIES_NOTE
from report.comparison.differences import ALL, DIFFERENCES_NOTE
from report.comparison.items import CORRELATIONS_NOTE
from report.comparison.levels import percent
from report.comparison.ranks import OUTPERFORMED_NOTE, RANKS_NOTE
from report.comparison.tasks import TASKS_NOTE
from report.comparison.whole import Comparison
from report.summary import html_table

Row = dict[Any, Any]


def table_sections(compared: Comparison) -> str:
    """The part of the page with the tables; those of single tasks are left to the files."""
    level_rows = [
        row for row in _records(compared, "differences") if row["scope"] == ALL or row["source"] != "agents"
    ]
    parts = (
        ("Differences", DIFFERENCES_NOTE, _DIFFERENCE, map(_difference, level_rows)),
        ("Rank among the teams of 2019", RANKS_NOTE, _RANK, map(_rank, _records(compared, "ranks"))),
        ("Children outperformed", OUTPERFORMED_NOTE, _SHARE, map(_share, _records(compared, "outperformed"))),
        (
            "Failing where others fail",
            CORRELATIONS_NOTE,
            _CORRELATION,
            map(_correlation, _records(compared, "correlations")),
        ),
        ("Capacities", CAPACITIES_NOTE, _CAPACITY, map(_capacity, _records(compared, "capacities"))),
    )
    return "\n".join(_section(*part) for part in parts) + (
        f'<h2>Single tasks</h2><p class="note">Differences on every task are in tasks.csv. '
        f"{escape(TASKS_NOTE)}</p>"
    )


def summary_table(compared: Comparison) -> Table:
    """One line per run for a terminal: difference from children, rank, share outperformed, correlation."""
    table = Table("Run", "Passed", "Less children, points", "Rank among teams", "Children outperformed", "ρ")
    for run in compared.runs:
        rates = run.task_rates()["rate"]
        table.add_row(
            run.agent,
            "-" if rates.empty else f"{percent(rates.mean())} %",
            _first(compared, "differences", run.agent, lambda row: _points(row), source="children"),
            _first(compared, "ranks", run.agent, lambda row: " of ".join(_rank(row)[4:6]) + _basis(row)),
            _first(compared, "outperformed", run.agent, lambda row: _share(row)[5]),
            _first(compared, "correlations", run.agent, lambda row: _correlation(row)[3], source="children"),
        )
    return table


def _basis(row: Row) -> str:
    return f" ({row['basis']})" if row["pairing"] == "same tasks" else " (other layouts)"


def _first(compared: Comparison, name: str, agent: str, tell: Any, **wanted: str) -> str:
    """What there is to tell of the first row of a table over all levels that has these values."""
    for row in _records(compared, name):
        asked = {"agent": agent, **({"scope": ALL} if "scope" in row else {}), **wanted}
        if all(row[key] == value for key, value in asked.items()):
            return str(tell(row))
    return "-"


def _records(compared: Comparison, name: str) -> list[Row]:
    return list(getattr(compared, name).to_dict("records"))


def _section(heading: str, note: str, headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    cells = list(rows)
    if not cells:
        return ""
    return f'<h2>{escape(heading)}</h2>{html_table(headings, cells)}<p class="note">{escape(note)}</p>'


_DIFFERENCE = (
    "Levels",
    "Run",
    "Others",
    "Tasks",
    "Run, %",
    "Others, %",
    "Difference, points [95 %]",
    "Basis",
)


def _difference(row: Row) -> tuple[str, ...]:
    tasks = str(row["tasks"])
    if row["tasks"] != row["group_tasks"]:
        tasks += f" and {row['group_tasks']}"
    shares = (percent(row["rate"]), percent(row["group_rate"]))
    return (row["scope"], row["agent"], row["group"], tasks, *shares, _points(row), row["pairing"])


_RANK = ("Levels", "Run", "Teams' tasks", "Run's tasks", "Rank [95 %]", "Places", "Equal teams", "Basis")


def _rank(row: Row) -> tuple[str, ...]:
    ends = "" if math.isnan(row["low"]) else f" [{row['low']:.0f} to {row['high']:.0f}]"
    place = (f"{row['rank']}{ends}", str(row["teams"] + 1), str(row["equal"]))
    return (row["scope"], row["agent"], row["basis"], str(row["tasks"]), *place, row["pairing"])


_SHARE = ("Levels", "Run", "Passed", "Fewer, %", "As many, %", "Outperformed, % [95 %]", "Trials", "Basis")


def _share(row: Row) -> tuple[str, ...]:
    passed = f"{row['passed']:g} of {row['tasks']}"
    share = f"{percent(row['outperformed'])} % [{percent(row['low'])} to {percent(row['high'])}]"
    shares = (percent(row["fewer"]), percent(row["equal"]), share)
    return (row["scope"], row["agent"], passed, *shares, str(row["trials"]), row["pairing"])


_CORRELATION = ("Run", "Others", "Tasks", "ρ [95 %]", "p", "p (levels)", "τ [95 %]", "Basis")


def _correlation(row: Row) -> tuple[str, ...]:
    found = (
        _two(row, "spearman"),
        _p(row["p"]),
        _p(row["p_within_levels"]),
        _two(row, "kendall"),
    )
    return (row["agent"], row["group"], str(row["tasks"]), *found, row["pairing"])


_CAPACITY = ("Capacity", "Run", "Tasks", "Ideas", "Passed, % [95 %]")


def _capacity(row: Row) -> tuple[str, ...]:
    share = f"{percent(row['pass_rate'])} [{percent(row['low'])} to {percent(row['high'])}]"
    return (row["capacity"], row["agent"], str(row["tasks"]), str(row["ideas"]), share)


def _points(row: Row) -> str:
    found = _signed(row["difference"])
    return found if math.isnan(row["low"]) else f"{found} [{_signed(row['low'])} to {_signed(row['high'])}]"


def _signed(value: float) -> str:
    """Percentage points with a true minus sign."""
    return ("−" if value < -0.005 else "") + percent(abs(value))


def _two(row: Row, name: str) -> str:
    value, low, high = (row[key] for key in (name, f"{name}_low", f"{name}_high"))
    if math.isnan(value):
        return "-"
    ends = "" if math.isnan(low) else f" [{low:.2f} to {high:.2f}]"
    return f"{value:.2f}{ends}".replace("-", "−")


def _p(value: float) -> str:
    return "-" if math.isnan(value) else "< 0.001" if value < 0.001 else f"{value:.3f}"
