"""Blueprints: one module per level, one function per paradigm, each giving a task from its variant."""

from collections.abc import Iterator

from testbed.blueprints import level_01, level_02, level_03
from testbed.blueprints.blueprint import Blueprint, to_yaml

VARIANTS = (1, 2, 3)

FOLDERS = {1: "01_food_retrieval", 2: "02_preferences", 3: "03_static_obstacles"}
"""Folder of each level below `testbed/levels`."""

PARADIGMS = {1: level_01.PARADIGMS, 2: level_02.PARADIGMS, 3: level_03.PARADIGMS}
"""The paradigms of each level; a task's number is its place in the list, from 1."""


def battery() -> Iterator[tuple[str, str]]:
    """Every shipped file as (path below `testbed/levels`, text)."""
    for level, paradigms in PARADIGMS.items():
        for number, paradigm in enumerate(paradigms, start=1):
            for variant in VARIANTS:
                name = f"{FOLDERS[level]}/{level:02d}-{number:02d}-{variant:02d}.yaml"
                yield name, to_yaml(paradigm(variant))


__all__ = ["FOLDERS", "PARADIGMS", "VARIANTS", "Blueprint", "battery", "to_yaml"]
