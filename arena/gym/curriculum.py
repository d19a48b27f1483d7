"""Curricula, which select the task of each reset."""

import copy
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from arena.episode import Episode
from arena.errors import ConfigError, LayoutError
from arena.seeds import UnityRandom, seed_words
from arena.taskfile.config import ArenaFile, ArenaSpec
from arena.taskfile.load import load
from arena.taskfile.versions import Version


@runtime_checkable
class Curriculum(Protocol):
    """A stream of episodes, one per reset.

    It can be pickled and copied, with its position in the stream. Every environment has its own copy. Those
    of a vector environment are restarted with different seeds, so random choices should depend on the seed.

    Two methods are optional:

    `named(task_id: str) -> Episode` plays a task by its id, for `reset(options={"task": id})`. It raises
    ConfigError for an unknown id.

    `ended(task_id: str, outcome: str, passed: bool | None, reward: float) -> None` is called once for each
    episode of at least one step: when it ends, or if it was cut by a wrapper or abandoned, at the next reset,
    before `restart` and `next`. `outcome` is a value of `arena.Outcome`, `passed` None without a pass mark,
    `reward` the total of the episode.
    """

    def restart(self, seed: int) -> None:
        """Restart with a seed: the same seed gives the same episodes."""

    def next(self) -> Episode:
        """Start an episode of the next task. Raises ArenaError, naming the task, if that is invalid."""


SHOWN_IDS = 12
"""Maximum number of ids that an error lists."""

_ID = re.compile(r"\d{2}-\d{2}-\d{2}")
_BATTERY = Path(__file__).parents[2] / "testbed" / "levels"
"""Folder of the shipped battery, next to this package. Nothing is imported from it."""

Config = str | Path | ArenaFile | Sequence[str | Path | ArenaFile] | Mapping[str, Any] | Curriculum
"""Tasks of an environment: file, battery id, list, `Arenas` or episode stream."""


def curriculum(config: Config, version: str | None = None) -> Curriculum:
    """Return the stream of episodes of an environment.

    A curriculum is copied. Files are read as `version`, by default "3.1.3". Raises ConfigError for anything
    else, an empty list or a curriculum that cannot be copied, and as `arena.load` does.
    """
    if isinstance(config, Curriculum):
        try:
            return copy.deepcopy(config)
        except Exception as error:
            raise ConfigError(
                f"config: the curriculum {config!r} cannot be copied ({error}), but each environment needs "
                "its own copy; its attributes must be picklable"
            ) from None
    if isinstance(config, Mapping) and config:
        return Arenas(config)
    several = [config] if isinstance(config, str | Path | ArenaFile) else config
    if not isinstance(several, list | tuple) or not several:
        raise ConfigError(
            f"config: got {config!r}, expected a task file's path, an ArenaFile, a non-empty list of "
            "these, or a curriculum (an object with restart(seed) and next())"
        )
    return Files([read_file(each, version or Version.V3) for each in several])


def named(stream: Curriculum, task: object) -> Episode:
    """Start an episode of a curriculum's task by id. Raises ConfigError for an unknown id."""
    if isinstance(task, bool) or not isinstance(task, str | int):
        raise ConfigError(f"task: got {task!r}, expected the id of a task, such as '03-02-01'")
    find = getattr(stream, "named", None)
    if find is None:
        raise ConfigError(f"task: got {task!r}, but {type(stream).__name__} has no method named(task_id)")
    return find(str(task))


def unknown_task(task_id: str, known: Sequence[str]) -> ConfigError:
    """Return the error for an id that is not known."""
    more = f" and {len(known) - SHOWN_IDS} more" if len(known) > SHOWN_IDS else ""
    return ConfigError(f"task: got {task_id!r}, expected one of {', '.join(known[:SHOWN_IDS])}{more}")


def read_file(file: object, version: str) -> ArenaFile:
    """Read a task file by path or battery id; cached."""
    if isinstance(file, ArenaFile):
        return file
    if not isinstance(file, str | Path):
        raise ConfigError(f"config: got {file!r} in a list, expected a task file's path or an ArenaFile")
    if isinstance(file, str) and _ID.fullmatch(file) and not Path(file).exists():
        task = next(_BATTERY.glob(f"*/{file}.yaml"), None)
        if task is None:
            raise ConfigError(f"config: there is no file {file!r}, and no task of the battery has this id")
        return load(task, version)
    return load(file, version)


class Files:
    """The arenas of one or more files, one per reset, repeated endlessly.

    They are played in the order of the list and of each file; one with `randomizeArenas` is shuffled in every
    round, by a generator seeded with the run's seed, so that no arena is played twice in a row. Merged arenas
    count as the first of them. An episode's `task_id` is the arena's number in the file, or with several
    files the file's name, followed by `#k` for the arena at position k > 0.
    """

    unity: UnityRandom | None = None

    def __init__(self, files: Sequence[ArenaFile]) -> None:
        self.files = tuple(files)
        self.restart(0)

    def restart(self, seed: int) -> None:
        """Restart with a seed."""
        self._seed, self._played = seed, 0
        self._round: list[tuple[ArenaFile, int]] = []
        self._last: dict[int, int] = {}
        self._rng = np.random.default_rng(seed_words(seed))

    def next(self) -> Episode:
        """Start an episode of the next arena. Raises LayoutError, naming the file, if it cannot be built."""
        if not self._round:
            self._round = [
                (file, number) for place, file in enumerate(self.files) for number in self._order(place, file)
            ]
        return self._episode(*self._round.pop(0))

    def named(self, task_id: str) -> Episode:
        """Start an episode of an arena by its `task_id`. Raises ConfigError for an unknown one."""
        arenas = [(file, number) for file in self.files for number in file.starts]
        for file, number in arenas:
            if self._name(file, number) == task_id:
                return self._episode(file, number)
        raise unknown_task(task_id, [self._name(*each) for each in arenas])

    def _episode(self, file: ArenaFile, number: int) -> Episode:
        self._played += 1
        try:
            return Episode(
                file.arenas[number],
                task_id=self._name(file, number),
                seed=self._seed,
                trial=self._played - 1,
                unity=self.unity,
            )
        except LayoutError as error:
            raise LayoutError(f"{file.source}: arena {error}") from None

    def _order(self, place: int, file: ArenaFile) -> list[int]:
        """Return a round's order of the arenas of one file."""
        order = list(file.starts)
        if not file.randomize_arenas:
            return order
        last = self._last.get(place)
        self._rng.shuffle(order)
        while order[1:] and order[0] == last:
            self._rng.shuffle(order)
        self._last[place] = order[-1]
        return order

    def _name(self, file: ArenaFile, number: int) -> str:
        if len(self.files) == 1:
            return str(number)
        place = list(file.arenas).index(number)
        return f"{Path(file.source).stem}#{place}" if place else Path(file.source).stem


class UnityFiles(Files):
    """`Files` of Unity's chance, as played by one process of the original.

    Its generator continues through all episodes. With `randomizeArenas` the next arena of a single file is
    drawn from it (`TrainingArena.cs`): in 4.x one not played since all were, and never arena 0 at first;
    before, any other than the last.
    """

    def __init__(self, files: Sequence[ArenaFile]) -> None:
        self.unity: UnityRandom = UnityRandom()
        super().__init__(files)

    def restart(self, seed: int) -> None:
        """Restart with a seed, as a new process."""
        super().restart(seed)
        self.unity.restart(seed)
        self._forget()

    def _forget(self) -> None:
        self._round = []
        self._current: int | None = None
        self._known: list[int] = []
        self._episode_now: Episode | None = None

    def play(self, other: "UnityFiles") -> None:
        """Play other files from now on. The generator continues."""
        self.files = other.files
        self._forget()

    def resume(self, episode: Episode) -> None:
        """Continue with an equal episode and its generator, after both were pickled."""
        assert episode.chance.unity is not None
        self._episode_now, self.unity = episode, episode.chance.unity

    def next(self) -> Episode:
        """Start an episode of the next arena. Raises LayoutError, naming the file, if it cannot be built."""
        file = self.files[0]
        if self.files[1:] or not file.randomize_arenas:
            self._episode_now = super().next()
        else:
            self._current = self._drawn(file)
            self._episode_now = self._episode(file, list(file.arenas)[self._current])
        return self._episode_now

    def _drawn(self, file: ArenaFile) -> int:
        """Return the position in the file of the next arena."""
        places = range(len(file.arenas))
        if not next(iter(file.arenas.values())).version.is_4:
            if self._current is None:
                return self.unity.below(len(places) + 1) % len(places)
            others = [place for place in places if place != self._current]
        else:
            current = (self._current or 0) + (self._episode_now.merged if self._episode_now else 0)
            self._known.append(current)
            if set(places) <= set(self._known):
                self._known = [current]
            starts = [list(file.arenas).index(number) for number in file.starts]
            others = [place for place in starts if place not in self._known]
        # The original fails if there is no other arena.
        return others[self.unity.below(len(others))] if others else self._current or 0

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_episode_now": None}


class Arenas(Files):
    """Arenas by the ids of their tasks, one per reset, repeated endlessly.

    Each is an `ArenaSpec` as the plain values of JSON, so that the specification of a Gymnasium environment
    can hold it. Raises ConfigError if one is not.
    """

    def __init__(self, arenas: Mapping[str, Any]) -> None:
        try:
            specs = {name: ArenaSpec.model_validate_json(json.dumps(each)) for name, each in arenas.items()}
        except (TypeError, ValueError) as error:
            raise ConfigError(f"config: expected values of an ArenaSpec by id, got others: {error}") from None
        super().__init__([ArenaFile(arenas={0: spec}, source=name) for name, spec in specs.items()])

    def _name(self, file: ArenaFile, number: int) -> str:
        return file.source
