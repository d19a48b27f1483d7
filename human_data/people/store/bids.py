"""A study in the folders and names of BIDS (Brain Imaging Data Structure 1.10, behaviour without imaging)."""

import json
import re
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from typing import Any

from evaluation.report_folder import ReportFolder
from human_data.people.store.columns import BIDS_ACTIONS, BIDS_PARTICIPANTS, Column
from human_data.people.store.store import Store
from human_data.people.store.tables import Trial

BIDS = "1.10.0"
TYPES = {"text": "string", "integer": "integer", "number": "number", "boolean": "boolean"}
TOP = "bids"


class Labels:
    """Labels of letters and digits only, as BIDS has them; one for each text."""

    def __init__(self) -> None:
        self._labels: dict[str, str] = {}

    def of(self, text: str) -> str:
        """The label of a text, never that of another, not even in other case."""
        if text not in self._labels:
            plain = re.sub(r"[^A-Za-z0-9]", "", text) or "x"
            taken = {label.lower() for label in self._labels.values()}
            choices = (plain if number == 1 else f"{plain}x{number}" for number in range(1, len(taken) + 2))
            self._labels[text] = next(label for label in choices if label.lower() not in taken)
        return self._labels[text]


def write_bids(store: Store, study: str, folder: ReportFolder) -> None:
    """Write all trials of a study below `bids`: a table of steps and a description each."""
    subjects, tasks = Labels(), Labels()
    people = store.participants(study)
    for person in people:
        for trial in store.trials(person.id):
            _write_trial(store, folder, trial, subjects.of(person.code), tasks.of(trial.task_id))
    described = {
        "Name": study,
        "BIDSVersion": BIDS,
        "DatasetType": "raw",
        "GeneratedBy": [{"Name": "arena-llm", "Version": version("arena-llm")}],
    }
    folder.write(f"{TOP}/dataset_description.json", _json(described))
    folder.write(f"{TOP}/README", f"Behaviour of people in the Animal-AI arena: study {study}.\n")
    rows = [(f"sub-{subjects.of(person.code)}", person.code, person.created_at) for person in people]
    folder.write(f"{TOP}/participants.tsv", _tsv(BIDS_PARTICIPANTS, rows))
    folder.write(f"{TOP}/participants.json", _json(_columns(BIDS_PARTICIPANTS)))


def _write_trial(store: Store, folder: ReportFolder, trial: Trial, subject: str, task: str) -> None:
    name = f"{TOP}/sub-{subject}/beh/sub-{subject}_task-{task}_run-{trial.trial + 1}_beh"
    rows = [
        (round(row.at - trial.begun_at, 6), row.step, row.action, row.action // 3, row.action % 3)
        for row in store.actions(trial.id)
    ]
    folder.write(f"{name}.tsv", _tsv(BIDS_ACTIONS, rows))
    folder.write(
        f"{name}.json", _json({"TaskName": trial.task_id, **_facts(trial), **_columns(BIDS_ACTIONS)})
    )


def _facts(trial: Trial) -> dict[str, Any]:
    names = ("mode", "seed", "animal_ai", "spec_sha256", "pass_mark", "begun_at", "finished_at", "steps")
    more = ("total_reward", "health", "outcome", "passed")
    kept = {name: getattr(trial, name) for name in (*names, *more)}
    return {"".join(part.capitalize() for part in name.split("_")): value for name, value in kept.items()}


def _columns(columns: Iterable[Column]) -> dict[str, Any]:
    return {
        column.name: {
            "Description": column.description,
            "Format": TYPES[column.type],
            **({} if column.unit == "none" else {"Units": column.unit}),
        }
        for column in columns
    }


def _tsv(columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> str:
    lines = ["\t".join(column.name for column in columns)]
    lines += ["\t".join("n/a" if value is None else str(value) for value in row) for row in rows]
    return "\n".join([*lines, ""])


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
