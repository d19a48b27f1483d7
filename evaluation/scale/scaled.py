"""Scaled scores of runs: 0 at the floor, 1 at the best."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from evaluation.log.run import RunLog
from evaluation.results import GROUP
from evaluation.scale.references import Reference, Scale, apart, best_of, floor_of, references, scale_of
from evaluation.statistics import mean_scores, pass_rates
from evaluation.suite import Suite

OVERALL = "all"
"""Name of all groups together."""

SCALE_NOTE = (
    "Scaled: (score - floor) / (best - floor) of each group, so that 0 is what silence, garbage or the prior "
    "alone gets and 1 what the best reference agent of the suite gets; a group below its floor counts as 0. "
    "A trial without a verdict counts as failed. All is the mean over groups. Intervals (95 %) have the "
    "errors of the run, the floor and the best."
)

_COLUMNS = ("agent", "group", "tasks", "score", "floor", "floor_agent", "best", "scaled", "low", "high")


class Basis(NamedTuple):
    """Versions and choices that decide which references hold for a run.

    `tasks` is the version of the suite's tasks, `scoring` that of its scoring (None if unknown), and
    `conditions` are the choices that matter, in words.
    """

    tasks: str
    scoring: int | None
    conditions: str


def basis_of(log: RunLog) -> Basis | None:
    """Read the basis of a log. None if its suite has no scale."""
    version, scoring = str(log.header.eval.task_version), log.metadata.get("scoring")
    return basis(log.suite, version, scoring, log.choices.model_dump())


def basis(suite: Suite, tasks: str, scoring: int | None, choices: Mapping[str, Any]) -> Basis | None:
    """Build the basis of a run from its choices."""
    scale = scale_of(suite)
    return None if scale is None else Basis(tasks, scoring, scale.conditions(choices))


class Scaled(NamedTuple):
    """Scaled scores by agent and group, `OVERALL` last, with reasons for missing ones."""

    table: pd.DataFrame
    reasons: tuple[str, ...]


NO_SCALE = Scaled(pd.DataFrame([], columns=list(_COLUMNS)), ())
"""Empty result for suites without a scale."""


def scaled_scores(results: pd.DataFrame, suite: Suite, bases: Mapping[str, Basis | None]) -> Scaled:
    """Scale the results of each agent; `bases` by agent. `results` has the columns of `results_frame`."""
    scale, rows, reasons = scale_of(suite), [], []
    if scale is None:
        return NO_SCALE
    for agent, own in results.groupby("agent", sort=False):
        known = references(scale.table)
        if reason := mismatch(known, bases.get(str(agent))):
            reasons.append(f"{agent} has no scaled score: {reason}.")
            continue
        holds = [row for row in known if (row.tasks, row.scoring, row.conditions) == bases[str(agent)]]
        found, flat = _groups(own, suite, scale, holds)
        rows += [{"agent": agent, **row} for row in found]
        reasons += [f"{agent}: {reason}." for reason in flat]
    return Scaled(pd.DataFrame(rows, columns=list(_COLUMNS)), tuple(dict.fromkeys(reasons)))


def mismatch(known: Sequence[Reference], found: Basis | None) -> str:
    """Explain in a clause if references do not hold for a run. Otherwise empty."""
    if found is None or found.scoring is None:
        return "its results do not name the version of their scoring"
    if not known:
        return "the references of its suite have not been measured"
    if not (own := [row for row in known if row.conditions == found.conditions]):
        measured = "; or ".join(dict.fromkeys(row.conditions for row in known))
        return f"it was played with {found.conditions}, and references were measured with {measured}"
    if all(row.tasks != found.tasks for row in own):
        return f"its tasks are of version {found.tasks or 'unknown'}, those of the references {own[0].tasks}"
    if all(row.scoring != found.scoring for row in own):
        return f"it was scored by version {found.scoring}, references by version {own[0].scoring}"
    return ""


def headline_scores(results: pd.DataFrame, suite: Suite) -> pd.DataFrame:
    """Average a suite's headline metric by agent and group. Columns `agent`, `level`, `tasks`, `score`,
    `low`, `high`. As `pass_rates` and `mean_scores` give them: a missing trial counts as 0."""
    if "score" in suite.headline.values():
        if len(means := mean_scores(results)):
            return means
        # Scores that are all 0 or 1 are verdicts.
        results = results.assign(passed=results["score"])
    return pass_rates(results).rename(columns={"pass_rate": "score"})


def _groups(
    results: pd.DataFrame, suite: Suite, scale: Scale, known: Sequence[Reference]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Scale the groups of one agent; explain missing scaled scores."""
    pairs = zip(results["task_id"], results[GROUP], strict=True)
    grouped = results.assign(**{GROUP: [scale.group(task, group) for task, group in pairs]})
    rows, reasons = [], []
    for own in headline_scores(grouped, suite).to_dict("records"):
        group, score = str(own[GROUP]), float(own["score"])
        ends = [row for row in known if row.group == group]
        floor, best = floor_of(ends), best_of(ends)
        row = {"group": group, "tasks": own["tasks"], "score": score, "low": math.nan, "high": math.nan}
        if floor is None or best is None:
            reasons.append(f"no scaled score for {group}, which has no reference")
        elif not apart(floor, best):
            reasons.append(
                f"no scaled score for {group}: the best agent's {best.score:.2f} cannot be distinguished "
                f"from the floor's {floor.score:.2f} ({floor.agent})"
            )
        else:
            row |= _scaled(score, float(own["low"]), float(own["high"]), floor, best)
        rows.append({"floor": math.nan, "best": math.nan, "scaled": math.nan, **row})
    return [*rows, _overall(rows)], reasons


def _scaled(score: float, low: float, high: float, floor: Reference, best: Reference) -> dict[str, Any]:
    """Compute a group's columns: ends, scaled score, and delta-method interval."""
    span = best.score - floor.score
    place = (score - floor.score) / span
    ends = math.hypot(place * best.half, (1 - place) * floor.half)
    below, above = (math.hypot(half, ends) / span for half in (score - low, high - score))
    return {
        **{"floor": floor.score, "floor_agent": floor.agent, "best": best.score},
        **{"scaled": max(place, 0.0), "low": max(place - below, 0.0), "high": max(place + above, 0.0)},
    }


def _overall(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Average the scaled groups, with the interval."""
    known = [row for row in rows if not math.isnan(row["scaled"])]
    found = {"group": OVERALL, "tasks": sum(row["tasks"] for row in known)}
    nothing = dict.fromkeys(("score", "floor", "best", "scaled", "low", "high"), math.nan)
    if not known:
        return {**nothing, **found}
    mean = sum(row["scaled"] for row in known) / len(known)
    below, above = (
        math.hypot(*(row["scaled"] - row[end] for row in known)) / len(known) for end in ("low", "high")
    )
    return {**nothing, **found, "scaled": mean, "low": max(mean - below, 0.0), "high": mean + above}
