"""People's data, put and read."""

import re
import secrets
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Self

from sqlalchemy import func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from arena import ACTIONS, Recording
from human_data.people.store.database import Database
from human_data.people.store.errors import StoreError
from human_data.people.store.tables import Action, ActionRow, Answer, Kept, Note, Participant, Trial

MODES = ("keys", "scripts")
TOKEN_BYTES = 32
"""256 random bits; 128 are the least that cannot be guessed."""
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
"""Codes and names of studies: they become names of files and folders in an export."""
ROWS_AT_ONCE = 5000
"""Rows of one statement; PostgreSQL takes 65,535 parameters."""


class Store:
    """All studies of one database; missing tables are created unless `create` is False.

    `url` is "sqlite:///FILE" or "postgresql://USER:PASSWORD@HOST/NAME". Each call is one transaction and may
    come from any thread. Every method raises DatabaseAway where the database does not answer, and StoreError
    where it cannot do what was asked; then nothing of the call is kept.
    """

    def __init__(self, url: str, *, create: bool = True) -> None:
        self.database = Database(url, create=create)
        self._insert = sqlite.insert if self.database.is_sqlite else postgresql.insert

    def add_participant(self, code: str, study: str = "play", link: Mapping[str, str] = {}) -> Participant:
        """A new participant; where the study has the code already, that one, unchanged.

        Raises StoreError where code or study is no name (1 to 64 letters, digits, "_", "-" and ".").
        """
        _check_name("code", code)
        _check_name("study", study)
        row = {
            "study": study,
            "code": code,
            "token": secrets.token_urlsafe(TOKEN_BYTES),
            "link": {clean(key): clean(value) for key, value in link.items()},
            "created_at": time.time(),
        }
        with self.database.writing() as session:
            session.execute(self._insert(Participant).values(row).on_conflict_do_nothing())
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

        Raises StoreError where there is no such participant, or the mode is neither keys nor scripts.
        """
        if mode not in MODES:
            raise StoreError(f"mode: got {mode!r}, expected one of: {', '.join(MODES)}")
        with self.database.writing() as session:
            _lock_participant(session, participant_id)
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

        Returns how many were left out because their trial has been deleted. Raises StoreError where a step is
        negative or an action is none of the nine.
        """
        for row in rows:
            check_action(row)
        with self.database.writing() as session:
            return self._append(session, rows)

    def _append(self, session: Session, rows: Sequence[ActionRow]) -> int:
        wanted = {row.trial_id for row in rows}
        there = set(
            session.scalars(
                select(Trial.id).where(Trial.id.in_(wanted)).with_for_update(read=True, key_share=True)
            )
        )
        kept = [row._asdict() for row in rows if row.trial_id in there]
        for start in range(0, len(kept), ROWS_AT_ONCE):
            some = kept[start : start + ROWS_AT_ONCE]
            session.execute(self._insert(Action).on_conflict_do_nothing(), some)
        return len(rows) - len(kept)

    def actions(self, trial_id: int) -> list[ActionRow]:
        """The actions of a trial that are there, by step."""
        columns = (Action.trial_id, Action.step, Action.action, Action.at)
        with self.database.reading() as session:
            found = session.execute(select(*columns).filter_by(trial_id=trial_id).order_by(Action.step))
            return [ActionRow(*row) for row in found]

    def finish_trial(self, trial_id: int, recording: Recording) -> None:
        """Keep how a trial ended; one that is finished already is left as it is.

        Raises StoreError where there is no such trial, or the recording is of another arena.
        """
        with self.database.writing() as session:
            trial = session.get(Trial, trial_id)
            if trial is None:
                raise StoreError(f"trial {trial_id}: no such trial")
            _finish(session, trial, recording)

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
            _lock_participant(session, participant_id)
            statement = self._insert(Answer).values(key | given)
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
        row = {"key": uuid.uuid4().hex, "kind": clean(kind), "data": dict(data), "at": time.time()}
        with self.database.writing() as session:
            _lock_participant(session, participant_id)
            session.execute(self._insert(Note).values(row | {"participant_id": participant_id}))

    def notes(self, participant_id: int) -> list[Note]:
        """All notes of a participant, by time."""
        with self.database.reading() as session:
            found = select(Note).filter_by(participant_id=participant_id).order_by(Note.at, Note.key)
            return list(session.scalars(found))

    def close(self) -> None:
        """Close all connections."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def clean(text: str) -> str:
    """The text as every database takes it: without NUL, which PostgreSQL refuses, and half characters."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")


def check_action(row: ActionRow) -> None:
    """Raises StoreError where a step is negative or an action is none of the nine."""
    if row.step < 0 or not 0 <= row.action < len(ACTIONS):
        raise StoreError(f"{row}: expected a step from 0 and an action from 0 to {len(ACTIONS) - 1}")


def _check_name(what: str, name: str) -> None:
    if not NAME.fullmatch(name):
        raise StoreError(
            f"{what}: got {name!r}, expected 1 to 64 letters, digits, '_', '-' or '.', not '-' or '.' first"
        )


def _lock_participant(session: Session, participant_id: int) -> None:
    if session.get(Participant, participant_id, with_for_update=True) is None:
        raise StoreError(f"participant {participant_id}: no such participant")


def _finish(session: Session, trial: Trial, recording: Recording) -> None:
    if trial.finished_at is not None:
        return
    if (recording.task_id, recording.spec_sha256) != (trial.task_id, trial.spec_sha256):
        raise StoreError(
            f"trial {trial.id}: the recording is of {recording.task_id} ({recording.spec_sha256[:12]}), "
            f"expected {trial.task_id} ({trial.spec_sha256[:12]})"
        )
    trial.finished_at = time.time()
    trial.steps = recording.steps
    trial.total_reward = recording.total_reward
    trial.health = recording.health
    trial.outcome = recording.outcome
    trial.passed = recording.passed
    session.add(Kept(trial_id=trial.id, recording=recording.model_dump_json()))
