"""Survival after mastectomy: who of a hundred patients is alive?"""

from typing import ClassVar

import numpy as np
from scipy.special import expit, gammaincinv, ndtr

from suites.boxing.outcomes import Bernoulli, Floats
from suites.boxing.world import Field, Goal, Wording, Words, World, half_normal_quantiles

PATIENTS = 100

_SHAPE = _RATE = 0.1


class Survival(World):
    """Hazard lambda0 ~ Gamma(0.1, rate 0.1), beta ~ half-normal of scale 10; a patient at time t after the
    operation, metastasized m = 0 or 1, is dead with the probability logistic(t lambda0 exp(beta m))."""

    name = "survival"
    noise = Bernoulli()
    dimensions = 2
    parameter_names = ("lambda0", "beta")
    fields = (Field("patient", 1, PATIENTS, whole=True, start=1),)
    form = "number of a patient"
    goals: ClassVar = {
        "prediction": Goal(
            "wrong", "brier", (0.2604, 0.43885), (Field("dead", 0, 1, whole=True),), accuracy=True
        )
    }
    words = Words(
        "Patient {x[0]} ({x[1]} years after the operation, metastasized: {x[2]}) is {choice}.",
        "A patient had the operation {x[1]} years ago; metastasized: {x[2]}. "
        "Is the patient dead (1) or alive (0)?",
        ("alive", "dead"),
    )
    plain = Words(
        "Row {x[0]}, with ({x[1]}, {x[2]}), had the output {choice}.",
        "Is the output for ({x[1]}, {x[2]}) 1 or 0?",
    )

    fixed = True

    def __init__(self, rng: np.random.Generator) -> None:
        """A list of patients: their number, years after the operation, and whether it had metastasized."""
        super().__init__(rng)
        years = np.round(rng.uniform(0, 10, PATIENTS), 1)
        self._patients = np.stack([np.arange(1.0, PATIENTS + 1), years, rng.integers(0, 2, PATIENTS)], axis=1)
        self._dead = self.noise.sample(self.signals(self.theta[None], self._patients)[0], rng)

    def observe(self, x: Floats, rng: np.random.Generator) -> Floats:
        """What has become of the patient, whenever it is asked."""
        return np.asarray(self._dead[int(x[0]) - 1])

    def parameters(self, z: Floats) -> Floats:
        """lambda0 in 1 / year, and beta."""
        hazard = gammaincinv(_SHAPE, ndtr(z[:, 0])) / _RATE
        return np.stack([hazard, 10 * np.abs(z[:, 1])], axis=1)

    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """The probability of being dead."""
        hazard = theta[:, 0, None] * np.exp(theta[:, 1, None] * xs[:, 2])
        return np.asarray(expit(xs[:, 1] * hazard))

    def grid(self) -> tuple[Floats, Floats]:
        """160 quantiles of lambda0 and 60 of beta."""
        p = (np.arange(160) + 0.5) / 160
        hazard = gammaincinv(_SHAPE, p) / _RATE
        beta = 10 * half_normal_quantiles(60)
        theta = np.stack(np.meshgrid(hazard, beta, indexing="ij"), axis=-1).reshape(-1, 2)
        return theta, np.full(len(theta), 1 / len(theta))

    def random_design(self, rng: np.random.Generator) -> Floats:
        """Any patient."""
        return np.asarray(self._patients[rng.integers(PATIENTS)])

    def designs(self) -> Floats:
        """All patients."""
        return self._patients

    def question(self, rng: np.random.Generator, published: bool) -> Floats:
        """Another patient, drawn in the same way."""
        return np.array([0, round(rng.uniform(0, 10), 1), rng.integers(0, 2)], np.float64)

    def parse(self, text: str) -> Floats:
        """A patient by number."""
        return np.asarray(self._patients[int(super().parse(text)[0]) - 1])

    def written(self, x: Floats) -> str:
        """The patient's number."""
        return f"{x[0]:g}"

    def details(self, wording: Wording) -> str:
        """The list."""
        rows = [f"{k:g}: {years:g}, {m:g}" for k, years, m in self._patients]
        heading = (
            "patient: years after the operation, metastasized" if wording != "plain" else "row: two inputs"
        )
        return "\n".join([heading, *rows])
