"""The comparison's tables as text: for its page, and in brief for a terminal."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rich.table import Table as TerminalTable
from rich.text import Text

from evaluation.paired import ALL_LEVELS, PAIRED_NOTE
from evaluation.reliability import RELIABILITY_NOTE
from evaluation.statistics import pass_rates
from report.comparison.contamination import GAP_NOTE
from report.comparison.demand_profile import PROFILE_NOTE
from report.comparison.differences import ALL, DIFFERENCES_NOTE
from report.comparison.item_analysis import ITEMS_NOTE, items_by_level
from report.comparison.items import CORRELATIONS_NOTE
from report.comparison.levels import CAPACITIES_NOTE
from report.comparison.ranks import OUTPERFORMED_NOTE, RANKS_NOTE
from report.comparison.whole import Comparison
from report.formats import NONE, decimals, interval, p_value, percent, points
from report.tables import JUDGED, RELIABILITY, Table, missing_cell, pairs_table, reliability_cells

Row = dict[Any, Any]


class Section(NamedTuple):
    """A table of the page under its heading, with a note below it."""

    heading: str
    table: Table
    note: str


def sections(compared: Comparison) -> list[Section]:
    """The tables of the page that have rows; those of single tasks are left to the files."""
    found = []
    for heading, name, columns, cells, texts, note in _SECTIONS:
        frame = compared.tables.get(name)
        if frame is None:
            continue
        if name == "item_analysis":
            frame = items_by_level(frame)
        if name == "differences":
            frame = frame[(frame["scope"] == ALL) | (frame["source"] != "agents")]
        rows = [cells(row) for row in frame.to_dict("records")]
        found.append(Section(heading, Table(columns, rows, texts), note))
    pairs = pairs_table(compared.tables["comparisons"], compared.group)
    found.append(Section("Runs compared with each other", pairs, PAIRED_NOTE))
    return [section for section in found if section.table.rows]


def summary_table(compared: Comparison) -> TerminalTable:
    """One line per run for a terminal: difference from children, rank, share outperformed, correlation.

    The share passed is that of all planned trials, as in reports.
    """
    overall = pass_rates(compared.results.assign(level=0)).set_index("agent")
    table = TerminalTable(
        *("Run", "Passed", "Difference from children (points)"),
        *("Rank among teams", "Children outperformed", "ρ"),
    )
    for run in compared.runs:
        table.add_row(
            run.agent,
            _passed(overall.loc[run.agent].to_dict()),
            _first(compared, "differences", run.agent, lambda row: _difference(row)[-1], source="children"),
            _first(compared, "ranks", run.agent, _standing),
            _first(compared, "outperformed", run.agent, lambda row: _share(row)[6]),
            _first(compared, "correlations", run.agent, lambda row: _correlation(row)[4], source="children"),
        )
    return table


def _passed(row: Row) -> str:
    """A pass rate; if trials are missing, also that of the others and the bounds."""
    if math.isnan(row["pass_rate"]):
        return "-"
    judged = missing_cell(percent, row["judged_rate"], row["pass_rate"], row["most"])
    return f"{percent(row['pass_rate'])} %" + f" (judged {judged})" * bool(row["missing"])


def pairs_summary(compared: Comparison) -> TerminalTable | None:
    """The difference between every two runs over all their shared tasks, for a terminal; None for one run."""
    pairs = compared.tables["comparisons"]
    found = pairs_table(pairs[pairs["scope"] == ALL_LEVELS], compared.group)
    return _terminal("Runs compared with each other", found.headings, found.rows)


def gaps_summary(compared: Comparison) -> TerminalTable | None:
    """The contamination gap of every run over all levels, for a terminal; None without a hidden split."""
    gaps = compared.tables["contamination"]
    rows = [_gap(row) for row in gaps[gaps["scope"] == ALL_LEVELS].to_dict("records")]
    return _terminal("Public battery and hidden split", _GAP, rows)


def _terminal(title: str, headings: Sequence[str], rows: Sequence[Sequence[object]]) -> TerminalTable | None:
    """Rows over all levels, of which the first column says no more; None if there are none."""
    if not rows:
        return None
    table = TerminalTable(*headings[1:], title=title)
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row[1:]))
    return table


def _standing(row: Row) -> str:
    """A rank, and how many teams are better."""
    place, better = _rank(row)[5:7]
    return f"{place}, {better} teams better ({row['basis']})"


def _first(compared: Comparison, name: str, agent: str, text: Callable[[Row], str], **wanted: str) -> str:
    """The text of the first row of a table over all levels that has these values; a dash if none has."""
    for row in compared.tables[name].to_dict("records"):
        asked = {"agent": agent, **({"scope": ALL} if "scope" in row else {}), **wanted}
        if all(row[key] == value for key, value in asked.items()):
            return text(row)
    return "-"


_DIFFERENCE = (
    *("Levels", "Run", "Comparison group", "Basis", "Tasks"),
    *("Run, %", JUDGED, "Group, %", "Difference, points [95 %]"),
)


def _difference(row: Row) -> tuple[str, ...]:
    tasks = str(row["tasks"])
    if row["tasks"] != row["group_tasks"]:
        tasks += f" and {row['group_tasks']}"
    gap = interval(points, row["difference"], row["low"], row["high"])
    judged = missing_cell(percent, row["judged_rate"], row["rate"], row["most"])
    shares = (percent(row["rate"]), judged, percent(row["group_rate"]))
    return (row["scope"], row["agent"], row["group"], row["pairing"], tasks, *shares, gap)


_RANK = (
    *("Levels", "Run", "Teams' tasks", "Basis", "Run's tasks", "Rank [95 %]"),
    *("Teams that passed more", "Equal teams"),
)


def _rank(row: Row) -> tuple[str, ...]:
    place = interval("{:.0f}".format, row["rank"], row["low"], row["high"])
    about = (row["scope"], row["agent"], row["basis"], row["pairing"])
    return (*about, str(row["tasks"]), place, f"{row['better']} of {row['teams']}", str(row["equal"]))


_SHARE = (
    *("Levels", "Run", "Basis", "Passed", "Fewer, %", "As many, %"),
    *("Outperformed [95 %]", "Trials"),
)


def _share(row: Row) -> tuple[str, ...]:
    passed = f"{row['passed']:g} of {row['tasks']}"
    share = interval(lambda value: f"{percent(value)} %", row["outperformed"], row["low"], row["high"])
    shares = (percent(row["fewer"]), percent(row["equal"]), share)
    return (row["scope"], row["agent"], row["pairing"], passed, *shares, str(row["trials"]))


_CORRELATION = ("Run", "Comparison group", "Basis", "Tasks", "ρ [95 %]", "p", "p (levels)", "τ [95 %]")


def _correlation(row: Row) -> tuple[str, ...]:
    rho, tau = (
        interval(decimals, row[name], row[f"{name}_low"], row[f"{name}_high"])
        for name in ("spearman", "kendall")
    )
    tests = (p_value(row["p"]), p_value(row["p_within_levels"]))
    return (row["agent"], row["group"], row["pairing"], str(row["tasks"]), rho, *tests, tau)


_CAPACITY = ("Capacity", "Run", "Tasks", "Ideas", "Passed, % [95 %]", JUDGED)


def _capacity(row: Row) -> tuple[str, ...]:
    share = interval(percent, row["pass_rate"], row["low"], row["high"])
    judged = missing_cell(percent, row["judged_rate"], row["pass_rate"], row["most"])
    return (row["capacity"], row["agent"], str(row["tasks"]), str(row["ideas"]), share, judged)


_DEMAND = ("Demand", "Run", "Tasks", "Ideas", "Change per SD, points [95 %]")


def _demand(row: Row) -> tuple[str, ...]:
    change = interval(points, row["effect"], row["low"], row["high"])
    return (row["meaning"], row["agent"], str(row["tasks"]), str(row["ideas"]), change)


_GAP = ("Levels", "Run", "Tasks", "Public, %", "Hidden, %", "Gap, points [95 %]", "p", "p (Holm)")


def _gap(row: Row) -> tuple[str, ...]:
    tasks = f"{row['public_tasks']} and {row['hidden_tasks']}"
    gap = interval(points, row["gap"], row["low"], row["high"])
    shares = (percent(row["public_rate"]), percent(row["hidden_rate"]))
    return (row["scope"], row["agent"], tasks, *shares, gap, p_value(row["p"]), p_value(row["p_holm"]))


_ITEM = (
    *("Level", "Tasks", "Passed, %", "Easiest, %", "Hardest, %", "All runs pass", "None passes"),
    *("Discrimination (runs)", "Discrimination (teams)"),
)


def _item(row: Row) -> tuple[str, ...]:
    shares = (percent(row[name]) for name in ("pass_rate", "easiest", "hardest"))
    ends = (str(row["all_pass"]), str(row["none_passes"]))
    medians = (
        NONE if math.isnan(row[name]) else decimals(row[name])
        for name in ("discrimination", "teams_discrimination")
    )
    return (str(row["level"]), str(row["tasks"]), *shares, *ends, *medians)


_SECTIONS: tuple[tuple[str, str, tuple[str, ...], Callable[[Row], tuple[str, ...]], int, str], ...] = (
    ("Differences", "differences", _DIFFERENCE, _difference, 4, DIFFERENCES_NOTE),
    ("Rank among the teams of 2019", "ranks", _RANK, _rank, 4, RANKS_NOTE),
    ("Children outperformed", "outperformed", _SHARE, _share, 3, OUTPERFORMED_NOTE),
    ("Failing where others fail", "correlations", _CORRELATION, _correlation, 3, CORRELATIONS_NOTE),
    ("Capacities", "capacities", _CAPACITY, _capacity, 2, CAPACITIES_NOTE),
    ("Demands", "demand_profile", _DEMAND, _demand, 2, PROFILE_NOTE),
    ("Public battery and hidden split", "contamination", _GAP, _gap, 2, GAP_NOTE),
    ("Item analysis", "item_analysis", _ITEM, _item, 1, ITEMS_NOTE),
    ("Several trials", "reliability", RELIABILITY, reliability_cells, 2, RELIABILITY_NOTE),
)
"""Heading, table, its headings, its cells, how many of them are text, and the note below it."""
