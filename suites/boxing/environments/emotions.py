"""Emotions from outcomes: what does a player feel who won, or did not win?"""

from typing import ClassVar

import numpy as np

from suites.boxing.outcomes import Floats, Likert
from suites.boxing.world import Field, Goal, Wording, Words, World, WrongReplyError

EMOTIONS = ("happy", "sad", "angry", "surprised", "afraid", "disgusted", "content", "disappointed")

LEVELS = (
    "not at all",
    "barely",
    "slightly",
    "a little",
    "moderately",
    "rather",
    "quite",
    "very",
    "extremely",
)
"""Words of the ratings from 1 to 9."""

MEAN = np.array(
    [
        [4.5, 3.5, 1.7, 3.3, 1.4, 1.8, 3.7, 2.0],
        [0.04, -0.025, -0.005, 0.02, 0.0, -0.005, 0.03, -0.03],
        [0.035, -0.02, -0.025, 0.01, 0.0, -0.02, 0.02, -0.045],
        [-0.015, 0.025, 0.025, 0.035, 0.005, 0.02, -0.01, 0.02],
    ]
)
"""Prior means: intercepts, then the weights of the prize, of the surprise and of its absolute value."""

SD = np.array([0.1, 0.01, 0.01, 0.01])

_DESIGNS = 150


class Emotions(World):
    """Eight ratings ~ N(a + b1 prize + b2 (prize - expected) + b3 |prize - expected|, s), cut off, 1 to 9;
    a ~ N(MEAN, 0.1), b ~ N(MEAN, 0.01), s ~ half-normal of scale 1, all of them for each emotion."""

    name = "emotions"
    version = 2
    speaks = True
    noise = Likert()
    dimensions = 40
    means = MEAN
    parameter_names = tuple(
        f"{what} {each}" for each in EMOTIONS for what in ("base", "prize", "surprise", "size", "sd")
    )
    fields = (
        *(Field(f"prize {k}", 0, 100, start=50) for k in (1, 2, 3)),
        *(Field(f"probability {k}", 0, 1, start=0.34 if k == 1 else 0.33) for k in (1, 2, 3)),
        Field("prize that is won", 1, 3, whole=True, start=1),
    )
    form = (
        "prize 1, prize 2, prize 3, probability 1, probability 2, probability 3, "
        "number of the prize that is won"
    )
    goals: ClassVar = {
        "prediction": Goal(
            "absolute", "absolute", (1.58509, 0.72371), tuple(Field(e, 1, 9) for e in EMOTIONS)
        )
    }
    words = Words(
        "",
        "The prizes are ${x[0]}, ${x[1]} and ${x[2]}, with the probabilities {x[3]}, {x[4]} and {x[5]}; "
        "the player wins prize {x[6]}. How would the participant rate the player's emotions from 1 to 9?",
    )
    plain = Words(
        "For ({x[0]}, {x[1]}, {x[2]}, {x[3]}, {x[4]}, {x[5]}, {x[6]}) the outputs were "
        "{y[0]}, {y[1]}, {y[2]}, {y[3]}, {y[4]}, {y[5]}, {y[6]}, {y[7]}.",
        "What are the eight outputs for ({x[0]}, {x[1]}, {x[2]}, {x[3]}, {x[4]}, {x[5]}, {x[6]})?",
    )

    def parameters(self, z: Floats) -> Floats:
        """For each emotion its coefficients, and the standard deviation."""
        z = z.reshape(len(z), -1, 5)
        coefficients = self.means.T + SD * z[..., :4]
        sd = np.maximum(np.abs(z[..., 4:]), 0.01)
        return np.concatenate([coefficients, sd], axis=2).reshape(len(z), -1)

    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """The mean and the standard deviation of each rating. Dollars are the prize, unless `xs` has them."""
        dollars = xs[:, 7] if xs.shape[1] > 7 else xs[np.arange(len(xs)), xs[:, 6].astype(int) - 1]
        surprise = dollars - (xs[:, :3] * xs[:, 3:6]).sum(axis=1)
        features = np.stack([np.ones(len(xs)), dollars, surprise, np.abs(surprise)], axis=1)
        theta = theta.reshape(len(theta), -1, 5)
        means = np.einsum("mf,nef->nme", features, theta[..., :4])
        return np.stack([means, np.broadcast_to(theta[:, None, :, 4], means.shape)], axis=-1)

    def parts(self) -> "list[World]":
        """Its emotions, each of which has parameters of its own."""
        return [_Emotion(place) for place in range(len(EMOTIONS))]

    def random_design(self, rng: np.random.Generator) -> Floats:
        """Prizes of 0 to 100, probabilities in hundredths, and any of the prizes as the one won."""
        cuts = np.sort(rng.integers(1, 99, 2))
        hundredths = np.diff([0, cuts[0], cuts[1] + 1, 100])
        return np.array([*rng.integers(0, 101, 3), *hundredths / 100, rng.integers(1, 4)], np.float64)

    def designs(self) -> Floats:
        """Always the same random ones, and sure and surprising wins of nothing and of 100."""
        rng = np.random.default_rng(0)
        drawn = [self.random_design(rng) for _ in range(_DESIGNS)]
        ends = [
            [a, b, b, p, (1 - p) / 2, (1 - p) / 2, 1]
            for a, b in ((0, 100), (100, 0))
            for p in (0.02, 0.5, 0.98)
        ]
        return np.array([*drawn, *ends])

    def question(self, rng: np.random.Generator, published: bool) -> Floats:
        """As the random design. The public code takes the prize's index, 0 to 2, for the dollars won."""
        x = self.random_design(rng)
        return np.append(x, x[6] - 1) if published else x

    def check(self, x: Floats) -> None:
        """Probabilities sum to 1, and what has none is not won."""
        if abs(x[3:6].sum() - 1) > 0.011:
            raise WrongReplyError(f"the probabilities sum to {x[3:6].sum():g}, expected 1")
        if x[2 + int(x[6])] <= 0:
            raise WrongReplyError(f"prize {x[6]:g} has the probability 0 and cannot be won")

    def described(self, x: Floats, y: Floats, wording: Wording) -> str:
        """What the participant says."""
        if wording == "plain":
            return super().described(x, y, wording)
        felt = [f"{LEVELS[int(rating) - 1]} {emotion}" for rating, emotion in zip(y, EMOTIONS, strict=True)]
        return f'The participant says: "The player is {", ".join(felt[:-1])} and {felt[-1]}."'

    def details(self, wording: Wording) -> str:
        """The words of the ratings."""
        words = f"Their words for the ratings from 1 to 9 are: {', '.join(LEVELS)}."
        return "" if wording == "plain" else words


class _Emotion(Emotions):
    """One of the emotions."""

    dimensions = 5

    def __init__(self, place: int) -> None:
        self.means = MEAN[:, [place]]
