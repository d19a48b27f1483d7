"""The verdict on a sample: one episode, or all those of a conversation."""

import math
from typing import Any

from inspect_ai.event import SampleLimitEvent
from inspect_ai.log import transcript
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from evaluation.inspect_task.session import Session
from evaluation.inspect_task.tools import session_of
from evaluation.suite import ModelEnd

Row = dict[str, Any]

UNJUDGED: Row = {"passed": None, "score": None}
"""Of an episode without a verdict."""

LIMIT = "limit"
"""In the row of an episode that a limit ended: its kind."""


def keep_records(state: TaskState, session: Session) -> None:
    """Put the finished episodes into the sample's metadata, which the log keeps.

    `episode` is the record of a sample of one task; `episodes` those of a conversation by task, in the order
    in which they were played; `drawn_by` what drew the pictures that were sent.
    """
    if session.drawn_by is not None:
        state.metadata["drawn_by"] = session.drawn_by
    records = {task_id: record.as_dict() for task_id, record in session.records.items()}
    if "order" in state.metadata:
        state.metadata["episodes"] = records
    elif records:
        state.metadata["episode"] = next(iter(records.values()))


@metric
def pass_rate() -> Metric:
    """Share of judged episodes that were passed.

    Those without a criterion, and those that a limit or a stop of the model ended, do not count.
    """

    def calculate(scores: list[SampleScore]) -> float:
        verdicts = [
            row["passed"] for each in scores for row in _rows(each.score) if row["passed"] is not None
        ]
        return sum(verdicts) / len(verdicts) if verdicts else math.nan

    return calculate


def _rows(score: Score) -> list[Row]:
    """The rows of the episodes of a sample."""
    metadata = score.metadata or {}
    return list(metadata["tasks"].values()) if "tasks" in metadata else [metadata]


@scorer(metrics=[pass_rate()])
def episode_score() -> Scorer:
    """The score of an episode, from 0 to 1; NaN for a task without a criterion.

    A conversation has the mean of its judged tasks, and a row for each in the metadata. If another solver
    stopped in the middle, the episode is ended first.
    """

    async def score(state: TaskState, target: Target) -> Score:
        session = session_of(state)
        await session.in_thread(session.finish)
        keep_records(state, session)
        rows = {task_id: record.row() for task_id, record in session.records.items()}
        if "stopped" in state.metadata and rows:
            # No reply came, so the episode that was being played has no verdict.
            rows[list(rows)[-1]] |= UNJUDGED
        if (kind := _limit()) is not None:
            ended = (
                task_id for task_id, each in session.records.items() if each.model_end == ModelEnd.SOLVER
            )
            rows |= {task_id: rows[task_id] | UNJUDGED | {LIMIT: kind} for task_id in ended}
        return _of_conversation(rows) if "order" in state.metadata else _of_episode(*rows.values())

    return score


def _limit() -> str | None:
    """The kind of limit that ended the sample's solver, such as message or time; None if none did."""
    kinds = [event.type for event in transcript().events if isinstance(event, SampleLimitEvent)]
    return kinds[-1] if kinds else None


def mean_score(rows: list[Row]) -> float:
    """The mean of the scores that there are; NaN if there are none."""
    scores = [row["score"] for row in rows if row["score"] is not None]
    return sum(scores) / len(scores) if scores else math.nan


def _of_episode(row: Row) -> Score:
    return Score(
        value=mean_score([row]),
        answer=f"{row['total_reward']:.3f}",
        explanation=f"{row['outcome']} after {row['turns']} turns",
        metadata=row,
    )


def _of_conversation(rows: dict[str, Row]) -> Score:
    judged = [row["passed"] for row in rows.values() if row["passed"] is not None]
    return Score(
        value=mean_score(list(rows.values())),
        answer=f"{sum(judged)} of {len(judged)} passed",
        explanation=", ".join(f"{task_id} {row['outcome']}" for task_id, row in rows.items()),
        metadata={"tasks": rows},
    )
