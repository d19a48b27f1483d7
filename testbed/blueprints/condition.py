"""Conditions: a paradigm with its parameters, from which any number of variants are drawn."""

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from arena.errors import ConfigError
from testbed.blueprints.blueprint import Blueprint, Rng

Paradigm = Callable[..., Blueprint]
"""A function of a random generator and of its own parameters, which are named."""

DIFFICULTIES = (1, 2, 3)


class Condition:
    """One task of a level: a paradigm, how difficult it is here (1 to 3) and its parameters.

    Its variants differ in what the paradigm draws at random: places, sides, colours.
    """

    def __init__(self, paradigm: Paradigm, difficulty: int, **parameters: object) -> None:
        """`parameters` are those of the paradigm's function."""
        self.paradigm, self.difficulty, self.parameters = paradigm, difficulty, parameters

    @property
    def name(self) -> str:
        """The paradigm's name in words."""
        return self.paradigm.__name__.replace("_", " ")

    def drawn(self, rng: Rng) -> Blueprint:
        """A variant."""
        return self.paradigm(rng, **self.parameters)


class Draw(NamedTuple):
    """Which variant of which task: everything that a file depends on.

    `attempt` counts draws that were discarded because nothing solved them, from 0.
    """

    level: int
    task: int
    variant: int
    seed: int
    attempt: int = 0

    @property
    def task_id(self) -> str:
        """The id LL-TT-V of a task that is generated or scored."""
        return f"{self.level:02d}-{self.task:02d}-{self.variant}"

    @property
    def note(self) -> str:
        """The line of a file's header from which the file can be made again."""
        return (
            f"Drawn: level {self.level}, task {self.task}, variant {self.variant}, "
            f"seed {self.seed}, attempt {self.attempt}"
        )

    @classmethod
    def of_text(cls, text: str, where: str) -> "Draw":
        """The draw named in a file's header; raises ConfigError, naming `where`, if there is none."""
        found = _NOTE.search(text)
        if found is None:
            raise ConfigError(
                f"{where}: its header has no line '# Drawn: ...': it was not made by a blueprint"
            )
        return cls(*map(int, found.groups()))

    def rng(self) -> Rng:
        """The generator of this draw alone."""
        return np.random.default_rng([self.seed, self.level, self.task, self.variant, self.attempt])


_NOTE = re.compile(r"# Drawn: level (\d+), task (\d+), variant (\d+), seed (\d+), attempt (\d+)\n")
