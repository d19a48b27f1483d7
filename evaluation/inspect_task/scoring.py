"""The verdict on a sample: one episode, or all those of a conversation."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from evaluation.inspect_task.session import Session
from llm_control.play import EpisodeRecord, ModelEnd
from llm_control.tools import session_of


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
    """Share of judged episodes that were passed; unmarked ones do not count."""

    def calculate(scores: list[SampleScore]) -> float:
        judged = [verdict for each in scores for verdict in _verdicts(each.score)]
        return sum(judged) / len(judged) if judged else math.nan

    return calculate


def _verdicts(score: Score) -> list[bool]:
    """The verdicts on the episodes of a sample that have one."""
    metadata = score.metadata or {}
    rows = metadata.get("tasks", {}).values() if "tasks" in metadata else [metadata]
    return [row["passed"] for row in rows if row["passed"] is not None]


@scorer(metrics=[pass_rate()])
def pass_mark() -> Scorer:
    """1 where the total reward reaches the pass mark, 0 where it does not, NaN where there is no mark.

    A conversation has the share of its judged tasks that were passed, and a row for each in the metadata.
    Whatever solver has played: where it stopped in the middle, the clock runs down first.
    """

    async def score(state: TaskState, target: Target) -> Score:
        session = session_of(state)
        await session.apart(session.finish)
        keep_records(state, session)
        rows = {task_id: score_row(record) for task_id, record in session.records.items()}
        return _of_conversation(rows) if "order" in state.metadata else _of_episode(*rows.values())

    return score


def score_row(record: EpisodeRecord) -> dict[str, Any]:
    """What a report needs of an episode."""
    recording = record.recording
    return {
        "total_reward": recording.total_reward,
        "passed": recording.passed,
        "outcome": str(recording.outcome),
        "steps": recording.steps,
        "turns": len(record.turns),
    }


def logged_row(episode: Mapping[str, Any]) -> dict[str, Any]:
    """The same of an episode's record in a log, which may be of a conversation that was broken off later."""
    known = {name: episode["recording"][name] for name in ("total_reward", "passed", "outcome", "steps")}
    return {**known, "turns": len(episode["turns"])}


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit that ended the model's part of an episode; `kind` is Inspect's word, such as token or time."""

    kind: str
    limit: float

    def __str__(self) -> str:
        return f"ended by the {self.kind} limit ({self.limit:,g})"


def limit_of(sample: Any, episode: Mapping[str, Any]) -> Limit | None:
    """The limit that ended the model's part in an episode of a logged sample; None where none did.

    Such an episode has no verdict: the clock ran down, which says nothing of what the model would have done.
    Of a conversation, only the episode that was being played was ended.
    """
    if sample.limit is None or episode.get("model_end", ModelEnd.SOLVER) != ModelEnd.SOLVER:
        return None
    return Limit(str(sample.limit.type), sample.limit.limit)


def _of_episode(row: dict[str, Any]) -> Score:
    return Score(
        value=math.nan if row["passed"] is None else float(row["passed"]),
        answer=f"{row['total_reward']:.3f}",
        explanation=f"{row['outcome']} after {row['steps']} steps",
        metadata=row,
    )


def _of_conversation(rows: dict[str, dict[str, Any]]) -> Score:
    judged = [row["passed"] for row in rows.values() if row["passed"] is not None]
    return Score(
        value=sum(judged) / len(judged) if judged else math.nan,
        answer=f"{sum(judged)} of {len(judged)} passed",
        explanation=", ".join(f"{task_id} {row['outcome']}" for task_id, row in rows.items()),
        metadata={"tasks": rows},
    )
