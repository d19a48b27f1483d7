"""The example episode of Experiment 2, and how it is written as a demonstration's file."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from arena.files import write_file
from llm_control.paper import PAPER

FILE = "demonstration.yaml"
PICTURES = "pictures"


@dataclass(frozen=True, slots=True)
class ExampleTurn:
    """A script, the pictures after it, and the health that was shown with them; None after the last."""

    script: str
    pictures: tuple[bytes, ...]
    health: float | None


@dataclass(frozen=True, slots=True)
class Example:
    """The first pictures with the health shown there, and the turns."""

    pictures: tuple[bytes, ...]
    health: float
    turns: tuple[ExampleTurn, ...]


def write_example(example: Example, folder: Path) -> Path:
    """Write the example into a folder: `demonstration.yaml`, and its pictures. Raises EvaluationError."""
    path = folder / FILE
    document = {
        "source": PAPER,
        "first": {
            "pictures": list(_pictures(folder, 0, example.pictures)),
            "health": example.health,
        },
        "turns": [_turn(folder, number, turn) for number, turn in enumerate(example.turns, start=1)],
    }
    write_file(path, yaml.safe_dump(document, sort_keys=False, allow_unicode=True))
    return path


def _turn(folder: Path, number: int, turn: ExampleTurn) -> dict[str, Any]:
    if not turn.pictures:
        return {"script": turn.script}
    pictures = list(_pictures(folder, number, turn.pictures))
    return {"script": turn.script, "health": turn.health, "pictures": pictures}


def _pictures(folder: Path, turn: int, pictures: tuple[bytes, ...]) -> Iterator[str]:
    for place, data in enumerate(pictures):
        name = f"{PICTURES}/{turn:02d}-{place}.jpg"
        write_file(folder / name, data)
        yield name
