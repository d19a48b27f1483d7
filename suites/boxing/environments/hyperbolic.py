"""Hyperbolic discounting: money now, or more of it later."""

from typing import ClassVar

import numpy as np
from scipy.special import ndtr

from suites.boxing.outcomes import Bernoulli, Floats
from suites.boxing.world import Field, Goal, Words, World, WrongReplyError, half_normal_quantiles

SLIP = 0.01
"""Probability of either choice whatever is offered."""

_MOST = 10_000


class Hyperbolic(World):
    """log k ~ N(-4.25, 0.5), alpha ~ half-normal of scale 2; the later, larger reward is chosen with the
    probability 0.01 + 0.98 Phi((delayed / (1 + k days) - immediate) / alpha)."""

    name = "hyperbolic"
    noise = Bernoulli()
    dimensions = 2
    parameter_names = ("k", "alpha")
    fields = (
        Field("immediate reward", 1, _MOST, whole=True, start=50),
        Field("delayed reward", 2, _MOST, whole=True, start=100),
        Field("days of delay", 1, _MOST, whole=True, start=30),
    )
    form = "immediate reward, delayed reward, days"
    goals: ClassVar = {
        "prediction": Goal(
            "wrong", "brier", (0.5, 0.46928), (Field("choice", 0, 1, whole=True),), accuracy=True
        ),
        "discount": Goal(
            "squared",
            "ratio",
            (0.25, 4.3),
            (Field("k", 0, 1e6),),
            asks="What is k, if the worth of a delayed reward is divided by 1 + k times the delay?",
            asks_story="What is the discount factor k, if the worth of a delayed reward is divided by one "
            "plus k for each day of delay?",
        ),
    }
    partial: ClassVar = frozenset({"discount"})
    words = Words(
        "Offered ${x[0]} at once or ${x[1]} after {x[2]} days, the person chose {choice}.",
        "The person is offered ${x[0]} at once or ${x[1]} after {x[2]} days. "
        "Do they choose {choices[1]} (1) or {choices[0]} (0)?",
        ("the immediate reward", "the delayed reward"),
    )

    def parameters(self, z: Floats) -> Floats:
        """k in 1 / day, and alpha."""
        return np.stack([np.exp(-4.25 + 0.5 * z[:, 0]), np.maximum(2 * np.abs(z[:, 1]), 1e-6)], axis=1)

    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """The probability of the delayed reward."""
        k, alpha = theta[:, 0, None], theta[:, 1, None]
        gain = xs[:, 1] / (1 + k * xs[:, 2]) - xs[:, 0]
        return np.asarray(SLIP + (1 - 2 * SLIP) * ndtr(gain / alpha))

    def grid(self) -> tuple[Floats, Floats]:
        """161 values of log k and 41 quantiles of alpha."""
        z = np.linspace(-4, 4, 161)
        axes = np.stack(np.meshgrid(z, half_normal_quantiles(41), indexing="ij"), axis=-1).reshape(-1, 2)
        weights = np.exp(-0.5 * axes[:, 0] ** 2)
        return self.parameters(axes), weights / weights.sum()

    def random_design(self, rng: np.random.Generator) -> Floats:
        """Immediate 1 to 199, delayed more and up to 299, 1 to 364 days."""
        immediate = rng.integers(1, 200)
        return np.array([immediate, rng.integers(immediate + 1, 300), rng.integers(1, 365)], np.float64)

    def designs(self) -> Floats:
        """Ratios and delays on logarithmic scales, at two sizes of the delayed reward."""
        days = np.unique(np.round(np.geomspace(1, 1000, 13)))
        ratios = np.linspace(0.04, 0.98, 17)
        found = np.array(
            [(max(1, round(r * d)), d, t) for d in (50, 300) for r in ratios for t in days], float
        )
        return np.unique(found[found[:, 0] < found[:, 1]], axis=0)

    def target(self, goal: str, theta: Floats) -> Floats:
        """k."""
        return theta[:, :1]

    def check(self, x: Floats) -> None:
        """The delayed reward is the larger one."""
        if x[0] >= x[1]:
            raise WrongReplyError(
                f"got {x[0]:g} at once and {x[1]:g} later; the delayed reward must be larger"
            )
