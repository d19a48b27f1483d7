"""Complete deletion of one participant's data."""

from typing import Any, NamedTuple, cast

from sqlalchemy import CursorResult, delete, select
from sqlalchemy.orm import Session

from people.store.database import Database
from people.store.errors import InvalidRequest, display_name
from people.store.tables import (
    STUDY_CODE,
    Action,
    Answer,
    Base,
    Note,
    Participant,
    Reply,
    StoredRecording,
    Stretch,
    SuiteEpisode,
    Trial,
)


class Deleted(NamedTuple):
    """Number of rows removed from each table."""

    participants: int
    trials: int
    actions: int
    stretches: int
    recordings: int
    episodes: int
    replies: int
    answers: int
    notes: int


def delete_participant(database: Database, study: str, code: str) -> Deleted:
    """See `Store.delete_participant`."""
    with database.writing() as session:
        found = select(Participant.id).filter_by(study=study, code=code).where(Participant.code != STUDY_CODE)
        participant = session.scalars(found.with_for_update()).one_or_none()
        deleted = None if participant is None else _delete(session, participant)
    # Even if nothing was found: an earlier deletion may have been unable to do this.
    database.erase()
    if deleted is None:
        raise InvalidRequest(f"{display_name(database.url)}: no participant {code!r} in study {study!r}")
    return deleted


def _delete(session: Session, participant: int) -> Deleted:
    trials = select(Trial.id).filter_by(participant_id=participant).scalar_subquery()

    def rows(table: type[Base], condition: Any) -> int:
        return cast("CursorResult[Any]", session.execute(delete(table).where(condition))).rowcount

    return Deleted(
        notes=rows(Note, Note.participant_id == participant),
        answers=rows(Answer, Answer.participant_id == participant),
        replies=rows(Reply, Reply.trial_id.in_(trials)),
        episodes=rows(SuiteEpisode, SuiteEpisode.trial_id.in_(trials)),
        recordings=rows(StoredRecording, StoredRecording.trial_id.in_(trials)),
        stretches=rows(Stretch, Stretch.trial_id.in_(trials)),
        actions=rows(Action, Action.trial_id.in_(trials)),
        trials=rows(Trial, Trial.participant_id == participant),
        participants=rows(Participant, Participant.id == participant),
    )
