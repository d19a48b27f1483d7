"""How far an answer is from the truth, and the answer that is best for what particles say."""

from collections.abc import Callable
from itertools import permutations
from typing import NamedTuple

import numpy as np

from suites.boxing.outcomes import Floats


class Loss(NamedTuple):
    """`error(answer, truth)` is that of one answer, both (values,).

    `best(values, weights)` is the answer with the smallest expected error for truths `values`
    (particles, values).
    """

    error: Callable[[Floats, Floats], float]
    best: Callable[[Floats, Floats], Floats]


def _mean(values: Floats, weights: Floats) -> Floats:
    return weights @ values


def _median(values: Floats, weights: Floats) -> Floats:
    order = np.argsort(values, axis=0)
    summed = np.cumsum(weights[order], axis=0)
    place = (summed < 0.5 * summed[-1]).sum(axis=0)
    columns = np.arange(values.shape[1])
    found: Floats = values[order[np.minimum(place, len(values) - 1), columns], columns]
    return found


def _majority(values: Floats, weights: Floats) -> Floats:
    return (weights @ values > 0.5).astype(np.float64)


def brier_score(answer: Floats, truth: Floats) -> float:
    """The expected squared difference of a probability from the outcome, 1 with the probability `truth`."""
    return float(np.mean((answer - truth) ** 2 + truth * (1 - truth)))


def log_score(answer: Floats, truth: Floats) -> float:
    """Minus the expected logarithm of the outcome's probability; probabilities from 0.001 to 0.999."""
    q = np.clip(answer, 1e-3, 1 - 1e-3)
    return float(-np.mean(truth * np.log(q) + (1 - truth) * np.log(1 - q)))


_ORDERS = np.array(list(permutations(range(3))))


def _matched(places: Floats, target: Floats) -> Floats:
    """Three places (..., 6) in the order in which they are nearest to the target (6,)."""
    points = places.reshape(-1, 3, 2)
    squared = ((points[:, _ORDERS] - target.reshape(3, 2)) ** 2).sum(axis=(2, 3))
    best = _ORDERS[squared.argmin(axis=1)]
    return np.take_along_axis(points, best[..., None], axis=1).reshape(-1, 6)


def _sources(answer: Floats, truth: Floats) -> float:
    return float(((_matched(answer[None], truth)[0] - truth) ** 2).mean())


def _best_sources(values: Floats, weights: Floats) -> Floats:
    """The mean of the places, each time in the order that is nearest to the last mean."""
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
    "wrong": Loss(lambda answer, truth: float((answer != truth).mean()), _majority),
    "brier": Loss(lambda answer, truth: float(((answer - truth) ** 2).mean()), _mean),
    "sources": Loss(_sources, _best_sources),
}
"""By name. `clipped`: squared, each at most 10,000. `logarithmic`: of 1 + the
number. `ratio`: of its logarithm. `brier`: the
Brier score less that of the true probability. `sources`: squared, of the
best of all orders."""
