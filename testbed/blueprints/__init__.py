"""Blueprints: a module per level and a function per paradigm.

`tasks.yaml` makes its tasks from them. In a module, `placed` decorates the paradigms that do not choose their
own place in the arena.
"""

from collections.abc import Iterable
from importlib import import_module

from arena.packages import data_of
from testbed.blueprints import laboratory
from testbed.blueprints.blueprint import DIFFICULTIES, Blueprint, Condition, Draw, to_yaml
from testbed.tasks import ALL_NAMES

VARIANTS = (1, 2, 3)
"""Variants of every task of the shipped battery."""

SHIPPED_SEED = 0
"""The seed of the shipped battery; fresh variants need another."""

FOLDERS = {
    level: f"{level:02d}_{name.partition(' and ')[0].lower().replace(' ', '_')}"
    for level, name in ALL_NAMES.items()
}
"""Folder of each level below `testbed/levels`, such as 08_object_permanence, or `testbed/laboratory`."""


def _conditions() -> dict[int, list[Condition]]:
    """Return the tasks of levels 1 to 10, as `tasks.yaml` lists them."""
    found: dict[int, list[Condition]] = {}
    for level, rows in data_of(__package__, "tasks.yaml").items():
        module = import_module(f"{__package__}.level_{level:02d}")
        placed = getattr(module, "placed", lambda paradigm: paradigm)
        found[level] = []
        for paradigm, difficulty, parameters in rows:
            if "of" in parameters:
                other, number = parameters["of"]
                parameters = {**parameters, "of": found[other][number - 1]}
            found[level].append(Condition(placed(getattr(module, paradigm)), difficulty, **parameters))
    return found


CONDITIONS = _conditions() | laboratory.CONDITIONS
"""The tasks of each level. A task's number is its place in the list, from 1."""


def numbered(levels: Iterable[int], difficulty: int | None = None) -> list[tuple[int, int]]:
    """Yield level and number of levels' tasks, optionally of one difficulty."""
    return [
        (level, number)
        for level in levels
        for number, each in enumerate(CONDITIONS[level], start=1)
        if difficulty in (None, each.difficulty)
    ]


def condition_of(draw: Draw) -> Condition:
    """Return the condition of a draw. Raises KeyError or IndexError if there is none."""
    return CONDITIONS[draw.level][draw.task - 1]


def blueprint(draw: Draw) -> Blueprint:
    """Return the task of a draw. Raises ValueError if its random things do not fit into the arena."""
    graded = {"grade": draw.grade} if draw.level in laboratory.PARADIGMS else {}
    return condition_of(draw).drawn(draw.rng(), **graded)


def text(draw: Draw) -> str:
    """Return the task of a draw as a file."""
    condition = condition_of(draw)
    difficulty = f"Difficulty: {condition.difficulty} of {len(DIFFICULTIES)}"
    return to_yaml(blueprint(draw), (f"Paradigm: {condition.name}", difficulty, draw.note))
