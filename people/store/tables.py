"""The database tables; `codebook.yaml` describes each column.

Times are seconds since 1970-01-01 00:00 UTC, by the server's clock.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

from sqlalchemy import JSON, BigInteger, ColumnElement, Double, ForeignKey, Index, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedAsDataclass, MappedColumn, mapped_column

from arena.packages import data_of

CODEBOOK = data_of(__package__, "codebook.yaml")
"""Codebook by table and column: meaning, or a list with the unit. Computed columns have meaning, type and
unit."""

STUDY_CODE = "_study"
"""Code of the row for the study's file and refusals of consent. They belong to no participant."""

CONFIG = "config"
"""Kind of the notes of a study that contain its file."""


_Row = TypeVar("_Row")


class Base(MappedAsDataclass, DeclarativeBase):
    """Base of all tables. Rows are returned detached from the session, as plain values."""

    type_annotation_map: ClassVar = {str: Text, float: Double} | dict.fromkeys(
        (dict[str, Any], dict[str, str], list[int]), JSON
    )

    def __init_subclass__(cls, **options: Any) -> None:
        """Give the columns their meanings as comments, and their units."""
        super().__init_subclass__(**options)
        columns: Any = cls.__table__.columns
        for column in columns:
            if not column.foreign_keys:
                said = CODEBOOK[cls.__tablename__][column.name]
                column.comment, *unit = [said] if isinstance(said, str) else said
                column.info["unit"] = unit[0] if unit else "none"


def _reference(key: str, **options: Any) -> MappedColumn[Any]:
    return mapped_column(ForeignKey(key, ondelete="CASCADE"), comment=f"Row of {key}", **options)


Kind = Literal["child", "adult", "model", "policy"]
"""Kind of participant: a person, language model, or agent. Agents are programmed or were trained."""


class Participant(Base, kw_only=True):
    """A participant of a study: a person, or a simulating `agent`. `token` is the secret that identifies a
    person's browser; it is never exported."""

    __tablename__ = "participants"
    # Without autoincrement SQLite reuses the id of a deleted row, and with it any action that arrives late.
    __table_args__ = (UniqueConstraint("study", "code"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(init=False, primary_key=True)
    study: Mapped[str]
    code: Mapped[str]
    token: Mapped[str] = mapped_column(unique=True, repr=False)
    link: Mapped[dict[str, str]]
    created_at: Mapped[float]
    test: Mapped[bool | None] = mapped_column(default=None)
    kind: Mapped[str | None] = mapped_column(default=None)
    agent: Mapped[str | None] = mapped_column(default=None)


def participants_of(study: str, test: bool) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions that select a study's participants. With `test` also trial runs."""
    people = (Participant.study == study, Participant.code != STUDY_CODE)
    return people if test else (*people, Participant.test.is_not(True))


class Trial(Base, kw_only=True):
    """One task as played by one participant. The result columns are None until it is finished."""

    __tablename__ = "trials"
    __table_args__ = (UniqueConstraint("participant_id", "task_id", "trial"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(init=False, primary_key=True)
    participant_id: Mapped[int] = _reference("participants.id")
    position: Mapped[int]
    task_id: Mapped[str]
    trial: Mapped[int]
    spec_sha256: Mapped[str]
    seed: Mapped[int] = mapped_column(type_=BigInteger)
    animal_ai: Mapped[str]
    mode: Mapped[str]
    pass_mark: Mapped[float | None]
    begun_at: Mapped[float]
    finished_at: Mapped[float | None] = mapped_column(default=None)
    ended_by: Mapped[str | None] = mapped_column(default=None)
    steps_played: Mapped[int | None] = mapped_column(default=None)
    seconds_played: Mapped[float | None] = mapped_column(default=None)
    steps: Mapped[int | None] = mapped_column(default=None)
    total_reward: Mapped[float | None] = mapped_column(default=None)
    health: Mapped[float | None] = mapped_column(default=None)
    outcome: Mapped[str | None] = mapped_column(default=None)
    passed: Mapped[bool | None] = mapped_column(default=None)
    block: Mapped[str | None] = mapped_column(default=None)
    task_sha256: Mapped[str | None] = mapped_column(default=None)


class ActionRow(NamedTuple):
    """The action of one step. `step` counts from 0, `action` indexes `arena.ACTIONS`, `at` is a time."""

    trial_id: int
    step: int
    action: int
    at: float


class Action(Base, kw_only=True):
    """One action that was really taken. Trial and step are its key, so that no action is stored twice."""

    __tablename__ = "actions"

    trial_id: Mapped[int] = _reference("trials.id", primary_key=True)
    step: Mapped[int] = mapped_column(primary_key=True)
    action: Mapped[int]
    at: Mapped[float]


class Stretch(Base, kw_only=True):
    """Display statistics of a stretch of play. Trial and time are its key."""

    __tablename__ = "stretches"

    trial_id: Mapped[int] = _reference("trials.id", primary_key=True)
    began_at: Mapped[float] = mapped_column(primary_key=True)
    seconds: Mapped[float]
    steps: Mapped[int]
    late_steps: Mapped[int]
    frames: Mapped[int]
    age_ms: Mapped[float | None]
    ages_ms: Mapped[list[int]]
    quality_level: Mapped[int]


class StoredRecording(Base, kw_only=True):
    """The recording of a finished trial, as JSON."""

    __tablename__ = "recordings"

    trial_id: Mapped[int] = _reference("trials.id", primary_key=True)
    recording: Mapped[str]


class SuiteEpisode(Base, kw_only=True):
    """Additional columns of a trial of another suite than the arena. The last ones are None until its end."""

    __tablename__ = "suite_episodes"

    trial_id: Mapped[int] = _reference("trials.id", primary_key=True)
    suite: Mapped[str]
    task_group: Mapped[str]
    played: Mapped[str]
    turns: Mapped[int | None] = mapped_column(default=None)
    score: Mapped[float | None] = mapped_column(default=None)


class Reply(Base, kw_only=True):
    """One reply in a trial that is played by replies. Trial and turn are its unique key."""

    __tablename__ = "replies"

    trial_id: Mapped[int] = _reference("trials.id", primary_key=True)
    turn: Mapped[int] = mapped_column(primary_key=True)
    reply: Mapped[str]
    entered: Mapped[dict[str, Any]]
    reward: Mapped[float]
    shown_at: Mapped[float]
    at: Mapped[float]


class Answer(Base, kw_only=True):
    """A participant's last answer to an item of a questionnaire."""

    __tablename__ = "answers"

    participant_id: Mapped[int] = _reference("participants.id", primary_key=True)
    page: Mapped[str] = mapped_column(primary_key=True)
    item: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]
    at: Mapped[float]
    asked: Mapped[bool | None] = mapped_column(default=None)
    as_expected: Mapped[bool | None] = mapped_column(default=None)


class Note(Base, kw_only=True):
    """An event: consent, pause, disconnection."""

    __tablename__ = "notes"
    __table_args__ = (Index("ix_notes_participant_id_kind", "participant_id", "kind"),)

    # Chosen by the caller, not by the database: a note sent again after a lost reply is the same row.
    key: Mapped[str] = mapped_column(primary_key=True)
    participant_id: Mapped[int] = _reference("participants.id")
    kind: Mapped[str]
    data: Mapped[dict[str, Any]]
    at: Mapped[float]


TABLES = (Participant, Trial, Action, Stretch, StoredRecording, SuiteEpisode, Reply, Answer, Note)
"""All tables, each after those that it refers to."""


def grouped(rows: Iterable[_Row], key: Callable[[_Row], int]) -> dict[int, list[_Row]]:
    """Return rows by a key, in their order; empty without rows."""
    groups: dict[int, list[_Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups
