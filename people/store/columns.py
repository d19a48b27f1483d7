"""The tables of an export, column by column: the source and meaning of each."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

from sqlalchemy import Select, false, func, select
from sqlalchemy.orm import InstrumentedAttribute

from people.store.quality import MAX_AGE_MS, MIN_FRAMES_PER_S, MIN_STRETCH_S
from people.store.tables import (
    Action,
    Answer,
    Base,
    Note,
    Participant,
    Reply,
    Stretch,
    SuiteEpisode,
    Trial,
    participants_of,
)

DTYPES = {"text": "string", "integer": "Int64", "number": "Float64", "boolean": "boolean"}
"""Types of the codebook and the nullable types of pandas for them."""
# JSON columns: SQLAlchemy 2.0 says dict, 2.1 object.
_TYPES = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "boolean",
    dict: "text",
    list: "text",
    object: "text",
}


@dataclass(frozen=True)
class Column:
    """A column of an exported table; `source` is its SQL expression, None if it is computed."""

    name: str
    type: str
    unit: str
    description: str
    source: Any = None


@dataclass(frozen=True)
class Table:
    """An exported table with one row per `one_row`.

    `path` lists the database tables that are joined, each referring to the next, and `order` the columns by
    which rows are sorted; both are empty if the table is not a query.
    """

    one_row: str
    columns: tuple[Column, ...]
    path: tuple[type[Base], ...] = ()
    order: tuple[Any, ...] = ()

    def query(self, study: str, test: bool = False) -> Select[Any]:
        """All rows of a study's participants, always in the same order; `test` as for `participants_of`."""
        queried = (column for column in self.columns if column.source is not None)
        chosen = select(*(column.source.label(column.name) for column in queried))
        chosen = chosen.select_from(self.path[0])
        for parent in self.path[1:]:
            chosen = chosen.join(parent)
        return chosen.where(*participants_of(study, test)).order_by(*self.order)


def _of(source: InstrumentedAttribute[Any], name: str | None = None) -> Column:
    stored = source.property.columns[0]
    return Column(
        name or source.key, _TYPES[stored.type.python_type], stored.info["unit"], stored.comment, source
    )


_PERSON = _of(Participant.code, "participant")
_TRIAL = (_PERSON, _of(Trial.id, "trial_id"), _of(Trial.task_id), _of(Trial.trial))

QUALITY = (
    Column("frames_per_s", "number", "images/s", "Images displayed per second of play, without pauses"),
    Column("frame_age_ms", "number", "ms", "Median age of these images (see ages_ms of the stretches)"),
    Column("frame_age_p95_ms", "number", "ms", "Their age that 95 % do not exceed"),
    Column("quality_level", "integer", "none", "Lowest quality of the images (see the stretches)"),
    Column("late_steps", "integer", "steps", "Number of steps that were taken over 0.06 s late"),
    Column(
        "poor_picture", "boolean", "none",
        f"Whether in a stretch of at least {MIN_STRETCH_S:.0f} s the page displayed fewer than "
        f"{MIN_FRAMES_PER_S:.0f} images/s, or images with a median age over {MAX_AGE_MS:.0f} ms",
    ),
    Column("pauses", "integer", "none", "Number of pauses; their reasons are in the notes"),
    Column("paused_s", "number", "s", "Duration of all pauses after which play continued"),
    Column("longest_pause_s", "number", "s", "Duration of the longest of these"),
    Column("disconnections", "integer", "none", "Number of pauses as the connection was lost or slow"),
    Column("input", "text", "none", "Device that play last continued with: keys, touch or gamepad"),
    Column("device", "text", "none", "Browser and system, as far as the browser says"),
    Column("viewport", "text", "CSS pixels", "Width and height of the page's window"),
    Column("pixel_ratio", "number", "none", "Pixels of the screen per CSS pixel"),
    Column("picture_px", "number", "CSS pixels", "Side of the displayed image"),
)  # fmt: skip
"""The quality of trials with keys, computed by `quality`; empty in others, and in data of version 0.2."""

_CONDITION_NOTED = (
    select(Note.data["condition"].as_string())
    .where(Note.participant_id == Participant.id, Note.kind == "order")
    .correlate(Participant)
    .scalar_subquery()
)
CONDITION = Column(
    "condition", "text", "none", "Condition of the study; empty if it has none", _CONDITION_NOTED
)
"""It is noted with the participant's order of tasks."""

TABLES = {
    "participants": Table(
        "participant",
        (
            *(_PERSON, _of(Participant.study), _of(Participant.link), _of(Participant.created_at)),
            replace(_of(Participant.test), source=func.coalesce(Participant.test, false())),
            CONDITION,
        ),
        (Participant,),
        (Participant.id,),
    ),
    "trials": Table(
        "trial, finished or not",
        (
            *_TRIAL,
            *map(_of, (Trial.position, Trial.block, Trial.mode, Trial.seed, Trial.animal_ai)),
            *map(_of, (Trial.spec_sha256, Trial.task_sha256)),
            *map(_of, (Trial.pass_mark, Trial.begun_at, Trial.finished_at)),
            *map(_of, (Trial.ended_by, Trial.steps_played, Trial.seconds_played, Trial.steps)),
            *map(_of, (Trial.total_reward, Trial.health, Trial.outcome, Trial.passed)),
            *QUALITY,
        ),
        (Trial, Participant),
        (Participant.id, Trial.id),
    ),
    "actions": Table(
        "step taken",
        (
            *_TRIAL,
            *map(_of, (Action.step, Action.action)),
            Column("move", "integer", "none", "0 none, 1 forward, 2 backward", Action.action // 3),
            Column("rotate", "integer", "none", "0 none, 1 right, 2 left", Action.action % 3),
            _of(Action.at),
        ),
        (Action, Trial, Participant),
        (Participant.id, Trial.id, Action.step),
    ),
    "stretches": Table(
        "stretch of play in a trial with keys",
        (
            *_TRIAL,
            *map(_of, (Stretch.began_at, Stretch.seconds, Stretch.steps, Stretch.late_steps, Stretch.frames)),
            *map(_of, (Stretch.age_ms, Stretch.ages_ms, Stretch.quality_level)),
        ),
        (Stretch, Trial, Participant),
        (Participant.id, Trial.id, Stretch.began_at),
    ),
    "episodes": Table(
        "trial of another suite than the arena",
        (
            *_TRIAL,
            *map(_of, (SuiteEpisode.suite, SuiteEpisode.task_group, SuiteEpisode.turns, SuiteEpisode.score)),
        ),
        (SuiteEpisode, Trial, Participant),
        (Participant.id, Trial.id),
    ),
    "replies": Table(
        "reply in a trial of another suite",
        (
            *_TRIAL,
            *map(_of, (Reply.turn, Reply.reply, Reply.entered, Reply.reward, Reply.shown_at, Reply.at)),
        ),
        (Reply, Trial, Participant),
        (Participant.id, Trial.id, Reply.turn),
    ),
    "answers": Table(
        "answer to an item",
        (
            _PERSON,
            *map(_of, (Answer.page, Answer.item, Answer.value, Answer.at, Answer.asked, Answer.as_expected)),
        ),
        (Answer, Participant),
        (Participant.id, Answer.at, Answer.page, Answer.item),
    ),
    "notes": Table(
        "event",
        (_PERSON, *map(_of, (Note.kind, Note.data, Note.at))),
        (Note, Participant),
        (Participant.id, Note.at, Note.key),
    ),
}
"""The tables of an export. Participants' tokens are left out: they would give access to the study."""

_TRIALS = {column.name: column for column in TABLES["trials"].columns}
RESULTS = Table(
    "trial without practice, in the format of a model's results",
    (
        Column(
            "agent",
            "text",
            "none",
            "person, with the condition and scripts if there are any, and the block if a task is in several; "
            "in the table by participant their code",
        ),
        _TRIALS["task_id"],
        Column(
            "level", "integer", "none", "Level of the task; 0 if its id names none; in other suites its group"
        ),
        Column("trial", "integer", "none", "Number of the agent's trial of the task, from 0"),
        *(_TRIALS[name] for name in ("pass_mark", "total_reward", "passed", "outcome", "steps")),
        Column("turns", "integer", "replies", "Number of replies; empty for people in the arena"),
        Column("score", "number", "none", "Score of suites that have one, 0 to 1"),
        Column("error", "text", "none", "Why the trial has no verdict"),
        CONDITION,
        *(_TRIALS[name] for name in ("block", "animal_ai", "task_sha256")),
    ),
)

BIDS_ACTIONS = (
    Column("onset", "number", "s", "Time of the step since the start of the trial, by the server's clock"),
    *TABLES["actions"].columns[4:8],
)
"""Columns of a trial's behavioural file."""
OF_STUDY = (
    Column("blocks", "text", "none", "Order of the blocks of the test; empty if it has one"),
    Column(
        "ending",
        "text",
        "none",
        "completed; failed (the practice) or late (limit_minutes), with the study going on or not; screened "
        "(did not fit, or failed attention checks); withdrawn (left by their own wish); left (away for too "
        "long, or marked so by the experimenter); in progress",
    ),
)
"""Columns of participants that are computed from the notes about them."""

BIDS_PARTICIPANTS = (
    Column("participant_id", "text", "none", "Name of the participant's folder"),
    _of(Participant.code),
    _of(Participant.created_at),
    CONDITION,
    *OF_STUDY,
)


RECORDINGS = (
    "recordings/PARTICIPANT/TASK-trial.json: a finished trial as arena.Recording, which `arena-llm replay "
    "FILE` shows, or of another suite as evaluation.by_hand.played.PlayedEpisode; `arena-llm verify FILE` "
    "plays either again."
)
STUDY_FILE = (
    "study.json: the notes about the study itself, of a study that has a file: the contents of the file at "
    "its first start and after each change (config, with its version and what was changed in it; "
    "times say which version participants saw), and each refusal to take part (consent, agreed: false)."
)

SCORES = (
    "ended_by, steps_played, seconds_played and the table of actions say what a participant did. The score "
    "(steps, total_reward, health, outcome, passed) is that of an episode played to its end, as for a model: "
    "if the participant stopped the task, or a limit ended it, the agent stands still from there until the "
    "arena's clock runs out, and each of these steps costs what waiting costs. Otherwise those who stop "
    "immediately would pass every task whose pass mark is 0. Recordings contain these steps after the "
    "steps_played. Trials recorded by version 0.2 have them in the table of actions, too, all with one time."
)
COLUMN = ("name", "type", "unit", "description")
"""What a codebook says of a column."""
CAUTION = (
    "Texts are exactly as participants wrote them; a spreadsheet may take one that begins with = for a "
    "formula. Codes and link parameters may identify a person: remove them before publishing the data."
)


def codebook(study: str, tables: Mapping[str, Table]) -> dict[str, Any]:
    """The codebook as JSON-serialisable values; `tables` by the names of their files."""
    return {
        "study": study,
        "arena_llm": version("arena-llm"),
        "caution": CAUTION,
        "scores": SCORES,
        "recordings": RECORDINGS,
        "study_file": STUDY_FILE,
        "tables": {
            file: {
                "one_row": table.one_row,
                "columns": [{key: getattr(column, key) for key in COLUMN} for column in table.columns],
            }
            for file, table in tables.items()
        },
    }


def as_json(value: Mapping[str, Any]) -> str:
    """The codebook for programs."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def as_markdown(book: Mapping[str, Any]) -> str:
    """The codebook for people."""
    lines = [f"# Codebook of {book['study']}", "", f"Written by arena-llm {book['arena_llm']}.", ""]
    for file, table in book["tables"].items():
        lines += [f"## {file}", "", f"One row per {table['one_row']}.", ""]
        lines += ["| column | type | unit | meaning |", "|---|---|---|---|"]
        lines += [
            "| " + " | ".join(each[key].replace("|", "\\|") for key in COLUMN) + " |"
            for each in table["columns"]
        ]
        lines.append("")
    named = {"scores": "Scores", "recordings": "Recordings", "study_file": "The study", "caution": "Caution"}
    for part, title in named.items():
        lines += [f"## {title}", "", book[part], ""]
    return "\n".join(lines)
