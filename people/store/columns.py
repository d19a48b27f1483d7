"""Tables of an export, by column: source and meaning."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from typing import Any, NamedTuple

import pandas as pd
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Select, false, func, select
from sqlalchemy.orm import InstrumentedAttribute

from evaluation.by_hand.form import Item, Question, Text, number_of
from evaluation.results import OF_PEOPLE, RESULT_COLUMNS
from people.store import tables
from people.store.participation import Participation, participations
from people.store.quality import POOR
from people.store.store import Store
from people.store.tables import Action, Answer, Note, Participant, Stretch, Trial, participants_of

DTYPES = {"text": "string", "integer": "Int64", "number": "Float64", "boolean": "boolean"}
"""Types of the codebook and the nullable types of pandas for them."""
_TYPES = {int: "integer", float: "number", bool: "boolean"}
"""Types of Python. All others are text, as JSON is, of which SQLAlchemy 2.0 says dict and 2.1 object."""


class Column(NamedTuple):
    """A column of an exported table. `source` is its SQL expression, None if it is computed."""

    name: str
    description: str
    type: str = "text"
    unit: str = "none"
    source: Any = None


class Table(NamedTuple):
    """An exported table with one row per `one_row`.

    `path` lists the database tables that are joined, each referring to the next, and `order` the columns by
    which rows are sorted; both are empty if the table is not a query.
    """

    one_row: str
    columns: tuple[Column, ...]
    path: tuple[type[tables.Base], ...] = ()
    order: tuple[Any, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def query(self, study: str, test: bool = False) -> Select[Any]:
        """Return all rows of a study's participants, in a fixed order. `test` as for `participants_of`."""
        queried = (column for column in self.columns if column.source is not None)
        chosen = select(*(column.source.label(column.name) for column in queried))
        chosen = chosen.select_from(self.path[0])
        for parent in self.path[1:]:
            chosen = chosen.join(parent)
        return chosen.where(*participants_of(study, test)).order_by(*self.order)


def _of(source: InstrumentedAttribute[Any], name: str | None = None) -> Column:
    stored = source.property.columns[0]
    kind = _TYPES.get(stored.type.python_type, "text")
    return Column(name or source.key, stored.comment, kind, stored.info["unit"], source)


def _all(table: type[tables.Base], *without: str) -> Iterator[Column]:
    """Yield the columns of a table that refer to no other one."""
    for stored in table.__table__.columns:
        if not stored.foreign_keys and stored.name not in without:
            yield _of(getattr(table, stored.name))


_PERSON = _of(Participant.code, "participant")
_TRIAL = (_PERSON, _of(Trial.id, "trial_id"), _of(Trial.task_id), _of(Trial.trial))


def _computed(section: str) -> dict[str, Column]:
    """Return a codebook section's columns that are not in the database."""
    named = {
        name: [said] if isinstance(said, str) else said for name, said in tables.CODEBOOK[section].items()
    }
    return {name: Column(name, says.format(**POOR), *kind) for name, (says, *kind) in named.items()}


QUALITY = tuple(_computed("quality").values())
"""The quality of trials with keys, computed by `quality`. Empty in others, and in data of version 0.2."""

CONDITION, *OF_STUDY = _computed("of_study").values()
_NOTED = select(Note.data["condition"].as_string()).filter_by(kind="order", participant_id=Participant.id)
CONDITION = CONDITION._replace(source=_NOTED.correlate(Participant).scalar_subquery())
"""Column of the condition, which is noted with the order of tasks. Others come from notes."""

_PARTS = {"move": Action.action // 3, "rotate": Action.action % 3}
_BIDS = _computed("bids")

TABLES = {
    "participants": Table(
        "participant",
        (
            *(_PERSON, _of(Participant.study), _of(Participant.link), _of(Participant.created_at)),
            _of(Participant.test)._replace(source=func.coalesce(Participant.test, false())),
            *map(_of, (Participant.kind, Participant.agent)),
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
            *(each._replace(source=_PARTS[name]) for name, each in _computed("parts").items()),
            _of(Action.at),
        ),
        (Action, Trial, Participant),
        (Participant.id, Trial.id, Action.step),
    ),
    "stretches": Table(
        "stretch of play in a trial with keys",
        (*_TRIAL, *_all(Stretch)),
        (Stretch, Trial, Participant),
        (Participant.id, Trial.id, Stretch.began_at),
    ),
    "episodes": Table(
        "trial of another suite than the arena",
        (*_TRIAL, *_all(tables.SuiteEpisode, "played")),
        (tables.SuiteEpisode, Trial, Participant),
        (Participant.id, Trial.id),
    ),
    "replies": Table(
        "reply in a trial by scripts or of another suite",
        (*_TRIAL, *_all(tables.Reply)),
        (tables.Reply, Trial, Participant),
        (Participant.id, Trial.id, tables.Reply.turn),
    ),
    "answers": Table(
        "answer to an item",
        (_PERSON, *_all(Answer)),
        (Answer, Participant),
        (Participant.id, Answer.at, Answer.page, Answer.item),
    ),
    "notes": Table(
        "event", (_PERSON, *_all(Note, "key")), (Note, Participant), (Participant.id, Note.at, Note.key)
    ),
}
"""The tables of an export. Participants' tokens are left out: they would give access to the study."""

_TRIALS = {column.name: column for column in TABLES["trials"].columns}
_FIRST = ("participant", "agent", "kind", "condition", "block", "order", "suite")
_RESULTS = _TRIALS | {each.name: each for each in TABLES["participants"].columns} | _computed("results")
RESULTS = Table(
    "trial without practice; readable as a model's results",
    tuple(_RESULTS[name] for name in dict.fromkeys((*_FIRST, *RESULT_COLUMNS, *OF_PEOPLE))),
)

BIDS_ACTIONS = (_BIDS["onset"], *TABLES["actions"].columns[4:8])
BIDS_REPLIES = (
    *(_BIDS["onset"], _BIDS["response_time"]),
    *map(_of, (tables.Reply.turn, tables.Reply.reply, tables.Reply.reward)),
)
"""Columns of a trial's behavioural file, in arena and other suites."""
BIDS_PARTICIPANTS = (
    *(_BIDS["participant_id"], *map(_of, (Participant.code, Participant.created_at))),
    *(*map(_of, (Participant.kind, Participant.agent)), CONDITION, *OF_STUDY),
)

COLUMN = ("name", "type", "unit", "description")
"""A column's entry in a codebook."""


def codebook(study: str, files: Mapping[str, Table]) -> dict[str, Any]:
    """Return the codebook as JSON-serialisable values. `files` are the tables by the names of their files."""
    return {
        "study": study,
        "arena_llm": version("arena-llm"),
        **tables.CODEBOOK["about"],
        "tables": {
            file: {
                "one_row": table.one_row,
                "columns": [{key: getattr(column, key) for key in COLUMN} for column in table.columns],
            }
            for file, table in files.items()
        },
    }


def as_json(value: Mapping[str, Any]) -> str:
    """Return the codebook for programs."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def as_markdown(book: Mapping[str, Any]) -> str:
    """Return the codebook for people."""
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


class Asked(NamedTuple):
    """A question on a page, its column's type, and the page's title. Its text in the study's file is known if
    that is stored."""

    page: str
    question: Question
    title: str = ""
    type: str = "text"

    @property
    def item(self) -> str:
        """The id of the question."""
        return self.question.id

    @property
    def ask(self) -> str:
        """The question on one line."""
        return " ".join(self.question.ask.split())

    def value(self, answer: str) -> str | float | int | None:
        """Return an answer as a column's value; None for a missing one."""
        number = number_of(answer) if self.type != "text" else None
        return int(number) if number is not None and self.type == "integer" else number or answer or None


def asked_items(store: Store, study: str, answers: Sequence[Answer]) -> list[Asked]:
    """Return the questions of these answers. Pages by first answer, questions in file order."""
    files = [note.data["study"] for note in store.study_notes(study) if note.kind == tables.CONFIG]
    pages = {page["name"]: page for page in (files[-1] if files else {}).get("questionnaires", ())}
    given: dict[str, dict[str, list[str]]] = {}
    for answer in answers:
        given.setdefault(answer.page, {}).setdefault(answer.item, []).append(answer.value)
    found = []
    for name, items in given.items():
        # At a break the page has a number.
        page = pages.get(name) or pages.get(name.rpartition("-")[0]) or {}
        keys = {item["id"]: item for item in page.get("items", ())}
        for item in sorted(items, key=[*keys, *items].index):
            question = _question(keys.get(item), name, item)
            found.append(Asked(name, question, str(page.get("title", "")), _type(question, items[item])))
    return found


def _question(stored: Mapping[str, Any] | None, page: str, item: str) -> Question:
    """Return the stored question. A substitute if missing or of another version."""
    with suppress(ValidationError):
        return TypeAdapter[Question](Item).validate_python(stored)
    return Text.model_construct(id=item, ask=f"Answer to the item {item} of the page {page}")


def _type(question: Question, answers: Sequence[str]) -> str:
    """Return the type of answers. Text if one fits no longer, because the study was another before."""
    numbers = [number_of(answer) for answer in answers if answer]
    whole = all(number is not None and number == round(number) for number in numbers)
    return question.column if whole or (question.column == "number" and None not in numbers) else "text"


OF_TRIAL = ("position", "passed", "total_reward", "steps_played", "seconds_played", "ended_by")
"""Columns of a trial that are columns of each task."""

FIXED = (
    *(column for column in TABLES["participants"].columns if column.name not in ("study", "link")),
    *OF_STUDY,
    *_computed("wide").values(),
)
"""The columns that every study has."""


def wide_table(store: Store, study: str, *, test: bool = False) -> tuple[Table, pd.DataFrame]:
    """Return the table's columns and its rows, in order of arrival. `test` includes those who only tried it
    out. The columns of a task are those of the participant's first trial of it in the test."""
    parts, people = participations(store, study, test=test), store.participants(study, test=test)
    trials = {each.id: store.trials(each.id) for each in people}
    answers = {each.id: store.answers(each.id) for each in people}
    given = sorted((answer for own in answers.values() for answer in own), key=lambda each: each.at)
    asked, episodes = asked_items(store, study, given), store.episodes(study)
    rows = [
        _known(each, parts[each.id])
        | _counts(trials[each.id])
        | _answered(answers[each.id], asked)
        | _results(trials[each.id], episodes)
        for each in people
    ]
    links = dict.fromkeys(name for each in people for name in each.link)
    tasks = sorted({task for own in trials.values() for task in _first(own)})
    of_task = [_TRIALS[name] for name in OF_TRIAL] + [each for each in _SCORE if episodes]
    columns = (
        *FIXED,
        *(Column(f"link.{name}", f"Parameter {name} of the participant's link") for name in links),
        *map(_answer_column, asked),
        *(column._replace(name=f"{task}.{column.name}") for task in tasks for column in of_task),
    )
    types = {column.name: DTYPES[column.type] for column in columns}
    frame = pd.DataFrame([[row.get(name) for name in types] for row in rows], columns=list(types))
    return Table("participant", columns), frame.astype(types)


def _answer_column(asked: Asked) -> Column:
    levels = asked.question.levels
    meaning = "; ".join(f"{value}: {level}" for value, level in levels.items() if value != level)
    described = f"{asked.ask}{f' ({meaning})' if meaning else ''}"
    unit = getattr(asked.question, "unit", "") or "none"
    return Column(f"{asked.page}.{asked.item}", described, asked.type, unit)


_SCORE = [column for column in TABLES["episodes"].columns if column.name == "score"]


def _known(who: Participant, part: Participation) -> dict[str, Any]:
    return {
        "participant": who.code,
        **{name: getattr(who, name) for name in ("created_at", "kind", "agent")},
        "test": bool(who.test),
        "condition": part.condition,
        "blocks": ", ".join(part.blocks) or None,
        "ending": part.state,
        "consent_version": part.consent_version,
        **{f"link.{name}": value for name, value in who.link.items()},
    }


def _answered(answers: Sequence[Answer], asked: Sequence[Asked]) -> dict[str, Any]:
    given = {(answer.page, answer.item): answer.value for answer in answers}
    found = (each for each in asked if (each.page, each.item) in given)
    return {f"{each.page}.{each.item}": each.value(given[each.page, each.item]) for each in found}


def _first(trials: Sequence[Trial]) -> dict[str, Trial]:
    """Return the first trial of each task of the test."""
    return {trial.task_id: trial for trial in reversed(trials) if trial.position >= 0}


def _results(trials: Sequence[Trial], episodes: Mapping[int, tables.SuiteEpisode]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for task, trial in _first(trials).items():
        found |= {f"{task}.{name}": getattr(trial, name) for name in OF_TRIAL}
        if (episode := episodes.get(trial.id)) is not None:
            found[f"{task}.score"] = episode.score
    return found


def _counts(trials: Sequence[Trial]) -> dict[str, Any]:
    test = [trial for trial in trials if trial.position >= 0]
    practice = [trial for trial in trials if trial.position < 0]
    judged = [trial for trial in test if trial.passed is not None]
    passed = sum(bool(trial.passed) for trial in judged)
    return {
        "trials": len(test),
        "judged": len(judged),
        "passed": passed,
        "pass_rate": passed / len(judged) if judged else None,
        "practice_trials": len(practice),
        "practice_passed": sum(bool(trial.passed) for trial in practice),
        "steps_played": sum(trial.steps_played or 0 for trial in trials),
        "seconds_played": round(sum(trial.seconds_played or 0.0 for trial in trials), 2),
    }
