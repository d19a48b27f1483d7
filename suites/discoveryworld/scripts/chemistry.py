"""Chemistry: the mixture that removes the rust from a key, by how rusty the key still is."""

from collections.abc import Iterator
from itertools import product
from math import gcd, sqrt
from typing import NamedTuple

from suites.discoveryworld.scripts.player import Player, Stuck

Recipe = tuple[int, ...]

MOST_PARTS = 4

_GRADES = ("heavily", "moderately", "lightly", "no rust")
_LIKENESS = (0.33, 0.66, 0.99)
"""The cosine between a mixture and the right one from which on the key has the next grade.

The key never becomes more rusty.
"""

_MIXING = 2
"""Steps until what is in the jar has mixed and worked, as the task says."""


class _Trial(NamedTuple):
    recipe: Recipe
    before: int
    after: int


def chemistry(play: Player) -> None:
    """Tries each substance alone, then the simplest mixtures that agree with all trials."""
    jar, key = play.take(play.one("jar")), play.take(play.one(".*key"))
    dispensers = sorted(play.seen("Dispenser"), key=play.name)
    trials: list[_Trial] = []
    for recipe in _recipes(len(dispensers)):
        if sum(recipe) > 1 and (_grade(play, key) == len(_LIKENESS) or not _agrees(recipe, trials)):
            continue
        before = _grade(play, key)
        _try(play, jar, key, dict(zip(dispensers, recipe, strict=True)))
        trials.append(_Trial(recipe, before, _grade(play, key)))
    solved = next((trial for trial in trials if trial.after == len(_LIKENESS)), None)
    if solved is None:
        raise Stuck("no mixture removes the rust")
    parts = [f"{n} of {play.name(each)}" for each, n in zip(dispensers, solved.recipe, strict=True) if n]
    door = play.one("door")
    play.reach(door)
    play.do(f"open({play.name(door)})", f"This removes the rust: {', '.join(parts)}.")
    for _ in range(3):
        play.do("move(south)")


def _try(play: Player, jar: int, key: int, parts: dict[int, int]) -> None:
    """Mix, put the key into it, take it out, and clean the jar."""
    for dispenser, number in parts.items():
        for _ in range(number):
            play.use(dispenser, jar)
    play.put(key, jar)
    play.wait(_MIXING)
    play.do(f"take({play.name(key)})")
    play.use(play.one("bottle cleaner"), jar)


def _grade(play: Player, key: int) -> int:
    return next(k for k, word in enumerate(_GRADES) if word in play.name(key))


def _recipes(substances: int) -> Iterator[Recipe]:
    """All proportions of few parts, the simplest first."""
    every = product(range(MOST_PARTS + 1), repeat=substances)
    yield from sorted((r for r in every if sum(r) <= MOST_PARTS and gcd(*r) == 1), key=sum)


def _agrees(recipe: Recipe, trials: list[_Trial]) -> bool:
    return all(max(t.before, _grade_of(_cosine(recipe, t.recipe))) == t.after for t in trials)


def _grade_of(likeness: float) -> int:
    return sum(likeness >= bound for bound in _LIKENESS)


def _cosine(a: Recipe, b: Recipe) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True)) / sqrt(sum(x * x for x in a) * sum(y * y for y in b))
