"""Which tests start a command, server, browser or evaluation: found by what they and their fixtures call.

The rule: a test is `e2e` if its point is a whole and it starts one; a test of a part is made small instead.
What is started by a name that stands in no function of the tests is marked by hand.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

STARTERS = {
    **dict.fromkeys(("subprocess", "Popen", "run_fresh"), "a program"),
    **dict.fromkeys(("start_new_session", "sync_playwright"), "a browser or server"),
    **dict.fromkeys(("RayEngine", "Engine", "Players", "serving"), "processes that wait for work"),
    **dict.fromkeys(("evaluate", "inspect_eval", "inspect_ai", "eval_set", "check_suite"), "an evaluation"),
    **dict.fromkeys(("write_log_report", "write_comparison"), "a report with all its figures and pages"),
}
"""Names by which something is started, and what that is."""

WORKERS = ("workers", "processes", "jobs")
"""Parameters that say how many processes a test starts; with 0 or 1 it stays in its own."""

_known: dict[FunctionType, bool] = {}


def is_whole(item: pytest.Function) -> bool:
    """Whether a test or one of its fixtures starts any of these."""
    if any(isinstance(count := _parameters(item).get(name), int) and count > 1 for name in WORKERS):
        return True
    fixtures = (each.func for found in item._fixtureinfo.name2fixturedefs.values() for each in found)
    called = (getattr(each, "__wrapped__", each) for each in (item.function, *fixtures))
    return any(starts_much(each) for each in called if isinstance(each, FunctionType))


def _parameters(item: pytest.Function) -> Mapping[str, Any]:
    return item.callspec.params if hasattr(item, "callspec") else {}


def starts_much(function: FunctionType) -> bool:
    """Whether a function of the tests starts one of these, or calls one of theirs that does."""
    if function not in _known:
        _known[function] = False
        names = set(_names(function.__code__))
        _known[function] = bool(names & STARTERS.keys()) or any(map(starts_much, _called(function, names)))
    return _known[function]


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _called(function: FunctionType, names: set[str]) -> Iterator[FunctionType]:
    """Functions of the tests that are named, also as parts of named modules, classes, tables and partials."""
    for found in (function.__globals__[name] for name in names & function.__globals__.keys()):
        parts = (getattr(each, "__wrapped__", each) for each in (found, *_parts(found, names)))
        yield from (each for each in parts if _is_ours(each))


def _parts(found: Any, names: set[str]) -> Iterable[Any]:
    if isinstance(found, partial):
        return [found.func]
    if isinstance(found, ModuleType):
        return [vars(found)[each] for each in names & vars(found).keys()]
    if isinstance(found, type):
        return vars(found).values()
    return found.values() if isinstance(found, dict) else ()


def _is_ours(value: Any) -> bool:
    return isinstance(value, FunctionType) and value.__module__.startswith("tests.")
