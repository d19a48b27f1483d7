"""The report of a run: one folder with a page, a figure and the tables behind them."""

import base64
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from arena.errors import EvaluationError
from report.comparison import (
    BASELINES_NOTE,
    HEADINGS,
    INTERVALS,
    INTERVALS_NOTE,
    cells,
    compare_levels,
    layouts_note,
)
from report.figure import draw_levels, save

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; color: #222 }
table { border-collapse: collapse; margin: 1rem 0 } th, td { padding: .25rem .7rem; text-align: left }
th { border-bottom: 2px solid #888 } td { border-bottom: 1px solid #ddd }
img { max-width: 100% }
.missing { color: #a40000 } caption, .note { color: #555; text-align: left; font-size: .9rem }
"""

OTHERS = ("children", "teams", "published")
"""Whom a report shows beside runs: values of the column `source` of `compare_levels`."""

FACTS_FILE = "run.json"
"""Beside a report's results: what they cannot say of themselves."""

_PROVENANCE = ("arena-llm", "bullet", "options", "log", "runs")
"""Facts that the figure carries, where they are known."""


class ReportFiles(NamedTuple):
    """What a report consists of."""

    page: Path
    figure: Path
    results: Path
    levels: Path


def write_report(
    results: pd.DataFrame,
    folder: Path,
    *,
    title: str,
    facts: Mapping[str, str],
    same_layouts: bool,
    others: Collection[str] = OTHERS,
    before: str = "",
    sections: str = "",
) -> ReportFiles:
    """Write report.html, levels.png, .svg and .pdf, results.csv (a row per trial) and levels.csv to a folder.

    `results` has the columns of `results_frame`; `facts` are shown as they are; `same_layouts` says whether
    the tasks are the original battery's own files; `others` are shown beside runs. `before` and `sections` go
    into the page as HTML, before the figure and after the levels. run.json keeps the facts.

    Raises EvaluationError where there are no results or it cannot write.
    """
    comparison = compare_levels(results, same_layouts=same_layouts)
    comparison = comparison[comparison["source"].isin({"run", *others})]
    notes = _notes(results, facts, same_layouts)
    files = ReportFiles(
        folder / "report.html", folder / "levels.png", folder / "results.csv", folder / "levels.csv"
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        results.to_csv(files.results, index=False)
        comparison.to_csv(files.levels, index=False, float_format="%.4f")
        figure = draw_levels(comparison, notes)
        for ending in (".png", ".svg", ".pdf"):
            save(figure, files.figure.with_suffix(ending))
        image = _image(files.figure, figure.get_figwidth())
        page = _page(results, comparison, image, title, facts, same_layouts, before, sections)
        files.page.write_text(page, "utf-8")
        _keep_facts(folder, facts, same_layouts)
    except OSError as error:
        raise EvaluationError(f"{folder}: the report cannot be written ({error.strerror or error})") from None
    return files


def _keep_facts(folder: Path, facts: Mapping[str, str], same_layouts: bool) -> None:
    known = {"original": same_layouts, "facts": dict(facts)}
    (folder / FACTS_FILE).write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _notes(results: pd.DataFrame, facts: Mapping[str, str], same_layouts: bool) -> list[str]:
    """The small print of the figure: what is compared, what is left out, and where it comes from."""
    judged = results[results["passed"].notna()]
    missing = len(results) - len(judged)
    size = f"Run: {len(judged)} trials of {judged['task_id'].nunique()} tasks."
    lost = f" * {missing} planned trials without a verdict are left out." if missing else ""
    origin = "; ".join(f"{key}: {facts[key]}" for key in _PROVENANCE if key in facts)
    return [
        f"{BASELINES_NOTE} {INTERVALS}",
        f"{size} {layouts_note(same_layouts)}{lost}",
        *([origin] if origin else []),
    ]


def _page(
    results: pd.DataFrame,
    comparison: pd.DataFrame,
    image: str,
    title: str,
    facts: Mapping[str, str],
    same_layouts: bool,
    before: str,
    sections: str,
) -> str:
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="en"><meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>',
            f"<h1>{escape(title)}</h1>",
            before,
            image,
            _missing(results),
            "<h2>By level</h2>",
            _levels(comparison),
            "<h2>What is compared with what</h2>",
            f'<p class="note">{escape(BASELINES_NOTE)} {escape(layouts_note(same_layouts))}</p>',
            f'<p class="note">{escape(INTERVALS_NOTE)}</p>',
            sections,
            "<h2>Every trial</h2>",
            _tasks(results),
            "<h2>How this was run</h2>",
            html_table(("Fact", "Value"), [(key, value) for key, value in facts.items()]),
            "</html>",
        ]
    )


def _image(path: Path, inches: float) -> str:
    data = base64.b64encode(path.read_bytes()).decode()
    alt = "Trials passed by level; the numbers are in the table below"
    return f'<img alt="{alt}" style="width: {9 * inches:g}rem" src="data:image/png;base64,{data}">'


def _levels(comparison: pd.DataFrame) -> str:
    rows = [(f"{row['level']} {row['level_name']}", *cells(row)) for row in comparison.to_dict("records")]
    return html_table(("Level", *HEADINGS), rows)


def _tasks(results: pd.DataFrame) -> str:
    headings = (
        "Task",
        "Agent",
        "Trial",
        "Total reward",
        "Pass mark",
        "Passed",
        "Outcome",
        "Steps",
        "Replies",
    )
    rows = []
    for row in results.to_dict("records"):
        verdict = "unmarked" if pd.isna(row["pass_mark"]) else "-"
        passed = verdict if pd.isna(row["passed"]) else ("yes" if row["passed"] else "no")
        rows.append(
            (
                row["task_id"],
                row["agent"],
                int(row["trial"]) + 1,
                _number(row["total_reward"], ".3f"),
                _number(row["pass_mark"], "g"),
                passed,
                row["outcome"] if pd.isna(row["error"]) else row["error"],
                _number(row["steps"], ".0f"),
                _number(row["turns"], ".0f"),
            )
        )
    return html_table(headings, rows)


def _missing(results: pd.DataFrame) -> str:
    missing = results[results["passed"].isna()]
    if missing.empty:
        return ""
    sentence = (
        f"{len(missing)} of {len(results)} planned trials have no verdict (unmarked, failed or not run); "
        "they count neither as passed nor as failed."
    )
    return f'<p class="missing">{sentence}</p>'


def _number(value: float | None, form: str) -> str:
    return "-" if pd.isna(value) else format(value, form)


def html_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table for a page; every cell is escaped."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><tr>{head}</tr>\n{body}</table>"
