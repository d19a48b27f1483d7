"""What suites share in the panels that they add to reports: templates, and how often statements are true."""

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from evaluation.statistics import clustered_interval


def panel(package: str, name: str, **values: Any) -> str:
    """HTML of the macro `name` in `templates/findings.html.j2` of a package, called with the values.

    The template may import what stands in `templates/` beside this module. Values are escaped.
    """
    module: Any = _environment(package).get_template("findings.html.j2").module
    return str(getattr(module, name)(**values))


@cache
def _environment(package: str) -> Environment:
    loaders = PackageLoader(package), PackageLoader(__package__)
    return Environment(
        loader=ChoiceLoader(loaders), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )


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
