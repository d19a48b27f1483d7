"""NOTEARS: a causal graph over objects and light, learned from the panels of one episode.

Zheng et al. 2018, "DAGs with NO TEARS: Continuous optimization for structure learning", in its linear form
with logistic loss, which the public code of the paper has. The paper says no more than that an agent of
reinforcement learning "incorporates NOTEARS as its reasoning component". Here, without that agent:

- Data are the panels seen so far, one row each: nine objects and the light.
- The belief in an object is the model's probability of a lit machine for that object alone, the logistic
  function of its weight to the light. An object without such an edge has 0.5, which counts as wrong; with
  `guess` it is no Blicket and each one with a positive weight is, as in the public code.
- Trials are fair coins for each object, as those of the paper's Bayes agent.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit

from suites.est.agents import Answer
from suites.est.hypotheses import OBJECTS, Bools, Floats

LIGHT = OBJECTS
"""The column of the light, behind those of the objects."""

PENALTY, CYCLES, MAX_RHO = 0.1, 1e-8, 1e16
"""Weight of the L1 penalty, the acyclicity at which the search ends, and the largest weight of that; as in
the authors' code."""


def acyclicity(weights: Floats) -> tuple[float, Floats]:
    """How far a weighted graph (variables, variables) is from having no cycles, and the gradient of that.

    The polynomial form of Yu et al. 2019, "DAG-GNN": trace((I + W * W / d)^d) - d.
    """
    variables = len(weights)
    step = np.eye(variables) + weights * weights / variables
    power = np.linalg.matrix_power(step, variables - 1)
    return float((power.T * step).sum()) - variables, 2 * power.T * weights


def fit(data: npt.NDArray[np.bool_], penalty: float = PENALTY) -> Floats:
    """Weights (variables, variables), from row to column, of a linear logistic model of binary data (rows,
    variables), by an augmented Lagrangian whose steps are solved by L-BFGS-B."""
    rows = data.astype(np.float64)
    variables = rows.shape[1]
    # Positive and negative parts are variables of their own, so that the L1 penalty is smooth.
    bounds = [
        (0, 0 if i == j else None) for _ in range(2) for i in range(variables) for j in range(variables)
    ]
    found, rho, alpha, cycles = np.zeros(2 * variables**2), 1.0, 0.0, np.inf

    def unfolded(parts: Floats) -> Floats:
        half = len(parts) // 2
        weights: Floats = (parts[:half] - parts[half:]).reshape(variables, variables)
        return weights

    def lagrangian(parts: Floats) -> tuple[float, Floats]:
        weights = unfolded(parts)
        loss, slope = _logistic(rows, weights)
        value, gradient = acyclicity(weights)
        smooth = (slope + (rho * value + alpha) * gradient).ravel()
        total = loss + rho * value * value / 2 + alpha * value + penalty * parts.sum()
        return total, np.concatenate([penalty + smooth, penalty - smooth])

    while cycles > CYCLES and rho < MAX_RHO:
        parts = minimize(lagrangian, found, jac=True, method="L-BFGS-B", bounds=bounds).x
        left, _ = acyclicity(unfolded(parts))
        if left > cycles / 4 and rho * 10 < MAX_RHO:
            rho *= 10
            continue
        found, cycles = parts, left
        alpha += rho * cycles
    return unfolded(found)


def _logistic(rows: Floats, weights: Floats) -> tuple[float, Floats]:
    """The logistic loss of a row, and its gradient."""
    scores = rows @ weights
    loss = (np.logaddexp(0, scores) - rows * scores).sum() / len(rows)
    return float(loss), rows.T @ (expit(scores) - rows) / len(rows)


@lru_cache(maxsize=100_000)
def _weights_to_light(data: bytes, shape: tuple[int, int]) -> Floats:
    """Of the same panels only once, as beliefs and guesses are tested in the same episodes."""
    return fit(np.frombuffer(data, np.bool_).reshape(shape))[:OBJECTS, LIGHT]


class Notears:
    """An agent of the reference agents' kind; it fits each episode at each step."""

    def __init__(self, episodes: int, rng: np.random.Generator, *, guess: bool = False) -> None:
        self._rng, self._guess = rng, guess
        self._seen = np.zeros((episodes, 0, OBJECTS + 1), np.bool_)

    def act(self, panels: Bools, lights: Bools) -> Answer:
        """Answer to what is seen now."""
        row = np.column_stack([panels, lights])[:, None]
        self._seen = np.concatenate([self._seen, row], axis=1)
        shape = self._seen.shape[1:]
        beliefs = expit(np.array([_weights_to_light(each.tobytes(), shape) for each in self._seen]))
        if self._guess:
            beliefs = (beliefs > 0.5).astype(np.float64)
        return Answer(beliefs, self._rng.random(beliefs.shape) < 0.5)
