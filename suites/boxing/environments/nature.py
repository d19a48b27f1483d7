"""Natural worlds: hidden sources, an infection, sea cows, falcons, predators and prey.

Location finding: three hidden sources, and a noisy signal that falls with the distance from them. Death
process: an infection spreads among fifty. Dugongs: the length of sea cows by age. Peregrines: a population
that grows, and falls. Predator and prey: the courses of two populations.
"""

from typing import ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from suites.boxing.outcomes import Binomial, Floats, Gaussian, Poisson, Rounding
from suites.boxing.world import Field, Goal, World

BACKGROUND, NEAREST = 0.1, 1e-4
"""Signal far from all sources, and a regulariser at a source."""


class Location(World):
    """Three places theta_k ~ N(0, 1) in each of two axes. y ~ N(0.1 + sum 1 / (1e-4 + distance^2), 0.5)."""

    name = "location"
    noise = Gaussian(0.5)
    dimensions = 6
    blocks = (slice(0, 2), slice(2, 4), slice(4, 6))
    parameter_names = ("x1", "y1", "x2", "y2", "x3", "y3")
    fields = (Field("x", -100, 100), Field("y", -100, 100))
    form = "x, y"
    goals: ClassVar = {
        "prediction": Goal("clipped", "logarithmic", (12.59, 38.03), (Field("signal", -1e6, 1e6),)),
        "source": Goal(
            "sources",
            "sources",
            (1.57, 1.15385),
            tuple(Field(f"{axis} of source {k}", -100, 100) for k in (1, 2, 3) for axis in "xy"),
            asks="Where are the three points that were drawn? Write their six coordinates, point by point.",
            asks_story="Where are the three sources? Write their six coordinates, source by source.",
        ),
    }

    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """Sum inverse squares over a background."""
        total = np.full((len(theta), len(xs)), BACKGROUND)
        for k in (0, 2, 4):
            squared = (theta[:, k, None] - xs[:, 0]) ** 2 + (theta[:, k + 1, None] - xs[:, 1]) ** 2
            total += 1 / (NEAREST + squared)
        return total

    def random_design(self, rng: np.random.Generator) -> Floats:
        """Draw uniformly from -2 to 2 in both axes."""
        return np.round(rng.uniform(-2, 2, 2), 2)

    def designs(self) -> Floats:
        """List a grid of step 0.3 from -2.4 to 2.4."""
        axis = np.round(np.linspace(-2.4, 2.4, 17), 1)
        return np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)

    def question(self, rng: np.random.Generator, published: bool) -> Floats:
        """Draw from the prior of a source."""
        return np.round(rng.standard_normal(2), 2)

    def questions(
        self, rng: np.random.Generator, number: int, published: bool
    ) -> tuple[Floats, Floats, Floats]:
        """Draw questions; the truth is the noiseless signal in both modes."""
        xs, mean, _ = super().questions(rng, number, published)
        return xs, mean, mean

    def stepped(self, z: Floats, xs: Floats, rng: np.random.Generator) -> Floats:
        """Propose moves, every other time by rotation around a design. A strong signal determines the
        distance of a source from it, but not the direction."""
        moved = super().stepped(z, xs, rng)
        centre, angle = xs[rng.integers(len(xs), size=len(z))], rng.uniform(-np.pi, np.pi, len(z))
        x, y = (z - centre).T
        turned = np.stack([x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle)], 1)
        return np.where(rng.random((len(z), 1)) < 0.5, centre + turned, moved)


PEOPLE = 50

_LOW, _HIGH = float(ndtr(-1.0)), float(ndtr(1.0))


class Death(World):
    """Theta ~ N(1, 1) truncated to 0-2. Binomial(50, 1 - exp(-theta t)) are infected at time t."""

    name = "death"
    noise = Binomial(PEOPLE)
    dimensions = 1
    parameter_names = ("theta",)
    fields = (Field("time", 0, 2, open=True, start=1),)
    line = (0.01, 1.99, 2)
    form = "time"
    goals: ClassVar = {
        "prediction": Goal(
            "squared",
            "squared",
            (222.2998, 189.7685),
            (Field("number", 0, PEOPLE),),
            lost="Respond with a positive integer.",
        ),
        "infection": Goal(
            "squared",
            "squared",
            (0.29028, 1.75699),
            (Field("rate", 0, 1e6),),
            asks="What is theta, if the mean outcome at t is 50 (1 - exp(-theta t))?",
            asks_story="What is the rate of infection, the number of infections per healthy person and "
            "unit of time?",
            lost="Respond with a positive number.",
        ),
    }

    def parameters(self, z: Floats) -> Floats:
        """Return the rate."""
        return np.asarray(1 + ndtri(_LOW + (_HIGH - _LOW) * ndtr(z)))

    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """Compute the probability of being infected."""
        return -np.expm1(-np.maximum(theta, 0.0) * xs[:, 0])

    def grid(self) -> tuple[Floats, Floats]:
        """List the middles of 200 equal steps."""
        theta = (np.arange(200) + 0.5) / 100
        weights = np.exp(-0.5 * (theta - 1) ** 2)
        return theta[:, None], weights / weights.sum()

    def designs(self) -> Floats:
        """List designs in steps of 0.02."""
        return np.round(np.arange(1, 100)[:, None] * 0.02, 2)


class _OverTime(World):
    """Worlds with an age or a time from 0 to 5 as design."""

    line = (0, 5, 2)

    def designs(self) -> Floats:
        """List designs in steps of 0.05."""
        return np.round(np.arange(101)[:, None] * 0.05, 2)


class Dugongs(_OverTime):
    """Dugongs: lengths with alpha ~ N(2, 0.2), beta ~ N(1.5, 0.5), lambda ~ N(0.4, 0.5). y is the absolute
    value of N(alpha - beta |lambda|^age, 0.25)."""

    name = "dugongs"
    noise = Gaussian(0.25, folded=True)
    dimensions = 3
    parameter_names = ("alpha", "beta", "lambda")
    fields = (Field("age", 0, 5, start=1),)
    form = "age"
    goals: ClassVar = {
        "prediction": Goal("squared", "logarithmic", (0.90587, 9.23419), (Field("length", -1e6, 1e6),))
    }

    def parameters(self, z: Floats) -> Floats:
        """Return alpha, beta, and the absolute value of lambda, which alone matters."""
        return np.stack([2 + 0.2 * z[:, 0], 1.5 + 0.5 * z[:, 1], np.abs(0.4 + 0.5 * z[:, 2])], axis=1)

    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """Compute the mean length before its sign is lost."""
        alpha, beta, rate = theta.T[..., None]
        return np.asarray(alpha - beta * rate ** xs[:, 0])

    def grid(self) -> tuple[Floats, Floats]:
        """List 25 x 41 x 49 points, denser than a typical posterior. Their distance is at most the width of
        the posterior of ten experiments."""
        a, b = np.linspace(-4.5, 4.5, 25), np.linspace(-4.5, 4.5, 41)
        rate = (np.arange(49) + 0.5) * 0.055
        density = sum(np.exp(-0.5 * ((sign * rate - 0.4) / 0.5) ** 2) for sign in (1, -1))
        weights = np.exp(-0.5 * a[:, None, None] ** 2 - 0.5 * b[:, None] ** 2) * density
        axes = np.meshgrid(2 + 0.2 * a, 1.5 + 0.5 * b, rate, indexing="ij")
        return np.stack(axes, axis=-1).reshape(-1, 3), weights.ravel() / weights.sum()

    def question(self, rng: np.random.Generator, published: bool) -> Floats:
        """Draw four times Beta(2, 5)."""
        return np.array([round(4 * rng.beta(2, 5), 2)])


class Peregrines(_OverTime):
    """Peregrines: Poisson counts with a cubic logarithm of the mean.

    The mean is exp(alpha + b1 t + b2 t^2 + b3 t^3), with alpha ~ N(4.5, 0.1), b1 ~ N(1.2, 0.1), b2 ~ N(0.07,
    0.01), b3 ~ N(-0.24, 0.05).
    """

    name = "peregrines"
    noise = Poisson()
    dimensions = 4
    means, sds = np.array([4.5, 1.2, 0.07, -0.24]), np.array([0.1, 0.1, 0.01, 0.05])
    parameter_names = ("alpha", "b1", "b2", "b3")
    fields = (Field("time", 0, 5, start=1),)
    form = "time"
    goals: ClassVar = {
        "prediction": Goal("squared", "logarithmic", (10991.5464, 15725.1157), (Field("count", 0, 1e9),))
    }

    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """Compute the logarithm of the mean."""
        a, b1, b2, b3 = theta.T[..., None]
        t = xs[:, 0]
        return np.asarray(a + t * (b1 + t * (b2 + t * b3)))

    def question(self, rng: np.random.Generator, published: bool) -> Floats:
        """Draw four times Beta(2, 5), to one decimal."""
        return np.array([round(4 * rng.beta(2, 5), 1)])


START = np.log([40.0, 9.0])
END, STEP = 50.0, 0.25

_THIRD = 1 / (2 - 2 ** (1 / 3))
_SUBSTEPS = tuple(STEP * part for part in (_THIRD, 1 - 2 * _THIRD, _THIRD))
"""Three second-order steps that form one of fourth order (Forest and Ruth 1990)."""


class PredatorPrey(World):
    """Predators and prey: Lotka-Volterra populations from 40 prey and 9 predators, rounded.

    x' = alpha x - beta x y, y' = -gamma y + delta x y with alpha ~ N(0.1, 0.01), beta ~ N(0.02, 0.01), gamma
    ~ N(0.4, 0.04), delta ~ N(0.01, 0.001), all positive.
    """

    name = "predator-prey"
    noise = Rounding()
    dimensions = 4
    means, sds = np.array([0.1, 0.02, 0.4, 0.01]), np.array([0.01, 0.01, 0.04, 0.001])
    parameter_names = ("alpha", "beta", "gamma", "delta")
    fields = (Field("time", 0, END, start=10),)
    line = (0, END, 1)
    form = "time"
    goals: ClassVar = {
        "prediction": Goal(
            "absolute",
            "logarithmic",
            (8.32745, 17.54829),
            (Field("prey", 0, 1e9), Field("predators", 0, 1e9)),
        )
    }

    def parameters(self, z: Floats) -> Floats:
        """Truncate normal parameters at 0: predators cannot feed their prey."""
        cut = ndtr(-self.means / self.sds)
        return np.asarray(self.means + self.sds * ndtri(cut + (1 - cut) * ndtr(z)))

    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """Interpolate both populations between steps by cubic Hermite polynomials."""
        times = xs[:, 0]
        number = int(np.ceil(times.max() / STEP)) if len(times) else 0
        path = trajectories(theta, max(number, 1))
        below = np.minimum((times / STEP).astype(int), len(path) - 2)
        t = (times / STEP - below)[:, None, None]
        one, two = path[below], path[below + 1]
        first, second = STEP * slopes(theta, one), STEP * slopes(theta, two)
        found = one * (1 + 2 * t) * (1 - t) ** 2 + first * t * (1 - t) ** 2
        found = found + two * t**2 * (3 - 2 * t) - second * t**2 * (1 - t)
        return np.asarray(np.exp(np.clip(found, -50, 50)).transpose(2, 0, 1))

    def designs(self) -> Floats:
        """List designs in steps of 0.5."""
        return np.linspace(0, END, 101)[:, None]

    def question(self, rng: np.random.Generator, published: bool) -> Floats:
        """Draw any time; as published four times Beta(2, 5). The published times are within the first of 50
        units."""
        return np.array([round(4 * rng.beta(2, 5), 1)]) if published else self.random_design(rng)


def trajectories(theta: Floats, steps: int) -> Floats:
    """Integrate logarithms of both populations at every step, (steps + 1, 2, n).

    In logarithms the equations have a potential for each population, so that a symplectic scheme keeps them
    bounded for any parameters.
    """
    alpha, beta, gamma, delta = theta.T
    path = np.empty((steps + 1, 2, len(theta)))
    path[0] = START[:, None]
    u, v = path[0].copy()
    for k in range(1, steps + 1):
        for part in _SUBSTEPS:
            u += 0.5 * part * (alpha - beta * np.exp(v))
            v += part * (delta * np.exp(u) - gamma)
            u += 0.5 * part * (alpha - beta * np.exp(v))
        path[k] = u, v
    return path


def slopes(theta: Floats, logs: Floats) -> Floats:
    """Compute the derivatives of logarithms (..., 2, n)."""
    alpha, beta, gamma, delta = theta.T
    prey, predators = np.exp(np.clip(logs[..., 0, :], -50, 50)), np.exp(np.clip(logs[..., 1, :], -50, 50))
    return np.asarray(np.stack([alpha - beta * predators, delta * prey - gamma], axis=-2), np.float64)
