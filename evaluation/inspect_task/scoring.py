"""Scores of episodes: a second model's judgement, verdicts, and Inspect's metrics. Samples that ended by an
error have no score, and Inspect leaves them out; reports count them as failed."""

import math
from collections.abc import Iterator
from typing import Any

from inspect_ai.event import SampleLimitEvent
from inspect_ai.log import transcript
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, grouped, metric, scorer
from inspect_ai.scorer import mean as mean_value
from inspect_ai.scorer import stderr as standard_error
from inspect_ai.solver import TaskState

from evaluation.inspect_task.dialogue import dialogue_of
from evaluation.inspect_task.interface import of_distribution
from evaluation.statistics import family
from evaluation.suite import ModelEnd


@metric
@of_distribution
def pass_rate() -> Metric:
    """Share of episodes passed. Episodes ended by a limit or a stop of the model, and those of a conversation
    not reached, count as failed; those without a criterion do not count."""
    return mean("passed")


@metric
@of_distribution
def judged_rate() -> Metric:
    """Pass rate of the episodes with a verdict."""
    return mean("judged")


@metric
@of_distribution
def most() -> Metric:
    """Pass rate if all episodes without a verdict had been passed."""
    return mean("most")


@metric
@of_distribution
def mean(of: str) -> Metric:
    """Mean of a numeric column such as `total_reward`; NaN without values."""
    calculate: Any = mean_value()

    def over_episodes(scores: list[SampleScore]) -> float:
        found = episode_scores(scores, of)
        return float(calculate(found)) if found else math.nan

    return over_episodes


@metric
@of_distribution
def stderr(of: str = "passed") -> Metric:
    """Standard error of that mean. Trials and variants of a task are one cluster, as in reports. NaN for
    fewer than two clusters."""
    calculate: Any = standard_error(cluster="cluster")

    def over_episodes(scores: list[SampleScore]) -> float:
        found = episode_scores(scores, of)
        clusters = {(each.sample_metadata or {})["cluster"] for each in found}
        return float(calculate(found)) if len(clusters) > 1 else math.nan

    return over_episodes


@metric
@of_distribution
def by_group() -> Metric:
    """Pass rate and standard error by group (`pass_rate 3`, `stderr 3`)."""
    rates: Any = grouped(pass_rate(), "group", all=False, name_template="pass_rate {group_name}")
    errors: Any = grouped(stderr(), "group", all=False, name_template="stderr {group_name}")

    def over_episodes(scores: list[SampleScore]) -> Value:
        found = episode_scores(scores, "passed")
        return {**rates(found), **errors(found)}

    return over_episodes


def episode_scores(scores: list[SampleScore], of: str) -> list[SampleScore]:
    """Make one score per episode with the number `of`, by group. A sample may be a conversation. Their
    metadata are `group` and `cluster`. Scores of episodes are returned unchanged."""
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
    """Read a number of an episode's row. None if absent or, for a verdict, without criterion."""
    if of not in VERDICTS:
        return row.get(of)
    passed: bool | None = row.get("passed")
    missing = passed is None and LIMIT in row and row.get("score") is not None
    return VERDICTS[of] if missing else passed


VERDICTS: dict[str, float | None] = {"passed": 0.0, "judged": None, "most": 1.0}
"""Value of a missing verdict, by the number's name."""

LIMIT = "limit"
"""Row key of the limit or model stop that ended an episode."""


def _rank(group: Any) -> tuple[bool, Any]:
    return isinstance(group, str), group


Row = dict[str, Any]

NUMBERS = {"total_reward": "total_reward", "replies": "turns"}
"""Names of the further scores, with their columns."""


def without_verdict(row: Row, kind: str | None) -> Row:
    """Mark a row as ended by a limit or stop, with score 0, or none without a criterion."""
    return row | {"passed": None, "score": None if row["passed"] is None else 0.0, LIMIT: kind}


@scorer(metrics=[pass_rate(), stderr(), judged_rate(), most(), by_group(), mean("score")])
@of_distribution
def episode_score() -> Scorer:
    """Score of an episode, 0 to 1. 0 after a limit or stop, NaN without a criterion.

    A conversation has the mean of its finished tasks, and a row for each in the metadata. If another solver
    stopped in the middle, the episode is ended first.
    """

    async def score(state: TaskState, target: Target) -> Score:
        rows = await _rows(state)
        return _of_conversation(rows) if "order" in state.metadata else _of_episode(*rows.values())

    return score


@scorer(metrics=[mean("total_reward"), stderr("total_reward")])
@of_distribution
def total_reward() -> Scorer:
    """Total reward of an episode. For a conversation the mean of its episodes."""
    return _number(NUMBERS["total_reward"])


@scorer(metrics=[mean("turns"), stderr("turns")])
@of_distribution
def replies() -> Scorer:
    """Number of replies of an episode. For a conversation the mean of its episodes."""
    return _number(NUMBERS["replies"])


def _number(name: str) -> Scorer:
    """Make a scorer of a number. Episodes ended by a limit or stop have none."""

    async def score(state: TaskState, target: Target) -> Score:
        rows = {task_id: row for task_id, row in (await _rows(state)).items() if LIMIT not in row}
        facts = {task_id: {name: row[name]} for task_id, row in rows.items()}
        together = "order" in state.metadata
        return Score(
            value=mean_of(list(rows.values()), name),
            metadata={"tasks": facts} if together else dict(*facts.values()),
        )

    return score


async def _rows(state: TaskState) -> dict[str, Row]:
    """List the rows of finished episodes by task, after ending the current."""
    dialogue = dialogue_of(state)
    session = dialogue.session
    await session.in_thread(session.finish)
    if "stopped" not in state.metadata and _limit() is None:
        await dialogue.judge()
    dialogue.keep()
    rows = {task_id: record.row() for task_id, record in session.records.items()}
    if "stopped" in state.metadata and rows:
        # Without a reply, the running episode has no verdict.
        last = list(rows)[-1]
        rows[last] = without_verdict(rows[last], state.metadata["stopped"]["kind"])
    if (kind := _limit()) is not None:
        ended = (task_id for task_id, each in session.records.items() if each.model_end == ModelEnd.SOLVER)
        rows |= {task_id: without_verdict(rows[task_id], kind) for task_id in ended}
    return rows


def _limit() -> str | None:
    """Kind of limit that ended the sample's solver, such as message, if any."""
    kinds = [event.type for event in transcript().events if isinstance(event, SampleLimitEvent)]
    return kinds[-1] if kinds else None


def mean_of(rows: list[Row], name: str) -> float:
    """Average a number over the rows that have it; NaN without any."""
    values = [row[name] for row in rows if row.get(name) is not None]
    return sum(values) / len(values) if values else math.nan


def _of_episode(row: Row) -> Score:
    return Score(
        value=mean_of([row], "score"),
        answer=f"{row['total_reward']:.3f}",
        explanation=f"{row['outcome']} after {row['turns']} turns",
        metadata=row,
    )


def _of_conversation(rows: dict[str, Row]) -> Score:
    passed = sum(bool(row["passed"]) for row in rows.values())
    planned = sum(row["score"] is not None for row in rows.values())
    return Score(
        value=mean_of(list(rows.values()), "score"),
        answer=f"{passed} of {planned} passed",
        explanation=", ".join(f"{task_id} {row['outcome']}" for task_id, row in rows.items()),
        metadata={"tasks": rows},
    )


SCORERS = (episode_score(), total_reward(), replies())
"""All scorers of a task."""


def scores_of(row: Row) -> dict[str, Score]:
    """Make all scores of one episode from its row."""
    known = {} if LIMIT in row else {name: {key: row[key]} for name, key in NUMBERS.items()}
    numbers = {
        name: Score(value=mean_of([known.get(name, {})], key), metadata=known.get(name, {}))
        for name, key in NUMBERS.items()
    }
    return {"episode_score": _of_episode(row), **numbers}
