"""One row per participant with everything about them: links, answers, the result of each task, counts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import pandas as pd

from people.store.columns import DTYPES, OF_STUDY, TABLES, Column, Table
from people.store.participation import Participation, participations
from people.store.store import Store
from people.store.tables import CONFIG, Answer, Participant, SuiteEpisode, Trial

NUMBERS = {"likert": "integer", "number": "number", "slider": "number"}
"""Types of items whose answers are numbers, and those of their columns."""


@dataclass(frozen=True)
class Asked:
    """An item on a page: the type of its answers, and the keys of the item and the title of the page in the
    study's file, if that is stored.
    """

    page: str
    item: str
    kind: str = "text"
    keys: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""

    @property
    def question(self) -> str:
        """The question, or what is known of it."""
        asked = " ".join(str(self.keys.get("ask", "")).split())
        return asked or f"Answer to the item {self.item} of the page {self.page}"

    @property
    def levels(self) -> dict[str, str]:
        """What the values mean, where that is fixed."""
        keys = self.keys
        if options := keys.get("options"):
            return {option: option for option in options}
        if "points" not in keys:
            return {}
        ends = {"1": keys.get("low"), str(keys["points"]): keys.get("high")}
        return {str(point): ends.get(str(point)) or str(point) for point in range(1, keys["points"] + 1)}

    def value(self, answer: str) -> str | float | int | None:
        """An answer as the value of a column; None for one that was left out."""
        if not answer or self.kind == "text":
            return answer or None
        number = _number(answer)
        return int(number) if number is not None and self.kind == "integer" else number


def asked_items(store: Store, study: str, answers: Sequence[Answer]) -> list[Asked]:
    """The items that these answers are to: pages by first answer, items in the order of the study's file."""
    files = [note.data["study"] for note in store.study_notes(study) if note.kind == CONFIG]
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
            known = keys.get(item, {})
            found.append(Asked(name, item, _kind(known, items[item]), known, str(page.get("title", ""))))
    return found


def _kind(keys: Mapping[str, Any], answers: Sequence[str]) -> str:
    """The type of answers; text if one fits no longer, because the study was another before."""
    kind = NUMBERS.get(str(keys.get("type")), "text")
    numbers = [_number(answer) for answer in answers if answer]
    if None in numbers or (kind == "integer" and any(number != round(number or 0) for number in numbers)):
        return "text"
    return kind


def _number(answer: str) -> float | None:
    try:
        return float(answer.replace(",", "."))
    except ValueError:
        return None


OF_TRIAL = ("position", "passed", "total_reward", "steps_played", "seconds_played", "ended_by")
"""Columns of a trial that are columns of each task."""

FIXED = (
    *(column for column in TABLES["participants"].columns if column.name not in ("study", "link")),
    *OF_STUDY,
    Column("consent_version", "text", "none", "Version of the consent form that the participant agreed to"),
    Column("trials", "integer", "none", "Number of trials of the test, finished or not"),
    Column("judged", "integer", "none", "Number of these with a verdict, passed or not"),
    Column("passed", "integer", "none", "Number of these that were passed"),
    Column("pass_rate", "number", "none", "Share of the judged trials that were passed"),
    Column("practice_trials", "integer", "none", "Number of trials of tutorial and practice"),
    Column("practice_passed", "integer", "none", "Number of these that were passed"),
    Column("steps_played", "integer", "steps", "Number of steps that were played, in all trials"),
    Column("seconds_played", "number", "s", "Duration of these steps, without pauses"),
)
"""The columns that every study has."""


class Person(NamedTuple):
    """What is known of a participant, apart from single actions; `answers` by page and item."""

    participant: Participant
    part: Participation
    trials: Sequence[Trial]
    answers: Mapping[tuple[str, str], Answer]

    def test_trials(self) -> dict[str, Trial]:
        """The first trial of each task of the test."""
        trials = [trial for trial in self.trials if trial.position >= 0]
        return {trial.task_id: trial for trial in reversed(trials)}


def wide_table(store: Store, study: str, *, test: bool = False) -> tuple[Table, pd.DataFrame]:
    """The table's columns and its rows, in order of arrival; `test` includes those who only tried it out.

    The columns of a task are those of the participant's first trial of it in the test.
    """
    parts = participations(store, study, test=test)
    people = [_person(store, each, parts[each.id]) for each in store.participants(study, test=test)]
    given = sorted((each for person in people for each in person.answers.values()), key=lambda each: each.at)
    asked, episodes = asked_items(store, study, given), store.episodes(study)
    columns = (*FIXED, *_links(people), *map(_answer_column, asked), *_tasks(people, bool(episodes)))
    rows = [_values(person, asked, episodes) for person in people]
    types = {column.name: DTYPES[column.type] for column in columns}
    frame = pd.DataFrame([[row.get(name) for name in types] for row in rows], columns=list(types))
    return Table("participant", columns), frame.astype(types)


def _person(store: Store, participant: Participant, part: Participation) -> Person:
    answers = {(answer.page, answer.item): answer for answer in store.answers(participant.id)}
    return Person(participant, part, store.trials(participant.id), answers)


def _links(people: Sequence[Person]) -> Iterator[Column]:
    """The parameters of links, which some participants may not have."""
    for name in dict.fromkeys(name for person in people for name in person.participant.link):
        yield Column(f"link.{name}", "text", "none", f"Parameter {name} of the participant's link")


def _answer_column(asked: Asked) -> Column:
    meaning = "; ".join(f"{value}: {level}" for value, level in asked.levels.items() if value != level)
    described = f"{asked.question}{f' ({meaning})' if meaning else ''}"
    return Column(f"{asked.page}.{asked.item}", asked.kind, asked.keys.get("unit") or "none", described)


def _tasks(people: Sequence[Person], scored: bool) -> Iterator[Column]:
    known = {column.name: column for column in TABLES["trials"].columns}
    columns = [known[name] for name in OF_TRIAL]
    if scored:
        columns += [column for column in TABLES["episodes"].columns if column.name == "score"]
    for task in sorted({task for person in people for task in person.test_trials()}):
        yield from (replace(column, name=f"{task}.{column.name}") for column in columns)


def _values(person: Person, asked: Sequence[Asked], episodes: Mapping[int, SuiteEpisode]) -> dict[str, Any]:
    """The values of a row by the names of their columns."""
    who = person.participant
    values = {
        "participant": who.code,
        "created_at": who.created_at,
        "test": bool(who.test),
        "condition": person.part.condition,
        "blocks": ", ".join(person.part.blocks) or None,
        "ending": person.part.state,
        "consent_version": person.part.consent_version,
        **_counts(person),
    }
    values |= {f"link.{name}": value for name, value in who.link.items()}
    for each in asked:
        if (answer := person.answers.get((each.page, each.item))) is not None:
            values[f"{each.page}.{each.item}"] = each.value(answer.value)
    for task, trial in person.test_trials().items():
        values |= {f"{task}.{name}": getattr(trial, name) for name in OF_TRIAL}
        if (episode := episodes.get(trial.id)) is not None:
            values[f"{task}.score"] = episode.score
    return values


def _counts(person: Person) -> dict[str, Any]:
    test = [trial for trial in person.trials if trial.position >= 0]
    practice = [trial for trial in person.trials if trial.position < 0]
    judged = [trial for trial in test if trial.passed is not None]
    passed = sum(bool(trial.passed) for trial in judged)
    return {
        "trials": len(test),
        "judged": len(judged),
        "passed": passed,
        "pass_rate": passed / len(judged) if judged else None,
        "practice_trials": len(practice),
        "practice_passed": sum(bool(trial.passed) for trial in practice),
        "steps_played": sum(trial.steps_played or 0 for trial in person.trials),
        "seconds_played": round(sum(trial.seconds_played or 0.0 for trial in person.trials), 2),
    }
