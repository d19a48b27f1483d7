"""Stored facts that determine a participant's stage in a study."""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import func, select

from people.play.pacing import PICTURE
from people.play.worker_protocol import seconds_of
from people.store import Note, Participant, Store, Trial
from people.store.participation import KINDS as OF_PARTICIPATION
from people.store.participation import LEFT, ORDER, Ending, has_place, participation_of
from people.store.tables import Action, Answer, Reply, grouped, participants_of

ASSENT, PAGE_DONE, ABANDONED = "assent", "passed", "abandoned"
KINDS = (*OF_PARTICIPATION, ASSENT, PAGE_DONE, ABANDONED, PICTURE)
"""Kinds of notes about progress. They are those of `participation`, the child's assent, each page done or
skipped, a trial that could not be resumed, and a check of the picture."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A participant's trials, by start, and the contents of their notes.

    `order` has the ids of the test's tasks and `blocks` the names of its blocks, as of `Plan.stages`; they
    are from row `block_row` of the design of blocks, and from these `rows` of the designs of each block.
    `pages_done` are names of stages, and `answers` those that were given on them; `abandoned` are the ids of
    trials that cannot be resumed; `good_picture`: whether a check found it good, or no person looks at it.
    """

    participant: Participant
    trials: tuple[Trial, ...]
    order: tuple[str, ...]
    condition: str | None = None
    blocks: tuple[str, ...] = ()
    block_row: int = 0
    rows: Mapping[str, int] = field(default_factory=dict)
    pages_done: frozenset[str] = frozenset()
    answers: tuple[Answer, ...] = ()
    abandoned: frozenset[int] = frozenset()
    good_picture: bool = False
    ending: Ending | None = None
    last_at: float = 0.0

    def trials_at(self, position: int) -> list[Trial]:
        """Return the trials at a position of the order."""
        return [trial for trial in self.trials if trial.position == position]

    def is_over(self, trial: Trial) -> bool:
        """Return whether a trial is finished or abandoned."""
        return trial.finished_at is not None or trial.id in self.abandoned

    def played_s(self, positions: range) -> float:
        """Seconds played in the finished trials of these positions of the test."""
        return sum(
            # Trials of version 0.2 stored no other seconds than those of the scored episode.
            seconds_of(trial.steps or 0) if trial.seconds_played is None else trial.seconds_played
            for trial in self.trials
            if trial.position in positions
        )


def progress_of(store: Store, participant: Participant) -> Progress:
    """Return the progress of one participant."""
    notes = [note for note in store.notes(participant.id) if note.kind in KINDS]
    return _progress(participant, store.trials(participant.id), notes, store.answers(participant.id))


def all_progress(
    store: Store, study: str, *, test: bool = False, only: Collection[int] | None = None
) -> list[Progress]:
    """Return the progress of all participants of a study, by arrival. It takes few queries. With `test` also
    of those who only try it out; `only`: of those with these ids."""
    people, marks = store.participants(study, test=test), all_marks(store, study)
    # Some may have been deleted in between.
    people = [each for each in people if each.id in marks and (only is None or each.id in only)]
    participants, whose = [each.id for each in people], attrgetter("participant_id")
    with store.database.reading() as session:
        own = select(Trial).where(Trial.participant_id.in_(participants)).order_by(Trial.id)
        trials = grouped(session.scalars(own), whose)
        chosen = Note.participant_id.in_(participants) & Note.kind.in_(KINDS)
        notes = grouped(session.scalars(select(Note).where(chosen).order_by(Note.at, Note.key)), whose)
        given = select(Answer).where(Answer.participant_id.in_(participants))
        answers = grouped(session.scalars(given), whose)
    return [
        _progress(
            person, trials[person.id], notes[person.id], answers[person.id], marks[person.id].last_action
        )
        for person in people
    ]


class Mark(NamedTuple):
    """Mark that changes with every action. It has row counts, and newest times."""

    trials: int
    ended: int
    notes: int
    last_answer: float | None
    last_action: float | None


def all_marks(store: Store, study: str) -> dict[int, Mark]:
    """Return the mark of each participant of a study, by their ids."""
    me = Participant.id
    trials = select(func.count()).where(Trial.participant_id == me)
    notes = select(func.count()).where(Note.participant_id == me)
    ended = trials.where(Trial.finished_at.is_not(None) | Trial.ended_by.is_not(None))
    last_answer = select(func.max(Answer.at)).where(Answer.participant_id == me)
    unfinished = select(func.max(Trial.id)).where(Trial.participant_id == me, Trial.finished_at.is_(None))
    trial = unfinished.correlate(Participant).scalar_subquery()
    # The last step is found by the key of the table; the latest of all times would be searched for.
    last_action = select(Action.at).where(Action.trial_id == trial).order_by(Action.step.desc()).limit(1)
    last_reply = select(func.max(Reply.at)).where(Reply.trial_id == trial)
    each_of = trials, ended, notes, last_answer, last_action, last_reply
    *marks, action, reply = (each.correlate(Participant).scalar_subquery() for each in each_of)
    found = select(me, *marks, func.coalesce(action, reply)).filter_by(study=study)
    with store.database.reading() as session:
        return {person: Mark(*mark) for person, *mark in session.execute(found)}


class Cell(NamedTuple):
    """A cell of the design and its number of people. It has condition, row of the design of blocks, and rows
    of those of tasks, by block."""

    condition: str | None
    block_row: int
    rows: Mapping[str, int]
    people: int


def used_cells(store: Store, study: str, *, test: bool = False, agent: str | None = None) -> list[Cell]:
    """Return the cells of the design of people who have a place. With `agent` they are those of its
    participants, with `test` those of the people who only try the study out."""
    row, block_row = Note.data["row"].as_integer(), Note.data["block_row"].as_integer()
    cell = (Note.data["condition"].as_string(), block_row, row, Note.data["rows"].as_string())
    people = (*participants_of(study, test=test), *([Participant.test.is_(True)] if test else []))
    people = (*people, Participant.agent == agent)
    counted = select(*cell, func.count()).join(Participant).where(*people, has_place())
    with store.database.reading() as session:
        found = session.execute(counted.where(Note.kind == ORDER).group_by(*cell)).all()
    return [
        Cell(condition, block_row or 0, json.loads(rows) if rows else {"test": row}, count)
        for condition, block_row, row, rows, count in found
    ]


def taking_part(store: Store, study: str) -> int:
    """Return the number of people with a place. Those who only try the study out are left out."""
    people = (*participants_of(study, False), Participant.agent.is_(None))
    with store.database.reading() as session:
        chosen = select(func.count(Participant.id)).where(*people, has_place())
        return session.scalars(chosen).one()


def _progress(
    participant: Participant,
    trials: Sequence[Trial],
    notes: Sequence[Note],
    answers: Sequence[Answer],
    last_action: float | None = None,
) -> Progress:
    data: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for note in notes:
        data[note.kind].append(note.data)
    order: dict[str, Any] = next(iter(data[ORDER]), {"tasks": (), "row": 0})
    part = participation_of(notes)
    pages_done = frozenset(page["stage"] for page in data[PAGE_DONE])
    events = [
        *(participant.created_at, last_action or 0.0),
        *(note.at for note in notes if note.kind != LEFT),
        *(each.at for each in answers),
    ]
    events += [trial.finished_at or trial.begun_at for trial in trials]
    return Progress(
        participant=participant,
        trials=tuple(trials),
        order=tuple(order["tasks"]),
        condition=part.condition,
        blocks=part.blocks,
        block_row=order.get("block_row", 0),
        rows=order.get("rows", {"test": order["row"]}),
        pages_done=pages_done,
        answers=tuple(each for each in answers if f"questions-{each.page}" in pages_done),
        abandoned=frozenset(trial["trial"] for trial in data[ABANDONED]),
        good_picture=participant.agent is not None or any(check["good"] for check in data[PICTURE]),
        ending=part.ending,
        last_at=max(events),
    )
