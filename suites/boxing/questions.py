"""The questions of a task, the best answers to them, and how far answers are from the truth."""

import csv
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Literal

import numpy as np

from suites.boxing.losses import LOSSES, brier_score, log_score
from suites.boxing.outcomes import Floats
from suites.boxing.posterior import Posterior
from suites.boxing.world import Field, Goal, World

Mode = Literal["repaired", "as-published"]

ONE = np.ones(1)

MODES: tuple[Mode, ...] = ("repaired", "as-published")


@cache
def baselines() -> dict[tuple[str, str, str], float]:
    """The mean error of the best answers before any experiment, by environment, goal and mode.

    Measured by `python -m suites.boxing baselines`.
    """
    text = files("suites.boxing").joinpath("baselines.csv").read_text(encoding="utf-8")
    rows = csv.reader(text.splitlines()[1:])
    return {(name, goal, mode): float(mean) for name, goal, mode, mean in rows}


class Questions:
    """What is asked about a world: designs `xs` (m, d), or its parameters; `truths` (m, values)."""

    def __init__(self, world: World, goal: str, mode: Mode, rng: np.random.Generator, number: int) -> None:
        self.goal: Goal = world.goals[goal]
        self._world, self._name, self._mode = world, goal, mode
        published = mode == "as-published"
        self._loss = LOSSES[self.goal.published if published else self.goal.repaired]
        self.chances = self.goal.chances and not published
        self.xs: Floats | None = None
        if goal == "prediction":
            self.xs, mean, drawn = world.questions(rng, number, published)
            self.truths = drawn if published else mean
        else:
            self.truths = world.target(goal, world.theta[None])

    def __len__(self) -> int:
        return len(self.truths)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The numbers of one answer."""
        return (Field("probability of 1", 0, 1, start=0.5),) if self.chances else self.goal.answer

    def asked(self, number: int, prior: bool) -> str:
        """A question's text. As published, some do not have what is asked for."""
        if self._mode == "as-published" and self.goal.lost:
            return self.goal.lost
        return self.goal.asks if self.xs is None else self._world.asked(self.xs[number], prior)

    def best(self, posterior: Posterior) -> Floats:
        """(m, values): the answers with the smallest expected errors."""
        return self.best_for(*posterior.cloud)

    def best_for(self, theta: Floats, weights: Floats = ONE) -> Floats:
        """The same for parameters (n, k) with weights (n,)."""
        if self.xs is None:
            return self._loss.best(self._world.target(self._name, theta), weights)[None]
        values = self._world.expected(theta, self.xs)
        return np.array([self._loss.best(values[:, k], weights) for k in range(len(self.xs))])

    def errors(self, answers: Floats, places: Sequence[int] | None = None) -> Floats:
        """The error of each answer (answers, values), to all questions or to those at some places."""
        truths = self.truths if places is None else self.truths[list(places)]
        pairs = zip(answers, truths, strict=True)
        return np.array([self._loss.error(answer, truth) for answer, truth in pairs])

    def proper_scores(self, answers: Floats) -> dict[str, float]:
        """The mean Brier and log score of probabilities; empty if none are asked for."""
        if not self.chances:
            return {}
        pairs = list(zip(answers, self.truths, strict=True))
        found = {"brier_score": brier_score, "log_score": log_score}
        return {name: float(np.mean([score(*pair) for pair in pairs])) for name, score in found.items()}

    def standardised(self, error: float) -> float:
        """0 for the error of a baseline.

        Repaired, this is that of the best answers before any experiment, and -1 is no error. As published,
        the paper's constants hold, which its analysis takes in some environments for those of an accuracy.
        """
        if self._mode == "repaired":
            return error / self.baseline - 1
        mean, sd = self.goal.constants
        return 1 - (1 - error - mean) / sd if self.goal.accuracy else (error - mean) / sd

    @property
    def baseline(self) -> float:
        """The mean error of the best answers before any experiment."""
        return baselines()[self._world.name, self._name, self._mode]

    def score(self, error: float) -> float:
        """From 0 to 1: 1 without an error, 0.5 with that of the best answers before any experiment."""
        return self.baseline / (self.baseline + error)
