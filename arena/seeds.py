"""Random generators from seeds, and the random choices of an episode.

Choices are made by numpy's generator, or by Unity's in the order of the original's calls.
`UnityEngine.Random` is a xorshift128 generator, `System.Random` Knuth's subtractive one; both were checked
against published outputs. The order of calls is that of `ArenaBuilders.cs`, `Prefab.cs`, `TrainingAgent.cs`
and their relatives in github.com/Kinds-of-Intelligence-CFI/animal-ai-unity, at a2ca755 for version 4,
6bb7f59 for 4.1, and 4cfeca1 for 3.1.3.
"""

import hashlib
from collections.abc import Sequence
from itertools import accumulate
from typing import Literal

import numpy as np


def seed_words(seed: int) -> list[int]:
    """Return a seed, also a negative one, as words for NumPy."""
    return [abs(seed), int(seed < 0)]


def episode_rng(seed: int, task_id: str, trial: int) -> np.random.Generator:
    """Return an episode's random generator. The same three values give the same bits everywhere."""
    words = np.frombuffer(hashlib.sha256(task_id.encode()).digest(), dtype="<u4").tolist()
    return np.random.default_rng([*seed_words(seed), trial, *words])


ChanceName = Literal["own", "unity", "unity!equal", "unity!button", "unity!equal!button"]
"""Values of a `chance`.

`unity` rests on two assumptions that the original's source does not decide: that a range with equal ends
takes a draw, and that buttons before 4.2 find random places; `!equal` and `!button` reverse them.
"""

UnityState = tuple[int, int, int, int]
"""The four words of a `UnityRandom`, each of 32 bits."""

_WORD = 0xFFFFFFFF
_FRACTION = 0x7FFFFF
"""Mask of an output's lower 23 bits, which make a fraction."""


class UnityRandom:
    """Unity's generator `UnityEngine.Random`. A process of Unity has one."""

    def __init__(self, seed: int = 0) -> None:
        self.restart(seed)

    @classmethod
    def at(cls, state: UnityState) -> "UnityRandom":
        """Return the generator in a state."""
        made = cls()
        made.state = state
        return made

    def restart(self, seed: int) -> None:
        """Restart as `InitState` does. A seed counts modulo 2^32."""
        words = [seed & _WORD]
        for _ in range(3):
            words.append((words[-1] * 1812433253 + 1) & _WORD)
        self.state: UnityState = (words[0], words[1], words[2], words[3])

    def next(self) -> int:
        """Return the next output, 0 to 2^32 - 1."""
        x, y, z, w = self.state
        mixed = (x ^ (x << 11)) & _WORD
        drawn = w ^ (w >> 19) ^ mixed ^ (mixed >> 8)
        self.state = (y, z, w, drawn)
        return drawn

    def below(self, count: int) -> int:
        """Return a whole number from 0 to `count` - 1. It uses all bits of an output."""
        return self.next() % count

    def uniform(self, low: float, high: float) -> float:
        """Return a single-precision number from `high` down to `low`, both included."""
        share = np.float32(self.next() & _FRACTION) / np.float32(_FRACTION)
        return float(np.float32(low) * share + (np.float32(1) - share) * np.float32(high))


class NetRandom:
    """.NET's generator `System.Random`."""

    _MOST = 2147483647

    def __init__(self, seed: int) -> None:
        table = [0] * 56
        table[55] = last = 161803398 - abs(seed)
        following = 1
        for place in range(1, 55):
            table[21 * place % 55] = following
            last, following = following, (last - following) % self._MOST
        for _ in range(4):
            for place in range(1, 56):
                table[place] = (table[place] - table[1 + (place + 30) % 55]) % self._MOST
        self._table, self._drawn = table, 0

    def random(self) -> float:
        """Return a number from 0 to below 1."""
        self._drawn += 1
        here, there = ((self._drawn + ahead - 1) % 55 + 1 for ahead in (0, 21))
        self._table[here] = (self._table[here] - self._table[there]) % self._MOST
        return self._table[here] / self._MOST


class Chance:
    """Random choices of an episode, made by a NumPy generator, `rng`."""

    unity: UnityRandom | None = None
    buttons_find = True
    """True if the rewards of buttons before 4.2 may have random places."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """Return a number between two others."""
        return self.rng.uniform(low, high)

    def unseen(self, low: float, high: float) -> float:
        """Return `uniform` for a number without influence. `low` here, as only Unity draws it."""
        return low

    def below(self, count: int) -> int:
        """Return a whole number from 0 to `count` - 1."""
        return int(self.rng.integers(count))

    def skin(self, count: int) -> int:
        """Return the number of an agent's skin. It has a generator of its own."""
        return int(self.rng.spawn(1)[0].integers(count))

    def happens(self, probability: float, by_value: bool = False) -> bool:
        """Return whether something of a probability happens. `by_value` selects Unity's property `value`."""
        return self.rng.uniform() < probability

    def pick(self, weights: Sequence[float]) -> int:
        """Return an index drawn by weight."""
        return int(self.rng.choice(len(weights), p=np.array(weights) / sum(weights)))

    def restart(self, seed: int) -> None:
        """Restart Unity's generator after a build, for a `randomSeed` other than 0."""


class UnityChance(Chance):
    """Random choices of an episode, made by Unity's generator. Pixels of a sign, which Unity takes from the
    clock, are still NumPy's. `kind` is the arena's `chance`."""

    def __init__(self, rng: np.random.Generator, unity: UnityRandom, kind: str = "unity") -> None:
        super().__init__(rng)
        self.unity: UnityRandom = unity
        self._equal_draws, self.buttons_find = "!equal" not in kind, "!button" not in kind

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """Return a number between two others."""
        return self.unity.uniform(low, high) if self._equal_draws or low != high else low

    unseen = uniform

    def below(self, count: int) -> int:
        """Return a whole number from 0 to `count` - 1."""
        return self.unity.below(count)

    skin = below

    def happens(self, probability: float, by_value: bool = False) -> bool:
        """Return whether a drawn number is at most the probability. For 1 only `value` is drawn."""
        if by_value:
            return self.uniform(1.0, 0.0) <= probability
        return probability == 1 or self.uniform() <= probability

    def pick(self, weights: Sequence[float]) -> int:
        """Return the first index whose cumulated weight reaches a drawn number."""
        sums = list(accumulate(weights))
        drawn = self.uniform(0.0, sums[-1])
        return next((index for index, limit in enumerate(sums) if drawn <= limit), len(sums) - 1)

    def restart(self, seed: int) -> None:
        """Restart Unity's generator; 0 lets it continue."""
        if seed:
            self.unity.restart(seed)


def chance_of(kind: str, seed: int, task_id: str, trial: int, unity: UnityRandom | None = None) -> Chance:
    """Return the random choices of an arena's episode, by its `chance`. Unity's are those of a new process
    with the seed `seed` + `trial`, or continue from the generator `unity`."""
    rng = episode_rng(seed, task_id, trial)
    if kind == "own":
        return Chance(rng)
    return UnityChance(rng, unity or UnityRandom(seed + trial), kind)
