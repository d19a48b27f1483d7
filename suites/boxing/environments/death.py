"""Death process: an infection spreads among fifty."""

from typing import ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from suites.boxing.outcomes import Binomial, Floats
from suites.boxing.world import Field, Goal, Words, World

PEOPLE = 50

_LOW, _HIGH = float(ndtr(-1.0)), float(ndtr(1.0))


class Death(World):
    """theta ~ N(1, 1) truncated to 0 to 2; Binomial(50, 1 - exp(-theta t)) are infected at time t."""

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
    words = Words(
        "At time {x[0]}, {y[0]} of 50 were infected.",
        "How many of the 50 people are infected at time {x[0]}?",
    )
    equations = words._replace(question="How many of 50 are infected at time {x[0]}, on average?")

    def parameters(self, z: Floats) -> Floats:
        """The rate."""
        return np.asarray(1 + ndtri(_LOW + (_HIGH - _LOW) * ndtr(z)))

    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """The probability of being infected."""
        return -np.expm1(-np.maximum(theta, 0.0) * xs[:, 0])

    def grid(self) -> tuple[Floats, Floats]:
        """The middles of 200 equal steps."""
        theta = (np.arange(200) + 0.5) / 100
        weights = np.exp(-0.5 * (theta - 1) ** 2)
        return theta[:, None], weights / weights.sum()

    def designs(self) -> Floats:
        """Every 0.02."""
        return np.round(np.arange(1, 100)[:, None] * 0.02, 2)
