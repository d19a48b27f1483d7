"""Streams of tasks for learning agents: the battery's files, and fresh tasks drawn from its blueprints."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from itertools import count as numbers_from
from pathlib import Path

import numpy as np

from arena import ArenaSpec, ConfigError, Episode, LayoutError, load_text
from arena.gym.curriculum import unknown_task
from arena.gym.env import whole
from arena.seeds import seed_words
from arena.taskfile.versions import Version, version_of
from testbed.blueprints import CONDITIONS, numbered, text
from testbed.blueprints.blueprint import DIFFICULTIES, Draw
from testbed.tasks import Task, find_paths, level_of, parse_levels, read_tasks, without_notice

ORDERS = ("listed", "random")

FIRST_VARIANT = 1_000_000
"""Number of the first generated variant, so that none is in the shipped battery, nor in a test battery of
`testbed generate` with fewer than a million tasks of each paradigm."""

# More than the battery has files, so that each is read once per process, whatever the number of environments.
_read = lru_cache(maxsize=4096)(read_tasks)


class Levels:
    """The tasks of levels such as "1-3" or "1,4", one per reset, wrapping around.

    `testbed` is a folder of task files (default: the shipped battery). `order` is "listed", by id, or
    "random", shuffled for every round by the environment's seed. Files are read when they are first played;
    an episode's `task_id` is the task's. `version` is that of Animal-AI.

    Raises ConfigError for a wrong option, and if the folder or a level has no tasks.
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
        """Restart with another seed."""
        self._seed, self._played = seed, 0
        self._round: list[Path] = []
        self._tasks: list[tuple[Path, int]] = []
        self._rng = np.random.default_rng(seed_words(seed))

    def next(self) -> Episode:
        """Return the next task. Raises ConfigError or LayoutError, naming its file, if it is broken."""
        path, number = self._turn()
        return self._episode(self._read(path)[number])

    def named(self, task_id: str) -> Episode:
        """Return a task by its id. Raises ConfigError if it is not in these levels, and as `next` does."""
        for path in self._paths:
            if path.stem == task_id.partition("#")[0]:
                for task in self._read(path):
                    if task.id == task_id:
                        return self._episode(task)
        raise unknown_task(task_id, [path.stem for path in self._paths])

    def _episode(self, task: Task) -> Episode:
        self._played += 1
        return _episode(task.spec, task.id, self._seed, self._played - 1, str(task.path))

    def _turn(self) -> tuple[Path, int]:
        """Return the next file and the arena's place in it; a file's arenas stay together."""
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

    The i-th task of an environment depends only on `seed`, on the seed that the environment was reset with,
    and on i. So environments with different seeds, such as those of a vector environment, never play the same
    task. With `count`, there are only `count` tasks, the same for every environment, and each plays them in
    turn, starting at its own seed. `levels` is a text such as "1-3"; `difficulty` (1 to 3) selects paradigms.

    It is not proven that a drawn task can be solved, as that takes seconds; `arena-llm testbed generate`
    makes files with proofs. All 900 of the shipped battery were proven at their first draw. An episode's
    `task_id` is `LL-TT-V`; `load_text(generated.text(task_id))` makes the task again.

    Raises ConfigError for a wrong option, or if no paradigm has the difficulty.
    """

    def __init__(
        self, levels: str = "1", seed: int = 0, count: int | None = None, difficulty: int | None = None
    ) -> None:
        self._seed = whole("seed", seed, 0)
        self._count = None if count is None else whole("count", count)
        if difficulty not in (None, *DIFFICULTIES):
            raise ConfigError(f"difficulty: got {difficulty!r}, expected one of 1, 2, 3 or None for all")
        self._conditions = numbered(parse_levels(levels), difficulty)
        if not self._conditions:
            raise ConfigError(f"difficulty: got {difficulty}, but levels {levels} have no such paradigm")
        self.restart(0)

    def restart(self, seed: int) -> None:
        """Restart with the tasks of another seed, or at another of the `count` tasks."""
        self._stream, self._played = seed, 0

    def next(self) -> Episode:
        """Draw a new task."""
        stream, number = self._stream, self._played
        if self._count is not None:
            stream, number = 0, (self._stream + self._played) % self._count
        episode = self._episode(self._draw(stream, number))
        self._played += 1
        return episode

    def ids(self) -> Iterator[str]:
        """Yield the tasks' ids from the first one on, without drawing them; endless unless `count` is set."""
        numbers = numbers_from() if self._count is None else range(self._count)
        return (self._draw(self._stream, number).task_id for number in numbers)

    def task(self, task_id: str, version: str = Version.V3) -> Task:
        """Return a task by its id, as one of the battery. Raises ConfigError as `text`."""
        drawn = self.text(task_id)
        spec = load_text(drawn, task_id, version_of(version)).arenas[0]
        path, content = Path(f"{task_id}.yaml"), without_notice(drawn.encode())
        return Task(task_id, level_of(path), path, spec, sha256(content).hexdigest())

    def named(self, task_id: str) -> Episode:
        """Return a task by its id, LL-TT-V with a whole number V. Raises ConfigError for another form, or if
        LL-TT is not among these levels and this difficulty."""
        draw = self._parsed(task_id)
        if (draw.level, draw.task) not in self._conditions:
            raise unknown_task(task_id, [f"{level:02d}-{task:02d}-V" for level, task in self._conditions])
        return self._episode(draw)

    def _episode(self, draw: Draw) -> Episode:
        task_id = draw.task_id
        spec = load_text(_drawn(draw), task_id).arenas[0]
        return _episode(spec, task_id, self._stream, self._played, "generated")

    def text(self, task_id: str) -> str:
        """Return the file of a task by its id. Raises ConfigError if it is not an id."""
        return _drawn(self._parsed(task_id))

    def _parsed(self, task_id: str) -> Draw:
        try:
            level, task, variant = map(int, task_id.split("-"))
            if not 1 <= task <= len(CONDITIONS[level]):
                raise LookupError
            return Draw(level, task, variant, self._seed)
        except (AttributeError, ValueError, LookupError):
            raise ConfigError(
                f"task_id: got {task_id!r}, expected the id of a generated task, such as 01-02-1000000"
            ) from None

    def _draw(self, stream: int, number: int) -> Draw:
        """Return a random condition, and a variant that no other stream or place in it has."""
        size, sign = seed_words(stream)
        rng = np.random.default_rng([self._seed, size, sign, number])
        level, task = self._conditions[int(rng.integers(len(self._conditions)))]
        return Draw(level, task, FIRST_VARIANT + number + ((2 * size + sign) << 32), self._seed)


class Replayed(Generated):
    """Fresh tasks, and again those from which most is still learned: prioritized level replay (PLR).

    Scores come from the learner, which gives every environment's copy the same by `scored`; usual is the L1
    value loss, an episode's mean absolute advantage. With probability `REPLAY`, once `size` / 4 tasks have a
    score, the next task is drawn among the `size` best: by the rank of the score, to the power of
    1 / `TEMPERATURE`, and in `STALENESS` of the draws by how long ago it was scored. Otherwise it is fresh.

    The i-th task depends only on the seeds, on i and on the scores given so far. See arXiv 2010.03934.
    """

    REPLAY, TEMPERATURE, STALENESS = 0.5, 0.3, 0.3

    def __init__(self, levels: str = "1", seed: int = 0, size: int = 1000) -> None:
        self._size = whole("size", size)
        super().__init__(levels, seed)

    def restart(self, seed: int) -> None:
        """Restart with the tasks of another seed and no scores."""
        super().restart(seed)
        self._scores: dict[str, tuple[float, int]] = {}
        self._count_scored = 0

    def scored(self, scores: Mapping[str, float]) -> None:
        """Record scores of played tasks, by id; of more than `size` tasks, the best are kept."""
        for task_id, score in scores.items():
            self._scores[task_id] = (float(score), self._count_scored)
            self._count_scored += 1
        kept = sorted(self._scores, key=lambda name: -self._scores[name][0])[: self._size]
        self._scores = {name: self._scores[name] for name in kept}

    def next(self) -> Episode:
        """Return a new task, or one to replay."""
        rng = np.random.default_rng([self._seed, *seed_words(self._stream), self._played, 1])
        if len(self._scores) < self._size / 4 or rng.random() >= self.REPLAY:
            return super().next()
        # By falling score, as `scored` leaves them.
        chances = np.arange(1, len(self._scores) + 1) ** (-1 / self.TEMPERATURE)
        if rng.random() < self.STALENESS:
            chances = self._count_scored - np.array([when for _, when in self._scores.values()])
        episode = self.named(list(self._scores)[rng.choice(len(chances), p=chances / chances.sum())])
        self._played += 1
        return episode


def _drawn(draw: Draw) -> str:
    """Return the file of a draw, or of the first of 20 attempts at it whose objects fit into the arena."""
    for attempt in range(20):
        try:
            return text(draw._replace(attempt=attempt))
        except ValueError as error:
            problem = error
    raise LayoutError(f"{draw.note}: {problem}")


def _episode(spec: ArenaSpec, task_id: str, seed: int, trial: int, where: str) -> Episode:
    try:
        return Episode(spec, task_id=task_id, seed=seed, trial=trial)
    except LayoutError as error:
        raise LayoutError(f"{where}: {error}") from None
