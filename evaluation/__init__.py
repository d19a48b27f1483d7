"""Evaluation of agents on suites of tasks, on Inspect AI."""

from typing import Any


def check_suite(suite: Any, **options: Any) -> Any:
    """Check that a suite keeps its contract; see `evaluation.conformance.check_suite`."""
    from evaluation.conformance import check_suite

    return check_suite(suite, **options)


__all__ = ["check_suite"]
