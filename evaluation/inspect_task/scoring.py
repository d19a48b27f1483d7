"""The verdict on a sample: one episode, or all those of a conversation."""

import math
from typing import Any

from inspect_ai.event import SampleLimitEvent
from inspect_ai.log import transcript
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from evaluation.inspect_task.judging import judge_episodes
from evaluation.inspect_task.metrics import LIMIT, by_group, judged_rate, mean, most, pass_rate, stderr
from evaluation.inspect_task.naming import of_distribution
from evaluation.inspect_task.session import Session
from evaluation.inspect_task.tools import session_of
from evaluation.suite import ModelEnd

Row = dict[str, Any]

NUMBERS = {"total_reward": "total_reward", "replies": "turns"}
"""The names of the further scores, and of what they are in the rows."""


def without_verdict(row: Row, kind: str | None) -> Row:
    """The row of an episode that a limit or a stop of the model ended: no verdict, and a score of 0.

    A task without a criterion has no score either.
    """
    return row | {"passed": None, "score": None if row["passed"] is None else 0.0, LIMIT: kind}


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


@scorer(metrics=[pass_rate(), stderr(), judged_rate(), most(), by_group(), mean("score")])
@of_distribution
def episode_score() -> Scorer:
    """The score of an episode, from 0 to 1; 0 if a limit or a stop ended it, NaN without a criterion.

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
    """The total reward of an episode; a conversation has the mean of its episodes."""
    return _number(NUMBERS["total_reward"])


@scorer(metrics=[mean("turns"), stderr("turns")])
@of_distribution
def replies() -> Scorer:
    """The number of replies of an episode; a conversation has the mean of its episodes."""
    return _number(NUMBERS["replies"])


def _number(name: str) -> Scorer:
    """A number of the episodes; one that a limit or a stop of the model ended has none."""

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
    """The rows of a sample's finished episodes by task; the one that is being played is ended first."""
    session = session_of(state)
    await session.in_thread(session.finish)
    if "stopped" not in state.metadata and _limit() is None:
        await judge_episodes(session, state)
    keep_records(state, session)
    rows = {task_id: record.row() for task_id, record in session.records.items()}
    if "stopped" in state.metadata and rows:
        # No reply came, so the episode that was being played has no verdict.
        last = list(rows)[-1]
        rows[last] = without_verdict(rows[last], state.metadata["stopped"]["kind"])
    if (kind := _limit()) is not None:
        ended = (task_id for task_id, each in session.records.items() if each.model_end == ModelEnd.SOLVER)
        rows |= {task_id: without_verdict(rows[task_id], kind) for task_id in ended}
    return rows


def _limit() -> str | None:
    """The kind of limit that ended the sample's solver, such as message or time; None if none did."""
    kinds = [event.type for event in transcript().events if isinstance(event, SampleLimitEvent)]
    return kinds[-1] if kinds else None


def mean_of(rows: list[Row], name: str) -> float:
    """The mean of a number of the rows that have it; NaN if none has."""
    values = [row[name] for row in rows if row[name] is not None]
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
