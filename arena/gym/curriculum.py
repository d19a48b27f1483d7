"""Curricula: which task each reset of an environment starts."""

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from arena.episode import Episode
from arena.errors import ConfigError, LayoutError
from arena.geometry.layout import seed_words
from arena.taskfile.config import ArenaFile
from arena.taskfile.load import load
from arena.taskfile.versions import DIFFERENCES, Version


@runtime_checkable
class Curriculum(Protocol):
    """A stream of episodes, one per reset. It can be pickled and copied, with its position in the stream.

    Every environment has its own copy. Those of a vector environment are restarted with different seeds, so
    random choices should depend on the seed.
    """

    def restart(self, seed: int) -> None:
        """Restart with a seed: the same seed gives the same episodes."""

    def next(self) -> Episode:
        """A new episode of the next task. Raises ArenaError, naming the task, if that is invalid."""


Config = str | Path | ArenaFile | Sequence[str | Path | ArenaFile] | Curriculum
"""The tasks of an environment: a task file, several in turn, or any other stream of episodes."""


def curriculum(config: Config, version: str | None = None) -> Curriculum:
    """The stream of episodes of an environment; a curriculum is copied. Files are read as `version`, by
    default "3.1.3".

    Raises ConfigError for anything else, an empty list or a curriculum that cannot be copied, and as
    `arena.load` does.
    """
    if isinstance(config, Curriculum):
        try:
            return copy.deepcopy(config)
        except Exception as error:
            raise ConfigError(
                f"config: the curriculum {config!r} cannot be copied ({error}), but each environment needs "
                "its own copy; its attributes must be picklable"
            ) from None
    several = [config] if isinstance(config, str | Path | ArenaFile) else config
    if not isinstance(several, list | tuple) or not several:
        raise ConfigError(
            f"config: got {config!r}, expected a task file's path, an ArenaFile, a non-empty list of "
            "these, or a curriculum (an object with restart(seed) and next())"
        )
    return Files([_read(each, version or Version.V3) for each in several])


def _read(file: object, version: str) -> ArenaFile:
    if isinstance(file, ArenaFile):
        return file
    if not isinstance(file, str | Path):
        raise ConfigError(f"config: got {file!r} in a list, expected a task file's path or an ArenaFile")
    return load(file, version)


class Files:
    """The arenas of one or more files, one per reset, repeated endlessly.

    They come in the order of the list and of each file; in version 4 a file with `randomizeArenas` is
    shuffled in every round, by a generator seeded with the run's seed (section 6.6 of the behaviour
    specification). An episode's `task_id` is the arena's number in the file, or with several files the file's
    name, followed by `#k` for the arena at position k > 0.
    """

    def __init__(self, files: Sequence[ArenaFile]) -> None:
        self._files = tuple(files)
        self.restart(0)

    def restart(self, seed: int) -> None:
        """Restart with a seed."""
        self._seed, self._played = seed, 0
        self._round: list[tuple[ArenaFile, int]] = []
        self._rng = np.random.default_rng(seed_words(seed))

    def next(self) -> Episode:
        """A new episode of the next arena. Raises LayoutError, naming the file, if it cannot be built."""
        if not self._round:
            self._round = [(file, number) for file in self._files for number in self._order(file)]
        file, number = self._round.pop(0)
        self._played += 1
        try:
            return Episode(
                file.arenas[number], task_id=self._name(file, number), seed=self._seed, trial=self._played - 1
            )
        except LayoutError as error:
            raise LayoutError(f"{file.source}: arena {error}") from None

    def _order(self, file: ArenaFile) -> list[int]:
        order = list(file.arenas)
        if file.randomize_arenas and DIFFERENCES[next(iter(file.arenas.values())).version].arenas_shuffled:
            self._rng.shuffle(order)
        return order

    def _name(self, file: ArenaFile, number: int) -> str:
        if len(self._files) == 1:
            return str(number)
        place = list(file.arenas).index(number)
        return f"{Path(file.source).stem}#{place}" if place else Path(file.source).stem
