"""Shared parts of suites' report panels: templates and calibration."""

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from evaluation.statistics import clustered_interval


def panel(package: str, name: str, **values: Any) -> str:
    """Render the macro `name` of a package's `templates/findings.html.j2` with values. The template may
    import from `templates/` of this package. Values are escaped."""
    module: Any = _environment(package).get_template("findings.html.j2").module
    return str(getattr(module, name)(**values))


@cache
def _environment(package: str) -> Environment:
    loaders = PackageLoader(package), PackageLoader(__package__)
    return Environment(
        loader=ChoiceLoader(loaders), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )


LIMITS = np.linspace(0, 1, 11)
"""Limits of the probability bins."""


class Bin(NamedTuple):
    """Stated probabilities within a tenth: number, mean, mean truth, and interval."""

    low: float
    high: float
    number: int
    stated: float
    share: float
    interval: tuple[float, float]


def calibration(said: Iterable[tuple[int, float, float]]) -> list[Bin]:
    """Bin stated probabilities by tenths, with the truths from 0 to 1. The 95 % interval treats each episode
    as a cluster."""
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
