"""Fits a program's PyMC model, and prints the posterior and predictions. Executed in the confined process
after the program, so it imports nothing of this project."""

import logging
from collections.abc import Iterator
from typing import Any

TUNE, DRAWS, CHAINS = 1000, 500, 2
"""Tuning steps, draws, and number of chains."""

ROWS = 40
"""Maximum printed numbers of the posterior, and printed observations."""


def main(variables: dict[str, Any]) -> None:
    """Fit the variable `model`. Raises ValueError if it is no PyMC model, or PyMC's errors."""
    import pymc

    model = variables.get("model")
    if not isinstance(model, pymc.Model):
        raise ValueError(f"`model` has to be a pymc.Model, got {type(model).__name__}")
    logging.getLogger("pymc").setLevel(logging.ERROR)
    quiet = {"progressbar": False, "random_seed": 1}
    with model:
        trace = pymc.sample(
            DRAWS, tune=TUNE, chains=CHAINS, cores=1, compute_convergence_checks=False, **quiet
        )
        if model.observed_RVs:
            pymc.sample_posterior_predictive(trace, extend_inferencedata=True, **quiet)
    _print("Posterior:", "mean sd 5% 95% r_hat", list(_posterior(trace.posterior)))
    if model.observed_RVs:
        rows = list(_predictive(trace.observed_data, trace.posterior_predictive))
        _print("Posterior predictive and observations:", "observed mean 5% 95%", rows)
    if divergent := int(trace.sample_stats.diverging.sum()) if "diverging" in trace.sample_stats else 0:
        print(f"{divergent} of {DRAWS * CHAINS} transitions diverged.")


def _posterior(draws: Any) -> Iterator[tuple[str, list[float]]]:
    """Yield each number of the posterior (chains, draws, ...) with its summary."""
    import arviz
    import numpy as np

    r_hat: Any = arviz.rhat

    for name, found in draws.items():
        values = found.values.reshape(*found.shape[:2], -1)
        for k in range(values.shape[2]):
            each = values[..., k]
            summary = [each.mean(), each.std(), *np.quantile(each, (0.05, 0.95)), float(r_hat(each))]
            yield f"{name}[{k}]" if found.ndim > 2 else name, summary


def _predictive(observed: Any, draws: Any) -> Iterator[tuple[str, list[float]]]:
    """Yield each observation with its prediction by the model."""
    import numpy as np

    for name, seen in observed.items():
        values = draws[name].values.reshape(-1, seen.size)
        for k, value in enumerate(seen.values.reshape(-1)):
            yield f"{name}[{k}]", [value, values[:, k].mean(), *np.quantile(values[:, k], (0.05, 0.95))]


def _print(title: str, header: str, rows: list[tuple[str, list[float]]]) -> None:
    print(f"{title} {header}")
    for name, values in rows[:ROWS]:
        print(f"  {name}: {' '.join(f'{value:.4g}' for value in values)}")
    if len(rows) > ROWS:
        print(f"  ... and {len(rows) - ROWS} more")
