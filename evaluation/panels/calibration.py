"""How often what was said to be probable is true."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from evaluation.statistics import clustered_interval

LIMITS = np.linspace(0, 1, 11)
"""Of the probabilities that are counted together."""


class Bin(NamedTuple):
    """Stated probabilities within a tenth: their number, their mean, the mean truth, and its interval."""

    low: float
    high: float
    number: int
    stated: float
    share: float
    interval: tuple[float, float]


def calibration(said: Iterable[tuple[int, float, float]]) -> list[Bin]:
    """Of (episode, stated probability, truth from 0 to 1): the tenths in which any probability lies.

    The 95 % interval takes what was said in an episode as a cluster.
    """
    table = np.array(list(said), np.float64).reshape(-1, 3)
    episode, stated, truth = table[:, 0].astype(int), table[:, 1], table[:, 2]
    place = np.clip(np.digitize(stated, LIMITS) - 1, 0, len(LIMITS) - 2)
    found = []
    for k in np.unique(place):
        own = place == k
        counts = np.stack([np.bincount(episode[own], w) for w in (np.ones(own.sum()), truth[own])])
        number, shares = counts[:, counts[0] > 0]
        means = float(stated[own].mean()), float(truth[own].mean())
        interval = clustered_interval(shares, number)
        found.append(Bin(float(LIMITS[k]), float(LIMITS[k + 1]), int(own.sum()), *means, interval))
    return found
