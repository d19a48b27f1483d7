"""The report of a comparison: its page with figures, its tables as text, and every table as a file."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from rich.table import Table as TerminalTable

from evaluation.paired import ALL_LEVELS, POWER
from evaluation.report_folder import ReportFolder, write_facts
from evaluation.statistics import PERSON, counted, pass_rates
from evaluation.suites import DEFAULT
from report import tables
from report.comparison import items, levels, ranks
from report.comparison.differences import ALL
from report.comparison.whole import Comparison
from report.figures import comparison as figures
from report.figures.look import MISSING
from report.files import note, render, write_assets, write_figure, write_rates, write_tables

Row = dict[Any, Any]


def sections(compared: Comparison) -> dict[str, tables.Table]:
    """The tables of the page that have rows, by name; those of single tasks are left to the files."""
    found = {
        "comparisons": tables.pairs_table(compared.tables["comparisons"], compared.group),
        "reliability": tables.reliability_table(compared.tables["reliability"]),
    }
    for name, (columns, cells, texts) in _SECTIONS.items():
        frame = compared.tables.get(name)
        if frame is None:
            continue
        if name == "item_analysis":
            frame = items.items_by_level(frame)
        if name == "differences":
            frame = frame[(frame["scope"] == ALL) | (frame["source"] != "agents")]
        found[name] = tables.Table(columns, [cells(row) for row in frame.to_dict("records")], texts)
    return {name: table for name, table in found.items() if table.rows}


def summary_table(compared: Comparison) -> TerminalTable:
    """One line per run for a terminal: difference from children, rank, share outperformed, correlation.

    The share passed is that of all planned trials, as in reports.
    """
    overall = pass_rates(compared.results.assign(level=0)).set_index("agent")
    headings = ("Run", "Passed", "Difference from children (points)", "Rank among teams")
    rows = [
        (
            run.agent,
            _passed(overall.loc[run.agent].to_dict()),
            _first(compared, "differences", run.agent, lambda row: _difference(row)[-1], source="children"),
            _first(compared, "ranks", run.agent, _standing),
            _first(compared, "outperformed", run.agent, lambda row: _share(row)[6]),
            _first(compared, "correlations", run.agent, lambda row: _correlation(row)[4], source="children"),
        )
        for run in compared.runs
    ]
    return tables.Table((*headings, "Children outperformed", "ρ"), rows, len(rows[0])).terminal()


def _passed(row: Row) -> str:
    """A pass rate; if trials are missing, also that of the others and the bounds."""
    if math.isnan(row["pass_rate"]):
        return "-"
    judged = tables.missing_cell(tables.percent, row["judged_rate"], row["pass_rate"], row["most"])
    return f"{tables.percent(row['pass_rate'])} %" + f" (judged {judged})" * bool(row["missing"])


def pairs_summary(compared: Comparison) -> TerminalTable | None:
    """The difference between every two runs over all their shared tasks, for a terminal; None for one run."""
    pairs = compared.tables["comparisons"]
    found = tables.pairs_table(pairs[pairs["scope"] == ALL_LEVELS], compared.group)
    return _brief("Runs compared with each other", found.headings, found.rows)


def gaps_summary(compared: Comparison) -> TerminalTable | None:
    """The contamination gap of every run over all levels, for a terminal; None without a hidden split."""
    gaps = compared.tables["contamination"]
    rows = [_gap(row) for row in gaps[gaps["scope"] == ALL_LEVELS].to_dict("records")]
    return _brief("Public battery and hidden split", _GAP, rows)


def _brief(title: str, headings: Sequence[str], rows: Sequence[Sequence[object]]) -> TerminalTable | None:
    """Rows over all levels, of which the first column says no more; None if there are none."""
    return (
        tables.Table(headings[1:], [row[1:] for row in rows], len(headings)).terminal(title) if rows else None
    )


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
    *("Run, %", tables.JUDGED, "Group, %", "Difference, points [95 %]"),
)


def _difference(row: Row) -> tuple[str, ...]:
    tasks = str(row["tasks"])
    if row["tasks"] != row["group_tasks"]:
        tasks += f" and {row['group_tasks']}"
    gap = tables.interval(tables.points, row["difference"], row["low"], row["high"])
    judged = tables.missing_cell(tables.percent, row["judged_rate"], row["rate"], row["most"])
    shares = (tables.percent(row["rate"]), judged, tables.percent(row["group_rate"]))
    return (row["scope"], row["agent"], row["group"], row["pairing"], tasks, *shares, gap)


_RANK = (
    *("Levels", "Run", "Teams' tasks", "Basis", "Run's tasks", "Rank [95 %]"),
    *("Teams that passed more", "Equal teams"),
)


def _rank(row: Row) -> tuple[str, ...]:
    place = tables.interval("{:.0f}".format, row["rank"], row["low"], row["high"])
    about = (row["scope"], row["agent"], row["basis"], row["pairing"])
    return (*about, str(row["tasks"]), place, f"{row['better']} of {row['teams']}", str(row["equal"]))


_SHARE = (*("Levels", "Run", "Basis", "Passed", "Fewer, %", "As many, %"), *("Outperformed [95 %]", "Trials"))


def _share(row: Row) -> tuple[str, ...]:
    passed = f"{row['passed']:g} of {row['tasks']}"
    share = tables.interval(tables.percents, row["outperformed"], row["low"], row["high"])
    shares = (tables.percent(row["fewer"]), tables.percent(row["equal"]), share)
    return (row["scope"], row["agent"], row["pairing"], passed, *shares, str(row["trials"]))


_CORRELATION = ("Run", "Comparison group", "Basis", "Tasks", "ρ [95 %]", "p", "p (levels)", "τ [95 %]")


def _correlation(row: Row) -> tuple[str, ...]:
    rho, tau = (
        tables.interval(tables.decimals, row[name], row[f"{name}_low"], row[f"{name}_high"])
        for name in ("spearman", "kendall")
    )
    tests = (tables.p_value(row["p"]), tables.p_value(row["p_within_levels"]))
    return (row["agent"], row["group"], row["pairing"], str(row["tasks"]), rho, *tests, tau)


_CAPACITY = ("Capacity", "Run", "Tasks", "Ideas", "Passed, % [95 %]", tables.JUDGED)


def _capacity(row: Row) -> tuple[str, ...]:
    share = tables.interval(tables.percent, row["pass_rate"], row["low"], row["high"])
    judged = tables.missing_cell(tables.percent, row["judged_rate"], row["pass_rate"], row["most"])
    return (row["capacity"], row["agent"], str(row["tasks"]), str(row["ideas"]), share, judged)


_DEMAND = ("Demand", "Run", "Tasks", "Ideas", "Change per SD, points [95 %]")


def _demand(row: Row) -> tuple[str, ...]:
    change = tables.interval(tables.points, row["effect"], row["low"], row["high"])
    return (row["meaning"], row["agent"], str(row["tasks"]), str(row["ideas"]), change)


_GAP = ("Levels", "Run", "Tasks", "Public, %", "Hidden, %", "Gap, points [95 %]", "p", "p (Holm)")


def _gap(row: Row) -> tuple[str, ...]:
    tasks = f"{row['public_tasks']} and {row['hidden_tasks']}"
    gap = tables.interval(tables.points, row["gap"], row["low"], row["high"])
    shares = (tables.percent(row["public_rate"]), tables.percent(row["hidden_rate"]))
    tests = (tables.p_value(row["p"]), tables.p_value(row["p_holm"]))
    return (row["scope"], row["agent"], tasks, *shares, gap, *tests)


_ITEM = (
    *("Level", "Tasks", "Passed, %", "Easiest, %", "Hardest, %", "All runs pass", "None passes"),
    *("Discrimination (runs)", "Discrimination (teams)"),
)


def _item(row: Row) -> tuple[str, ...]:
    shares = (tables.percent(row[name]) for name in ("pass_rate", "easiest", "hardest"))
    ends = (str(row["all_pass"]), str(row["none_passes"]))
    medians = (row[name] for name in ("discrimination", "teams_discrimination"))
    texts = (tables.interval(tables.decimals, median) for median in medians)
    return (str(row["level"]), str(row["tasks"]), *shares, *ends, *texts)


_STUDY = (
    *("Study", "Suite", "Agent", "Participants", "Trials", "Missing"),
    *("Passed, % [95 %]", "Score [95 %]"),
)


def _study(row: Row) -> tuple[str, ...]:
    counts = (str(row[name]) for name in ("participants", "planned", "missing"))
    passed = tables.interval(tables.percent, row["pass_rate"], row["low"], row["high"])
    score = tables.interval(tables.decimals, row["score"], row["score_low"], row["score_high"])
    return (row["study"], row["suite"], row["agent"], *counts, passed, score)


def studies_summary(studies: pd.DataFrame) -> Iterator[TerminalTable]:
    """The overview of each study for a terminal."""
    for name, part in studies.groupby("study", sort=False):
        rows = [_study(row)[1:] for row in part.to_dict("records")]
        yield tables.Table(_STUDY[1:], rows, 2).terminal(f"Study {name}")


_SECTIONS: dict[str, tuple[tuple[str, ...], Callable[[Row], tuple[str, ...]], int]] = {
    "studies": (_STUDY, _study, 3),
    "differences": (_DIFFERENCE, _difference, 4),
    "ranks": (_RANK, _rank, 4),
    "outperformed": (_SHARE, _share, 3),
    "correlations": (_CORRELATION, _correlation, 3),
    "capacities": (_CAPACITY, _capacity, 2),
    "demand_profile": (_DEMAND, _demand, 2),
    "contamination": (_GAP, _gap, 2),
    "item_analysis": (_ITEM, _item, 1),
}
"""By table its headings, its cells, and how many of them are text."""


Draw = Callable[[Comparison, Sequence[str]], Figure | None]

FIGURES: dict[str, tuple[str, Draw]] = {
    "spread": ("By level", figures.draw_spread),
    "ranking": ("Among children and teams", figures.draw_ranking),
    "items": ("Task by task", figures.draw_items),
    "capacities": ("By capacity", figures.draw_capacities),
}
"""File name, by which `notes.yaml` has the caption, and heading of each figure of the arena's runs."""


def write_comparison(compared: Comparison, folder: Path, *, title: str, facts: Mapping[str, str]) -> Path:
    """Write the page, whose path is returned, the figures as PNG, SVG and PDF, and the tables.

    Figures without anything to show are left out. Files of an earlier report in the folder are replaced or
    removed. Raises EvaluationError if the folder refuses.
    """
    # Codes of people may identify them.
    results, name = compared.results.drop(columns=PERSON, errors="ignore"), f"{compared.group}s"
    scaled = {"scaled": compared.scaled.table} if len(compared.scaled.table) else {}
    frames = {"results": results, name: compared.rates.table, **scaled, **compared.tables}
    with ReportFolder(folder) as own:
        write_assets(own)
        digests = [run.digests for run in compared.runs]
        bases = {run.agent: run.basis for run in compared.runs}
        write_facts(own, facts, compared.same_layouts, compared.suite, digests, bases)
        write_rates(own, name, compared.rates, results, facts)
        values = {
            "cautions": compared.cautions,
            "figures": [*_write_figures(compared, own)],
            "heading": "Comparison groups" if compared.groups else f"By {compared.group}",
            "headlines": tables.headline_table(compared.tables["headlines"]),
            "missing": int(counted(results)["missing"].sum()),
            **tables.first_page_values(results, compared.rates, compared.scaled, compared.group),
            "sections": sections(compared),
            "groups": compared.groups,
            **{"items": items, "levels": levels, "ranks": ranks},
            **{"paired_note": note("paired", power=POWER), "reliability_note": note("reliability")},
            "rows": results.astype(object).where(results.notna(), None).to_dict("records"),
            "facts": tables.facts_table({"Value": facts}),
            **write_tables(own, frames),
        }
        return own.write("index.html", render("comparison.html.j2", title=title, **values))


def _write_figures(compared: Comparison, folder: ReportFolder) -> Iterator[dict[str, Any]]:
    for name, (heading, draw) in FIGURES.items() if compared.suite == DEFAULT else ():
        caption = note(name, missing=MISSING)
        figure = draw(compared, [caption, *compared.cautions])
        if figure is not None:
            write_figure(folder, name, figure)
            yield {"name": name, "heading": heading, "alt": caption, "inches": figure.get_figwidth()}
