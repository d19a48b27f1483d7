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


def information(world: World, posterior: Posterior, xs: Floats, goal: str = "prediction") -> Floats:
    """(m,): the expected information gain of designs about what a goal asks for, in nats.

    This is about all parameters, unless the goal asks for some of them.
    """
    theta, weights = posterior.particles
    signals = world.signals(theta, xs)
    if goal in world.partial:
        signals, weights = _averaged(signals, weights, world.target(goal, theta))
    return np.where(posterior.settled(xs), 0.0, world.noise.information(signals, weights))


def _averaged(signals: Floats, weights: Floats, target: Floats) -> tuple[Floats, Floats]:
    """Probabilities of 1 for each value of the target (n, values), and the weights of these values.

    The other parameters are averaged over: a mixture of coins is a coin.
    """
    values, group = np.unique(target, axis=0, return_inverse=True)
    mass, total = np.zeros(len(values)), np.zeros((len(values), signals.shape[1]))
    np.add.at(mass, group.ravel(), weights)
    np.add.at(total, group.ravel(), weights[:, None] * signals)
    return total / mass[:, None], mass


def best_design(world: World, posterior: Posterior, goal: str = "prediction") -> Floats:
    """(d,): the most informative of the world's dense designs."""
    xs = world.designs()
    return np.asarray(xs[int(information(world, posterior, xs, goal).argmax())])


def regret(
    world: World, posterior: Posterior, x: Floats, rng: np.random.Generator, goal: str = "prediction"
) -> Regret:
    """The regret of a design before it is carried out. A design better than the best of a list has none."""
    dense = world.designs()
    drawn = np.array([world.random_design(rng) for _ in range(RANDOM_DESIGNS)])
    found = information(world, posterior, np.concatenate([x[None], dense, drawn]), goal)
    own, best = float(found[0]), float(found.max())
    published = float(found[1 + len(dense) :].max()) - own
    return Regret(own, best - own, published)
