"""Outcomes that are eight ratings, the noise of which is unknown too."""

import numpy as np
from scipy.special import entr, ndtr

from suites.boxing.outcomes import Floats

_GROUPS, _MEANS = 16, 12
"""Groups of particles by their noise, and quantiles of the means in each, for ratings."""

_ENOUGH = 1000
"""Particles that these are made of."""


class Likert:
    """Eight ratings from 1 to 9: Gaussian, rounded, the ends taking what lies beyond them.

    Signals (n, m, 9): eight means, and the standard deviation that they share. Information takes equal
    weights.
    """

    low, high = 1.0, 9.0

    def sample(self, signals: Floats, rng: np.random.Generator) -> Floats:
        """Eight ratings for each signal."""
        means, sd = signals[..., :-1], signals[..., -1:]
        return np.clip(np.round(means + sd * rng.standard_normal(means.shape)), self.low, self.high)

    def loglik(self, signals: Floats, ys: Floats) -> Floats:
        """The log-likelihood of all eight."""
        means, sd = signals[..., :-1], signals[..., -1:]
        above = np.where(ys >= self.high, np.inf, (ys + 0.5 - means) / sd)
        below = np.where(ys <= self.low, -np.inf, (ys - 0.5 - means) / sd)
        # In the upper tail the difference of two numbers near 1 has no digits left: mirror it.
        sign = np.where(below > 0, -1.0, 1.0)
        p = np.abs(ndtr(sign * above) - ndtr(sign * below))
        return np.asarray(np.log(np.maximum(p, 1e-300)).sum(axis=-1))

    def expected(self, signals: Floats) -> Floats:
        """The mean ratings."""
        p = self.table(signals[..., :-1], signals[..., -1:])
        return np.asarray(p @ np.arange(self.low, self.high + 1))

    def table(self, means: Floats, sd: Floats) -> Floats:
        """The probability of each rating, on a further axis."""
        edges = np.arange(self.low + 0.5, self.high)
        below = ndtr((edges - means[..., None]) / sd[..., None])
        ends = np.zeros((*means.shape, 1))
        return np.diff(np.concatenate([ends, below, ends + 1], axis=-1), axis=-1)

    def information(self, signals: Floats, weights: Floats) -> Floats:
        """About the noise, and about each mean given the noise, which makes the ratings independent."""
        signals = signals[:: max(len(signals) // _ENOUGH, 1)]
        size = len(signals) // _GROUPS
        by_noise = signals[signals[:, 0, -1].argsort()][: size * _GROUPS]
        groups = by_noise.reshape(_GROUPS, size, *signals.shape[1:])
        sd, means = np.median(groups[:, :, 0, -1], axis=1), groups[..., :-1]
        places = ((np.arange(_MEANS) + 0.5) / _MEANS * size).astype(int)
        nodes = np.sort(means, axis=1)[:, places]
        # A few quantiles spread less than what they stand for.
        centre = means.mean(axis=1, keepdims=True)
        wider = means.std(axis=1, keepdims=True) / np.maximum(nodes.std(axis=1, keepdims=True), 1e-9)
        nodes = centre + (nodes - centre) * wider
        p = self.table(nodes, sd[:, None, None, None])
        mixed = p.mean(axis=1)
        within = (entr(mixed).sum(axis=-1) - entr(p).sum(axis=-1).mean(axis=1)).sum(axis=-1).mean(axis=0)
        return np.asarray(within + _about_group(mixed))


def _about_group(p: Floats) -> Floats:
    """(m,): what eight ratings of probabilities p (groups, m, 8, 9) say about their group.

    By 24 draws for each group, the same for every design.
    """
    groups, designs, emotions, _ = p.shape
    uniform = np.random.default_rng(0).random((groups, 24, 1, emotions))
    drawn = (uniform[..., None] > p.cumsum(axis=-1)[:, None, :, :, :-1]).sum(axis=-1)
    log_p = np.log(np.maximum(p, 1e-300))
    d, e = np.arange(designs)[:, None], np.arange(emotions)
    by_group = np.stack([log_p[g][d, e, drawn].sum(axis=-1) for g in range(groups)])
    own = by_group[np.arange(groups), np.arange(groups)]
    found: Floats = (own - np.logaddexp.reduce(by_group, axis=0) + np.log(groups)).mean(axis=(0, 1))
    return np.maximum(found, 0.0)
