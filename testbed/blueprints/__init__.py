"""Blueprints: one module per level, one function per paradigm, from which any number of tasks are drawn."""

from testbed.blueprints import level_01, level_10
from testbed.blueprints.blueprint import Blueprint, Object, Shove, to_yaml
from testbed.blueprints.condition import DIFFICULTIES, Condition, Draw, blueprint, text

VARIANTS = (1, 2, 3)
"""Of every task of the shipped battery."""

SHIPPED_SEED = 0
"""The seed of the shipped battery; fresh variants need another."""

FOLDERS = {
    1: "01_food_retrieval",
    2: "02_preferences",
    3: "03_static_obstacles",
    4: "04_avoidance",
    5: "05_spatial_reasoning",
    6: "06_generalisation",
    7: "07_internal_modelling",
    8: "08_object_permanence",
    9: "09_numerosity",
    10: "10_causal_reasoning",
}
"""Folder of each level below `testbed/levels`."""

CONDITIONS: dict[int, tuple[Condition, ...]] = {
    1: level_01.CONDITIONS,
    10: level_10.CONDITIONS,
}
"""The tasks of each level; a task's number is its place in the list, from 1."""


def condition_of(draw: Draw) -> Condition:
    """The condition that a draw is of; raises KeyError or IndexError where there is none."""
    return CONDITIONS[draw.level][draw.task - 1]


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
    "Shove",
    "blueprint",
    "condition_of",
    "text",
    "to_yaml",
]
