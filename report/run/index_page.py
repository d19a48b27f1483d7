"""The first page of a report, the pages of tasks, and the files beside them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import pandas as pd

from arena.errors import EvaluationError
from evaluation.log.run import RunLog
from evaluation.paired import PAIRED_NOTE, compare_agents
from evaluation.report_folder import ReportFolder
from evaluation.results import TrialResult, has_parquet, results_frame
from evaluation.statistics import pass_rates
from human_data.baselines import children_by_task
from report.comparison import (
    BASELINES_NOTE,
    INTERVALS,
    INTERVALS_NOTE,
    compare_levels,
    layouts_note,
    percent,
)
from report.figure import draw_levels, save
from report.run import tables
from report.run.failures import DEFINITIONS
from report.run.methods import RunFacts, analysis_paragraph, run_paragraph
from testbed import LEVEL_NAMES

Row = Mapping[str, Any]

FILES = {
    "results": "one row per planned trial, as arena-llm compare reads it",
    "episodes": "the same with reasons of failure, tokens, price and time",
    "turns": "one row per reply",
    "levels": "pass rates by level, beside children and the competition",
    "comparisons": "differences between agents",
}
"""The tables beside the pages, without their endings."""


def index_page(
    folder: ReportFolder,
    logs: Sequence[RunLog],
    rows: Sequence[Row],
    turns: pd.DataFrame,
    facts: Sequence[RunFacts],
    same_layouts: bool,
    renderer: str | None,
) -> dict[str, Any]:
    """Write figure and tables, and return what the template of the first page is given."""
    results = _results(rows)
    comparison = compare_levels(results, same_layouts=same_layouts)
    pairs = compare_agents(results)
    _draw(folder, comparison, results, same_layouts)
    frames = {"results": results, "episodes": _episodes(rows), "turns": turns, "levels": comparison}
    written = tables.write_tables(folder, frames | ({"comparisons": pairs} if len(pairs) else {}))
    agents = [log.agent for log in logs]
    labels = {log.agent: log.agent if log.complete else f"{log.agent} (partial run)" for log in logs}
    return {
        "summary": _summary(results),
        "warnings": [*(partial_sentence(log) for log in logs if not log.complete), *_limits(rows)],
        "agents": _agents(results, {log.agent for log in logs if not log.complete}),
        "levels": tables.levels_table(comparison),
        "level_notes": (f"{BASELINES_NOTE} {layouts_note(same_layouts)}", INTERVALS_NOTE),
        "comparisons": tables.comparisons_table(pairs),
        "paired_note": PAIRED_NOTE,
        "failures": tables.failures_table(rows, labels),
        "unjudged": tables.unjudged_table(rows, labels),
        "unreplayed": sum(row["passed"] is False and row["failure"] is None for row in rows),
        "definitions": list(DEFINITIONS.items()),
        "tasks": _tasks(rows, agents, children_shares(same_layouts)),
        "with_children": same_layouts,
        "rows": rows,
        "costs": tables.costs_table(rows, labels),
        "methods": [
            *(
                run_paragraph(log, known, sorted({r["level"] for r in rows if r["agent"] == log.agent}))
                for log, known in zip(logs, facts, strict=True)
            ),
            analysis_paragraph(len(logs) > 1, renderer, facts),
        ],
        "files": [{"name": name, "text": FILES[name.partition(".")[0]]} for name in written],
        "parquet_note": None if has_parquet() else tables.PARQUET_NOTE,
    }


def task_page(
    task_id: str, rows: Sequence[Row], plan: str | None, children: Mapping[str, str]
) -> dict[str, Any]:
    """What the template of a task's page is given."""
    level = rows[0]["level"]
    marks = [row["pass_mark"] for row in rows if row["pass_mark"] is not None]
    task = {
        "id": task_id,
        "level": level,
        "level_name": _level_name(level),
        "pass_mark": marks[0] if marks else None,
        "children": children.get(task_id),
    }
    return {"task": task, "plan": plan, "rows": rows}


def children_shares(same_layouts: bool) -> dict[str, str]:
    """How many of the children passed each task, in words; empty where the tasks are not theirs."""
    if not same_layouts:
        return {}
    return {row["task_id"]: f"{percent(row['pass_rate'])} %" for row in children_by_task().to_dict("records")}


def _results(rows: Sequence[Row]) -> pd.DataFrame:
    names = [field.name for field in fields(TrialResult)]
    return results_frame(TrialResult(**{name: row[name] for name in names}) for row in rows)


def _episodes(rows: Sequence[Row]) -> pd.DataFrame:
    plain = [{**row, "signs": "; ".join(row["signs"])} for row in rows]
    whole = {"steps": "Int64", "turns": "Int64", "order": "Int64", "passed": "boolean"}
    return pd.DataFrame(plain).drop(columns="task_page").astype(whole)


def _draw(folder: ReportFolder, comparison: pd.DataFrame, results: pd.DataFrame, same_layouts: bool) -> None:
    judged = results[results["passed"].notna()]
    notes = [
        f"{BASELINES_NOTE} {INTERVALS}",
        f"Runs: {len(judged)} trials of {judged['task_id'].nunique()} tasks. {layouts_note(same_layouts)}"
        + (
            f" * {len(results) - len(judged)} planned trials have no verdict."
            if len(judged) < len(results)
            else ""
        ),
    ]
    figure = draw_levels(comparison, notes)
    for ending in ("png", "svg", "pdf"):
        path = folder.claim(f"figures/levels.{ending}")
        try:
            save(figure, path)
        except OSError as error:
            raise EvaluationError(
                f"{path}: the figure cannot be written ({error.strerror or error})"
            ) from None


def _summary(results: pd.DataFrame) -> str:
    judged = int(results["passed"].notna().sum())
    agents, tasks = results["agent"].nunique(), results["task_id"].nunique()
    return (
        f"{_count(agents, 'agent')} on {_count(tasks, 'task')}: {_count(len(results), 'planned episode')}, "
        f"{judged} with a verdict."
    )


def _limits(rows: Sequence[Row]) -> list[str]:
    """What there is to know of episodes that a limit ended; nothing where there is none."""
    kinds = Counter(row["limit"] for row in rows if row["limit"])
    if not kinds:
        return []
    told = ", ".join(f"{count} by the {kind} limit" for kind, count in kinds.items())
    return [
        f"{_count(kinds.total(), 'episode')} ended by a limit ({told}): shown without a verdict, and counted "
        "neither as passed nor as failed."
    ]


def partial_sentence(log: RunLog) -> str:
    """That a run is not complete, how it ended, and how much of it there is."""
    state = {"started": "was not ended", "cancelled": "was cancelled", "error": "failed"}
    ended = state.get(log.header.status, "ended")
    return (
        f"Partial run: {log.agent} ({log.path.name}) {ended}; {log.finished} of {log.planned} planned "
        f"trials have a score. {log.cap}The others are shown as missing and "
        "count neither as passed nor as failed."
    )


def _agents(results: pd.DataFrame, partial: set[str]) -> list[dict[str, Any]]:
    whole = pass_rates(results.assign(level=0))
    return [
        {
            "name": row["agent"],
            "partial": row["agent"] in partial,
            "rate": "–" if pd.isna(row["pass_rate"]) else f"{percent(row['pass_rate'])} %",
            "passes": row["passes"],
            "trials": row["trials"],
            "planned": row["trials"] + row["missing"],
            "missing": row["missing"],
            "interval": "–" if pd.isna(row["low"]) else f"{percent(row['low'])}–{percent(row['high'])} %",
        }
        for row in whole.to_dict("records")
    ]


def _tasks(rows: Sequence[Row], agents: Sequence[str], children: Mapping[str, str]) -> list[dict[str, Any]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["task_id"], []).append(row)
    return [
        {
            "id": task_id,
            "page": own[0]["task_page"],
            "level": own[0]["level"],
            "level_name": _level_name(own[0]["level"]),
            "cells": tables.task_cells(own, agents),
            "children": children.get(task_id, "–"),
        }
        for task_id, own in sorted(found.items())
    ]


def _level_name(level: int) -> str:
    return LEVEL_NAMES.get(level, "Unlevelled")


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
