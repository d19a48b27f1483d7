"""Reading answers, which are texts: numbers, dates, and lists of options."""

import json
import math
import re
from collections.abc import Iterable
from datetime import date
from decimal import Decimal

MAX_ANSWER = 5_000
"""Characters of an answer, about two pages."""

DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def number_of(text: str) -> float | None:
    """A finite number, with a decimal point or comma; None for another text."""
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    # Python would read 1_000, too.
    return value if math.isfinite(value) and "_" not in text else None


def plain_number(text: str) -> str:
    """A number in ASCII digits with a decimal point: "5,50" becomes "5.5"; other texts as they are."""
    value = number_of(text)
    if value is None:
        return text
    if text.isdecimal():
        return str(int(text))
    digits = format(Decimal(repr(value)), "f")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def date_of(text: str) -> date | None:
    """A date such as 2026-03-31 (ISO 8601); None for another text."""
    try:
        return date.fromisoformat(text) if DATE.fullmatch(text) else None
    except ValueError:
        return None


def as_list(values: Iterable[str]) -> str:
    """Several options as one answer: a list in JSON."""
    return json.dumps(list(values), ensure_ascii=False)


def list_of(text: str) -> tuple[str, ...] | None:
    """The options in an answer made by `as_list`; None for another text."""
    try:
        values = json.loads(text[:MAX_ANSWER])
    except (ValueError, RecursionError):
        return None
    is_list = isinstance(values, list) and all(isinstance(value, str) for value in values)
    return tuple(values) if is_list else None
