"""Item response theory, two parameters a question: which student answers which question rightly?"""

from typing import ClassVar

import numpy as np
from scipy.special import expit

from suites.boxing.outcomes import Bernoulli, Floats
from suites.boxing.world import Field, Goal, Wording, Words, World, WrongReplyError

STUDENTS = QUESTIONS = 6

HELD_OUT = 10
"""Pairs that are asked for and cannot be observed, half of them right."""


class Irt(World):
    """Six abilities, difficulties and discriminations ~ N(0, 1); right with the probability
    logistic(discrimination (ability - difficulty)). Each pair has one answer, which is drawn once."""

    name = "irt"
    noise = Bernoulli()
    dimensions = 18
    parameter_names = tuple(f"{what}{k}" for what in ("ability", "difficulty", "slope") for k in range(1, 7))
    fields = (
        Field("student", 1, STUDENTS, whole=True, start=1),
        Field("question", 1, QUESTIONS, whole=True, start=1),
    )
    form = "student, question"
    goals: ClassVar = {"prediction": Goal("wrong", "brier", (0.5, 0.5), (Field("right", 0, 1, whole=True),))}
    words = Words(
        "Student {x[0]} answered question {x[1]} {choice}.",
        "Does student {x[0]} answer question {x[1]} rightly (1) or wrongly (0)?",
        ("wrongly", "rightly"),
    )
    fixed = True

    def __init__(self, rng: np.random.Generator) -> None:
        """Tables with fewer than five answers of a kind are drawn again."""
        pairs = np.array([(i, j) for i in range(1, 7) for j in range(1, 7)], np.float64)
        while True:
            super().__init__(rng)
            answers = self.noise.sample(self.signals(self.theta[None], pairs)[0], rng)[:, 0]
            right, wrong = np.flatnonzero(answers), np.flatnonzero(answers == 0)
            if min(len(right), len(wrong)) >= HELD_OUT // 2:
                break
        half = HELD_OUT // 2
        held = np.concatenate([rng.permutation(right)[:half], rng.permutation(wrong)[:half]])
        self._table = {(int(i), int(j)): float(y) for (i, j), y in zip(pairs, answers, strict=True)}
        self._held = pairs[rng.permutation(held)]
        self._open = np.delete(pairs, held, axis=0)

    def signals(self, theta: Floats, xs: Floats) -> Floats:
        """The probability of a right answer."""
        student, question = (xs.astype(int) - 1).T
        ability, difficulty, slope = theta[:, student], theta[:, 6 + question], theta[:, 12 + question]
        return np.asarray(expit(slope * (ability - difficulty)))

    def observe(self, x: Floats, rng: np.random.Generator) -> Floats:
        """What the table has."""
        return np.array([self._table[int(x[0]), int(x[1])]])

    def random_design(self, rng: np.random.Generator) -> Floats:
        """Any pair that is not held out."""
        return np.asarray(self._open[rng.integers(len(self._open))])

    def designs(self) -> Floats:
        """All pairs that are not held out."""
        return self._open

    def question(self, rng: np.random.Generator, published: bool) -> Floats:
        """A pair that is held out."""
        return np.asarray(self._held[rng.integers(HELD_OUT)])

    def questions(
        self, rng: np.random.Generator, number: int, published: bool
    ) -> tuple[Floats, Floats, Floats]:
        """The pairs that are held out, each once in ten; the truth is what the table has."""
        xs = self._held[np.arange(number) % HELD_OUT]
        ys = np.array([self.observe(x, rng) for x in xs])
        return xs, ys, ys

    def check(self, x: Floats) -> None:
        """Pairs that are asked for cannot be observed."""
        if (self._held == x).all(axis=1).any():
            raise WrongReplyError(
                f"({x[0]:g}, {x[1]:g}) is held out: it is asked for later and cannot be observed"
            )

    def details(self, wording: Wording) -> str:
        """What cannot be observed."""
        held = ", ".join(f"({i:g}, {j:g})" for i, j in self._held[np.lexsort(self._held.T[::-1])])
        return f"These pairs cannot be observed: {held}."
