"""How much an experiment is expected to say: expected information gain, the best design, and regret."""

from typing import NamedTuple

import numpy as np

from suites.boxing.outcomes import Floats
from suites.boxing.posterior import Posterior
from suites.boxing.world import World

RANDOM_DESIGNS = 100
"""Designs that the paper takes the best of."""


class Regret(NamedTuple):
    """Information of an experiment, in nats, and what better ones are expected to say beyond it.

    `regret`: the best of all designs; `published`: the best of 100 random ones.
    """

    information: float
    regret: float
    published: float


def information(world: World, posterior: Posterior, xs: Floats) -> Floats:
    """(m,): the expected information gain of designs about the parameters, in nats."""
    theta, weights = posterior.particles
    found = world.noise.information(world.signals(theta, xs), weights)
    return np.where(posterior.settled(xs), 0.0, found)


def best_design(world: World, posterior: Posterior) -> Floats:
    """(d,): the most informative of the world's dense designs."""
    xs = world.designs()
    return np.asarray(xs[int(information(world, posterior, xs).argmax())])


def regret(world: World, posterior: Posterior, x: Floats, rng: np.random.Generator) -> Regret:
    """The regret of a design before it is carried out. A design better than the best of a list has none."""
    dense = world.designs()
    drawn = np.array([world.random_design(rng) for _ in range(RANDOM_DESIGNS)])
    found = information(world, posterior, np.concatenate([x[None], dense, drawn]))
    own, best = float(found[0]), float(found.max())
    published = float(found[1 + len(dense) :].max()) - own
    return Regret(own, best - own, published)
