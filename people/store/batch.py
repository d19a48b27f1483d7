"""Writing what happens during a session: actions, ends of trials and notes, many in one transaction.

Every row has its own key, so a batch may be written again if it is unknown whether it arrived.
"""

import json
import math
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from arena import ACTIONS
from people.play_end import PlayEnd, seconds_of
from people.store.database import Database
from people.store.errors import InvalidRequest, clean
from people.store.tables import (
    Action,
    ActionRow,
    Note,
    Participant,
    StoredRecording,
    Stretch,
    StretchRow,
    Trial,
)

ROWS_PER_STATEMENT = 5000
"""PostgreSQL accepts 65,535 parameters in a statement."""
STEP_LIMIT = 2**31
"""Steps below it fit an integer column of PostgreSQL."""

LOCK = {"key_share": True}
"""Blocks changes and deletion of the locked row, but not new rows that refer to it."""


@dataclass(frozen=True, slots=True)
class TrialEnd:
    """The end of a trial."""

    trial_id: int
    end: PlayEnd


@dataclass(frozen=True, slots=True)
class NewNote:
    """An event of a participant, by default of now.

    Raises InvalidRequest if `data` cannot be represented as JSON.
    """

    participant_id: int
    kind: str
    data: Mapping[str, Any]
    at: float = field(default_factory=time.time)
    key: str = field(default_factory=lambda: uuid.uuid4().hex)

    def __post_init__(self) -> None:
        try:
            json.dumps(dict(self.data), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise InvalidRequest(f"note {self.kind!r}: cannot be stored as JSON ({error})") from None


Write = ActionRow | TrialEnd | NewNote | StretchRow


def write_batch(database: Database, batch: Sequence[Write]) -> list[str]:
    """Write everything in one transaction; rows that exist are left unchanged.

    Returns a sentence for each write that was rejected because its trial or participant has been deleted,
    or because it does not fit. Raises DatabaseUnavailable or StoreError if nothing could be written.
    """
    with database.writing() as session:
        missing = insert_actions(database, session, [item for item in batch if isinstance(item, ActionRow)])
        rejected = [f"{missing} actions of trials that do not exist"] if missing else []
        for item in batch:
            try:
                if isinstance(item, TrialEnd):
                    finish_trial(session, item.trial_id, item.end)
                elif isinstance(item, NewNote):
                    insert_note(database, session, item)
                elif isinstance(item, StretchRow):
                    insert_stretch(database, session, item)
            except InvalidRequest as error:
                rejected.append(str(error))
        return rejected


def check_action(row: ActionRow) -> None:
    """Raise InvalidRequest if step, action or time is out of range."""
    if not (0 <= row.step < STEP_LIMIT and 0 <= row.action < len(ACTIONS) and math.isfinite(row.at)):
        raise InvalidRequest(
            f"{row}: expected a step from 0, an action from 0 to {len(ACTIONS) - 1} and a time"
        )


def insert_actions(database: Database, session: Session, rows: Sequence[ActionRow]) -> int:
    """Insert actions; returns how many were skipped because their trial does not exist."""
    lock = select(Trial.id).where(Trial.id.in_({row.trial_id for row in rows}))
    known = set(session.scalars(lock.with_for_update(read=True, key_share=True)))
    values = [row._asdict() for row in rows if row.trial_id in known]
    for start in range(0, len(values), ROWS_PER_STATEMENT):
        session.execute(
            database.insert(Action).on_conflict_do_nothing(), values[start : start + ROWS_PER_STATEMENT]
        )
    return len(rows) - len(values)


def finish_trial(session: Session, trial_id: int, end: PlayEnd) -> None:
    """Store the end of a trial unless it has one; raises InvalidRequest if the recording does not fit it."""
    trial = session.get(Trial, trial_id, with_for_update=LOCK)
    recording = end.recording
    if trial is None:
        raise InvalidRequest(f"trial {trial_id}: no such trial")
    got = (recording.task_id, recording.seed, recording.trial, recording.spec_sha256)
    expected = (trial.task_id, trial.seed, trial.trial, trial.spec_sha256)
    if got != expected:
        raise InvalidRequest(f"trial {trial.id}: the recording is of {got}, expected {expected}")
    if trial.finished_at is not None:
        return
    trial.finished_at = time.time()
    end_play(trial, end.ended_by, end.steps_played)
    for name in ("steps", "total_reward", "health", "outcome", "passed"):
        setattr(trial, name, getattr(recording, name))
    session.add(StoredRecording(trial_id=trial.id, recording=recording.model_dump_json()))


def end_play(trial: Trial, ended_by: str, steps: int) -> None:
    """Set what ended the play of a trial, and how long it was."""
    trial.ended_by, trial.steps_played, trial.seconds_played = ended_by, steps, seconds_of(steps)


def insert_note(database: Database, session: Session, note: NewNote) -> None:
    """Insert a note; raises InvalidRequest if its participant does not exist."""
    lock_participant(session, note.participant_id)
    row = asdict(note) | {"kind": clean(note.kind), "data": dict(note.data)}
    session.execute(database.insert(Note).values(row).on_conflict_do_nothing())


def insert_stretch(database: Database, session: Session, row: StretchRow) -> None:
    """Insert a stretch; raises InvalidRequest if its trial does not exist."""
    if session.get(Trial, row.trial_id, with_for_update=LOCK) is None:
        raise InvalidRequest(f"trial {row.trial_id}: no such trial")
    session.execute(database.insert(Stretch).values(row._asdict()).on_conflict_do_nothing())


def lock_participant(session: Session, participant_id: int) -> None:
    """Block changes and deletion of the participant; raises InvalidRequest if there is none."""
    if session.get(Participant, participant_id, with_for_update=LOCK) is None:
        raise InvalidRequest(f"participant {participant_id}: no such participant")
