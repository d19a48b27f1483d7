"""Questions of a task, their best answers, and errors of answers."""

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from itertools import permutations, product
from typing import Literal, NamedTuple

import numpy as np

from arena.packages import rows_of
from suites.boxing.outcomes import Floats
from suites.boxing.posterior import Posterior, posterior_of
from suites.boxing.world import Field, Goal, Wording, World


class Loss(NamedTuple):
    """Loss with its best answers. `error(answer, truth)` is that of one answer, both (values,). `best(values,
    weights)` is the answer with the smallest expected error for truths `values` (particles, values)."""

    error: Callable[[Floats, Floats], float]
    best: Callable[[Floats, Floats], Floats]


def _mean(values: Floats, weights: Floats) -> Floats:
    return weights @ values


def _median(values: Floats, weights: Floats) -> Floats:
    order = np.argsort(values, axis=0)
    summed = np.cumsum(weights[order], axis=0)
    place = (summed < 0.5 * summed[-1]).sum(axis=0)
    columns = np.arange(values.shape[1])
    return np.asarray(values[order[np.minimum(place, len(values) - 1), columns], columns])


def brier_score(answer: Floats, truth: Floats) -> float:
    """Compute the expected squared difference of a probability from the outcome. The outcome is 1 with the
    probability `truth`."""
    return float(np.mean((answer - truth) ** 2 + truth * (1 - truth)))


def log_score(answer: Floats, truth: Floats) -> float:
    """Compute minus the expected logarithm of the outcome's probability. Probabilities are cut to 0.001 to
    0.999."""
    q = np.clip(answer, 1e-3, 1 - 1e-3)
    return float(-np.mean(truth * np.log(q) + (1 - truth) * np.log(1 - q)))


_ORDERS = np.array(list(permutations(range(3))))


def _matched(places: Floats, target: Floats) -> Floats:
    """Order three places (..., 6) to be nearest to the target (6,)."""
    points = places.reshape(-1, 3, 2)
    squared = ((points[:, _ORDERS] - target.reshape(3, 2)) ** 2).sum(axis=(2, 3))
    return np.take_along_axis(points, _ORDERS[squared.argmin(axis=1)][..., None], axis=1).reshape(-1, 6)


def _best_sources(values: Floats, weights: Floats) -> Floats:
    """Average the places, each time ordered nearest to the last mean."""
    if len(values) == 1:
        return np.asarray(values[0])
    tried = []
    for start in values[np.linspace(0, len(values) - 1, 8).astype(int)]:
        centre = start
        for _ in range(6):
            centre = weights @ _matched(values, centre)
        tried.append((float(weights @ ((_matched(values, centre) - centre) ** 2).sum(axis=1)), centre))
    return np.asarray(min(tried, key=lambda each: each[0])[1])


LOSSES: dict[str, Loss] = {
    "squared": Loss(lambda answer, truth: float(((answer - truth) ** 2).mean()), _mean),
    "clipped": Loss(lambda answer, truth: float(np.minimum((answer - truth) ** 2, 1e4).mean()), _mean),
    "absolute": Loss(lambda answer, truth: float(np.abs(answer - truth).mean()), _median),
    "logarithmic": Loss(
        lambda answer, truth: float(np.abs(np.log1p(np.maximum(answer, 0)) - np.log1p(truth)).mean()), _median
    ),
    "ratio": Loss(
        lambda answer, truth: float(np.abs(np.log(np.maximum(answer, 1e-9) / truth)).mean()), _median
    ),
    "wrong": Loss(
        lambda answer, truth: float((answer != truth).mean()), lambda v, w: (w @ v > 0.5).astype(float)
    ),
    "brier": Loss(lambda answer, truth: float(((answer - truth) ** 2).mean()), _mean),
    "sources": Loss(
        lambda answer, truth: float(((_matched(answer[None], truth)[0] - truth) ** 2).mean()), _best_sources
    ),
}
"""Losses by name.

`clipped`: squared, each at most 10,000. `logarithmic`: of 1 + the number. `ratio`: of its logarithm. `brier`:
the Brier score less that of the true probability. `sources`: squared, of the best of all orders.
"""


Mode = Literal["repaired", "as-published"]

ONE = np.ones(1)

MODES: tuple[Mode, ...] = ("repaired", "as-published")

CHANCE = "probability of 1"
"""Name of an answer that is a probability."""

GUESSES = 400
"""Number of prior worlds whose answers are compared with the agent's."""

Kind = tuple[str, str, str]
"""Environment, goal and mode."""


def _measured(file: str, column: str) -> dict[Kind, float]:
    rows = rows_of("suites.boxing", file)
    return {(row["environment"], row["goal"], row["mode"]): float(row[column]) for row in rows}


@cache
def baselines() -> dict[Kind, float]:
    """Mean errors of the best prior answers, by environment, goal and mode. They stay as measured once by
    `python -m benchmarks.boxing baselines`, like the paper's; those of 1.0.0 differ by at most 2 %."""
    return _measured("baselines.csv", "mean")


@cache
def judged() -> frozenset[Kind]:
    """Kinds with a verdict: perfect inference passes at least half their worlds. Measured by `python -m
    benchmarks.boxing verdicts`."""
    return frozenset(kind for kind, share in _measured("verdicts.csv", "eig").items() if share >= 0.5)


class Questions:
    """Questions on a world: designs `xs` (m, d), or parameters. `truths` (m, values).

    All comparisons are of the same world: the best answers without experiments, and guesses. Random numbers
    for both come from the seed of `rng` and do not depend on an episode.
    """

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
        self._prior, self._guesses = rng.spawn(2)

    def __len__(self) -> int:
        return len(self.truths)

    @property
    def fields(self) -> tuple[Field, ...]:
        """Fields of one answer."""
        return (Field(CHANCE, 0, 1, start=0.5),) if self.chances else self.goal.answer

    def asked(self, number: int, wording: Wording) -> str:
        """Write a question's text. As published, some lack their subject."""
        if self._mode == "as-published" and self.goal.lost:
            return self.goal.lost
        return (
            self.parameters_asked(wording) if self.xs is None else self._world.asked(self.xs[number], wording)
        )

    def parameters_asked(self, wording: Wording) -> str:
        """Write the question for parameters; empty if predictions are requested."""
        return self.goal.asks_story if wording == "story" else self.goal.asks

    def best(self, posterior: Posterior) -> Floats:
        """Return the answers with the smallest expected errors, (m, values)."""
        return self.best_for(*posterior.cloud)

    def best_for(self, theta: Floats, weights: Floats = ONE) -> Floats:
        """Return the best answers for parameters (n, k) with weights (n,)."""
        values = self._values(theta)
        return np.array([self._loss.best(values[:, k], weights) for k in range(values.shape[1])])

    def _values(self, theta: Floats) -> Floats:
        """Compute the true answers (n, m, values) for parameters (n, k)."""
        if self.xs is None:
            return self._world.target(self._name, theta)[:, None]
        return self._world.expected(theta, self.xs)

    def errors(self, answers: Floats, places: Sequence[int] | None = None) -> Floats:
        """Compute errors of answers (answers, values), to all questions or some places."""
        truths = self.truths if places is None else self.truths[list(places)]
        pairs = zip(answers, truths, strict=True)
        return np.array([self._loss.error(answer, truth) for answer, truth in pairs])

    @cached_property
    def without(self) -> Floats:
        """Return the best answers without experiments, rounded as in replies, (m, values)."""
        found = self.best(posterior_of(self._world, self._prior))
        return np.array([[float(f"{value:.10g}") for value in answer] for answer in found])

    @cached_property
    def prior_error(self) -> float:
        """Compute the mean error of the best prior answers in this world."""
        return float(self.errors(self.without).mean())

    @cached_property
    def worst(self) -> Floats:
        """Return the answers with the largest errors, at the ranges' ends, (m, values)."""
        corners = np.array(list(product(*((field.low, field.high) for field in self.fields))), np.float64)
        errors = [[self._loss.error(corner, truth) for corner in corners] for truth in self.truths]
        return np.asarray(corners[np.argmax(errors, axis=1)])

    @property
    def judged(self) -> bool:
        """Return whether episodes have a verdict."""
        return self._kind in judged()

    @cached_property
    def pass_error(self) -> float:
        """Compute the error below which answers pass.

        It is at most half of `prior_error`, and at most 5 % of guesses have a smaller one. A guess is a world
        drawn from the prior, for which all questions are answered without an error.
        """
        imagined = self._values(self._world.prior(self._guesses, GUESSES))
        guesses = ([self._loss.best(value[None], ONE) for value in values] for values in imagined)
        errors = np.sort([self.errors(np.array(guess)).mean() for guess in guesses])
        return min(float(errors[int(0.05 * GUESSES)]), self.prior_error / 2)

    def proper_scores(self, answers: Floats) -> dict[str, float]:
        """Compute mean Brier and log scores of probabilities, if any are requested."""
        if not self.chances:
            return {}
        pairs = list(zip(answers, self.truths, strict=True))
        found = {"brier_score": brier_score, "log_score": log_score}
        return {name: float(np.mean([score(*pair) for pair in pairs])) for name, score in found.items()}

    def standardised(self, error: float) -> float:
        """Standardise an error by the kind.

        Repaired: its difference from `prior_error`, as a share of the mean of that over many worlds; 0 is as
        without experiments, and no error is -1 on average. As published, the paper's constants hold, which
        its analysis takes in some environments for those of an accuracy.
        """
        if self._mode == "repaired":
            return (error - self.prior_error) / baselines()[self._kind]
        mean, sd = self.goal.constants
        return 1 - (1 - error - mean) / sd if self.goal.accuracy else (error - mean) / sd

    @property
    def _kind(self) -> Kind:
        return self._world.name, self._name, self._mode

    def score(self, error: float) -> float:
        """Convert an error to 0 to 1, with 0.5 for prior answers. 1 is without an error."""
        if error == self.prior_error:
            return 0.5
        return self.prior_error / (self.prior_error + error)
