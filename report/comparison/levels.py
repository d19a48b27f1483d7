"""A run beside children, the 2019 competition and published models, level by level."""

import math
from collections.abc import Hashable
from typing import Any, Literal

import pandas as pd
from rich.table import Table
from rich.text import Text

from arena.errors import EvaluationError
from evaluation.statistics import mean_interval, pass_rates
from human_data.baselines import (
    children_by_level,
    children_by_task,
    language_models_by_task,
    top_ten_by_level,
)
from report.comparison.groups import PUBLISHED
from testbed import LEVEL_NAMES

BASELINES_NOTE = (
    "Others' rows over 4 tasks a level: the original tasks that 59 children did (40 of 900). Over 90: all "
    "900 of the 2019 competition, by which the top ten are chosen. Children, teams and GPT-4o (LLM-AAI, "
    "arXiv 2410.23242; demo: one example) played the Unity original."
)
INTERVALS = "95 % intervals: of runs and GPT-4o over tasks, of children over children."
OTHER_LAYOUTS = "This run's tasks test the same capacities, but their layouts are not the original ones."
SAME_LAYOUTS = (
    "This run's tasks come from a folder that the user named; their ids count as those of the original files."
)
INTERVALS_NOTE = (
    "Intervals are 95 %. Those of runs and GPT-4o are over tasks (Wilson's, with variants and trials of one "
    "task kept together): how far other such tasks could move the rate. Those of children are of the mean "
    "over children, on these very tasks. The ten teams are all there are, so they have none. The middle half "
    "lies between the quartiles of the shares of single children or teams."
)

Row = dict[Hashable, Any]
"""A row of the comparison by its columns, as `to_dict("records")` gives it."""

_COLUMNS = (
    *("level", "level_name", "who", "source", "task_set", "tasks", "trials", "passes", "pass_rate"),
    *("low", "high", "quartile_1", "quartile_3", "missing"),
)


def layouts_note(same_layouts: bool) -> str:
    """What the run's tasks have to do with those of the baselines."""
    return SAME_LAYOUTS if same_layouts else OTHER_LAYOUTS


def compare_levels(results: pd.DataFrame, *, same_layouts: bool = False) -> pd.DataFrame:
    """Pass rates of a run and of everyone who is on record for its levels, one row each.

    `results` has the columns of `results_frame`; with `same_layouts`, its tasks are the original files,
    and a run that did more than the children's tasks has a second row, over those alone.

    Columns: `level`, `level_name`; `who`; `source` (run, children, teams or published); `task_set` (this run,
    children 40 or all 900); `tasks`, `trials`, `passes`, `pass_rate`; `low`, `high` (95 %; NaN for teams);
    `quartile_1`, `quartile_3` (of the shares of single children or teams; NaN for others); `missing`
    (planned trials without a verdict). Levels ascend; within one, runs come first. A level that
    nobody else did has only rows of runs.

    Raises EvaluationError where there are no results.
    """
    if results.empty:
        raise EvaluationError("there are no results to compare: no trial was planned")
    parts = [_runs(results, same_layouts), _children(), _teams("children 40"), _teams("all 900"), _gpt_4o()]
    both = pd.concat([part.reindex(columns=list(_COLUMNS)) for part in parts], ignore_index=True)
    both = both[both["level"].isin(set(results["level"]))]
    both["level_name"] = both["level"].map(lambda level: LEVEL_NAMES.get(level, "Unlevelled"))
    both["missing"] = both["missing"].fillna(0).astype(int)
    return both.sort_values("level", kind="stable", ignore_index=True)


def _runs(results: pd.DataFrame, same_layouts: bool) -> pd.DataFrame:
    rates = pass_rates(results).assign(task_set="this run")
    if same_layouts:
        shared = results[results["task_id"].isin(children_by_task()["task_id"])]
        rates = _with_shared(rates, pass_rates(shared).assign(task_set="children 40"))
    return rates.rename(columns={"agent": "who"}).assign(source="run")


def _with_shared(rates: pd.DataFrame, shared: pd.DataFrame) -> pd.DataFrame:
    """Each row over the children's tasks after the one over all; only that one where they are the same."""
    key = ["agent", "level"]
    counts = rates.merge(shared[[*key, "trials", "missing"]], on=key, how="left", suffixes=("", "_shared"))
    same = (counts["trials"] == counts["trials_shared"]) & (counts["missing"] == counts["missing_shared"])
    agents = {agent: place for place, agent in enumerate(rates["agent"].unique())}
    both = pd.concat([rates[~same.to_numpy()], shared], ignore_index=True)
    both = both.assign(place=both["agent"].map(agents), all=both["task_set"] != "this run")
    return both.sort_values(["level", "place", "all"], ignore_index=True)


def _children() -> pd.DataFrame:
    frame = children_by_level()
    low, high = mean_interval(frame["pass_rate"], frame["sd"], frame["children"])
    who = frame["children"].map("{} children".format)
    tasks = frame["trials"] // frame["children"]
    return frame.assign(low=low, high=high, who=who, tasks=tasks, source="children", task_set="children 40")


def _teams(scope: Literal["all 900", "children 40"]) -> pd.DataFrame:
    frame = top_ten_by_level(scope)
    trials = frame["tasks"] * frame["teams"]
    return frame.assign(trials=trials, who="top ten 2019", source="teams", task_set=scope)


def _gpt_4o() -> pd.DataFrame:
    """Published counts, one row per trial, through the same statistics as a run."""
    counts = language_models_by_task()
    counts = counts[counts["experiment"].isin(PUBLISHED)]
    trials = counts.loc[counts.index.repeat(counts["trials"])]
    order = trials.groupby(["experiment", "task_id"]).cumcount()
    trials = trials.assign(agent=trials["experiment"].map(PUBLISHED), passed=order < trials["passes"])
    rates = pass_rates(trials).rename(columns={"agent": "who"})
    return rates.assign(source="published", task_set="children 40")


def levels_table(comparison: pd.DataFrame) -> Table:
    """The comparison for a terminal."""
    table = Table(title="Trials passed, by level", caption=BASELINES_NOTE, caption_justify="left")
    for heading in HEADINGS:
        table.add_column(heading, justify="left" if heading == "Who" else "right", overflow="fold")
    for (level, name), rows in comparison.groupby(["level", "level_name"], sort=False):
        table.add_section()
        table.add_row(Text(f"{level} {name}", "bold"))
        for row in rows.to_dict("records"):
            table.add_row(*map(Text, cells(row)))
    return table


HEADINGS = ("Who", "Passed", "Tasks", "Rate", "95 %", "Middle half")
"""Columns of `cells`."""


def cells(row: Row) -> tuple[str, ...]:
    """A row of the comparison as text, under `HEADINGS`; a dash stands for what there is none of."""
    missing = f" ({row['missing']} missing)" if row["missing"] else ""
    rate = "-" if math.isnan(row["pass_rate"]) else f"{percent(row['pass_rate'])} %"
    return (
        who(row),
        f"{row['passes']}/{row['trials']}{missing}",
        str(row["tasks"]),
        rate,
        _span(row["low"], row["high"]),
        _span(row["quartile_1"], row["quartile_3"]),
    )


def who(row: Row) -> str:
    """Whose row it is; a run's second row says that it is over the children's tasks."""
    return f"{row['who']}, children's tasks" if _is_shared(row) else str(row["who"])


def _is_shared(row: Row) -> bool:
    return (row["source"], row["task_set"]) == ("run", "children 40")


def _span(low: float, high: float) -> str:
    return "-" if math.isnan(low) else f"{percent(low)}-{percent(high)}"


def percent(share: float) -> str:
    """A proportion in whole percent, halves away from zero as readers expect: 0.775 is 78."""
    return f"{math.floor(100 * share + 0.5 + 1e-9):d}"
