"""Noise of outcomes given parameters: likelihood, sampling, and information.

A signal determines the outcome's distribution: `signals` (n, m) are those of n particles and m designs, with
a further axis if an outcome has several values. `sample` draws an outcome for each signal, with its values on
the last axis; `loglik` (n, m) is that of outcomes `ys` (m, values); `expected` (n, m, values) leaves noise
aside if the mean is the same; `information` (m,) about the parameters, by the weights (n,), is in nats.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import entr, gammaln, ndtr, xlog1py, xlogy

Floats = npt.NDArray[np.float64]

_NODES, _NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(7)
_NODE_WEIGHTS = _NODE_WEIGHTS / _NODE_WEIGHTS.sum()

_EXACT = 60
"""Maximum count for exact sums. Larger ones are sampled every half standard deviation."""


class Bernoulli:
    """Outcome 1 or 0; the signal is the probability of 1."""

    def sample(self, signals: Floats, rng: np.random.Generator) -> Floats:
        """Draw one outcome per signal."""
        return np.asarray(rng.random(signals.shape) < signals, np.float64)[..., None]

    def loglik(self, signals: Floats, ys: Floats) -> Floats:
        """Compute the log-likelihood, which is kept finite."""
        return np.log(np.maximum(np.where(ys[:, 0] > 0.5, signals, 1 - signals), 1e-300))

    def expected(self, signals: Floats) -> Floats:
        """Return the probability."""
        return signals[..., None]

    def information(self, signals: Floats, weights: Floats) -> Floats:
        """Compute the exact information."""
        return _binary_entropy(weights @ signals) - weights @ _binary_entropy(signals)


class Binomial(NamedTuple):
    """Successes of `number` trials; the signal is the probability of one."""

    number: int

    def sample(self, signals: Floats, rng: np.random.Generator) -> Floats:
        """Draw one outcome per signal."""
        return np.asarray(rng.binomial(self.number, signals), np.float64)[..., None]

    def loglik(self, signals: Floats, ys: Floats) -> Floats:
        """Compute the log-likelihood."""
        return self._log_p(signals, ys[:, 0])

    def expected(self, signals: Floats) -> Floats:
        """Compute the mean number."""
        return self.number * signals[..., None]

    def information(self, signals: Floats, weights: Floats) -> Floats:
        """Compute the exact information, summed over all outcomes."""
        log_p = self._log_p(signals[..., None], np.arange(self.number + 1.0))
        return _table_information(log_p, np.broadcast_to(weights[:, None], signals.shape), np.array(1.0))

    def _log_p(self, p: Floats, y: Floats) -> Floats:
        ways = gammaln(self.number + 1) - gammaln(y + 1) - gammaln(self.number - y + 1)
        return np.asarray(ways + xlogy(y, p) + xlog1py(self.number - y, -p))


class Poisson:
    """Count; the signal is the logarithm of its mean. Information takes equal weights."""

    def sample(self, signals: Floats, rng: np.random.Generator) -> Floats:
        """Draw one outcome per signal."""
        return np.asarray(rng.poisson(np.exp(np.minimum(signals, 30.0))), np.float64)[..., None]

    def loglik(self, signals: Floats, ys: Floats) -> Floats:
        """Compute the log-likelihood."""
        return _log_poisson(signals, ys[:, 0])

    def expected(self, signals: Floats) -> Floats:
        """Compute the mean count."""
        return np.exp(np.minimum(signals, 30.0))[..., None]

    def information(self, signals: Floats, weights: Floats) -> Floats:
        """Sum over counts, of signals cut at quantiles."""
        low, high, mass = _bins(signals)
        width = high - low
        nodes = np.concatenate([low + width / 4, low + 3 * width / 4])
        counts, measure = _counts(float(np.exp(min(nodes.max(), 12.0))))
        log_p = _log_poisson(nodes[..., None], counts)
        shares = np.broadcast_to(np.concatenate([mass, mass])[:, None] / 2, nodes.shape)
        return _table_information(log_p, shares, measure)


class Gaussian(NamedTuple):
    """Number with the signal as mean, reported to `decimals`.

    `folded`: only its absolute value is seen. Information takes equal weights.
    """

    sd: float
    folded: bool = False
    decimals: int = 2

    def sample(self, signals: Floats, rng: np.random.Generator) -> Floats:
        """Draw one outcome per signal."""
        y = np.round(signals + self.sd * rng.standard_normal(signals.shape), self.decimals)
        return (np.abs(y) if self.folded else y)[..., None]

    def loglik(self, signals: Floats, ys: Floats) -> Floats:
        """Compute the log-density."""
        return self._log_p(signals, ys[:, 0])

    def expected(self, signals: Floats) -> Floats:
        """Return the signal, or its absolute value."""
        return (np.abs(signals) if self.folded else signals)[..., None]

    def information(self, signals: Floats, weights: Floats) -> Floats:
        """Integrate by quadrature. Signals are uniform between their quantiles, noise is at the nodes of
        Gauss-Hermite."""
        low, high, mass = _bins(signals)
        middle, half = (low + high) / 2, np.maximum((high - low) / 2, 1e-3 * self.sd)
        low, high = middle - half, middle + half
        y = middle[:, None] + self.sd * _NODES[:, None]
        log_own = self._log_p(middle[:, None], y)
        flat = y.reshape(-1, y.shape[-1])
        mixed = self._mixture(flat, low, high, mass)
        if self.folded:
            mixed = mixed + self._mixture(-flat, low, high, mass)
        gained = log_own - np.log(np.maximum(mixed, 1e-300)).reshape(y.shape)
        return np.asarray(np.maximum(np.einsum("j,k,jkm->m", mass, _NODE_WEIGHTS, gained), 0.0))

    def _mixture(self, y: Floats, low: Floats, high: Floats, mass: Floats) -> Floats:
        """Compute the density at y (points, m) of uniform pieces with noise."""
        spread: Floats = ndtr((high - y[:, None]) / self.sd) - ndtr((low - y[:, None]) / self.sd)
        return np.asarray(np.einsum("j,pjm->pm", mass, spread / (high - low)))

    def _log_p(self, mean: Floats, y: Floats) -> Floats:
        plus: Floats = _log_normal((y - mean) / self.sd) - np.log(self.sd)
        if not self.folded:
            return plus
        return np.asarray(np.logaddexp(plus, _log_normal((y + mean) / self.sd) - np.log(self.sd)))


class Rounding:
    """Whole numbers, not negative, of otherwise noiseless signals; (n, m, values).

    The likelihood models rounding as Gaussian noise of its variance, 1 / 12, so that particles can be led to
    the known values; information is that of the rounded outcome itself.
    """

    sd = 12**-0.5

    def sample(self, signals: Floats, rng: np.random.Generator) -> Floats:
        """Round the signal."""
        return np.maximum(np.round(signals), 0.0)

    def loglik(self, signals: Floats, ys: Floats) -> Floats:
        """Compute the log-density of the Gaussian that models rounding."""
        return np.asarray((_log_normal((ys - signals) / self.sd) - np.log(self.sd)).sum(axis=-1))

    def expected(self, signals: Floats) -> Floats:
        """Round the signal."""
        return np.maximum(np.round(signals), 0.0)

    def information(self, signals: Floats, weights: Floats) -> Floats:
        """Compute the outcome's entropy, corrected for unseen outcomes (Chao and Shen 2003)."""
        cells = np.minimum(self.expected(signals), 1e6).astype(np.int64)
        keys = cells[..., 0] * 10**7 + cells[..., 1]
        return np.array([_chao_shen(keys[:, k]) for k in range(keys.shape[1])])


class Likert:
    """Ratings from 1 to 9: truncated Gaussians, the ends including their tails. Signals (n, m, ratings, 2):
    mean and standard deviation of each. Information takes equal weights."""

    low, high = 1.0, 9.0

    def sample(self, signals: Floats, rng: np.random.Generator) -> Floats:
        """Draw one outcome per signal."""
        values = signals[..., 0] + signals[..., 1] * rng.standard_normal(signals.shape[:-1])
        return np.clip(np.trunc(values), self.low, self.high)

    def loglik(self, signals: Floats, ys: Floats) -> Floats:
        """Compute the log-likelihood of all ratings."""
        means, sd = signals[..., 0], signals[..., 1]
        above = np.where(ys >= self.high, np.inf, (ys + 1 - means) / sd)
        below = np.where(ys <= self.low, -np.inf, (ys - means) / sd)
        # In the upper tail the difference of two numbers near 1 has no digits left: mirror it.
        sign = np.where(below > 0, -1.0, 1.0)
        p = np.abs(ndtr(sign * above) - ndtr(sign * below))
        return np.asarray(np.log(np.maximum(p, 1e-300)).sum(axis=-1))

    def expected(self, signals: Floats) -> Floats:
        """Compute the mean ratings: 1, plus 1 per exceeded number."""
        return np.asarray(self.high - self._below(signals).sum(axis=-1))

    def information(self, signals: Floats, weights: Floats) -> Floats:
        """Sum over ratings with independent parameters, by a part of the particles."""
        # With 500 particles it is within 1 % of that of 8,000.
        some = np.moveaxis(signals[:: max(len(signals) // 500, 1)], 2, 0)
        every = (np.diff(self._below(each), axis=-1, prepend=0.0, append=1.0) for each in some)
        return np.asarray(sum((entr(p.mean(axis=0)) - entr(p).mean(axis=0)).sum(axis=-1) for p in every))

    def _below(self, signals: Floats) -> Floats:
        """Compute the probabilities below 2, 3, ... 9, on the last axis."""
        ends = np.arange(self.low + 1, self.high + 1)
        return np.asarray(ndtr((ends - signals[..., :1]) / signals[..., 1:]))


Noise = Bernoulli | Binomial | Poisson | Gaussian | Rounding | Likert
"""Noise between signals and outcomes."""


def _binary_entropy(p: Floats) -> Floats:
    return np.asarray(entr(p) + entr(1 - p))


def _log_normal(z: Any) -> Any:
    return -0.5 * z**2 - 0.5 * np.log(2 * np.pi)


def _log_poisson(log_mean: Floats, y: Floats) -> Floats:
    return np.asarray(y * log_mean - np.exp(np.minimum(log_mean, 30.0)) - gammaln(y + 1))


def _table_information(log_p: Floats, weights: Floats, measure: Floats) -> Floats:
    """Compute information (m,) of outcomes with probabilities (n, m, outcomes). Each outcome represents
    `measure` of them."""
    p = np.exp(log_p)
    mixed = np.einsum("nm,nmy->my", weights, p)
    own = np.einsum("nm,nmy->my", weights, p * np.maximum(log_p, -745.0))
    return np.asarray(np.maximum(((own - xlogy(mixed, mixed)) * measure).sum(axis=-1), 0.0))


def _bins(signals: Floats) -> tuple[Floats, Floats, Floats]:
    """Split signals (n, m) at quantiles. Return lower and upper ends, and mass. Ends are (bins, m), the mass
    (bins,)."""
    ordered = np.sort(signals, axis=0)
    # Finer towards both ends, because tails can be heavy.
    shares = np.concatenate([[0.0], ndtr(np.linspace(-3.3, 3.3, 45)), [1.0]])
    place = shares * (len(ordered) - 1)
    below = np.minimum(place.astype(int), len(ordered) - 2)
    part = (place - below)[:, None]
    edges = ordered[below] * (1 - part) + ordered[below + 1] * part
    return edges[:-1], edges[1:], np.diff(shares)


def _counts(largest: float) -> tuple[Floats, Floats]:
    """Choose representative counts up to far above the largest mean, with weights."""
    top = np.sqrt(largest + 8 * np.sqrt(largest) + 20)
    edges = np.arange(np.sqrt(_EXACT + 0.5), max(top, 8.0) + 0.25, 0.25) ** 2
    counts = np.concatenate([np.arange(_EXACT + 1.0), (edges[1:] + edges[:-1]) / 2])
    return counts, np.concatenate([np.ones(_EXACT + 1), np.diff(edges)])


def _chao_shen(keys: npt.NDArray[np.int64]) -> float:
    counts = np.unique(keys, return_counts=True)[1].astype(np.float64)
    number = counts.sum()
    if len(counts) == 1:
        return 0.0
    # Outcomes seen once estimate the unseen share; if every one is, one is taken as seen twice.
    unseen = min((counts == 1).sum(), number - 1) / number
    p = (1 - unseen) * counts / number
    return float((entr(p) / -np.expm1(number * np.log1p(-p))).sum())
