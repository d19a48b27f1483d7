"""The tables of an export, column by column: where each comes from and what it means."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import InstrumentedAttribute

from human_data.people.store.tables import SECONDS, Action, Answer, Base, Note, Participant, Trial

DTYPES = {"text": "string", "integer": "Int64", "number": "Float64", "boolean": "boolean"}
"""The types of a codebook and those of pandas that can be empty."""
# SQLAlchemy 2.0 says dict of JSON, 2.1 object.
_TYPES = {str: "text", int: "integer", float: "number", bool: "boolean", dict: "text", object: "text"}


@dataclass(frozen=True)
class Column:
    """A column of an exported table; `source` is its SQL, None in tables that are not read by SQL."""

    name: str
    type: str
    unit: str
    description: str
    source: Any = None


@dataclass(frozen=True)
class Table:
    """An exported table with one row per `one_row`.

    `path` are the tables of the database that it reads, each belonging to the next, and `order` that of its
    rows; both are empty where it is not read by SQL.
    """

    one_row: str
    columns: tuple[Column, ...]
    path: tuple[type[Base], ...] = ()
    order: tuple[Any, ...] = ()

    def query(self, study: str) -> Select[Any]:
        """All rows of a study; the order is always the same."""
        chosen = select(*(column.source.label(column.name) for column in self.columns))
        chosen = chosen.select_from(self.path[0])
        for parent in self.path[1:]:
            chosen = chosen.join(parent)
        return chosen.where(Participant.study == study).order_by(*self.order)


def _of(source: InstrumentedAttribute[Any], name: str | None = None) -> Column:
    stored = source.property.columns[0]
    return Column(
        name or source.key, _TYPES[stored.type.python_type], stored.info["unit"], stored.comment, source
    )


_PERSON = _of(Participant.code, "participant")
_TRIAL = (_PERSON, _of(Trial.id, "trial_id"), _of(Trial.task_id), _of(Trial.trial))

TABLES = {
    "participants": Table(
        "participant",
        (_PERSON, _of(Participant.study), _of(Participant.link), _of(Participant.created_at)),
        (Participant,),
        (Participant.id,),
    ),
    "trials": Table(
        "trial that was begun",
        (
            *_TRIAL,
            *map(_of, (Trial.position, Trial.mode, Trial.seed, Trial.animal_ai, Trial.spec_sha256)),
            *map(_of, (Trial.pass_mark, Trial.begun_at, Trial.finished_at, Trial.steps)),
            *map(_of, (Trial.total_reward, Trial.health, Trial.outcome, Trial.passed)),
        ),
        (Trial, Participant),
        (Participant.id, Trial.id),
    ),
    "actions": Table(
        "step that was taken",
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
    "answers": Table(
        "answer to an item",
        (_PERSON, *map(_of, (Answer.page, Answer.item, Answer.value, Answer.at))),
        (Answer, Participant),
        (Participant.id, Answer.at, Answer.page, Answer.item),
    ),
    "notes": Table(
        "thing that happened",
        (_PERSON, *map(_of, (Note.kind, Note.data, Note.at))),
        (Note, Participant),
        (Participant.id, Note.at, Note.key),
    ),
}
"""What an export holds. The participants' tokens are not among it: they would let anyone in."""

_RESULTS = (
    (
        "agent",
        "text",
        "none",
        "Who played: person, or in the table by participant their code; (scripts) by scripts",
    ),
    ("task_id", "text", "none", "Id of the task"),
    ("level", "integer", "none", "Level of the task, 1 to 10; 0 where its id names none"),
    ("trial", "integer", "none", "Number of this agent's trial at the task, from 0"),
    (
        "pass_mark",
        "number",
        "reward",
        "Total reward at which the task is passed; empty where the task has none",
    ),
    ("total_reward", "number", "reward", "Sum of all rewards"),
    ("passed", "boolean", "none", "Whether the total reward reached the pass mark; empty without a verdict"),
    ("outcome", "text", "none", "Why the episode ended"),
    ("steps", "integer", "steps", "Steps taken, of 0.06 s in the arena each"),
    ("turns", "integer", "replies", "Replies of a model; empty for people"),
    ("error", "text", "none", "Why there is no verdict"),
)
RESULTS = Table(
    "trial outside practice, as in the results of a model", tuple(Column(*each) for each in _RESULTS)
)

BIDS_ACTIONS = (
    Column("onset", "number", "s", "Time of the step since the trial began, by the server's clock"),
    *(Column(c.name, c.type, c.unit, c.description) for c in TABLES["actions"].columns[4:8]),
)
"""Columns of a trial's behavioural file."""
BIDS_PARTICIPANTS = (
    Column("participant_id", "text", "none", "Name of the participant's folder"),
    Column("code", "text", "none", _PERSON.description),
    Column("created_at", "number", SECONDS, _of(Participant.created_at).description),
)
