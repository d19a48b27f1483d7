"""The ten worlds, each drawn by its number."""

from collections.abc import Iterator

import numpy as np

from suites.boxing.environments.nature import Death, Dugongs, Location, Peregrines, PredatorPrey
from suites.boxing.environments.people import Emotions, Hyperbolic, Irt, Morals, Survival
from suites.boxing.world import World

WORLDS: dict[str, type[World]] = {
    world.name: world
    for world in (
        *(Location, Hyperbolic, Death, Irt, Dugongs),
        *(Peregrines, Survival, PredatorPrey, Emotions, Morals),
    )
}
"""Worlds by name, in the order of the paper."""


def kinds() -> Iterator[tuple[str, str]]:
    """Yield every environment with each of its goals."""
    return ((name, goal) for name, world in WORLDS.items() for goal in world.goals)


def drawn(name: str, number: int) -> tuple[World, np.random.Generator]:
    """Draw an environment's world by number, with the generator of its questions."""
    rng = np.random.default_rng([list(WORLDS).index(name), number])
    return WORLDS[name](rng), rng
