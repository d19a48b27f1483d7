"""Who is where: what the experimenter sees of a study."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from human_data.people.store import Participant, Store, Trial
from human_data.people.study.facts import Facts, all_facts
from human_data.people.study.flow import where
from human_data.people.study.plan import Plan
from human_data.people.study.stages import Asking, End, Playing, Reading, Stage

ACTIVE_S = 60.0
"""Who did something so lately counts as being there."""


@dataclass(frozen=True, slots=True)
class Row:
    """A person: their stage in words, test tasks done of all, how many were passed, seconds since they did
    something, and whether they are through.
    """

    participant: Participant
    stage: str
    done: int
    count: int
    passed: int
    idle_s: float
    ended: bool

    @property
    def active(self) -> bool:
        """Whether the person is there now."""
        return not self.ended and self.idle_s < ACTIVE_S

    @property
    def idle(self) -> str:
        """How long ago they did something, in words."""
        for unit, seconds in (("d", 86400), ("h", 3600), ("min", 60)):
            if self.idle_s >= 2 * seconds:
                return f"{self.idle_s / seconds:.0f} {unit}"
        return f"{self.idle_s:.0f} s"


def rows(plan: Plan, store: Store) -> list[Row]:
    """Everybody who has entered the study; who is there now first, then by who did something last."""
    now = time.time()
    found = [_row(plan, facts, now) for facts in all_facts(store, plan.study.name)]
    return sorted(found, key=lambda row: (row.ended, row.idle_s))


def counts(table: Sequence[Row]) -> dict[str, int]:
    """How many have come, are there now, are through, and have stopped."""
    return {
        "came": len(table),
        "active": sum(row.active for row in table),
        "completed": sum(row.stage == "completed" for row in table),
        "withdrawn": sum(row.stage == "withdrawn" for row in table),
    }


def _row(plan: Plan, facts: Facts, now: float) -> Row:
    entered = bool(facts.order)
    stage = where(plan, facts) if entered else None
    test = [trial for trial in facts.trials if trial.position >= 0]
    return Row(
        participant=facts.participant,
        stage=described(stage) if stage is not None else "consent",
        done=sum(trial.finished_at is not None for trial in test),
        count=len(plan.test),
        passed=sum(bool(trial.passed) for trial in test),
        idle_s=max(0.0, now - facts.last_at),
        ended=isinstance(stage, End),
    )


def described(stage: Stage) -> str:
    """A stage in words."""
    match stage:
        case Playing():
            return f"{stage.part}, task {stage.number} of {stage.count}: {stage.task.id}"
        case Asking():
            return f"questionnaire {stage.page}"
        case Reading():
            return stage.name.replace("-", " ")
        case _:
            return stage.name


def told(trial: Trial) -> str:
    """How a trial ended, in words."""
    if trial.finished_at is None:
        return "not finished"
    verdict = {True: "passed", False: "failed", None: "no pass mark"}[trial.passed]
    return f"{verdict} ({trial.outcome})" if trial.outcome else verdict
