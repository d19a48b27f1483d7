"""Which arena of a file each reset plays."""

import numpy as np

from arena.config import ArenaFile
from arena.episode import Episode
from arena.versions import DIFFERENCES


class Sequence:
    """The arenas of a file, one per reset, wrapping around.

    In file order; in version 4 a file with `randomizeArenas` is shuffled anew for every round, by a generator
    seeded with the run's seed (section 6.6 of the behaviour specification).
    """

    def __init__(self, file: ArenaFile) -> None:
        self._file = file
        self._seed = 0
        self._played = 0
        self._round: list[int] = []

    def restart(self, seed: int) -> None:
        """Begin again with another seed."""
        self._seed, self._played, self._round = seed, 0, []
        self._rng = np.random.default_rng([abs(seed), int(seed < 0)])

    def next(self) -> Episode:
        """A new episode of the next arena; its `task_id` is the arena's id."""
        if not self._round:
            self._round = list(self._file.arenas)
            first = self._file.arenas[self._round[0]]
            if self._file.randomize_arenas and DIFFERENCES[first.version].arenas_shuffled:
                self._rng.shuffle(self._round)
        arena_id = self._round.pop(0)
        episode = Episode(
            self._file.arenas[arena_id], task_id=str(arena_id), seed=self._seed, trial=self._played
        )
        self._played += 1
        return episode
