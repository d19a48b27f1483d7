"""What the store says of a person in a study: enough to tell where they are."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select

from arena.action import STEP_S
from human_data.people.store import Note, Participant, Store, Trial
from human_data.people.store.tables import Action, Answer

CONSENT, ORDER, PASSED, ABANDONED = "consent", "order", "passed", "abandoned"
COMPLETED, WITHDRAWN = "completed", "withdrawn"
KINDS = (CONSENT, ORDER, PASSED, ABANDONED, COMPLETED, WITHDRAWN)
"""Notes that move a person on: consent and order of tasks at the start, each page that was passed, a trial
that could not be ended, and the ends."""

OURS = "_study"
"""Code of the row for what belongs to no person: the study's file, and refusals. Nobody can have it."""


@dataclass(frozen=True, slots=True)
class Facts:
    """A person's trials, in the order in which they were begun, and what their notes say.

    `passed` names the pages that are behind them, `abandoned` the trials that are not to be gone on with.
    """

    participant: Participant
    trials: tuple[Trial, ...]
    order: tuple[str, ...]
    row: int = 0
    passed: frozenset[str] = frozenset()
    abandoned: frozenset[int] = frozenset()
    completed: bool = False
    withdrawn: bool = False
    last_at: float = 0.0

    def at(self, position: int) -> list[Trial]:
        """The trials at a place of the order."""
        return [trial for trial in self.trials if trial.position == position]

    def over(self, trial: Trial) -> bool:
        """Whether nothing more can happen in a trial."""
        return trial.finished_at is not None or trial.id in self.abandoned

    def played_s(self) -> float:
        """Seconds in the arena of the test's trials that are over."""
        return STEP_S * sum(trial.steps or 0 for trial in self.trials if trial.position >= 0)


def facts_of(store: Store, participant: Participant) -> Facts:
    """The facts of one person."""
    notes = [note for note in store.notes(participant.id) if note.kind in KINDS]
    return _facts(participant, store.trials(participant.id), notes)


def all_facts(store: Store, study: str) -> list[Facts]:
    """The facts of all people of a study, in the order in which they came, with few queries."""
    people = select(Participant.id).filter_by(study=study)
    with store.database.reading() as session:
        trials = _grouped(
            session.scalars(select(Trial).where(Trial.participant_id.in_(people)).order_by(Trial.id))
        )
        chosen = Note.participant_id.in_(people) & Note.kind.in_(KINDS)
        notes = _grouped(session.scalars(select(Note).where(chosen).order_by(Note.at, Note.key)))
        open_trials = select(Trial.id).where(Trial.participant_id.in_(people), Trial.finished_at.is_(None))
        latest = (
            select(Trial.participant_id, func.max(Action.at)).join(Action, Action.trial_id == Trial.id)
            .where(Trial.id.in_(open_trials)).group_by(Trial.participant_id)
        )  # fmt: skip
        answered = (
            select(Answer.participant_id, func.max(Answer.at)).where(Answer.participant_id.in_(people))
            .group_by(Answer.participant_id)
        )  # fmt: skip
        times: dict[int, list[float]] = defaultdict(list)
        for query in (latest, answered):
            for person, at in session.execute(query):
                times[person].append(at)
    return [
        _facts(person, trials[person.id], notes[person.id], times[person.id])
        for person in store.participants(study)
        if person.code != OURS
    ]


def _grouped(rows: Iterable[Any]) -> dict[int, list[Any]]:
    groups: dict[int, list[Any]] = defaultdict(list)
    for row in rows:
        groups[row.participant_id].append(row)
    return groups


def _facts(
    participant: Participant, trials: Sequence[Trial], notes: Sequence[Note], times: Sequence[float] = ()
) -> Facts:
    kinds = {note.kind for note in notes}
    none: dict[str, Any] = {"tasks": [], "row": 0}
    order = next((note.data for note in notes if note.kind == ORDER), none)
    happened = [participant.created_at, *times, *(note.at for note in notes)]
    happened += [trial.finished_at or trial.begun_at for trial in trials]
    return Facts(
        participant=participant,
        trials=tuple(trials),
        order=tuple(order["tasks"]),
        row=order["row"],
        passed=frozenset(note.data["stage"] for note in notes if note.kind == PASSED),
        abandoned=frozenset(note.data["trial"] for note in notes if note.kind == ABANDONED),
        completed=COMPLETED in kinds,
        withdrawn=WITHDRAWN in kinds,
        last_at=max(happened),
    )
