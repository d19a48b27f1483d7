"""Dugongs, how long are sea cows of an age? and peregrines, a population that grows, and falls."""

from typing import ClassVar

import numpy as np

from suites.boxing.outcomes import Floats, Gaussian, Poisson
from suites.boxing.world import Field, Goal, Words, World


class _OverTime(World):
    """An age or a time from 0 to 5 is chosen."""

    line = (0, 5, 2)

    def designs(self) -> Floats:
        """Every 0.05."""
        return np.round(np.arange(101)[:, None] * 0.05, 2)


class Dugongs(_OverTime):
    """alpha ~ N(2, 0.2), beta ~ N(1.5, 0.5), lambda ~ N(0.4, 0.5);
    y is the absolute value of N(alpha - beta |lambda|^age, 0.25)."""

    name = "dugongs"
    noise = Gaussian(0.25, folded=True)
    dimensions = 3
    parameter_names = ("alpha", "beta", "lambda")
    fields = (Field("age", 0, 5, start=1),)
    form = "age"
    goals: ClassVar = {
        "prediction": Goal("squared", "logarithmic", (0.90587, 9.23419), (Field("length", -1e6, 1e6),))
    }
    words = Words("A dugong of age {x[0]} was {y[0]} long.", "How long is a dugong of age {x[0]}?")
    equations = words._replace(question="How long is a dugong of age {x[0]}, on average?")

    def parameters(self, z: Floats) -> Floats:
        """alpha, beta, and the absolute value of lambda, which alone matters."""
        return np.stack([2 + 0.2 * z[:, 0], 1.5 + 0.5 * z[:, 1], np.abs(0.4 + 0.5 * z[:, 2])], axis=1)

    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """The mean length before its sign is lost."""
        alpha, beta, rate = theta.T[..., None]
        return np.asarray(alpha - beta * rate ** xs[:, 0])

    def grid(self) -> tuple[Floats, Floats]:
        """25 x 41 x 49 points, no further apart than the posterior of ten experiments is wide."""
        a, b = np.linspace(-4.5, 4.5, 25), np.linspace(-4.5, 4.5, 41)
        rate = (np.arange(49) + 0.5) * 0.055
        density = sum(np.exp(-0.5 * ((sign * rate - 0.4) / 0.5) ** 2) for sign in (1, -1))
        weights = np.exp(-0.5 * a[:, None, None] ** 2 - 0.5 * b[:, None] ** 2) * density
        axes = np.meshgrid(2 + 0.2 * a, 1.5 + 0.5 * b, rate, indexing="ij")
        return np.stack(axes, axis=-1).reshape(-1, 3), weights.ravel() / weights.sum()

    def question(self, rng: np.random.Generator, published: bool) -> Floats:
        """Four times Beta(2, 5)."""
        return np.array([round(4 * rng.beta(2, 5), 2)])


class Peregrines(_OverTime):
    """Poisson of mean exp(alpha + b1 t + b2 t^2 + b3 t^3), with alpha ~ N(4.5, 0.1), b1 ~ N(1.2, 0.1),
    b2 ~ N(0.07, 0.01), b3 ~ N(-0.24, 0.05)."""

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
    words = Words(
        "At time {x[0]} there were {y[0]} peregrines.", "How many peregrines are there at time {x[0]}?"
    )

    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """The logarithm of the mean."""
        a, b1, b2, b3 = theta.T[..., None]
        t = xs[:, 0]
        return np.asarray(a + t * (b1 + t * (b2 + t * b3)))

    def question(self, rng: np.random.Generator, published: bool) -> Floats:
        """Four times Beta(2, 5), to one decimal."""
        return np.array([round(4 * rng.beta(2, 5), 1)])
