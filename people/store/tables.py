"""The database tables. The codebook of an export is made from the columns' comments and units.

Times are seconds since 1970-01-01 00:00 UTC, by the server's clock.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NamedTuple, TypeVar

from sqlalchemy import JSON, BigInteger, ColumnElement, Double, ForeignKey, Index, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedAsDataclass, MappedColumn, mapped_column

SECONDS = "s since 1970-01-01 UTC"
STUDY_CODE = "_study"
"""Code of the row for what belongs to no participant: the study's file, and refusals of consent."""

CONFIG = "config"
"""Kind of the notes of a study that contain its file."""


_Row = TypeVar("_Row")


class Base(MappedAsDataclass, DeclarativeBase, kw_only=True):
    """Base of all tables; rows are returned detached from the session, as plain values."""

    type_annotation_map: ClassVar = {str: Text, float: Double} | dict.fromkeys(
        (dict[str, Any], dict[str, str], list[int]), JSON
    )


def _column(comment: str, unit: str = "none", **options: Any) -> MappedColumn[Any]:
    return mapped_column(comment=comment, info={"unit": unit}, **options)


def _reference(key: str, **options: Any) -> MappedColumn[Any]:
    return mapped_column(ForeignKey(key, ondelete="CASCADE"), comment=f"Row of {key}", **options)


class Participant(Base):
    """A person in a study. `token` is the secret that identifies their browser; it is never exported."""

    __tablename__ = "participants"
    # Without autoincrement SQLite reuses the id of a deleted row, and with it any action that arrives late.
    __table_args__ = (UniqueConstraint("study", "code"), {"sqlite_autoincrement": True})

    id: Mapped[int] = _column("Number of the participant in the database", init=False, primary_key=True)
    study: Mapped[str] = _column("Name of the study")
    code: Mapped[str] = _column("Participant code in the study")
    token: Mapped[str] = _column("Secret of the personal link and the cookie", unique=True, repr=False)
    link: Mapped[dict[str, str]] = _column(
        "Query parameters of the link with which the participant arrived, as JSON"
    )
    created_at: Mapped[float] = _column("Time at which the participant was first seen", SECONDS)
    test: Mapped[bool | None] = _column(
        "Whether the study was only tried out: by a preview link, or by a simulated participant", default=None
    )


def participants_of(study: str, test: bool) -> tuple[ColumnElement[bool], ...]:
    """The conditions that select a study's participants; with `test` also those who only try it out."""
    people = (Participant.study == study, Participant.code != STUDY_CODE)
    return people if test else (*people, Participant.test.is_not(True))


class Trial(Base):
    """One task as played by one participant; the result columns are None until it is finished."""

    __tablename__ = "trials"
    __table_args__ = (UniqueConstraint("participant_id", "task_id", "trial"), {"sqlite_autoincrement": True})

    id: Mapped[int] = _column("Number of the trial in the database", init=False, primary_key=True)
    participant_id: Mapped[int] = _reference("participants.id")
    position: Mapped[int] = _column(
        "Position of the trial in the participant's order, from 0; negative in tutorial and practice"
    )
    task_id: Mapped[str] = _column("Id of the task")
    trial: Mapped[int] = _column(
        "Number of earlier attempts of the participant at this task; 0 for the first"
    )
    spec_sha256: Mapped[str] = _column(
        "SHA-256 of the arena's specification, or of the task of another suite"
    )
    seed: Mapped[int] = _column("Random seed of the episode", type_=BigInteger)
    animal_ai: Mapped[str] = _column("Version of Animal-AI whose rules apply; empty in other suites")
    mode: Mapped[str] = _column(
        "How the task was played: keys, scripts with still images, or the form of another suite"
    )
    pass_mark: Mapped[float | None] = _column(
        "Total reward needed to pass the task; empty if the task has no pass mark", "reward"
    )
    begun_at: Mapped[float] = _column("Start of the trial", SECONDS)
    finished_at: Mapped[float | None] = _column(
        "End of the trial; empty if it was interrupted", SECONDS, default=None
    )
    ended_by: Mapped[str | None] = _column(
        "What ended play: goal, bad goal, decoy goal, death zone, operation (a button or data zone); health "
        "(it ran out, and not by the clock alone); time (the arena's clock ran out); limit (of the study, or "
        "of scripts); pause (longer than the study allows); stopped (by the participant); withdrew (the "
        "participant left the study); in other suites stopped or the outcome; empty if play was interrupted, "
        "or recorded by version 0.2",
        default=None,
    )
    steps_played: Mapped[int | None] = _column(
        "Number of steps that were played, all of them in the table of actions; empty if ended_by is, and in "
        "other suites",
        "steps",
        default=None,
    )
    seconds_played: Mapped[float | None] = _column(
        "Duration of these steps, 0.06 s each, without pauses; with scripts it is simulated time, of which "
        "thinking takes none",
        "s",
        default=None,
    )
    steps: Mapped[int | None] = _column(
        "Number of steps of the scored episode: those played and, if limit, pause or stopped ended play, "
        "those of standing still until the arena's clock ran out, which nobody played",
        "steps",
        default=None,
    )
    total_reward: Mapped[float | None] = _column(
        "Sum of all rewards of the scored episode", "reward", default=None
    )
    health: Mapped[float | None] = _column(
        "Health at the end of the scored episode, 0 to 100", "points", default=None
    )
    outcome: Mapped[str | None] = _column("Why the scored episode ended", default=None)
    passed: Mapped[bool | None] = _column("Whether the total reward reached the pass mark", default=None)
    block: Mapped[str | None] = _column(
        "Block of the study that the trial belongs to: tutorial, practice, test, or the name of one of "
        "several blocks of the test; empty without a study, and in data of version 0.2",
        default=None,
    )
    task_sha256: Mapped[str | None] = _column(
        "SHA-256 of the task's file, without notices, as in reports and logs; empty in data of version 0.2",
        default=None,
    )


class ActionRow(NamedTuple):
    """The action of one step: `step` counts from 0, `action` indexes `arena.ACTIONS`, `at` is a time."""

    trial_id: int
    step: int
    action: int
    at: float


class Action(Base):
    """One action that was really taken; trial and step are its key, so that no action is stored twice."""

    __tablename__ = "actions"

    trial_id: Mapped[int] = _reference("trials.id", primary_key=True)
    step: Mapped[int] = _column("Number of the step in the trial, from 0", "steps", primary_key=True)
    action: Mapped[int] = _column("The action: 3 * move + rotate, 0 to 8")
    at: Mapped[float] = _column("Time at which the server took the step", SECONDS)


class Stretch(Base):
    """What a page displayed during a stretch of play; trial and time are its key."""

    __tablename__ = "stretches"

    trial_id: Mapped[int] = _reference("trials.id", primary_key=True)
    began_at: Mapped[float] = _column(
        "Start of the stretch, which lasts until a pause, the end of the trial, or 30 s",
        SECONDS,
        primary_key=True,
    )
    seconds: Mapped[float] = _column("Duration of the stretch", "s")
    steps: Mapped[int] = _column("Number of steps taken", "steps")
    late_steps: Mapped[int] = _column("Number of these that were taken over 0.06 s late", "steps")
    frames: Mapped[int] = _column("Number of images that the page displayed", "images")
    age_ms: Mapped[float | None] = _column(
        "Median age of these images when they were displayed: the time since their step was due, without "
        "half the round trip of the page's confirmation; empty without an image",
        "ms",
    )
    ages_ms: Mapped[list[int]] = _column("The ages of all of them, as JSON", "ms")
    quality_level: Mapped[int] = _column(
        "Lowest quality at which images were requested, from 0 (512 pixels, JPEG quality 85) to 9 (256 "
        "pixels, quality 25, after every fifth step)"
    )


class StoredRecording(Base):
    """The recording of a finished trial, as JSON."""

    __tablename__ = "recordings"

    trial_id: Mapped[int] = _reference("trials.id", primary_key=True)
    recording: Mapped[str] = _column("arena.Recording as JSON")


class SuiteEpisode(Base):
    """What a trial of another suite than the arena has besides; the last columns are None until its end."""

    __tablename__ = "suite_episodes"

    trial_id: Mapped[int] = _reference("trials.id", primary_key=True)
    suite: Mapped[str] = _column("Name of the suite")
    task_group: Mapped[str] = _column("Group of the task in its suite")
    played: Mapped[str] = _column("evaluation.by_hand.played.PlayedEpisode as JSON")
    turns: Mapped[int | None] = _column("Number of replies", "replies", default=None)
    score: Mapped[float | None] = _column("Score of the episode, 0 to 1", default=None)


class Reply(Base):
    """One reply in a trial of another suite; trial and turn are its key, so that none is stored twice."""

    __tablename__ = "replies"

    trial_id: Mapped[int] = _reference("trials.id", primary_key=True)
    turn: Mapped[int] = _column("Number of the reply in the trial, from 0", "replies", primary_key=True)
    reply: Mapped[str] = _column("The reply, as a model would have written it")
    entered: Mapped[dict[str, Any]] = _column("What was entered in the form, as JSON")
    reward: Mapped[float] = _column("Reward of the reply", "reward")
    shown_at: Mapped[float] = _column("Time at which the observation was last made", SECONDS)
    at: Mapped[float] = _column("Time at which the reply arrived", SECONDS)


class Answer(Base):
    """A participant's last answer to an item of a questionnaire."""

    __tablename__ = "answers"

    participant_id: Mapped[int] = _reference("participants.id", primary_key=True)
    page: Mapped[str] = _column("Page of the questionnaire", primary_key=True)
    item: Mapped[str] = _column("Item on the page", primary_key=True)
    value: Mapped[str] = _column(
        "The last answer, as text; several options as a list in JSON, a date as 2026-03-31"
    )
    at: Mapped[float] = _column("Time of the answer", SECONDS)
    asked: Mapped[bool | None] = _column(
        "Whether the item was shown; not if the answers before made it unnecessary; empty in data of version "
        "0.2, where all were shown",
        default=None,
    )
    as_expected: Mapped[bool | None] = _column(
        "Whether the attention check was passed; empty for items that check nothing", default=None
    )


class Note(Base):
    """An event: consent, pause, disconnection, the text of a script."""

    __tablename__ = "notes"
    __table_args__ = (Index("ix_notes_participant_id_kind", "participant_id", "kind"),)

    # Chosen by the caller, not by the database: a note sent again after a lost reply is the same row.
    key: Mapped[str] = _column("Random name of the note", primary_key=True)
    participant_id: Mapped[int] = _reference("participants.id")
    kind: Mapped[str] = _column("What happened, such as consent, pause or stop")
    data: Mapped[dict[str, Any]] = _column("Details of the event, as JSON")
    at: Mapped[float] = _column("Time of the event", SECONDS)


TABLES = (Participant, Trial, Action, Stretch, StoredRecording, SuiteEpisode, Reply, Answer, Note)
"""All tables, each after those that it refers to."""


def grouped(rows: Iterable[_Row], key: Callable[[_Row], int]) -> dict[int, list[_Row]]:
    """Rows by a key, in their order; empty where there are none."""
    groups: dict[int, list[_Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups
