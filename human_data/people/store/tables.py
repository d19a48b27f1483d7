"""The tables. Each column says what it holds and in which unit; the codebook is made from these words.

Times are seconds since 1970-01-01 00:00 UTC, by the server's clock.
"""

from typing import Any, NamedTuple

from sqlalchemy import JSON, BigInteger, Double, ForeignKey, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedAsDataclass, MappedColumn, mapped_column

SECONDS = "s since 1970-01-01 UTC"


class Base(MappedAsDataclass, DeclarativeBase, kw_only=True):
    """Base of all tables; rows are given out detached, as plain values."""


def _told(text: str, unit: str = "none", **options: Any) -> MappedColumn[Any]:
    return mapped_column(comment=text, info={"unit": unit}, **options)


def _of(key: str, **options: Any) -> MappedColumn[Any]:
    return mapped_column(ForeignKey(key, ondelete="CASCADE"), comment=f"The row of {key}", **options)


class Participant(Base):
    """A person in a study. `token` is the secret that lets them in: it is never exported."""

    __tablename__ = "participants"
    # Without autoincrement SQLite gives the id of a deleted row to the next one, and with it any late action.
    __table_args__ = (UniqueConstraint("study", "code"), {"sqlite_autoincrement": True})

    id: Mapped[int] = _told("Number of the participant in the database", init=False, primary_key=True)
    study: Mapped[str] = _told("Name of the study", type_=Text)
    code: Mapped[str] = _told("The participant's code in the study", type_=Text)
    token: Mapped[str] = _told("Secret of the link and the cookie", type_=Text, unique=True, repr=False)
    link: Mapped[dict[str, str]] = _told(
        "Query parameters of the link by which they came, as JSON", type_=JSON
    )
    created_at: Mapped[float] = _told("When the participant was first seen", SECONDS, type_=Double)


class Trial(Base):
    """One task as played by one participant; what came of it is None until it is finished."""

    __tablename__ = "trials"
    __table_args__ = (
        UniqueConstraint("participant_id", "task_id", "trial"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = _told("Number of the trial in the database", init=False, primary_key=True)
    participant_id: Mapped[int] = _of("participants.id")
    position: Mapped[int] = _told(
        "Place of the trial in the participant's order, from 0; negative in practice"
    )
    task_id: Mapped[str] = _told("Id of the task", type_=Text)
    trial: Mapped[int] = _told("How often the participant had begun this task before; 0 the first time")
    spec_sha256: Mapped[str] = _told("SHA-256 of the arena's specification", type_=Text)
    seed: Mapped[int] = _told("Seed of the arena's randomness", type_=BigInteger)
    animal_ai: Mapped[str] = _told("Version of Animal-AI that is re-enacted", type_=Text)
    mode: Mapped[str] = _told("How it was played: keys, or scripts with still pictures", type_=Text)
    pass_mark: Mapped[float | None] = _told(
        "Total reward at which the task is passed; empty where the task has none", "reward", type_=Double
    )
    begun_at: Mapped[float] = _told("When the trial began", SECONDS, type_=Double)
    finished_at: Mapped[float | None] = _told(
        "When the trial ended; empty where it was broken off", SECONDS, type_=Double, default=None
    )
    steps: Mapped[int | None] = _told("Steps taken, of 0.06 s in the arena each", "steps", default=None)
    total_reward: Mapped[float | None] = _told("Sum of all rewards", "reward", type_=Double, default=None)
    health: Mapped[float | None] = _told("Health at the end, 0 to 100", "points", type_=Double, default=None)
    outcome: Mapped[str | None] = _told("Why the episode ended", type_=Text, default=None)
    passed: Mapped[bool | None] = _told("Whether the total reward reached the pass mark", default=None)


class ActionRow(NamedTuple):
    """One step's action: `step` counts from 0, `action` is an index into `arena.ACTIONS`, `at` a time."""

    trial_id: int
    step: int
    action: int
    at: float


class Action(Base):
    """One action taken; its key is the trial and the step, so that nothing is there twice."""

    __tablename__ = "actions"

    trial_id: Mapped[int] = _of("trials.id", primary_key=True)
    step: Mapped[int] = _told("Number of the step in the trial, from 0", "steps", primary_key=True)
    action: Mapped[int] = _told("The action: 3 * move + rotate, 0 to 8")
    at: Mapped[float] = _told("When the server took the step", SECONDS, type_=Double)


class Kept(Base):
    """The recording of a finished trial, as JSON."""

    __tablename__ = "recordings"

    trial_id: Mapped[int] = _of("trials.id", primary_key=True)
    recording: Mapped[str] = _told("arena.Recording as JSON", type_=Text)


class Answer(Base):
    """What a participant last answered to an item of a page."""

    __tablename__ = "answers"

    participant_id: Mapped[int] = _of("participants.id", primary_key=True)
    page: Mapped[str] = _told("Page of the questionnaire", type_=Text, primary_key=True)
    item: Mapped[str] = _told("Item on the page", type_=Text, primary_key=True)
    value: Mapped[str] = _told("The last answer, as text", type_=Text)
    at: Mapped[float] = _told("When it was given", SECONDS, type_=Double)


class Note(Base):
    """Something that happened: consent, pause, disconnection, a script's text."""

    __tablename__ = "notes"

    # Made by the caller and not by the database: a note sent again after a lost reply is the same row.
    key: Mapped[str] = _told("Random name of the note", type_=Text, primary_key=True)
    participant_id: Mapped[int] = _of("participants.id", index=True)
    kind: Mapped[str] = _told("What happened, such as consent, pause or disconnect", type_=Text)
    data: Mapped[dict[str, Any]] = _told("What there is to say of it, as JSON", type_=JSON)
    at: Mapped[float] = _told("When it happened", SECONDS, type_=Double)


TABLES = (Participant, Trial, Action, Kept, Answer, Note)
"""All tables, each after those that it refers to."""
