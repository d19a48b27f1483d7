"""Streams of tasks for learning agents: the battery's files, and fresh tasks drawn from its blueprints."""

from functools import lru_cache
from pathlib import Path

import numpy as np

from arena import ArenaSpec, ConfigError, Episode, LayoutError, load_text
from arena.gym.curriculum import seed_words
from arena.gym.options import whole
from arena.taskfile.versions import Version, version_of
from testbed.blueprints import CONDITIONS, DIFFICULTIES, Draw, condition_of, text
from testbed.tasks import Task, find_paths, parse_levels, read_tasks

ORDERS = ("listed", "random")

FIRST_VARIANT = 1_000_000
"""Generated tasks are variants from here on, so that none is of the shipped battery, nor, unless a million of
each paradigm are ordered, of a battery that `testbed generate` makes to test with."""

MOST_ATTEMPTS = 20
"""Draws of a variant that are tried where a paradigm finds no room for what it draws."""

# More than the battery has files, so that each is read once in a process, whatever number of environments.
_read = lru_cache(maxsize=4096)(read_tasks)


class Levels:
    """The tasks of levels such as "1-3" or "1,4", one per reset, wrapping around.

    `testbed` is a folder of task files; the shipped battery else. `order` is "listed", by id, or "random",
    shuffled anew for every round by the environment's seed. Files are read when their turn comes; an
    episode's `task_id` is the task's. `version` is that of Animal-AI.

    Raises ConfigError for a wrong option, and where the folder or a level has no tasks.
    """

    def __init__(
        self,
        levels: str = "1-10",
        *,
        testbed: str | Path | None = None,
        order: str = "listed",
        version: str = Version.V3,
    ) -> None:
        if order not in ORDERS:
            raise ConfigError(f"order: got {order!r}, expected one of {', '.join(ORDERS)}")
        if not isinstance(testbed, str | Path | None):
            raise ConfigError(f"testbed: got {testbed!r}, expected the path of a folder")
        self._paths = find_paths(parse_levels(levels), None if testbed is None else Path(testbed))
        self._order, self._version = order, version_of(version)
        self.restart(0)

    def restart(self, seed: int) -> None:
        """Begin again with another seed."""
        self._seed, self._played = seed, 0
        self._round: list[Path] = []
        self._tasks: list[tuple[Path, int]] = []
        self._rng = np.random.default_rng(seed_words(seed))

    def next(self) -> Episode:
        """The next task. Raises ConfigError or LayoutError, naming its file, where it is broken."""
        path, number = self._turn()
        self._played += 1
        task = self._read(path)[number]
        return _episode(task.spec, task.id, self._seed, self._played - 1, str(path))

    def _turn(self) -> tuple[Path, int]:
        """The next file, and which of its arenas; a file's arenas stay together."""
        if not self._tasks:
            if not self._round:
                self._round = list(self._paths)
                if self._order == "random":
                    self._rng.shuffle(self._round)
            path = self._round.pop(0)
            self._tasks = [(path, number) for number in range(len(self._read(path)))]
        return self._tasks.pop(0)

    def _read(self, path: Path) -> tuple[Task, ...]:
        return _read(path, self._version)


class Generated:
    """Fresh tasks from the battery's blueprints, a new one at every reset.

    The i-th task of an environment depends on `seed`, on the seed that the environment was reset with, and on
    i, and on nothing else. So environments with seeds of their own, as those of a vector environment have
    them, never play the same task. With `count`, there are only so many tasks, the same for every
    environment, and each plays them in turn, starting at its own seed. `levels` is a text such as "1-3";
    `difficulty` (1 to 3) keeps paradigms of that difficulty only.

    Nothing proves that a drawn task can be solved, as that takes seconds; `arena-llm testbed generate` makes
    files that are. All 900 of the shipped battery were proven at their first draw. An episode's `task_id` is
    `LL-TT-V`, of which `load_text(generated.text(task_id))` makes the task again.

    Raises ConfigError for a wrong option, or where no paradigm has the difficulty.
    """

    def __init__(
        self, levels: str = "1", seed: int = 0, count: int | None = None, difficulty: int | None = None
    ) -> None:
        self._seed = whole("seed", seed, 0)
        self._count = None if count is None else whole("count", count)
        if difficulty not in (None, *DIFFICULTIES):
            raise ConfigError(f"difficulty: got {difficulty!r}, expected one of 1, 2, 3 or None for all")
        self._conditions = [
            (level, number)
            for level in parse_levels(levels)
            for number, condition in enumerate(CONDITIONS[level], start=1)
            if difficulty in (None, condition.difficulty)
        ]
        if not self._conditions:
            raise ConfigError(f"difficulty: got {difficulty}, of which levels {levels} have no paradigm")
        self.restart(0)

    def restart(self, seed: int) -> None:
        """Begin again: with the tasks of another seed, or at another of `count` tasks."""
        self._stream, self._played = seed, 0

    def next(self) -> Episode:
        """A new task."""
        stream, number = self._stream, self._played
        if self._count is not None:
            stream, number = 0, (self._stream + self._played) % self._count
        draw = self._draw(stream, number)
        self._played += 1
        task_id = f"{draw.level:02d}-{draw.task:02d}-{draw.variant}"
        spec = load_text(_drawn(draw), task_id).arenas[0]
        return _episode(spec, task_id, self._stream, self._played - 1, "generated")

    def text(self, task_id: str) -> str:
        """The file of a task by its id. Raises ConfigError for what is not an id."""
        try:
            level, task, variant = map(int, task_id.split("-"))
            return _drawn(Draw(level, task, variant, self._seed))
        except (AttributeError, ValueError, LookupError):
            raise ConfigError(
                f"task_id: got {task_id!r}, expected the id of a generated task, such as 01-02-1000000"
            ) from None

    def _draw(self, stream: int, number: int) -> Draw:
        """Which variant of which condition: drawn, so that paradigms come in no order."""
        size, sign = seed_words(stream)
        rng = np.random.default_rng([self._seed, size, sign, number])
        level, task = self._conditions[int(rng.integers(len(self._conditions)))]
        # One number for stream and place in it: no two pairs have the same.
        variant = FIRST_VARIANT + number + ((2 * size + sign) << 32)
        return Draw(level, task, variant, self._seed)


def _drawn(draw: Draw) -> str:
    """The file of a draw, or of the next attempt at it where there was no room."""
    for attempt in range(MOST_ATTEMPTS):
        try:
            again = draw._replace(attempt=attempt)
            return text(condition_of(again), again)
        except ValueError as error:
            problem = error
    raise LayoutError(f"{draw.note}: {problem}")


def _episode(spec: ArenaSpec, task_id: str, seed: int, trial: int, where: str) -> Episode:
    try:
        return Episode(spec, task_id=task_id, seed=seed, trial=trial)
    except LayoutError as error:
        raise LayoutError(f"{where}: {error}") from None
