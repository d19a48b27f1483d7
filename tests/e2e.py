"""Which tests start a command, server, browser or evaluation: found by what they and their fixtures call."""

from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

STARTERS = {"subprocess", "sync_playwright", "RayEngine", "evaluate", "inspect_eval"}
"""Names by which these are started."""

_known: dict[FunctionType, bool] = {}


def starts_much(function: FunctionType) -> bool:
    """Whether a function of the tests starts one of these, or calls one of theirs that does."""
    if function not in _known:
        _known[function] = False
        names = set(_names(function.__code__))
        _known[function] = bool(names & STARTERS) or any(map(starts_much, _called(function, names)))
    return _known[function]


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _called(function: FunctionType, names: set[str]) -> Iterator[FunctionType]:
    """Functions of the tests that are named, also as parts of named modules and classes."""
    for found in (function.__globals__[name] for name in names & function.__globals__.keys()):
        inside = vars(found) if isinstance(found, type | ModuleType) else {}
        parts = (
            inside.values() if isinstance(found, type) else [inside[each] for each in names & inside.keys()]
        )
        yield from (each for each in (found, *parts) if _is_ours(each))


def _is_ours(value: Any) -> bool:
    return isinstance(value, FunctionType) and value.__module__.startswith("tests.")
