"""Posteriors of a world's parameters, and expected information of experiments.

Posteriors are exact on a grid, or by tempered particles. The regret of a design is the expected information
that the most informative one gives in addition.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import solve_triangular

from suites.boxing.outcomes import Floats
from suites.boxing.world import World

Bools = npt.NDArray[np.bool_]

PARTICLES = 2000
"""Particles of a posterior without a grid, or representing a large grid."""

MOVES = 3
"""Times that particles are moved after each step of the temperature."""


class Posterior(ABC):
    """Parameters and their weights, which change with every observation."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._xs: list[Floats] = []
        self._ys: list[Floats] = []

    def observe(self, x: Floats, y: Floats) -> None:
        """Add the outcome (values,) of a design (d,). A repeated design of fixed outcome adds nothing."""
        if not self.settled(x[None])[0]:
            self._xs.append(x)
            self._ys.append(y)
            self._update()

    def settled(self, xs: Floats) -> Bools:
        """Find designs with known outcomes (m,): seen and fixed."""
        seen = np.array(self._xs).reshape(-1, 1, xs.shape[1])
        return np.asarray((seen == xs).all(axis=2).any(axis=0) & self._world.fixed)

    @abstractmethod
    def _update(self) -> None:
        """Add the last outcome."""

    @property
    @abstractmethod
    def cloud(self) -> tuple[Floats, Floats]:
        """Return parameters (n, k) and their weights (n,), which sum to 1."""

    @property
    def particles(self) -> tuple[Floats, Floats]:
        """Return a smaller sample of the cloud, if it is large."""
        return self.cloud


def posterior_of(world: World, rng: np.random.Generator, particles: int = PARTICLES) -> Posterior:
    """Create a world's posterior before any experiment; randomness is from `rng`."""
    grid, parts = world.grid(), world.parts()
    if grid is not None:
        return Grid(world, *grid)
    if parts:
        own = zip(parts, rng.spawn(len(parts)), strict=True)
        return Product(world, [Particles(part, each, particles) for part, each in own])
    return Particles(world, rng, particles)


class Grid(Posterior):
    """Points of the parameters' space with their probabilities."""

    def __init__(self, world: World, theta: Floats, weights: Floats) -> None:
        super().__init__(world)
        self._theta = theta
        self._log_weights = np.log(np.maximum(weights, 1e-300))

    def _update(self) -> None:
        x, y = self._xs[-1], self._ys[-1]
        self._log_weights = self._log_weights + self._world.loglik(self._theta, x[None], y[None])[:, 0]

    @property
    def cloud(self) -> tuple[Floats, Floats]:
        """Return all points that are not negligible."""
        weights = np.exp(self._log_weights - self._log_weights.max())
        kept = weights > 1e-9
        return self._theta[kept], weights[kept] / weights[kept].sum()

    @property
    def particles(self) -> tuple[Floats, Floats]:
        """Return the points, or equally weighted particles of a large grid."""
        theta, weights = self.cloud
        if len(self._theta) < 12_000:
            return theta, weights
        return theta[systematic(weights, PARTICLES, 0.5)], np.full(PARTICLES, 1 / PARTICLES)


class Particles(Posterior):
    """Sequential Monte Carlo sampler over the parameters' standard normal numbers.

    A new outcome is added by steps of its likelihood's exponent, each of which leaves an effective number of
    half the particles. After each step particles are drawn by their weights and moved by Metropolis steps
    that keep the present posterior invariant; the proposals are those of Crank and Nicolson around the
    particles' own mean and covariance, of a random length.
    """

    def __init__(self, world: World, rng: np.random.Generator, number: int) -> None:
        super().__init__(world)
        self._rng, self._number = rng, number
        self._z = rng.standard_normal((number, world.dimensions))

    def _update(self) -> None:
        terms, reached = self._terms(self._z), 0.0
        while reached < 1:
            step = _next_step(terms[:, -1], 1 - reached)
            weights = np.exp(step * (terms[:, -1] - terms[:, -1].max()))
            chosen = systematic(weights / weights.sum(), self._number, float(self._rng.random()))
            reached = 1.0 if reached + step > 1 - 1e-9 else reached + step
            self._z, terms = self._moved(self._z[chosen], terms[chosen], reached)

    @property
    def cloud(self) -> tuple[Floats, Floats]:
        """Return all particles, with equal weights."""
        return self._world.parameters(self._z), np.full(self._number, 1 / self._number)

    def _terms(self, z: Floats) -> Floats:
        """Compute the log-likelihood of each outcome, (n, m)."""
        return self._world.loglik(self._world.parameters(z), np.array(self._xs), np.array(self._ys))

    def _moved(self, z: Floats, terms: Floats, exponent: float) -> tuple[Floats, Floats]:
        blocks = self._world.blocks
        powers = np.append(np.ones(terms.shape[1] - 1), exponent)
        mean = z.mean(axis=0)
        covariance = np.cov(z.T).reshape(z.shape[1], -1) + 1e-9 * np.eye(z.shape[1])
        root = np.linalg.cholesky(covariance)

        def normal(z: Floats) -> Floats:
            """Compute the log-density that the first proposals keep invariant."""
            return np.asarray(-0.5 * (solve_triangular(root, (z - mean).T, lower=True) ** 2).sum(axis=0))

        def log_ratio(z: Floats, terms: Floats) -> Floats:
            """Compute the log-ratio of the posterior to that distribution."""
            return np.asarray(terms @ powers - 0.5 * (z**2).sum(axis=1) - normal(z))

        now = log_ratio(z, terms)
        # Six more for each block of a world that has some, by local proposals.
        for move in range(MOVES + 6 * len(blocks)):
            local = move >= MOVES
            if local:
                proposed, block = z.copy(), blocks[move % len(blocks)]
                proposed[:, block] = self._world.stepped(z[:, block], np.array(self._xs), self._rng)
            else:
                length = 10 ** self._rng.uniform(-1.3, 0, (len(z), 1))
                noise = self._rng.standard_normal(z.shape) @ root.T
                proposed = mean + np.sqrt(1 - length**2) * (z - mean) + length * noise
            proposed_terms = self._terms(proposed)
            after = log_ratio(proposed, proposed_terms)
            # A local proposal is symmetric: for it the posterior alone counts.
            gain = after - now + (normal(proposed) - normal(z) if local else 0.0)
            taken = np.log(self._rng.random(len(z))) < gain
            z, terms = np.where(taken[:, None], proposed, z), np.where(taken[:, None], proposed_terms, terms)
            now = np.where(taken, after, now)
        return z, terms


class Product(Posterior):
    """Independent posteriors of parts, one for each value of an outcome."""

    def __init__(self, world: World, parts: Sequence[Particles]) -> None:
        super().__init__(world)
        self._parts = parts

    def _update(self) -> None:
        for part, y in zip(self._parts, self._ys[-1], strict=True):
            part.observe(self._xs[-1], y[None])

    @property
    def cloud(self) -> tuple[Floats, Floats]:
        """Return all particles of the parts, joined, with equal weights."""
        clouds = [part.cloud for part in self._parts]
        return np.concatenate([theta for theta, _ in clouds], axis=1), clouds[0][1]


def _next_step(loglik: Floats, longest: float) -> float:
    """Find the longest exponent step that keeps half the effective particles."""

    def effective(step: float) -> float:
        weights = np.exp(step * (loglik - loglik.max()))
        return float(weights.sum() ** 2 / (weights**2).sum())

    if effective(longest) >= len(loglik) / 2:
        return longest
    low, high = 0.0, longest
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if effective(middle) >= len(loglik) / 2 else (low, middle)
    return max(low, 1e-12)


def systematic(weights: Floats, number: int, offset: float) -> npt.NDArray[np.intp]:
    """Draw particles (number,) by weights at equal distances, from an offset in [0, 1)."""
    places = (np.arange(number) + offset) / number
    return np.minimum(np.searchsorted(np.cumsum(weights), places), len(weights) - 1)


class Regret(NamedTuple):
    """Information of an experiment, in nats, and of better ones in addition.

    `regret`: the best of all designs; `published`: the best of 100 random ones.
    """

    information: float
    regret: float
    published: float


def information(world: World, posterior: Posterior, xs: Floats, goal: str = "prediction") -> Floats:
    """Compute designs' expected information gain (m,) about a goal, in nats. This is about all parameters,
    unless the goal asks for some of them."""
    theta, weights = posterior.particles
    signals = world.signals(theta, xs)
    if goal in world.partial:
        signals, weights = _averaged(signals, weights, world.target(goal, theta))
    return np.where(posterior.settled(xs), 0.0, world.noise.information(signals, weights))


def _averaged(signals: Floats, weights: Floats, target: Floats) -> tuple[Floats, Floats]:
    """Average coins over parameters other than the target. Returns probabilities of 1 for each value of the
    target (n, values), and the weights of these values: a mixture of coins is a coin."""
    values, group = np.unique(target, axis=0, return_inverse=True)
    mass, total = np.zeros(len(values)), np.zeros((len(values), signals.shape[1]))
    np.add.at(mass, group.ravel(), weights)
    np.add.at(total, group.ravel(), weights[:, None] * signals)
    return total / mass[:, None], mass


def best_design(world: World, posterior: Posterior, goal: str = "prediction") -> Floats:
    """Find the most informative of the world's dense designs, (d,)."""
    xs = world.designs()
    return np.asarray(xs[int(information(world, posterior, xs, goal).argmax())])


def regret(
    world: World, posterior: Posterior, x: Floats, rng: np.random.Generator, goal: str = "prediction"
) -> Regret:
    """Compute a design's regret in advance; it is never negative. A design better than the best of a list has
    none."""
    dense = world.designs()
    drawn = np.array([world.random_design(rng) for _ in range(100)])
    found = information(world, posterior, np.concatenate([x[None], dense, drawn]), goal)
    own, best = float(found[0]), float(found.max())
    return Regret(own, best - own, float(found[1 + len(dense) :].max()) - own)
