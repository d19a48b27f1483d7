"""Numbers, differences and lists as pages, figures and tables write them."""

import math
from collections.abc import Callable, Sequence

NONE = "–"
"""Stands for what there is no value of."""


def percent(share: float) -> str:
    """A proportion in whole percent, halves away from zero as readers expect: 0.775 is 78."""
    return f"{math.floor(100 * share + 0.5 + 1e-9):d}"


def points(difference: float) -> str:
    """A difference of proportions in percentage points, with a true minus sign."""
    return ("−" if difference < -0.005 else "") + percent(abs(difference))


def decimals(value: float) -> str:
    """Two decimals, with a true minus sign."""
    return f"{value:.2f}".replace("-", "−")


def p_value(value: float) -> str:
    """A p value with three decimals."""
    return NONE if math.isnan(value) else "< 0.001" if value < 0.001 else f"{value:.3f}"


def interval(form: Callable[[float], str], value: float, low: float, high: float) -> str:
    """A value with its ends in brackets, which are left out if they are NaN, as is all of it for a NaN."""
    if math.isnan(value):
        return NONE
    return form(value) + ("" if math.isnan(low) else f" [{form(low)} to {form(high)}]")


def count(number: int, thing: str) -> str:
    """`1 task`, `2 tasks`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
