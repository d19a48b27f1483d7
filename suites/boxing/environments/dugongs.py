"""Dugongs: how long are sea cows of an age?"""

from typing import ClassVar

import numpy as np

from suites.boxing.outcomes import Floats, Gaussian
from suites.boxing.world import Field, Goal, Words, World


class Dugongs(World):
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

    def random_design(self, rng: np.random.Generator) -> Floats:
        """Uniform."""
        return np.array([round(rng.uniform(0, 5), 2)])

    def designs(self) -> Floats:
        """Every 0.05."""
        return np.round(np.arange(101)[:, None] * 0.05, 2)

    def question(self, rng: np.random.Generator, published: bool) -> Floats:
        """Four times Beta(2, 5)."""
        return np.array([round(4 * rng.beta(2, 5), 2)])
