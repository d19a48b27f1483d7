"""Location finding: three hidden sources, and a noisy signal that falls with the distance from them."""

from typing import ClassVar

import numpy as np

from suites.boxing.outcomes import Floats, Gaussian
from suites.boxing.world import Field, Goal, Words, World

BACKGROUND, NEAREST = 0.1, 1e-4
"""Signal far from all sources, and what keeps it finite at a source."""

_PLACES = tuple(Field(f"{axis} of source {k}", -100, 100) for k in (1, 2, 3) for axis in "xy")


class Location(World):
    """Three places theta_k ~ N(0, 1) in each of two axes; y ~ N(0.1 + sum 1 / (1e-4 + distance^2), 0.5)."""

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
            _PLACES,
            asks="Where are the three points that were drawn? Write their six coordinates, point by point.",
            asks_story="Where are the three sources? Write their six coordinates, source by source.",
        ),
    }
    words = Words(
        "At ({x[0]}, {x[1]}) the signal was {y[0]}.", "How strong is the signal at ({x[0]}, {x[1]})?"
    )
    equations = words._replace(
        question="How strong is the signal at ({x[0]}, {x[1]}), without the noise of measuring?"
    )

    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """Inverse squares over a background."""
        total = np.full((len(theta), len(xs)), BACKGROUND)
        for k in (0, 2, 4):
            squared = (theta[:, k, None] - xs[:, 0]) ** 2 + (theta[:, k + 1, None] - xs[:, 1]) ** 2
            total += 1 / (NEAREST + squared)
        return total

    def random_design(self, rng: np.random.Generator) -> Floats:
        """Uniform from -2 to 2 in both axes."""
        return np.round(rng.uniform(-2, 2, 2), 2)

    def designs(self) -> Floats:
        """Every 0.3 from -2.4 to 2.4."""
        axis = np.round(np.linspace(-2.4, 2.4, 17), 1)
        return np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)

    def question(self, rng: np.random.Generator, published: bool) -> Floats:
        """From the prior of a source."""
        return np.round(rng.standard_normal(2), 2)

    def questions(
        self, rng: np.random.Generator, number: int, published: bool
    ) -> tuple[Floats, Floats, Floats]:
        """The truth is the signal without noise in both modes."""
        xs, mean, _ = super().questions(rng, number, published)
        return xs, mean, mean

    def stepped(self, z: Floats, xs: Floats, rng: np.random.Generator) -> Floats:
        """Every other time turned around one of the designs: a strong signal says how far a source is
        from it, and not in which direction."""
        moved = super().stepped(z, xs, rng)
        centre, angle = xs[rng.integers(len(xs), size=len(z))], rng.uniform(-np.pi, np.pi, len(z))
        x, y = (z - centre).T
        turned = np.stack([x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle)], 1)
        return np.where(rng.random((len(z), 1)) < 0.5, centre + turned, moved)
