"""The codebook of an export: the meaning of every file and column, for people and for programs."""

import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from people.store.columns import Table

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
