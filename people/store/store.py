"""Reading and writing people's data."""

import asyncio
import json
import math
import secrets
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar, cast

from sqlalchemy import CursorResult, Select, delete, func, select
from sqlalchemy.orm import Session

from arena import ACTIONS, EventKind, Recording
from arena.closing import Closing
from arena.recording import spec_sha256
from evaluation.by_hand.played import PlayedEpisode
from evaluation.suite import EpisodeSetup, ModelEnd, Record
from evaluation.suites import DEFAULT
from people.play.worker_protocol import LIMIT, WITHDREW, PlayEnd, ended_by, seconds_of
from people.store import tables
from people.store.database import Database, DatabaseUnavailable, InvalidRequest, check_name, clean
from people.store.tables import Action, ActionRow, Answer, Note, Participant, Stretch, Trial, participants_of
from testbed import Task

ROWS_PER_STATEMENT = 5000
"""PostgreSQL accepts 65,535 parameters in a statement."""
STEP_LIMIT = 2**31
"""Steps below it fit an integer column of PostgreSQL."""

OTHER = " of another suite than the arena"

_Row = TypeVar("_Row", bound=tables.Base)


class TrialEnd(NamedTuple):
    """The end of a trial."""

    trial_id: int
    end: PlayEnd


def new_note(participant_id: int, kind: str, data: Mapping[str, Any] = {}, at: float | None = None) -> Note:
    """Return an event of a participant, by default of now. Raises InvalidRequest if `data` cannot be
    represented as JSON."""
    try:
        json.dumps(dict(data), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidRequest(f"note {kind!r}: cannot be stored as JSON ({error})") from None
    at, key = time.time() if at is None else at, uuid.uuid4().hex
    return Note(key=key, participant_id=participant_id, kind=clean(kind), data=dict(data), at=at)


Write = ActionRow | TrialEnd | Note | Stretch


def write_batch(database: Database, batch: Sequence[Write]) -> list[str]:
    """Write everything in one transaction; existing rows are left unchanged.

    Returns a sentence for each write that was rejected because its trial or participant has been deleted, or
    because it does not fit. Raises DatabaseUnavailable or StoreError if the transaction failed.
    """
    with database.writing() as session:
        missing = insert_actions(database, session, [item for item in batch if isinstance(item, ActionRow)])
        rejected = [f"{missing} actions of trials that do not exist"] if missing else []
        for item in batch:
            try:
                if isinstance(item, TrialEnd):
                    finish_trial(session, item.trial_id, item.end)
                elif isinstance(item, Note | Stretch):
                    insert(database, session, item)
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
    """Insert actions. Returns how many were skipped because their trial does not exist."""
    lock = select(Trial.id).where(Trial.id.in_({row.trial_id for row in rows}))
    known = set(session.scalars(lock.with_for_update(read=True, key_share=True)))
    values = [row._asdict() for row in rows if row.trial_id in known]
    for start in range(0, len(values), ROWS_PER_STATEMENT):
        session.execute(
            database.insert(Action).on_conflict_do_nothing(), values[start : start + ROWS_PER_STATEMENT]
        )
    return len(rows) - len(values)


def finish_trial(session: Session, trial_id: int, end: PlayEnd) -> None:
    """Store the end of a trial unless it has one. Raises InvalidRequest if the recording does not fit it."""
    trial, recording = _locked(session, Trial, trial_id, "trial"), end.recording
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
    session.add(tables.StoredRecording(trial_id=trial.id, recording=recording.model_dump_json()))


def _play_end(setup: EpisodeSetup, record: Record) -> PlayEnd:
    """Return the end of an arena trial played by replies. It may also be played by an agent at every step."""
    recording, turns = Recording.model_validate(record.replay), record.turns
    if record.model_end is ModelEnd.EPISODE:
        events = [event for turn in turns for event in turn["events"]]
        hurt = any(each["kind"] == EventKind.HOT_ZONE or each["reward"] < 0 for each in events)
        by = ended_by(recording.outcome, hurt, setup.task.content.spec.version)
        return PlayEnd(by, recording.steps, recording)
    steps = sum(setup.choices.initial_idle_steps) + sum(turn["steps"] for turn in turns)
    return PlayEnd(LIMIT, steps, recording)


def end_play(trial: Trial, ended_by: str, steps: int) -> None:
    """Set the cause of a trial's end of play, and its duration."""
    trial.ended_by, trial.steps_played, trial.seconds_played = ended_by, steps, seconds_of(steps)


def _replied_s(session: Session, trial_id: int) -> float:
    """Seconds from each form of a trial to its reply, in all."""
    replied = select(func.sum(tables.Reply.at - tables.Reply.shown_at)).filter_by(trial_id=trial_id)
    return round(session.scalars(replied).one() or 0.0, 2)


def insert(database: Database, session: Session, row: Note | Stretch | tables.Reply) -> None:
    """Insert a row unless it exists. Raises InvalidRequest if its participant or trial does not exist."""
    if isinstance(row, Note):
        _locked(session, Participant, row.participant_id, "participant")
    else:
        _locked(session, Trial, row.trial_id, "trial")
    values = {column.name: getattr(row, column.name) for column in row.__table__.columns}
    session.execute(database.insert(type(row)).values(values).on_conflict_do_nothing())


def _locked(session: Session, table: type[_Row], key: int, what: str, of: str = "") -> _Row:
    """Return a key's row, locked against changes. Raises InvalidRequest if there is none."""
    # New rows that refer to it are not blocked.
    found = session.get(table, key, with_for_update={"key_share": True})
    if found is None:
        raise InvalidRequest(f"{what} {key}: no such {what}{of}")
    return found


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


def _delete(session: Session, participant: int) -> Deleted:
    trials = select(Trial.id).filter_by(participant_id=participant).scalar_subquery()
    counts = []
    for table in reversed(tables.TABLES):
        columns: Any = table.__table__.columns
        whose = columns.get("participant_id", columns.get("id")) == participant
        rows = delete(table).where(columns.trial_id.in_(trials) if "trial_id" in columns else whose)
        counts.append(cast("CursorResult[Any]", session.execute(rows)).rowcount)
    return Deleted(*reversed(counts))


MODES = ("keys", "scripts", "steps")
FORM = "form"
"""The mode of trials of other suites than the arena."""
TOKEN_BYTES = 32
"""256 random bits; tokens of fewer than 128 bits could be guessed."""


class Store(Closing):
    """All studies in one database.

    Missing tables are created unless `create` is False. `url` is "postgresql://USER:PASSWORD@HOST/NAME",
    "sqlite:///FILE" or the path of a file. Each call is one transaction and may come from any thread. Every
    method raises DatabaseUnavailable if the database does not respond, and InvalidRequest, a StoreError too,
    if the call does not fit the data; then the database is unchanged.
    """

    def __init__(self, url: str, *, create: bool = True) -> None:
        self.database = Database(url, create=create)

    def add_participant(
        self, code: str, study: str = "play", link: Mapping[str, str] = {}, *,
        test: bool = False, kind: tables.Kind | None = None, agent: str | None = None,
    ) -> Participant:  # fmt: skip
        """Return a new participant, or the existing one of this code.

        An existing one is unchanged. `test`: the study is only tried out; exports and counts leave out the
        stored data. `agent` names the model or policy that takes part; None: a person. Raises InvalidRequest
        if code or study is not a name (1 to 64 letters, digits, "_", "-" and ".").
        """
        check_name("code", code)
        check_name("study", study)
        row = {
            "study": study,
            "code": code,
            "token": secrets.token_urlsafe(TOKEN_BYTES),
            "link": {clean(key): clean(value) for key, value in link.items()},
            "created_at": time.time(),
            "test": test,
            "kind": kind,
            "agent": agent,
        }
        with self.database.writing() as session:
            session.execute(self.database.insert(Participant).values(row).on_conflict_do_nothing())
            return session.scalars(select(Participant).filter_by(study=study, code=code)).one()

    def participant(self, token: str) -> Participant | None:
        """Return the participant with this secret token, or None."""
        return next(iter(self._all(select(Participant).filter_by(token=clean(token)))), None)

    def participant_of(self, study: str, code: str) -> Participant | None:
        """Return the participant of a study with this code, or None."""
        people = select(Participant).where(*participants_of(study, test=True), Participant.code == code)
        return next(iter(self._all(people)), None)

    def participants(self, study: str, *, test: bool = False) -> list[Participant]:
        """Return a study's participants by arrival. With `test` also those who only try it out."""
        return self._all(select(Participant).where(*participants_of(study, test)).order_by(Participant.id))

    def studies(self) -> list[str]:
        """Return the names of all studies that have participants."""
        return self._all(select(Participant.study).distinct().order_by(Participant.study))

    def study_notes(self, study: str) -> list[Note]:
        """Return a study's own notes by time. Its file at each change, and refusals of consent."""
        notes = select(Note).join(Participant).filter_by(study=study, code=tables.STUDY_CODE)
        return self._all(notes.order_by(Note.at, Note.key))

    def check_study(self, study: str) -> None:
        """Raise InvalidRequest if the study has no participants. The error has the names of all studies."""
        if study not in (known := self.studies()):
            listed = ", ".join(known) or "none"
            raise InvalidRequest(f"{self.database.name}: no study {study!r}; the database has: {listed}")

    def begin_trial(
        self, participant_id: int, position: int, task: Task, seed: int, mode: str, block: str | None = None
    ) -> Trial:
        """Return a new trial. Its `trial`, the number of earlier attempts at the task, is the trial of the
        episode.

        `block` is the name of the study's block that it belongs to. Raises InvalidRequest if there is no such
        participant, or the mode is unknown.
        """
        if mode not in MODES:
            raise InvalidRequest(f"mode: got {mode!r}, expected one of: {', '.join(MODES)}")
        columns = {"position": position, "seed": seed, "mode": mode, "block": block}
        rules = {"animal_ai": task.spec.version, "pass_mark": task.spec.pass_mark}
        hashes = {"spec_sha256": spec_sha256(task.spec), "task_sha256": task.sha256}
        with self.database.writing() as session:
            return _begin(session, participant_id, task.id, {**columns, **rules, **hashes})

    def begin_episode(
        self, participant_id: int, position: int, setup: EpisodeSetup, block: str | None = None
    ) -> Trial:
        """Begin a trial played by replies, as `begin_trial` does. The trial of `setup` is ignored."""
        task, seed = setup.task, setup.choices.seed
        if setup.suite.name == DEFAULT:
            mode = "steps" if setup.choices.acts else "scripts"
            return self.begin_trial(participant_id, position, task.content, seed, mode, block)
        columns = {"position": position, "seed": seed, "mode": FORM, "block": block}
        hashes = dict.fromkeys(("spec_sha256", "task_sha256"), task.sha256)
        columns = {**columns, **hashes, "animal_ai": "", "pass_mark": None}
        with self.database.writing() as session:
            trial = _begin(session, participant_id, task.id, columns)
            played = PlayedEpisode.of(setup._replace(trial=trial.trial)).model_dump_json()
            suite, group = setup.suite.name, str(task.group)
            session.add(tables.SuiteEpisode(trial_id=trial.id, suite=suite, task_group=group, played=played))
        return trial

    def is_of(self, trial: Trial, setup: EpisodeSetup) -> bool:
        """Return whether an unfinished trial can be continued as this episode. It is played by replies."""
        if setup.suite.name == DEFAULT:
            return (trial.spec_sha256, trial.seed) == (
                spec_sha256(setup.task.content.spec),
                setup.choices.seed,
            )
        with self.database.reading() as session:
            episode = session.get(tables.SuiteEpisode, trial.id)
        played = None if episode is None else PlayedEpisode.model_validate_json(episode.played)
        return played == PlayedEpisode.of(setup)

    def finish_episode(
        self, trial_id: int, setup: EpisodeSetup, record: Record, ended_by: str = "", idle_s: float = 0.0
    ) -> None:
        """Store the end of a trial that was played by replies. One that is finished is left unchanged.
        `ended_by`: the cause of an early end, `idle_s` seconds after its last form was shown."""
        now = time.time()
        with self.database.writing() as session:
            if setup.suite.name == DEFAULT:
                end = _play_end(setup, record)
                end = end._replace(ended_by=ended_by or end.ended_by)
                taken = enumerate(end.recording.unpacked()[: end.steps_played])
                actions = [ActionRow(trial_id, step, ACTIONS.index(each), now) for step, each in taken]
                insert_actions(self.database, session, actions)
                finish_trial(session, trial_id, end)
                return
            episode = _locked(session, tables.SuiteEpisode, trial_id, "trial", OTHER)
            trial = _locked(session, Trial, trial_id, "trial", OTHER)
            if trial.finished_at is not None:
                return
            trial.finished_at, trial.outcome, trial.passed = now, record.outcome, record.passed
            trial.ended_by = ended_by or record.outcome
            trial.seconds_played = _replied_s(session, trial_id) + round(idle_s, 2)
            steps, trial.total_reward = record.metrics.get("steps"), record.metrics.get("total_reward")
            trial.steps = None if steps is None else int(steps)
            episode.turns, episode.score = len(record.turns), record.score
            episode.played = PlayedEpisode.model_validate_json(episode.played).ended(record).model_dump_json()

    def withdraw(self, participant_id: int, position: int) -> None:
        """Note a participant's withdrawal in the unfinished trial at a position. If there is one."""
        at = {"participant_id": participant_id, "position": position, "finished_at": None}
        with self.database.writing() as session:
            for trial in session.scalars(select(Trial).filter_by(**at)):
                if trial.mode != "keys":
                    trial.ended_by, trial.seconds_played = WITHDREW, _replied_s(session, trial.id)
                    continue
                steps = select(func.count()).where(Action.trial_id == trial.id)
                end_play(trial, WITHDREW, session.scalars(steps).one())

    def add_reply(self, reply: tables.Reply) -> None:
        """Store a reply unless it is there already. Raises InvalidRequest if there is no such trial."""
        with self.database.writing() as session:
            insert(self.database, session, reply)

    def replies(self, trial_id: int) -> list[tables.Reply]:
        """Return the replies of a trial of another suite, in order."""
        return self._all(select(tables.Reply).filter_by(trial_id=trial_id).order_by(tables.Reply.turn))

    def reply_times(self, study: str) -> dict[int, float]:
        """Return the summed seconds from observations to replies, by trial id."""
        seconds = func.sum(tables.Reply.at - tables.Reply.shown_at)
        rows = select(tables.Reply.trial_id, seconds).join(Trial).join(Participant).filter_by(study=study)
        with self.database.reading() as session:
            return {trial: took for trial, took in session.execute(rows.group_by(tables.Reply.trial_id))}

    def episodes(self, study: str) -> dict[int, tables.SuiteEpisode]:
        """Return the additional columns of other suites' trials, by trial id."""
        rows = select(tables.SuiteEpisode).join(Trial).join(Participant).where(Participant.study == study)
        return {row.trial_id: row for row in self._all(rows)}

    def trials(self, participant_id: int) -> list[Trial]:
        """Return all trials of a participant, in the order of their starts."""
        return self._all(select(Trial).filter_by(participant_id=participant_id).order_by(Trial.id))

    def open_trial(self, participant_id: int) -> Trial | None:
        """Return the participant's latest trial if it is unfinished, otherwise None."""
        trials = self.trials(participant_id)
        return trials[-1] if trials and trials[-1].finished_at is None else None

    def actions(self, trial_id: int) -> list[ActionRow]:
        """Return the stored actions of a trial, by step."""
        columns = (Action.trial_id, Action.step, Action.action, Action.at)
        with self.database.reading() as session:
            found = session.execute(select(*columns).filter_by(trial_id=trial_id).order_by(Action.step))
            return [ActionRow(*row) for row in found]

    def recording(self, trial_id: int) -> Recording | None:
        """Return the recording of a trial; None if it is unfinished."""
        with self.database.reading() as session:
            stored = session.get(tables.StoredRecording, trial_id)
            return Recording.model_validate_json(stored.recording) if stored else None

    def answer(
        self, participant_id: int, page: str, item: str, value: str, *,
        asked: bool = True, as_expected: bool | None = None,
    ) -> None:  # fmt: skip
        """Store an answer in place of an earlier one. It is to the same item. `asked`: whether the item was
        shown; `as_expected`: whether an attention check was passed."""
        answer = {"value": clean(value), "at": time.time(), "asked": asked, "as_expected": as_expected}
        key = {"participant_id": participant_id, "page": clean(page), "item": clean(item)}
        with self.database.writing() as session:
            _locked(session, Participant, participant_id, "participant")
            statement = self.database.insert(Answer).values(key | answer)
            session.execute(statement.on_conflict_do_update(index_elements=list(key), set_=answer))

    def answers(self, participant_id: int) -> list[Answer]:
        """Return all answers of a participant, in the order given."""
        order = (Answer.at, Answer.page, Answer.item)
        return self._all(select(Answer).filter_by(participant_id=participant_id).order_by(*order))

    def note(self, participant_id: int, kind: str, data: Mapping[str, Any] = {}) -> None:
        """Store an event of now; `data` must be representable as JSON."""
        with self.database.writing() as session:
            insert(self.database, session, new_note(participant_id, kind, data))

    def notes(self, participant_id: int) -> list[Note]:
        """Return all notes of a participant, by time."""
        return self._all(select(Note).filter_by(participant_id=participant_id).order_by(Note.at, Note.key))

    def delete_participant(self, study: str, code: str) -> Deleted:
        """Remove all data of a participant. Returns the number of rows removed from each table.

        SQLite overwrites the rows with zeros (secure_delete), and the file is rewritten (VACUUM) and its
        journal emptied. In PostgreSQL the tables are rewritten (VACUUM FULL); the server's log and backups
        are out of our reach, as are earlier exports.

        Raises StoreError if there is no such participant, and if another program is reading, so that not
        everything can be rewritten: then the rows are gone, and repeating the call does the rest.
        """
        with self.database.writing() as session:
            found = select(Participant.id).filter_by(study=study, code=code)
            found = found.where(Participant.code != tables.STUDY_CODE).with_for_update()
            participant = session.scalars(found).one_or_none()
            deleted = None if participant is None else _delete(session, participant)
        # Even if nothing was found: an earlier deletion may have been unable to do this.
        self.database.erase()
        if deleted is None:
            name = self.database.name
            raise InvalidRequest(f"{name}: no participant {code!r} in study {study!r}")
        return deleted

    def close(self) -> None:
        """Close all connections."""
        self.database.close()

    def _all(self, query: Select[Any]) -> list[Any]:
        with self.database.reading() as session:
            return list(session.scalars(query))


def _begin(session: Session, participant_id: int, task_id: str, columns: Mapping[str, Any]) -> Trial:
    """Return a new trial, flushed. Raises InvalidRequest if there is no such participant."""
    earlier = select(func.count()).where(Trial.participant_id == participant_id, Trial.task_id == task_id)
    _locked(session, Participant, participant_id, "participant")
    keys: dict[str, Any] = {"participant_id": participant_id, "task_id": task_id}
    trial = Trial(trial=session.scalars(earlier).one(), begun_at=time.time(), **keys, **columns)
    session.add(trial)
    session.flush()
    return trial


RETRY_S = 0.25
"""Pause before a call that found the database unavailable is repeated."""

_Result = TypeVar("_Result")


class StoreThread:
    """Runs calls with the store in one thread, one after another.

    So two participants who arrive at the same moment never get the same row of a design. A call that finds
    the database unavailable is repeated for `patience_s` seconds.
    """

    def __init__(self, store: Store, patience_s: float = float("inf")) -> None:
        self._store, self._patience_s = store, patience_s
        self._thread = ThreadPoolExecutor(1, "store")

    async def run(self, call: Callable[[Store], _Result]) -> _Result:
        """Return the result of a call with the store. Raises DatabaseUnavailable when patience runs out."""
        end = time.monotonic() + self._patience_s
        while True:
            try:
                return await asyncio.get_running_loop().run_in_executor(self._thread, call, self._store)
            except DatabaseUnavailable:
                if time.monotonic() > end:
                    raise
                await asyncio.sleep(RETRY_S)

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown()
