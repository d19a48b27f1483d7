"""A study as a folder in the style of BIDS (Brain Imaging Data Structure 1.10, behavioural data only)."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import version
from itertools import groupby
from typing import Any

import pandas as pd

from evaluation.report_folder import FileNames, ReportFolder
from people.store.columns import BIDS_ACTIONS, BIDS_PARTICIPANTS, Column, as_json
from people.store.store import Store
from people.store.tables import Participant, Trial
from people.store.wide import Asked, asked_items

Page = tuple[str, list[str], list[list[Any]], dict[str, Any]]
"""Its name, the names of columns, rows, and the description of columns."""


def phenotype(
    store: Store, study: str, people: Sequence[Participant], subject: Callable[[str], str]
) -> Iterator[Page]:
    """The pages that were answered; `subject` is the label of the participant with a code."""
    answers = {person.code: store.answers(person.id) for person in people}
    given = sorted((answer for each in answers.values() for answer in each), key=lambda answer: answer.at)
    values = {
        code: {(answer.page, answer.item): answer.value for answer in each} for code, each in answers.items()
    }
    for page, asked in groupby(asked_items(store, study, given), key=lambda each: each.page):
        items = list(asked)
        rows = [
            [f"sub-{subject(code)}", *(_plain(each, mine.get((page, each.item))) for each in items)]
            for code, mine in values.items()
            if any(name == page for name, _ in mine)
        ]
        yield page, ["participant_id", *(each.item for each in items)], rows, _described(items)


def _plain(asked: Asked, answer: str | None) -> Any:
    """A value without tabs and line breaks, which would end a cell."""
    value = None if answer is None else asked.value(answer)
    return re.sub(r"\s+", " ", value).strip() if isinstance(value, str) else value


def _described(items: Sequence[Asked]) -> dict[str, Any]:
    title = items[0].title or items[0].page
    described: dict[str, Any] = {
        "MeasurementToolMetadata": {"Description": title},
        "participant_id": {"Description": "Name of the participant's folder"},
    }
    for each in items:
        unit = each.keys.get("unit")
        described[each.item] = {
            "Description": each.question,
            **({"Levels": each.levels} if each.levels else {}),
            **({"Units": unit} if unit else {}),
        }
    return described


BIDS = "1.10.0"
TYPES = {"text": "string", "integer": "integer", "number": "number", "boolean": "boolean"}
TOP = "bids"
TRIAL_COLUMNS = (
    *("block", "mode", "seed", "animal_ai", "spec_sha256", "pass_mark", "begun_at", "finished_at"),
    *("ended_by", "steps_played", "seconds_played", "steps", "total_reward", "health", "outcome", "passed"),
)


class Labels(FileNames):
    """Unique labels that consist of letters and digits only, as BIDS requires."""

    separator = "x"

    def _plain(self, text: str) -> str:
        return re.sub(r"[^A-Za-z0-9]", "", text) or "x"


def write_bids(
    store: Store, study: str, folder: ReportFolder, wide: pd.DataFrame, test: bool = False
) -> None:
    """Write a study below `bids`: a table and a description of the steps of each trial, and of each
    questionnaire. `wide` has a row for each participant.
    """
    subjects, tasks = Labels(), Labels()
    participants = store.participants(study, test=test)
    for person in participants:
        for trial in store.trials(person.id):
            _write_trial(store, folder, trial, subjects.of(person.code), tasks.of(trial.task_id))
    description = {
        "Name": study,
        "BIDSVersion": BIDS,
        "DatasetType": "raw",
        "GeneratedBy": [{"Name": "arena-llm", "Version": version("arena-llm")}],
    }
    folder.write(f"{TOP}/dataset_description.json", as_json(description))
    folder.write(f"{TOP}/README", f"Behaviour of people in the Animal-AI arena: study {study}.\n")
    names = [column.name for column in BIDS_PARTICIPANTS]
    known = wide.rename(columns={"participant": "code"})[names[1:]].astype(object)
    plain = known.where(known.notna(), None)
    rows = [(f"sub-{subjects.of(row[0])}", *row) for row in plain.itertuples(index=False)]
    folder.write(f"{TOP}/participants.tsv", _tsv(names, rows))
    folder.write(f"{TOP}/participants.json", as_json(_columns(BIDS_PARTICIPANTS)))
    pages = Labels()
    for page, columns, answers, described in phenotype(store, study, participants, subjects.of):
        name = f"{TOP}/phenotype/{pages.of(page)}"
        folder.write(f"{name}.tsv", _tsv(columns, answers))
        folder.write(f"{name}.json", as_json(described))


def _write_trial(store: Store, folder: ReportFolder, trial: Trial, subject: str, task: str) -> None:
    name = f"{TOP}/sub-{subject}/beh/sub-{subject}_task-{task}_run-{trial.trial + 1}_beh"
    rows = [
        (round(row.at - trial.begun_at, 6), row.step, row.action, row.action // 3, row.action % 3)
        for row in store.actions(trial.id)
    ]
    facts = {name.title().replace("_", ""): getattr(trial, name) for name in TRIAL_COLUMNS}
    folder.write(f"{name}.tsv", _tsv([column.name for column in BIDS_ACTIONS], rows))
    folder.write(f"{name}.json", as_json({"TaskName": trial.task_id, **facts, **_columns(BIDS_ACTIONS)}))


def _columns(columns: Iterable[Column]) -> dict[str, Any]:
    return {
        column.name: {
            "Description": column.description,
            "Format": TYPES[column.type],
            **({} if column.unit == "none" else {"Units": column.unit}),
        }
        for column in columns
    }


def _tsv(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = ["\t".join(names)]
    lines += ["\t".join("n/a" if value is None else str(value) for value in row) for row in rows]
    return "\n".join([*lines, ""])
