"""Installed suites, and selection of a run's tasks. Suites register by the entry-point group
`arena_llm.suites`."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from arena.errors import ConfigError, ShadowedError, nearest
from arena.packages import load
from evaluation.suite import Suite, TaskSpec

GROUP = "arena_llm.suites"

DEFAULT = "arena"
"""Default suite."""


@cache
def _points() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


_own: dict[str, Suite] = {}
"""Suites that this process has registered without an entry point."""


def register(suite: Suite) -> None:
    """Register a suite in this process, like an entry point."""
    if suite.name not in _points():
        _own[suite.name] = suite


_on_use: list[bool] = []


def register_on_use() -> None:
    """Register this process's suites in Inspect AI only when played. By default all."""
    _on_use.append(True)


def registered_early() -> tuple[str, ...]:
    """List the suites whose tasks Inspect AI knows before they are played."""
    return () if _on_use else suite_names()


def suite_names() -> tuple[str, ...]:
    """List the registered suites, the default first."""
    return tuple(sorted({*_points(), *_own}, key=lambda name: (name != DEFAULT, name)))


def get_suite(name: str) -> Suite:
    """Find a registered suite. Raises ConfigError, with advice, if missing or not importable."""
    return _own[name] if name in _own else _installed(name)


@cache
def _installed(name: str) -> Suite:
    point = _points().get(name)
    if point is None:
        hint = nearest(name, suite_names(), f"installed are: {', '.join(suite_names())}")
        raise ConfigError(f"no suite {name!r}; {hint}")
    try:
        found: Suite = load(point)
    except ShadowedError:
        raise
    except ImportError as error:
        raise ConfigError(f"suite {name}: cannot be imported ({error}); install what it needs") from None
    return found


def suite_of_task(task_name: str) -> Suite:
    """Find the suite of a log's task, with or without package. Raises ConfigError."""
    plain = task_name.rpartition("/")[2]
    for name in suite_names():
        if get_suite(name).task_name == plain:
            return get_suite(name)
    raise ConfigError(f"no installed suite has the task {task_name!r}; `arena-llm suites` lists them")


def chosen_tasks(suite: Suite, choices: Any, folder: Path | None) -> tuple[TaskSpec, ...]:
    """Select the tasks of a run: all, or the choice `tasks`. Raises ConfigError for names that do not exist
    or that repeat a task, as `Suite.check`, and if no task is left."""
    _check_folder(suite, folder)
    names = choices.tasks
    found = tuple(suite.tasks(choices, folder) if names is None else _named(suite, names, choices, folder))
    ids = [task.id for task in found]
    if len(set(ids)) < len(ids):
        twice = max(ids, key=ids.count)
        raise ConfigError(f"tasks: {twice} is named twice; to play a task several times, use --trials")
    if not found:
        which = f"none of the tasks {listed(names)} is left" if names else "no task is left"
        raise ConfigError(f"suite {suite.name}: {which} with these choices; change or remove some")
    suite.check("", found, choices)
    return found


def find_task(suite: Suite, task_id: str, choices: Any, folder: Path | None) -> TaskSpec | None:
    """Find a task's present version by id, otherwise None. Raises ConfigError as `Suite.named`."""
    _check_folder(suite, folder)
    return next((task for task in suite.named(task_id, choices, folder) or () if task.id == task_id), None)


def unknown_task(name: str, known: Sequence[str], further: str = "") -> ConfigError:
    """Describe an unknown task with the nearest or first `known` names."""
    hint = nearest(name, known, f"expected {', '.join(known[:12])}")
    return ConfigError(f"no task {name}; {hint}{further}")


def listed(ids: Sequence[str]) -> str:
    """List the first three ids and the number of others."""
    more = f" and {len(ids) - 3} more" if len(ids) > 3 else ""
    return f"{', '.join(ids[:3]) or 'none'}{more}"


def _check_folder(suite: Suite, folder: Path | None) -> None:
    if folder is not None and not suite.has_files:
        raise ConfigError(f"{folder}: the suite {suite.name} has no task files; leave out the folder")


def _named(suite: Suite, names: Sequence[str], choices: Any, folder: Path | None) -> Iterator[TaskSpec]:
    found = {name: suite.named(name, choices, folder) for name in names}
    if missing := [name for name, tasks in found.items() if tasks is None]:
        every = [task.id for task in suite.tasks(choices, folder)]
        near = [each for name in missing for each in get_close_matches(name, every, n=2)]
        hint = f"did you mean {' or '.join(dict.fromkeys(near))}?" if near else f"expected {listed(every)}"
        raise ConfigError(f"no task {listed(missing)} in the suite {suite.name}; {hint}")
    for name in names:
        yield from found[name] or ()
