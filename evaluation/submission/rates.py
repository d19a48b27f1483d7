"""The rates of a submission: made from its results, and checked by counting."""

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd

from evaluation.results import GROUP
from evaluation.statistics import RATES, pass_rates
from evaluation.submission.model import OVERALL, GroupRate, Submission

_EXACT = 1e-9
"""How far a rate may be from the quotient of its counts."""


def rates_of(results: pd.DataFrame) -> Iterator[GroupRate]:
    """Of all tasks, then of each group; `results` has the columns of `results_frame`."""
    everything = pass_rates(results.assign(**{GROUP: 0})).assign(**{GROUP: OVERALL})
    for row in (*everything.to_dict("records"), *pass_rates(results).to_dict("records")):
        known: dict[str, Any] = {str(key): value for key, value in row.items() if key not in ("agent", GROUP)}
        for name in RATES:
            known[name] = None if math.isnan(known[name]) else float(known[name])
        yield GroupRate(group=row[GROUP], **known)


def recomputed(made: Submission) -> tuple[GroupRate, ...]:
    """The rates of a submission by this version's statistics, whichever version wrote the file."""
    return tuple(rates_of(made.frame()))


def rate_problems(made: Submission) -> Iterator[str]:
    """What in the rates does not follow from the counts, and in the counts not from the results.

    Intervals need only contain their rate: they are those of the statistics of the version that wrote them.
    """
    expected = {rate.group: rate for rate in recomputed(made)}
    stated = {rate.group: rate for rate in made.rates}
    if list(stated) != list(expected) or len(made.rates) != len(stated):
        yield "rates: they do not follow from the results: expected all tasks together, then each group"
        return
    for group, rate in stated.items():
        for name, value in _expected(rate, expected[group]).items():
            if not _equal(getattr(rate, name), value):
                got = getattr(rate, name)
                yield f"rates of {group}: they do not follow from the results: {name}: got {got}, not {value}"
        ends = (rate.low, rate.pass_rate, rate.high)
        known = [end for end in ends if end is not None]
        if len(known) == len(ends) and not known[0] - _EXACT <= known[1] <= known[2] + _EXACT:
            interval = f"{rate.low} to {rate.high}"
            yield f"rates of {group}: the interval {interval} does not contain {rate.pass_rate}"


def _expected(stated: GroupRate, counted: GroupRate) -> dict[str, float | None]:
    """What is compared; version 0.2 counted tasks and rates of the trials with a verdict only."""
    if stated.planned is None:
        return {"trials": counted.trials, "passes": counted.passes, "pass_rate": counted.judged_rate}
    names = ("tasks", "planned", "trials", "passes", "missing", "pass_rate", "judged_rate", "most")
    return {name: getattr(counted, name) for name in names}


def _equal(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= _EXACT
