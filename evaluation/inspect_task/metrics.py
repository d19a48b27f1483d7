"""What Inspect AI states of a log's scores: overall and by group, with clustered standard errors.

Samples that ended by an error have no score, and Inspect leaves them out; reports count them as failed.
"""

import math
from collections.abc import Iterator
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Score, Value, grouped, metric
from inspect_ai.scorer import mean as mean_value
from inspect_ai.scorer import stderr as standard_error

from evaluation.inspect_task.naming import of_distribution
from evaluation.statistics import family


@metric
@of_distribution
def pass_rate() -> Metric:
    """Share of episodes that were passed.

    Those that a limit or a stop of the model ended count as failed, as do those of a conversation that were
    not reached; those without a criterion do not count.
    """
    return mean("passed")


@metric
@of_distribution
def judged_rate() -> Metric:
    """The pass rate of the episodes with a verdict."""
    return mean("judged")


@metric
@of_distribution
def most() -> Metric:
    """The pass rate if all episodes without a verdict had been passed."""
    return mean("most")


@metric
@of_distribution
def mean(of: str) -> Metric:
    """The mean of a number of the episodes' rows, such as `total_reward`; NaN if no episode has it."""
    calculate: Any = mean_value()

    def over_episodes(scores: list[SampleScore]) -> float:
        found = episode_scores(scores, of)
        return float(calculate(found)) if found else math.nan

    return over_episodes


@metric
@of_distribution
def stderr(of: str = "passed") -> Metric:
    """The standard error of that mean. Trials of a task and variants of it are one cluster, as in reports.

    It is NaN for fewer than two clusters, of which nothing can be said.
    """
    calculate: Any = standard_error(cluster="cluster")

    def over_episodes(scores: list[SampleScore]) -> float:
        found = episode_scores(scores, of)
        clusters = {(each.sample_metadata or {})["cluster"] for each in found}
        return float(calculate(found)) if len(clusters) > 1 else math.nan

    return over_episodes


@metric
@of_distribution
def by_group() -> Metric:
    """The pass rate and its standard error in each group of tasks, as `pass_rate 3` and `stderr 3`."""
    rates: Any = grouped(pass_rate(), "group", all=False, name_template="pass_rate {group_name}")
    errors: Any = grouped(stderr(), "group", all=False, name_template="stderr {group_name}")

    def over_episodes(scores: list[SampleScore]) -> Value:
        found = episode_scores(scores, "passed")
        return {**rates(found), **errors(found)}

    return over_episodes


def episode_scores(scores: list[SampleScore], of: str) -> list[SampleScore]:
    """One score for each episode that has the number `of`, by group; a sample may be a conversation.

    Their metadata are `group` and `cluster`. Scores of episodes come out as they are put in.
    """
    found = [each for score in scores for each in _of_sample(score, of)]
    return sorted(found, key=lambda each: _rank((each.sample_metadata or {})["group"]))


def _of_sample(sample: SampleScore, of: str) -> Iterator[SampleScore]:
    known, row = sample.sample_metadata or {}, sample.score.metadata or {}
    groups = known.get("groups") or {}
    rows = row["tasks"] if "tasks" in row else {str(sample.sample_id): row}
    unreached = {
        task_id: {LIMIT: None, "score": 0.0} for task_id in groups if "tasks" in row and task_id not in rows
    }
    for task_id, each in {**rows, **unreached}.items():
        if (value := _value(each, of)) is not None:
            about = {"group": groups.get(task_id, known.get("group", "none")), "cluster": family(task_id)}
            score = Score(value=float(value), metadata=each)
            yield SampleScore(score=score, sample_id=task_id, sample_metadata=about)


def _value(row: dict[str, Any], of: str) -> float | None:
    """A number of an episode's row; None if it has none or, for a verdict, no criterion."""
    if of not in VERDICTS:
        return row.get(of)
    passed: bool | None = row.get("passed")
    missing = passed is None and LIMIT in row and row.get("score") is not None
    return VERDICTS[of] if missing else passed


VERDICTS: dict[str, float | None] = {"passed": 0.0, "judged": None, "most": 1.0}
"""What a missing verdict is taken for, by the name of the number."""

LIMIT = "limit"
"""In the row of an episode that a limit or a stop of the model ended: its kind."""


def _rank(group: Any) -> tuple[bool, Any]:
    """Numbered groups come first, in their order."""
    return isinstance(group, str), group
