"""Which tasks of a suite a run plays."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from arena.errors import ConfigError
from evaluation.suite import Suite, TaskSpec


def chosen_tasks(suite: Suite, choices: Any, folder: Path | None) -> tuple[TaskSpec, ...]:
    """The tasks of a run: all of them, or those of the choice `tasks` in its order.

    Raises ConfigError for names that do not exist or that repeat a task, as `Suite.check`, and if no task is
    left.
    """
    _check_folder(suite, folder)
    names = choices.tasks
    found = tuple(suite.tasks(choices, folder) if names is None else _named(suite, names, choices, folder))
    ids = [task.id for task in found]
    if len(set(ids)) < len(ids):
        twice = max(ids, key=ids.count)
        raise ConfigError(f"tasks: {twice} is named twice; to play a task several times, use --trials")
    if not found:
        which = f"none of the tasks {listed(names)} is left" if names else "it has no task"
        raise ConfigError(f"suite {suite.name}: {which} with these choices; change or leave out some")
    suite.check("", found, choices)
    return found


def find_task(suite: Suite, task_id: str, choices: Any, folder: Path | None) -> TaskSpec | None:
    """The task of an id as it is now; None if there is none. Raises ConfigError as `Suite.named`."""
    _check_folder(suite, folder)
    return next((task for task in suite.named(task_id, choices, folder) or () if task.id == task_id), None)


def unknown_task(name: str, known: Sequence[str], further: str = "") -> ConfigError:
    """A name that stands for no task: the nearest of the `known` ones, or some of them."""
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"expected {', '.join(known[:12])}"
    return ConfigError(f"no task {name}; {hint}{further}")


def listed(ids: Sequence[str]) -> str:
    """The first three, and how many more there are."""
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
