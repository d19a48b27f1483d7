"""Which suites are installed: they register by the entry-point group `arena_llm.suites`."""

from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from arena.errors import ConfigError, ShadowedError
from arena.packages import load
from evaluation.suite import Suite

GROUP = "arena_llm.suites"

DEFAULT = "arena"
"""The suite that is run if none is named."""

EXTRAS: dict[str, str] = {}
"""Suites of this project that need an extra to be installed, with the command that installs it."""


@cache
def _points() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


_own: dict[str, Suite] = {}
"""Suites that this process has registered without an entry point."""


def register(suite: Suite) -> None:
    """Make a suite known to this process, as an entry point does to all."""
    if suite.name not in _points():
        _own[suite.name] = suite


def suite_names() -> tuple[str, ...]:
    """The names of the registered suites, the default first."""
    return tuple(sorted({*_points(), *_own}, key=lambda name: (name != DEFAULT, name)))


def get_suite(name: str) -> Suite:
    """A registered suite. Raises ConfigError, with what to do, if there is none or it cannot be imported."""
    return _own[name] if name in _own else _installed(name)


@cache
def _installed(name: str) -> Suite:
    point = _points().get(name)
    if point is None:
        near = get_close_matches(name, suite_names(), n=1)
        hint = f"did you mean {near[0]}?" if near else f"installed are: {', '.join(suite_names())}"
        raise ConfigError(f"no suite {name!r}; {EXTRAS.get(name, hint)}")
    try:
        found: Suite = load(point)
    except ShadowedError:
        raise
    except ImportError as error:
        raise ConfigError(
            f"suite {name}: cannot be imported ({error}); {EXTRAS.get(name, 'install what it needs')}"
        ) from None
    return found


def suite_of_task(task_name: str) -> Suite:
    """The suite of a log, by the name of its task with or without a package before it. Raises ConfigError."""
    plain = task_name.rpartition("/")[2]
    for name in suite_names():
        if get_suite(name).task_name == plain:
            return get_suite(name)
    raise ConfigError(f"no installed suite has the task {task_name!r}; `arena-llm suites` lists them")
