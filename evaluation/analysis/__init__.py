"""Analysis of a study's factors, in sentences and for R.

The model is linear in the share passed, so that effects are differences in points, with the tasks as fixed
effects, or the participants for what only differs between tasks. Participants and tasks are crossed samples,
and both enter the error: variances are clustered by participants and by tasks (Cameron, Gelbach and Miller
2011, J. Business & Economic Statistics 29; never below the larger of the two: MacKinnon, Nielsen and Webb
2021, J. Applied Econometrics 36), each by bias-reduced linearisation (CR2: Bell and McCaffrey 2002, Survey
Methodology 28), and tested by Student's distribution with Satterthwaite's degrees of freedom. For two groups
of participants this is Welch's test of their means. It needs neither equal variances, which an agent that
always does the same does not have, nor a random slope for each effect, and has no iteration that can fail.

`python -m benchmarks.study_truths` measures its errors. On balanced data tests between participants are those
of lmerTest's linear mixed model with crossed random intercepts, which `analysis.R` fits. In statsmodels 0.15
that model did not converge in 5 to 44 % of simulated studies of 6 to 15 participants, and with intercepts
alone it finds 11 % of absent effects of order if participants learn at different rates.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from math import comb, nan
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

from evaluation.groups import PEOPLE, together
from evaluation.paired import holm
from evaluation.results import GROUP
from evaluation.statistics import PERSON, counted, mean_half, pass_rates

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]

FACTORS = {"condition": "Condition", "who": "Agent", "block": "Block", "order": "Order", "suite": "Suite"}
"""Factors of a design by column name."""

ALPHA = 0.05


class Effect(NamedTuple):
    """Effect on an outcome in points: a factor level against the first. `p_holm` is corrected for all tests
    of the analysis; `reason` says why there is no test."""

    outcome: str
    factor: str
    level: str
    against: str
    difference: float = nan
    low: float = nan
    high: float = nan
    p: float = nan
    p_holm: float = nan
    reason: str = ""

    @property
    def found(self) -> bool:
        """Return whether the effect is significant (familywise error of 5 %)."""
        return self.p_holm < ALPHA


def effects(results: pd.DataFrame) -> list[Effect]:
    """Estimate every design effect on trials passed and on scores.

    `results` is the table of a study (`people.store.export.people_results`). A trial without a verdict, or
    score, counts as failed. Never raises: a reason takes the place of what the data cannot show.
    """
    trials = _designed(results)
    found = [each for outcome, part in _outcomes(trials) for each in _effects(outcome, part)]
    corrected = holm([each.p for each in found])
    return [each._replace(p_holm=p) for each, p in zip(found, corrected, strict=True)]


def _designed(results: pd.DataFrame) -> pd.DataFrame:
    """Add factors to trials. `who` is the agent, or the kind of people, and `task` unique."""
    people = results["agent"] == PEOPLE
    kinds = results["kind"].where(results["kind"] != "", PEOPLE)
    last = max(int(results["order"].max()) - 1, 1) if len(results) else 1
    return results.assign(
        who=kinds.where(people, results["agent"]),
        order=(results["order"].astype(float) - 1) / last,
        task=results["suite"] + " " + results["task_id"],
    )


def _outcomes(trials: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the name and trials of each outcome; `value` is in points."""
    passed = counted(trials)
    if len(passed):
        yield "passed", passed.assign(value=100 * passed["passed"])
    for suite, part in trials.groupby("suite", sort=False):
        if not part["score"].dropna().isin([0, 1]).all():
            scored = counted(part, "score")
            yield f"score in {suite}", scored.assign(value=100 * scored["score"])


class Coded(NamedTuple):
    """Column of the design: a level (1) against the first (0), or order share."""

    factor: str
    level: str
    against: str
    values: Array


def _coded(trials: pd.DataFrame, factor: str) -> list[Coded]:
    values = trials[factor]
    if factor == "order":
        return [Coded(factor, "last place", "first place", values.to_numpy(float))] if values.any() else []
    agents = {*trials["agent"]} - {PEOPLE}
    levels = sorted(values.unique(), key=lambda name: (name in agents, name))
    return [
        Coded(factor, level or "none", levels[0] or "none", (values == level).to_numpy(float))
        for level in levels[1:]
    ]


def _effects(outcome: str, trials: pd.DataFrame) -> Iterator[Effect]:
    """Estimate effects on one outcome: between suites over tasks, others within tasks."""
    columns = {factor: _coded(trials, factor) for factor in FACTORS}
    suites = columns.pop("suite")
    yield from _tested(outcome, trials, [each for coded in columns.values() for each in coded], "task")
    if suites:
        yield from islice(_tested(outcome, trials, [*suites, *columns["order"]], PERSON), len(suites))


def _tested(outcome: str, trials: pd.DataFrame, columns: Sequence[Coded], fixed: str) -> Iterator[Effect]:
    """Estimate effects of columns, with a fixed effect per task or participant."""
    if not columns:
        return
    dummies = pd.get_dummies(trials[fixed]).to_numpy(float)
    fit = Fit(trials, np.column_stack([*(each.values for each in columns), dummies]), len(columns))
    for place, column in enumerate(columns):
        effect = Effect(outcome, *column[:3])
        reason = _too_few(trials, column) or _confounded(column, columns, trials[fixed])
        yield effect._replace(reason=reason) if reason else fit.tested(effect, place)


def _too_few(trials: pd.DataFrame, column: Coded) -> str:
    """Explain if a column has too few participants or tasks; otherwise empty."""
    if trials["value"].nunique() == 1:
        return "every trial has the same result"
    if trials[PERSON].nunique() == 1:
        return "there is only one participant"
    unit = "task" if column.factor == "suite" else PERSON
    if column.factor in ("condition", "who", "suite"):
        sides = trials.groupby(trials[column.factor].replace("", "none"))[unit].nunique()
        few = [name for name in (column.against, column.level) if sides[name] < 2]
        return f"there is only one {unit} of {' and of '.join(few)}" if few else ""
    return ""


def _confounded(column: Coded, columns: Sequence[Coded], fixed: "pd.Series[str]") -> str:
    """Explain if a column is confounded with others; otherwise empty."""
    others = [*dict.fromkeys(each.factor for each in columns if each.factor != column.factor), fixed.name]

    def follows(*names: object) -> bool:
        own = [c.values for c in columns if c.factor in (*names, column.factor) and c is not column]
        values = np.column_stack([column.values, np.ones(len(fixed)), *own])
        if fixed.name in names:
            values -= pd.DataFrame(values).groupby(fixed.to_numpy()).transform("mean").to_numpy()
        target, rest = values[:, 0], values[:, 1:]
        return bool(np.abs(target - rest @ np.linalg.lstsq(rest, target)[0]).max() < 1e-6)

    if not follows(*others):
        return ""
    alone = [str(name) for name in others if follows(name)]
    those = " or the ".join(FACTORS.get(name, name).lower() for name in alone) or "combination of the others"
    return f"the {those} determines it"


class Fit:
    """Least-squares fit of an outcome, with tests of its first coefficients."""

    def __init__(self, trials: pd.DataFrame, design: Array, tested: int) -> None:
        self._value = trials["value"].to_numpy(float)
        self._design, self._bread = design, np.linalg.pinv(design.T @ design)
        self._pulled, self._tested = design @ self._bread, tested
        self._coefficients = self._pulled.T @ self._value
        self._residuals = self._value - design @ self._coefficients
        people, tasks = (pd.factorize(trials[name])[0] for name in (PERSON, "task"))
        self._people, self._tasks = people, tasks.max() + 1
        both = people * len(trials) + tasks
        self._clusterings = [self._clustered(ids) for ids in (people, tasks, both)]

    def tested(self, effect: Effect, place: int) -> Effect:
        """Add the coefficient at a place to an effect, with interval and p."""
        from scipy.special import stdtr, stdtrit

        people, tasks, (both, _) = (self._variance(each, place) for each in self._clusterings)
        (large, large_df), (small, small_df) = sorted((people, tasks), reverse=True)
        more = max(0.0, small - both)
        error, difference = np.sqrt(large + more), float(self._coefficients[place])
        if error < 1e-6:
            return effect._replace(difference=difference, **self._exact(place, difference))
        freedom = (large + more) ** 2 / (large**2 / large_df + (more**2 / small_df if more else 0))
        half = float(stdtrit(freedom, 1 - ALPHA / 2)) * error
        p = 2 * float(stdtr(freedom, -abs(difference) / error))
        low, high = max(difference - half, -100.0), min(difference + half, 100.0)
        return effect._replace(difference=difference, low=low, high=high, p=p)

    def _exact(self, place: int, difference: float) -> dict[str, Any]:
        """Test exactly, by exchanging participants and tasks, if two groups are constant."""
        side = self._design[:, place]
        people = pd.Series(side).groupby(self._people).mean()
        constant = pd.Series(self._value).groupby(side).nunique().eq(1).all()
        if abs(difference) < 1e-6 or not constant or not people.isin([0, 1]).all():
            return {"reason": "no participant and no task differs from the others of its group"}
        return {"p": max(2 / comb(len(people), int(people.sum())), 2.0 ** (1 - self._tasks))}

    def _clustered(self, ids: Rows) -> "Clustering":
        rows = np.argsort(ids, kind="stable")
        starts = np.flatnonzero(np.diff(ids[rows], prepend=-1))
        weights = [self._weights(cluster) for cluster in np.split(rows, starts[1:])]
        return Clustering(rows, starts, np.concatenate(weights))

    def _weights(self, rows: Rows) -> Array:
        """Weight a cluster's rows: (1 - hat) ** -0.5 times design and bread."""
        values, vectors = np.linalg.eigh(np.eye(len(rows)) - self._pulled[rows] @ self._design[rows].T)
        scaled = np.where(values > 1e-9, 1 / np.sqrt(np.maximum(values, 1e-9)), 0.0)
        return (vectors * scaled) @ (vectors.T @ self._pulled[rows, : self._tested])

    def _variance(self, clusters: "Clustering", place: int) -> tuple[float, float]:
        """Compute a coefficient's CR2 variance and degrees of freedom for clustered trials."""
        weights = clusters.weights[:, place]
        sums = clusters.sums(self._residuals[clusters.rows] * weights)
        # The error of these sums has the covariance diag(own) - moved @ bread @ moved.T, which is not built.
        own, moved = clusters.sums(weights**2), clusters.sums(self._design[clusters.rows] * weights[:, None])
        both = self._bread @ (moved.T @ moved)
        shared = ((moved @ self._bread) * moved).sum(axis=1)
        square = float((own**2 - 2 * own * shared).sum() + (both * both.T).sum())
        return float(sums @ sums), float((own - shared).sum()) ** 2 / square if square > 1e-18 else 1.0


class Clustering(NamedTuple):
    """Trials in clusters: row order, cluster starts, and row weights."""

    rows: Rows
    starts: Rows
    weights: Array

    def sums(self, values: Array) -> Array:
        """Sum rows by cluster."""
        return np.add.reduceat(values, self.starts)


def sentence(effect: Effect) -> str:
    """Describe an effect in Markdown: significance, size, and evidence."""
    what = f"{FACTORS[effect.factor]}, {effect.level} instead of {effect.against}"
    if effect.reason:
        return f"**{what}: not tested**, because {effect.reason}."
    size = f"{round(effect.difference, 1) + 0.0:+.1f} points"
    ends = f"95 % interval {effect.low:+.1f} to {effect.high:+.1f}"
    ends = "no interval, because nothing varies within the groups" if np.isnan(effect.low) else ends
    p = "p < 0.001" if effect.p_holm < 0.001 else f"p = {effect.p_holm:.3f}"
    return f"**{what}: {'found' if effect.found else 'not found'}.** {size} ({ends}; {p})."


def overview(results: pd.DataFrame) -> pd.DataFrame:
    """Tabulate rates by suite, agent and condition. Intervals (95 %) are over participants.

    `results` is the table of a study. Columns: `suite`; `agent` as `together` names it; `participants`;
    `planned` trials, `missing` ones; `pass_rate`, `low`, `high`; `score`, `score_low`, `score_high`. A trial
    without verdict or score counts as 0. NaN if no trial has one, and as ends with a single participant.
    """
    named = together(results)
    rates = pass_rates(named.assign(**{GROUP: named["suite"]}))
    rows = []
    for row in rates.to_dict("records"):
        part = named[named["suite"] == row[GROUP]]
        own = part[part["agent"] == row["agent"]]
        scores = counted(own if part["score"].notna().any() else own[:0], "score")
        people = scores.groupby(PERSON)["score"].mean().to_numpy(float)
        mean, half = float(people.mean()) if len(people) else nan, mean_half(people) or nan
        alone = own[PERSON].nunique() < 2
        rows.append(
            {"suite": row[GROUP], "agent": row["agent"], "participants": own[PERSON].nunique()}
            | {name: row[name] for name in ("planned", "missing", "pass_rate")}
            | {name: nan if alone else row[name] for name in ("low", "high")}
            | {"score": mean, "score_low": max(mean - half, 0), "score_high": min(mean + half, 1)}
        )
    return pd.DataFrame(rows, columns=list(OVERVIEW)).sort_values("suite", kind="stable", ignore_index=True)


OVERVIEW = (
    *("suite", "agent", "participants", "planned", "missing", "pass_rate", "low", "high"),
    *("score", "score_low", "score_high"),
)


def analysis_files(study: str, results: pd.DataFrame) -> dict[str, str]:
    """Write `analysis.md` with the findings and `analysis.R` with lme4's mixed models. `results` is the table
    of a study, which R reads from `results.csv` in the same folder."""
    found, trials = effects(results), _designed(results)
    done = trials.groupby(["who", "condition", PERSON]).size()
    estimated = {each.factor for each in found if not each.reason}
    values = {
        "study": study,
        "results": results,
        "counts": trials.groupby("who", sort=False)[PERSON].nunique().to_dict(),
        "tasks": trials["task"].nunique(),
        "missing": int((results["passed"].isna() & results["error"].notna()).sum()),
        "poor": int(results["poor_picture"].fillna(False).sum()),
        "fewer": int((done < done.groupby(["who", "condition"]).transform("max")).sum()),
        "found": found,
        "tests": sum(not np.isnan(each.p) for each in found),
        "rates": overview(results).to_dict("records"),
        "terms": [factor for factor in FACTORS if factor in estimated],
        **{"sentence": sentence, "interval": _interval},
    }
    loader = PackageLoader(__package__, "")
    templates = Environment(loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    names = ("analysis.md", "analysis.R")
    return {name: templates.get_template(f"{name}.j2").render(values) for name in names}


def _interval(value: float, low: float, high: float, digits: int) -> str:
    if np.isnan(value):
        return "–"
    return f"{value:.{digits}f}" + ("" if np.isnan(low) else f" [{low:.{digits}f} to {high:.{digits}f}]")
