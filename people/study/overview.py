"""The experimenter's table: every participant and their stage."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from people.play_end import WITHDREW
from people.store import Participant, Store, Trial
from people.store.participation import EndName
from people.store.quality import poor_trials
from people.study.flow import current_stage
from people.study.plan import EndStage, Plan, QuestionStage, Stage, TaskStage
from people.study.progress import Mark, Progress, all_marks, all_progress

ONLINE_S = 60.0
"""Participants who did something so recently count as online."""


@dataclass(frozen=True, slots=True)
class Row:
    """A participant: a description of their stage, condition, test tasks done, of all, and passed, when they
    last did something, whether the study is over for them, and number of trials with a poor picture.
    """

    participant: Participant
    stage: str
    condition: str
    done: int
    count: int
    passed: int
    last_at: float
    ended: bool
    poor: int = 0

    @property
    def idle_s(self) -> float:
        """Seconds since their last action."""
        return max(0.0, time.time() - self.last_at)

    @property
    def online(self) -> bool:
        """Whether the participant is online now."""
        return not self.ended and self.idle_s < ONLINE_S

    @property
    def idle(self) -> str:
        """The time since their last action, with a unit."""
        for unit, seconds in (("d", 86400), ("h", 3600), ("min", 60)):
            if self.idle_s >= 2 * seconds:
                return f"{self.idle_s / seconds:.0f} {unit}"
        return f"{self.idle_s:.0f} s"


class Overview:
    """The table of a study, in which only the rows of participants with news are computed again."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._rows: dict[int, Row] = {}
        self._marks: dict[int, Mark] = {}

    def rows(self, store: Store) -> list[Row]:
        """All participants: those in progress first, then by their last action."""
        study, marks = self._plan.study.name, all_marks(store, self._plan.study.name)
        changed = [person for person, mark in marks.items() if self._marks.get(person) != mark]
        with store.database.reading() as session:
            poor = poor_trials(session, changed)
        for progress in all_progress(store, study, test=True, only=changed):
            person = progress.participant.id
            self._rows[person] = _row(self._plan, progress, poor.get(person, 0))
        self._marks, self._rows = marks, {id: row for id, row in self._rows.items() if id in marks}
        return sorted(self._rows.values(), key=lambda row: (row.ended, -row.last_at))


def counts(rows: Sequence[Row]) -> dict[str, int]:
    """Number of participants: all, online, and by their ending; without those who only try it out."""
    rows = [row for row in rows if not row.participant.test]
    return {
        "agreed": len(rows),
        "online": sum(row.online for row in rows),
        **{name: sum(row.stage == name for row in rows) for name in get_args(EndName)},
    }


def _row(plan: Plan, progress: Progress, poor: int) -> Row:
    stage = current_stage(plan, progress) if progress.order else None
    test = [trial for trial in progress.trials if trial.position >= 0]
    return Row(
        participant=progress.participant,
        stage=description(stage) if stage is not None else "consent",
        done=sum(trial.finished_at is not None for trial in test),
        condition=progress.condition or "",
        count=len(plan.of(progress.condition).test),
        passed=sum(bool(trial.passed) for trial in test),
        last_at=progress.last_at,
        ended=isinstance(stage, EndStage),
        poor=poor,
    )


def description(stage: Stage) -> str:
    """A stage as shown to the experimenter."""
    match stage:
        case TaskStage():
            return f"{stage.phase}, task {stage.number} of {stage.count}: {stage.task.id}"
        case QuestionStage():
            return f"questionnaire {stage.page}"
        case _:
            return stage.name.replace("-", " ")


def result(trial: Trial) -> str:
    """The result of a trial as shown to the experimenter."""
    if trial.finished_at is None:
        return "left the study" if trial.ended_by == WITHDREW else "not finished"
    verdict = {True: "passed", False: "failed", None: "no pass mark"}[trial.passed]
    cause = trial.ended_by or trial.outcome
    return f"{verdict} ({cause})" if cause else verdict
