"""Deletion of one participant's data, such that nothing of it stays."""

from typing import Any, NamedTuple, cast

from sqlalchemy import CursorResult, delete, select
from sqlalchemy.orm import Session

from human_data.people.store.database import Database
from human_data.people.store.errors import Refused, shown
from human_data.people.store.tables import Action, Answer, Base, Kept, Note, Participant, Trial


class Deleted(NamedTuple):
    """How many rows of each table were removed."""

    participants: int
    trials: int
    actions: int
    recordings: int
    answers: int
    notes: int


def delete_participant(database: Database, study: str, code: str) -> Deleted:
    """See `Store.delete_participant`."""
    with database.writing() as session:
        found = select(Participant.id).filter_by(study=study, code=code).with_for_update()
        person = session.scalars(found).one_or_none()
        deleted = None if person is None else _delete(session, person)
    # Also where nothing was found: an earlier deletion may have been unable to do this.
    database.erase()
    if deleted is None:
        raise Refused(f"{shown(database.url)}: no participant {code!r} in study {study!r}")
    return deleted


def _delete(session: Session, person: int) -> Deleted:
    trials = select(Trial.id).filter_by(participant_id=person).scalar_subquery()

    def rows(table: type[Base], condition: Any) -> int:
        return cast("CursorResult[Any]", session.execute(delete(table).where(condition))).rowcount

    notes = rows(Note, Note.participant_id == person)
    answers = rows(Answer, Answer.participant_id == person)
    recordings = rows(Kept, Kept.trial_id.in_(trials))
    actions = rows(Action, Action.trial_id.in_(trials))
    played = rows(Trial, Trial.participant_id == person)
    return Deleted(rows(Participant, Participant.id == person), played, actions, recordings, answers, notes)
