"""The shipped tables as they follow from the reference tables, which are not part of this project."""

from pathlib import Path

import pandas as pd

SCOPES = {"testbed_900": "all 900", "children_40": "children 40"}


def converted(folder: Path) -> dict[str, pd.DataFrame]:
    """Our tables by name, in our columns, order and types."""
    tables = {name: pd.read_csv(folder / f"{source}.csv") for name, (source, _) in COLUMNS.items()}
    return {name: _ours(name, frame) for name, frame in tables.items()}


def _ours(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    columns = COLUMNS[name][1]
    frame = frame.rename(columns={theirs: ours for ours, theirs in columns.items()})[list(columns)]
    return frame.replace({"scope": SCOPES}) if "scope" in columns else frame


def _same(*names: str) -> dict[str, str]:
    return {name: name for name in names}


COLUMNS = {
    "children_by_level": (
        "children_by_level",
        {
            **{"level": "level", "children": "n_children", "trials": "trials", "passes": "passes"},
            **{"sd": "sd_across_children", "quartile_1": "q1_across_children"},
            **{"median": "median_across_children", "quartile_3": "q3_across_children"},
        },
    ),
    "children_by_task": (
        "children_by_task",
        {
            **_same("task_id", "level", "pass_mark"),
            **{"children": "n_children", "passes": "n_pass"},
            **_same("mean_score", "sd_score"),
        },
    ),
    "children_passed_of_level": (
        "children_level_distribution",
        {"level": "level", "passed": "tasks_passed_of_4", "children": "n_children"},
    ),
    "children_passed_of_40": (
        "children_total_distribution",
        {"passed": "tasks_passed_of_40", "children": "n_children"},
    ),
    "competition_by_level": (
        "competition_by_level",
        {
            **{"team": "agent", "rank": "rank_900", "top_ten": "in_top10_distinct"},
            **{"level": "level", "scope": "scope", "tasks": "n_tasks", "passes": "passes"},
        },
    ),
    "competition_by_task": (
        "competition_by_task",
        {"team": "agent", **_same("task_id", "level", "score", "passed")},
    ),
    "agents_by_level": (
        "other_agents",
        {**_same("agent", "paper_version", "run", "level", "scope"), "tasks": "n_tasks", "passes": "passes"},
    ),
    "agents_by_task": (
        "other_agents_by_task",
        _same("agent", "paper_version", "run", "task_id", "level", "score", "passed"),
    ),
    "language_models_by_task": (
        "llm_by_task",
        _same("model", "checkpoint", "experiment", "condition", "task_id", "level", "trials", "passes"),
    ),
}
"""Our table: the reference table, and for each of our columns its own."""
