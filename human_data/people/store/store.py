"""People's data, put and read."""

import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

from sqlalchemy import func, select

from arena import Recording
from human_data.people.store.batch import (
    Finished,
    Noted,
    check_action,
    finish,
    lock_participant,
    put_actions,
    put_note,
)
from human_data.people.store.database import Database
from human_data.people.store.deletion import Deleted, delete_participant
from human_data.people.store.errors import Refused, shown
from human_data.people.store.tables import Action, ActionRow, Answer, Kept, Note, Participant, Trial
from human_data.people.store.text import check_name, clean

MODES = ("keys", "scripts")
TOKEN_BYTES = 32
"""256 random bits; 128 are the least that cannot be guessed."""


class Store:
    """All studies of one database; missing tables are created unless `create` is False.

    `url` is "postgresql://USER:PASSWORD@HOST/NAME", "sqlite:///FILE" or just the file. Each call is one
    transaction and may come from any thread. Every method raises DatabaseAway where the database does not
    answer, and Refused, a StoreError too, where what was asked does not fit; then nothing of it is kept.
    """

    def __init__(self, url: str, *, create: bool = True) -> None:
        self.database = Database(url, create=create)

    def add_participant(self, code: str, study: str = "play", link: Mapping[str, str] = {}) -> Participant:
        """A new participant; where the study has the code already, that one, unchanged.

        Raises Refused where code or study is no name (1 to 64 letters, digits, "_", "-" and ".").
        """
        check_name("code", code)
        check_name("study", study)
        row = {
            "study": study,
            "code": code,
            "token": secrets.token_urlsafe(TOKEN_BYTES),
            "link": {clean(key): clean(value) for key, value in link.items()},
            "created_at": time.time(),
        }
        with self.database.writing() as session:
            session.execute(self.database.insert(Participant).values(row).on_conflict_do_nothing())
            return session.scalars(select(Participant).filter_by(study=study, code=code)).one()

    def participant(self, token: str) -> Participant | None:
        """Who has this secret token, None where nobody has."""
        with self.database.reading() as session:
            return session.scalars(select(Participant).filter_by(token=clean(token))).one_or_none()

    def participants(self, study: str) -> list[Participant]:
        """All participants of a study, in the order in which they came."""
        with self.database.reading() as session:
            return list(session.scalars(select(Participant).filter_by(study=study).order_by(Participant.id)))

    def studies(self) -> list[str]:
        """The names of all studies that have participants."""
        with self.database.reading() as session:
            return list(session.scalars(select(Participant.study).distinct().order_by(Participant.study)))

    def check_study(self, study: str) -> None:
        """Raises Refused, with the studies that there are, where nobody has come to this one."""
        if study not in (known := self.studies()):
            there = ", ".join(known) or "none"
            raise Refused(f"{shown(self.database.url)}: no study {study!r}; there are: {there}")

    def begin_trial(
        self,
        participant_id: int,
        position: int,
        task_id: str,
        spec_sha256: str,
        seed: int,
        animal_ai: str,
        mode: str,
        pass_mark: float | None = None,
    ) -> Trial:
        """A new trial; its `trial` says how often this participant had begun the task before: play it so.

        Raises Refused where there is no such participant, or the mode is neither keys nor scripts.
        """
        if mode not in MODES:
            raise Refused(f"mode: got {mode!r}, expected one of: {', '.join(MODES)}")
        with self.database.writing() as session:
            lock_participant(session, participant_id)
            before = select(func.count()).where(
                Trial.participant_id == participant_id, Trial.task_id == task_id
            )
            trial = Trial(
                participant_id=participant_id,
                position=position,
                task_id=task_id,
                trial=session.scalars(before).one(),
                spec_sha256=spec_sha256,
                seed=seed,
                animal_ai=animal_ai,
                mode=mode,
                pass_mark=pass_mark,
                begun_at=time.time(),
            )
            session.add(trial)
        return trial

    def trials(self, participant_id: int) -> list[Trial]:
        """All trials of a participant, in the order in which they were begun."""
        with self.database.reading() as session:
            return list(
                session.scalars(select(Trial).filter_by(participant_id=participant_id).order_by(Trial.id))
            )

    def open_trial(self, participant_id: int) -> Trial | None:
        """The trial that was begun last, None where it is finished or there is none."""
        trials = self.trials(participant_id)
        return trials[-1] if trials and trials[-1].finished_at is None else None

    def append_actions(self, rows: Sequence[ActionRow]) -> int:
        """Put actions in one transaction; a (trial, step) that is there already is left as it is.

        Returns how many were left out because their trial has been deleted. Raises Refused where a step is
        negative or an action is none of the nine.
        """
        for row in rows:
            check_action(row)
        with self.database.writing() as session:
            return put_actions(self.database, session, rows)

    def actions(self, trial_id: int) -> list[ActionRow]:
        """The actions of a trial that are there, by step."""
        columns = (Action.trial_id, Action.step, Action.action, Action.at)
        with self.database.reading() as session:
            found = session.execute(select(*columns).filter_by(trial_id=trial_id).order_by(Action.step))
            return [ActionRow(*row) for row in found]

    def finish_trial(self, trial_id: int, recording: Recording) -> None:
        """Keep how a trial ended; one that is finished already is left as it is.

        Raises Refused where there is no such trial, or the recording is of another arena.
        """
        with self.database.writing() as session:
            finish(session, Finished(trial_id, recording))

    def recording(self, trial_id: int) -> Recording | None:
        """The recording of a finished trial, None where it is not finished."""
        with self.database.reading() as session:
            kept = session.get(Kept, trial_id)
            return Recording.model_validate_json(kept.recording) if kept else None

    def answer(self, participant_id: int, page: str, item: str, value: str) -> None:
        """Keep an answer; one that is given again takes the place of the former."""
        given = {"value": clean(value), "at": time.time()}
        key = {"participant_id": participant_id, "page": clean(page), "item": clean(item)}
        keys = list(key)
        with self.database.writing() as session:
            lock_participant(session, participant_id)
            statement = self.database.insert(Answer).values(key | given)
            session.execute(statement.on_conflict_do_update(index_elements=keys, set_=given))

    def answers(self, participant_id: int) -> list[Answer]:
        """All answers of a participant, in the order in which they were given."""
        order = (Answer.at, Answer.page, Answer.item)
        with self.database.reading() as session:
            return list(
                session.scalars(select(Answer).filter_by(participant_id=participant_id).order_by(*order))
            )

    def note(self, participant_id: int, kind: str, data: Mapping[str, Any] = {}) -> None:
        """Keep that something happened now; `data` is whatever JSON can hold."""
        with self.database.writing() as session:
            put_note(self.database, session, Noted(participant_id, kind, data))

    def notes(self, participant_id: int) -> list[Note]:
        """All notes of a participant, by time."""
        with self.database.reading() as session:
            found = select(Note).filter_by(participant_id=participant_id).order_by(Note.at, Note.key)
            return list(session.scalars(found))

    def delete_participant(self, study: str, code: str) -> Deleted:
        """Remove all that is there of a participant; returns how many rows of each table were removed.

        In SQLite the place of the rows is overwritten with zeros (secure_delete), the file is written anew
        (VACUUM) and its journal emptied. In PostgreSQL the tables are written anew (VACUUM FULL); what the
        server's own log and backups keep is beyond our reach, as are earlier exports.

        Raises StoreError where there is no such participant, and where another program is just reading, so
        that not all can be written anew: the rows are gone then, and the same call again does the rest.
        """
        return delete_participant(self.database, study, code)

    def close(self) -> None:
        """Close all connections."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
