"""The thirty tasks and their variations, without the simulator."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from arena.packages import rows_of

Split = Literal["train", "dev", "test"]

PUBLISHED = ("random_valid", "drrn", "kga2c", "calm", "bc_t5", "tdt_t5")
"""Agents of the paper's Table 2, as columns of tasks.csv."""

TWINS = (("2-2", "2-3"), ("3-3", "3-4"), ("9-2", "9-3"), ("10-1", "10-2"))
"""Task pairs that differ only in known or unknown materials. Substances, surfaces and plants have their names
or are unknown."""

ELECTRICAL = frozenset({"3-1", "3-2", "3-3", "3-4"})
"""Tasks that need electrical actions, which the simulator therefore never leaves out."""


class Kind(NamedTuple):
    """Task: number in the paper, topic, simulator's name, and variations.

    Of these, which count from 0, the first `train` are for training, the next `dev` for development, and the
    last `test` for testing (the simulator's `getVariationsTrain` and its like). `gold` is the length in
    commands of the longest gold path of 12 variations, without simplifications. `published` are the mean
    scores of the paper's Table 2 by agent.
    """

    task: str
    topic: str
    title: str
    name: str
    train: int
    dev: int
    test: int
    gold: int
    published: dict[str, float]

    def variations(self, split: Split) -> range:
        """Return the variations of a split."""
        first = {"train": 0, "dev": self.train, "test": self.train + self.dev}[split]
        return range(first, first + {"train": self.train, "dev": self.dev, "test": self.test}[split])

    @property
    def number(self) -> int:
        """Number of variations."""
        return self.train + self.dev + self.test


@cache
def kinds() -> dict[str, Kind]:
    """All tasks by their numbers in the paper, such as 4-1, in order."""
    found = {}
    for row in rows_of("suites.scienceworld", "tasks.csv"):
        names = row["task"], row["topic"], row["title"], row["package_name"]
        train, dev, test, gold = (int(row[name]) for name in ("train", "dev", "test", "gold"))
        published = {agent: float(row[agent]) for agent in PUBLISHED}
        found[row["task"]] = Kind(*names, train, dev, test, gold, published)
    return found


def variation_id(kind: Kind, variation: int) -> str:
    """Write the id of a variation, such as 4-1-0225."""
    return f"{kind.task}-{variation:04}"


def find_variation(task_id: str) -> tuple[Kind, int] | None:
    """Parse an id to task and variation; None if unknown."""
    found = re.fullmatch(r"(.+)-([0-9]{4})", task_id)
    kind = kinds().get(found[1]) if found else None
    return (kind, int(found[2])) if found and kind and int(found[2]) < kind.number else None


def spread(variations: Sequence[int], number: int | None) -> list[int]:
    """Select `number` variations at equal distances, with both ends; None: all."""
    if number is None or number >= len(variations):
        return list(variations)
    return [variations[place] for place in np.linspace(0, len(variations) - 1, number).round().astype(int)]
