"""Predator and prey: two populations, and what becomes of them."""

from typing import ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from suites.boxing.outcomes import Floats, Rounding
from suites.boxing.world import Field, Goal, Words, World

MEAN = np.array([0.1, 0.02, 0.4, 0.01])
SD = np.array([0.01, 0.01, 0.04, 0.001])

START = np.log([40.0, 9.0])
END, STEP = 50.0, 0.25

_THIRD = 1 / (2 - 2 ** (1 / 3))
_SUBSTEPS = tuple(STEP * part for part in (_THIRD, 1 - 2 * _THIRD, _THIRD))
"""Three steps of second order that make one of fourth (Forest and Ruth 1990)."""


class PredatorPrey(World):
    """x' = alpha x - beta x y, y' = -gamma y + delta x y from 40 prey and 9 predators, rounded, with
    alpha ~ N(0.1, 0.01), beta ~ N(0.02, 0.01), gamma ~ N(0.4, 0.04), delta ~ N(0.01, 0.001), all positive."""

    name = "predator-prey"
    noise = Rounding()
    dimensions = 4
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
    words = Words(
        "At time {x[0]} there were {y[0]} prey and {y[1]} predators.",
        "How many prey and how many predators are there at time {x[0]}?",
    )
    plain = Words("For {x[0]} the outputs were {y[0]} and {y[1]}.", "What are the two outputs for {x[0]}?")

    def parameters(self, z: Floats) -> Floats:
        """Normal, cut off at 0: a negative beta would make predators feed their prey."""
        cut = ndtr(-MEAN / SD)
        return np.asarray(MEAN + SD * ndtri(cut + (1 - cut) * ndtr(z)))

    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """Both populations, between steps by cubics that have the slopes at both ends."""
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
        """Every 0.5."""
        return np.linspace(0, END, 101)[:, None]

    def question(self, rng: np.random.Generator, published: bool) -> Floats:
        """Any time; as published four times Beta(2, 5), the first of 50 units."""
        return np.array([round(4 * rng.beta(2, 5), 1)]) if published else self.random_design(rng)


def trajectories(theta: Floats, steps: int) -> Floats:
    """(steps + 1, 2, n): logarithms of both populations at every step.

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
    """The derivatives of logarithms (..., 2, n)."""
    alpha, beta, gamma, delta = theta.T
    prey, predators = np.exp(np.clip(logs[..., 0, :], -50, 50)), np.exp(np.clip(logs[..., 1, :], -50, 50))
    return np.asarray(np.stack([alpha - beta * predators, delta * prey - gamma], axis=-2), np.float64)
