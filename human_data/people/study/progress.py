"""What the store knows about a participant of a study: enough to determine their stage."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import exists, func, select
from sqlalchemy.orm import aliased

from human_data.people.play_end import seconds_of
from human_data.people.store import Note, Participant, Store, Trial
from human_data.people.store.tables import Action, Answer, participants_of

CONSENT, ORDER, PAGE_DONE, ABANDONED = "consent", "order", "passed", "abandoned"
COMPLETED, WITHDRAWN = "completed", "withdrawn"
KINDS = (CONSENT, ORDER, PAGE_DONE, ABANDONED, COMPLETED, WITHDRAWN)
"""Notes about progress: consent and order of tasks at the start, each page done, a trial that could not be
resumed, and the two ends."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A participant's trials, in the order in which they were started, and the contents of their notes.

    `pages_done` are names of stages, `abandoned` the ids of trials that cannot be resumed. `ending` is that
    of a participant who reached the end: completed, failed or late, as in `config.Returns`.
    """

    participant: Participant
    trials: tuple[Trial, ...]
    order: tuple[str, ...]
    row: int = 0
    pages_done: frozenset[str] = frozenset()
    abandoned: frozenset[int] = frozenset()
    ending: str | None = None
    withdrawn: bool = False
    last_at: float = 0.0

    @property
    def completed(self) -> bool:
        """Whether the participant reached the end."""
        return self.ending is not None

    def trials_at(self, position: int) -> list[Trial]:
        """The trials at a position of the order."""
        return [trial for trial in self.trials if trial.position == position]

    def is_over(self, trial: Trial) -> bool:
        """Whether a trial is finished or abandoned."""
        return trial.finished_at is not None or trial.id in self.abandoned

    def played_s(self) -> float:
        """Seconds played in the finished trials of the test."""
        return sum(_seconds(trial) for trial in self.trials if trial.position >= 0)


def _seconds(trial: Trial) -> float:
    """Seconds played; in trials of version 0.2, which stored no others, those of the scored episode."""
    return seconds_of(trial.steps or 0) if trial.seconds_played is None else trial.seconds_played


def progress_of(store: Store, participant: Participant) -> Progress:
    """The progress of one participant."""
    notes = [note for note in store.notes(participant.id) if note.kind in KINDS]
    return _progress(participant, store.trials(participant.id), notes)


def all_progress(
    store: Store, study: str, *, test: bool = False, only: Collection[int] | None = None
) -> list[Progress]:
    """The progress of all participants of a study, in order of arrival, with few queries.

    With `test` also of those who only try it out; `only`: of those with these ids.
    """
    people, marks = store.participants(study, test=test), all_marks(store, study)
    # Some may have been deleted in between.
    people = [each for each in people if each.id in marks and (only is None or each.id in only)]
    participants = [each.id for each in people]
    with store.database.reading() as session:
        trials = _grouped(
            session.scalars(select(Trial).where(Trial.participant_id.in_(participants)).order_by(Trial.id))
        )
        chosen = Note.participant_id.in_(participants) & Note.kind.in_(KINDS)
        notes = _grouped(session.scalars(select(Note).where(chosen).order_by(Note.at, Note.key)))
    return [
        _progress(person, trials[person.id], notes[person.id], marks[person.id].times()) for person in people
    ]


class Mark(NamedTuple):
    """Changes with everything that a participant does: numbers of rows, and the newest times of others."""

    trials: int
    ended: int
    notes: int
    last_answer: float | None
    last_action: float | None

    def times(self) -> list[float]:
        """The times that are known."""
        return [at for at in (self.last_answer, self.last_action) if at is not None]


def all_marks(store: Store, study: str) -> dict[int, Mark]:
    """The mark of each participant of a study, by their ids."""
    me = Participant.id
    trials = select(func.count()).where(Trial.participant_id == me)
    notes = select(func.count()).where(Note.participant_id == me)
    ended = trials.where(Trial.finished_at.is_not(None) | Trial.ended_by.is_not(None))
    last_answer = select(func.max(Answer.at)).where(Answer.participant_id == me)
    unfinished = select(func.max(Trial.id)).where(Trial.participant_id == me, Trial.finished_at.is_(None))
    # The last step is found by the key of the table; the latest of all times would be searched for.
    last_action = (
        select(Action.at).where(Action.trial_id == unfinished.correlate(Participant).scalar_subquery())
        .order_by(Action.step.desc()).limit(1)
    )  # fmt: skip
    marks = (each.correlate(Participant).scalar_subquery() for each in (trials, ended, notes, last_answer))
    found = select(me, *marks, last_action.correlate(Participant).scalar_subquery())
    with store.database.reading() as session:
        return {person: Mark(*mark) for person, *mark in session.execute(found.filter_by(study=study))}


def used_rows(store: Store, study: str) -> dict[int, int]:
    """How many participants have each row of the design; those who left the study do not count."""
    row, left = Note.data["row"].as_integer(), aliased(Note)
    stays = ~exists().where(left.participant_id == Note.participant_id, left.kind == WITHDRAWN)
    counted = select(row, func.count()).join(Participant).where(*participants_of(study, test=False), stays)
    with store.database.reading() as session:
        return {row: count for row, count in session.execute(counted.filter_by(kind=ORDER).group_by(row))}


def taking_part(store: Store, study: str) -> int:
    """Number of participants who have not left the study; those who only try it out do not count."""
    left = select(Note.key).where(Note.participant_id == Participant.id, Note.kind == WITHDRAWN).exists()
    with store.database.reading() as session:
        chosen = select(func.count(Participant.id)).where(*participants_of(study, False), ~left)
        return session.scalars(chosen).one()


def _grouped(rows: Iterable[Any]) -> dict[int, list[Any]]:
    groups: dict[int, list[Any]] = defaultdict(list)
    for row in rows:
        groups[row.participant_id].append(row)
    return groups


def _progress(
    participant: Participant, trials: Sequence[Trial], notes: Sequence[Note], times: Sequence[float] = ()
) -> Progress:
    data: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for note in notes:
        data[note.kind].append(note.data)
    order: dict[str, Any] = next(iter(data[ORDER]), {"tasks": (), "row": 0})
    events = [participant.created_at, *times, *(note.at for note in notes)]
    events += [trial.finished_at or trial.begun_at for trial in trials]
    return Progress(
        participant=participant,
        trials=tuple(trials),
        order=tuple(order["tasks"]),
        row=order["row"],
        pages_done=frozenset(page["stage"] for page in data[PAGE_DONE]),
        abandoned=frozenset(trial["trial"] for trial in data[ABANDONED]),
        ending=next((end.get("ending", COMPLETED) for end in data[COMPLETED]), None),
        withdrawn=WITHDRAWN in data,
        last_at=max(events),
    )
