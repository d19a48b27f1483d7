"""Peregrines: a population that grows, and falls."""

from typing import ClassVar

import numpy as np

from suites.boxing.outcomes import Floats, Poisson
from suites.boxing.world import Field, Goal, Words, World


class Peregrines(World):
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

    def random_design(self, rng: np.random.Generator) -> Floats:
        """Uniform."""
        return np.array([round(rng.uniform(0, 5), 2)])

    def designs(self) -> Floats:
        """Every 0.05."""
        return np.round(np.arange(101)[:, None] * 0.05, 2)

    def question(self, rng: np.random.Generator, published: bool) -> Floats:
        """Four times Beta(2, 5), to one decimal."""
        return np.array([round(4 * rng.beta(2, 5), 1)])
