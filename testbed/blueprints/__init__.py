"""Blueprints: a module or folder for each level, one function per paradigm, from which tasks are drawn."""

from testbed.blueprints.blueprint import DIFFICULTIES, Blueprint, Condition, Draw, Object, Push, to_yaml
from testbed.blueprints.level_01 import CONDITIONS as LEVEL_01
from testbed.blueprints.level_02 import CONDITIONS as LEVEL_02
from testbed.blueprints.level_03 import CONDITIONS as LEVEL_03
from testbed.blueprints.level_04 import CONDITIONS as LEVEL_04
from testbed.blueprints.level_05 import CONDITIONS as LEVEL_05
from testbed.blueprints.level_06 import CONDITIONS as LEVEL_06
from testbed.blueprints.level_07 import CONDITIONS as LEVEL_07
from testbed.blueprints.level_08 import CONDITIONS as LEVEL_08
from testbed.blueprints.level_09 import CONDITIONS as LEVEL_09
from testbed.blueprints.level_10 import CONDITIONS as LEVEL_10
from testbed.tasks import LEVEL_NAMES

VARIANTS = (1, 2, 3)
"""Variants of every task of the shipped battery."""

SHIPPED_SEED = 0
"""The seed of the shipped battery; fresh variants need another."""

FOLDERS = {
    level: f"{level:02d}_{name.partition(' and ')[0].lower().replace(' ', '_')}"
    for level, name in LEVEL_NAMES.items()
}
"""Folder of each level below `testbed/levels`, such as 08_object_permanence."""

_LEVELS = (LEVEL_01, LEVEL_02, LEVEL_03, LEVEL_04, LEVEL_05, LEVEL_06, LEVEL_07, LEVEL_08, LEVEL_09, LEVEL_10)
CONDITIONS: dict[int, tuple[Condition, ...]] = dict(enumerate(_LEVELS, start=1))
"""The tasks of each level; a task's number is its place in the list, from 1."""


def condition_of(draw: Draw) -> Condition:
    """The condition that a draw is of; raises KeyError or IndexError if there is none."""
    return CONDITIONS[draw.level][draw.task - 1]


def blueprint(draw: Draw) -> Blueprint:
    """The task of a draw. Raises ValueError if what it draws at random does not fit into the arena."""
    return condition_of(draw).drawn(draw.rng())


def text(draw: Draw) -> str:
    """The same as a file."""
    condition = condition_of(draw)
    difficulty = f"Difficulty: {condition.difficulty} of {len(DIFFICULTIES)}"
    return to_yaml(blueprint(draw), (f"Paradigm: {condition.name}", difficulty, draw.note))


__all__ = [
    "CONDITIONS",
    "DIFFICULTIES",
    "FOLDERS",
    "SHIPPED_SEED",
    "VARIANTS",
    "Blueprint",
    "Condition",
    "Draw",
    "Object",
    "Push",
    "blueprint",
    "condition_of",
    "text",
    "to_yaml",
]
