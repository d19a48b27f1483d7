"""Linking of the shipped battery to the original.

A pass rate on ours predicts one on the 40 tasks of children. Agents of many kinds played both short forms
once (`python -m benchmarks.linking`). Over them, the rate on the original's 40 tasks is regressed on the rate
on ours, for the very levels that a run has; the interval is that of a prediction for one more agent. So it
contains the difference between the batteries, how much agents differ in it, and the noise of few tasks on
both sides, that of the run included.
"""

import hashlib
from collections.abc import Collection, Mapping
from functools import cache
from itertools import groupby
from typing import NamedTuple

import numpy as np
import pandas as pd

from arena.errors import EvaluationError
from evaluation.statistics import level_of_id, student
from human_data.baselines import agents_on_both_batteries
from testbed.tasks import LEVELS_FOLDER, SHORT_FORM, file_sha256

SHIPPED, ORIGINAL = "shipped", "original"
"""The batteries in the column `battery` of the table."""


class Link(NamedTuple):
    """A predicted original rate, its 95 % interval, and number of agents."""

    rate: float
    low: float
    high: float
    agents: int


def predict(rates: pd.DataFrame, rate: float, tasks: int) -> Link:
    """Predict the original's rate from ours, by least squares over agents.

    `rates` has the columns `shipped` and `original`, a row for each agent; `tasks` are those of the run. The
    interval is Student's, for one more agent of the same population, cut to 0 and 1. Where agents scatter
    less than the binomial error of so few tasks in both batteries, that error is taken.
    """
    x, y = rates[SHIPPED].to_numpy(float), rates[ORIGINAL].to_numpy(float)
    count, middle = len(x), x.mean()
    spread = float(((x - middle) ** 2).sum())
    slope = float(((x - middle) * (y - y.mean())).sum()) / spread if spread else 0.0
    expected = float(y.mean() + slope * (rate - middle))
    scatter = float(((y - y.mean() - slope * (x - middle)) ** 2).sum()) / (count - 2)
    residual = max(scatter, _binomial(expected, tasks) + slope**2 * _binomial(rate, tasks))
    leverage = 1 + 1 / count + ((rate - middle) ** 2 / spread if spread else 0.0)
    half = student(count - 2) * float(np.sqrt(residual * leverage))
    ends = (expected, expected - half, expected + half)
    rate, low, high = (min(max(end, 0.0), 1.0) for end in ends)
    return Link(rate, low, high, count)


def _binomial(rate: float, tasks: int) -> float:
    """Return a pass rate's variance. Two passes and failures are added (Agresti and Coull 1998)."""
    moved = (min(max(rate, 0.0), 1.0) * tasks + 2) / (tasks + 4)
    return moved * (1 - moved) / (tasks + 4)


@cache
def rates_on(levels: Collection[int], animal_ai: str) -> pd.DataFrame:
    """Return agents' rates on both short forms over some levels. Ours is played under a version."""
    frame = agents_on_both_batteries()
    here = frame[frame["level"].isin(set(levels))]
    sums = here.groupby(["agent", "battery", "animal_ai"])[["passes", "tasks"]].sum().reset_index()
    sums = sums.assign(rate=sums["passes"] / sums["tasks"])
    ours = sums[(sums["battery"] == SHIPPED) & (sums["animal_ai"] == animal_ai)].set_index("agent")["rate"]
    theirs = sums[sums["battery"] == ORIGINAL].set_index("agent")["rate"]
    return pd.DataFrame({SHIPPED: ours, ORIGINAL: theirs}).dropna()


def linked(rate: float, levels: Collection[int], animal_ai: str | None) -> Link | None:
    """Predict the original's rate from a shipped short-form rate.

    The levels are the same. `animal_ai` is the version that was played; the prediction is for the clock of
    children and teams. None if no agent was measured under that version.
    """
    if not levels or animal_ai is None:
        return None
    rates = rates_on(frozenset(levels), animal_ai)
    tasks = sum(level_of_id(task) in levels for task in SHORT_FORM)
    return predict(rates, rate, tasks) if len(rates) else None


def short_form_version(digests: Mapping[str, str]) -> str:
    """Return a short form's version. 12 digits of a SHA-256 over its tasks' ids and digests."""
    if missing := [task for task in SHORT_FORM if task not in digests]:
        raise EvaluationError(f"short form: {missing[0]} is missing")
    listed = "".join(f"{task} {digests[task]}\n" for task in sorted(SHORT_FORM))
    return hashlib.sha256(listed.encode()).hexdigest()[:12]


@cache
def shipped_digests() -> Mapping[str, str]:
    """SHA-256 of the shipped short form's files, by task id."""
    paths = {path.stem: path for path in LEVELS_FOLDER.rglob("*.yaml")}
    return {task: file_sha256(paths[task]) for task in SHORT_FORM}


@cache
def is_current() -> bool:
    """Return whether the table was measured on the present shipped tasks."""
    versions = agents_on_both_batteries().query("battery == @SHIPPED")["tasks_version"].unique()
    return list(versions) == [short_form_version(shipped_digests())]


def linkable_levels(digests: Mapping[str, str], tasks: Collection[str]) -> tuple[int, ...]:
    """Return the levels of which a run has all short-form tasks. There are four per level, known by their
    digests. Empty if the table is of another version of these tasks."""
    if not is_current():
        return ()
    own = {task for task in tasks if digests.get(task) == shipped_digests().get(task, "")}
    return tuple(level for level, needed in groupby(SHORT_FORM, level_of_id) if own.issuperset(needed))
