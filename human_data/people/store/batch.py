"""What is put as it happens: actions, ends of trials and notes, many in one transaction.

Each has a key of its own, so that a batch may be put again when it is not known whether it arrived.
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

from arena import ACTIONS, Recording
from human_data.people.store.database import Database
from human_data.people.store.errors import Refused
from human_data.people.store.tables import Action, ActionRow, Kept, Note, Participant, Trial
from human_data.people.store.text import clean

ROWS_AT_ONCE = 5000
"""Rows of one statement; PostgreSQL takes 65,535 parameters."""
STEPS = 2**31
"""More than a column of whole numbers holds in PostgreSQL."""

LOCK = {"key_share": True}
"""Against changes and deletion, but not against rows that refer to the locked one."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a trial ended."""

    trial_id: int
    recording: Recording


@dataclass(frozen=True, slots=True)
class Noted:
    """That something happened to a participant, now where no time is given.

    Raises Refused where `data` is not what JSON can hold.
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
            raise Refused(f"note {self.kind!r}: not what JSON can hold ({error})") from None


Item = ActionRow | Finished | Noted


def put(database: Database, items: Sequence[Item]) -> list[str]:
    """Put everything in one transaction; what is there already is left as it is.

    Returns what was refused and why, a sentence each: it belongs to a trial or participant that has been
    deleted, or does not fit. Raises DatabaseAway or StoreError where nothing could be put.
    """
    with database.writing() as session:
        gone = put_actions(database, session, [item for item in items if isinstance(item, ActionRow)])
        refused = [f"{gone} actions of trials that are not there"] if gone else []
        for item in items:
            try:
                if isinstance(item, Finished):
                    finish(session, item)
                elif isinstance(item, Noted):
                    put_note(database, session, item)
            except Refused as error:
                refused.append(str(error))
        return refused


def check_action(row: ActionRow) -> None:
    """Raises Refused where step, action or time is none that can be kept."""
    if not (0 <= row.step < STEPS and 0 <= row.action < len(ACTIONS) and math.isfinite(row.at)):
        raise Refused(f"{row}: expected a step from 0, an action from 0 to {len(ACTIONS) - 1} and a time")


def put_actions(database: Database, session: Session, rows: Sequence[ActionRow]) -> int:
    """Put actions; returns how many were left out because their trial is not there."""
    wanted = {row.trial_id for row in rows}
    lock = select(Trial.id).where(Trial.id.in_(wanted)).with_for_update(read=True, key_share=True)
    there = set(session.scalars(lock))
    kept = [row._asdict() for row in rows if row.trial_id in there]
    for start in range(0, len(kept), ROWS_AT_ONCE):
        some = kept[start : start + ROWS_AT_ONCE]
        session.execute(database.insert(Action).on_conflict_do_nothing(), some)
    return len(rows) - len(kept)


def finish(session: Session, end: Finished) -> None:
    """Keep how a trial ended, unless it is finished; raises Refused where the recording is of another."""
    trial = session.get(Trial, end.trial_id, with_for_update=LOCK)
    recording = end.recording
    if trial is None:
        raise Refused(f"trial {end.trial_id}: no such trial")
    got = (recording.task_id, recording.seed, recording.trial, recording.spec_sha256)
    expected = (trial.task_id, trial.seed, trial.trial, trial.spec_sha256)
    if got != expected:
        raise Refused(f"trial {trial.id}: the recording is of {got}, expected {expected}")
    if trial.finished_at is not None:
        return
    trial.finished_at = time.time()
    for name in ("steps", "total_reward", "health", "outcome", "passed"):
        setattr(trial, name, getattr(recording, name))
    session.add(Kept(trial_id=trial.id, recording=recording.model_dump_json()))


def put_note(database: Database, session: Session, note: Noted) -> None:
    """Keep a note; raises Refused where its participant is not there."""
    lock_participant(session, note.participant_id)
    row = asdict(note) | {"kind": clean(note.kind), "data": dict(note.data)}
    session.execute(database.insert(Note).values(row).on_conflict_do_nothing())


def lock_participant(session: Session, participant_id: int) -> None:
    """Let nobody change or delete the participant meanwhile; raises Refused where there is none."""
    if session.get(Participant, participant_id, with_for_update=LOCK) is None:
        raise Refused(f"participant {participant_id}: no such participant")
