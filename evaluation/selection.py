"""Which tasks of a suite a run plays."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from arena.errors import ConfigError
from evaluation.suite import Suite, TaskSpec


def chosen_tasks(suite: Suite, choices: Any, folder: Path | None) -> tuple[TaskSpec, ...]:
    """The tasks of a run, in their order. Raises ConfigError as `Suite.tasks`, and if there are none."""
    found = tuple(suite.tasks(choices, folder))
    if found:
        return found
    if not choices.tasks:
        raise ConfigError(f"the suite {suite.name} has no task with these choices; change or leave out some")
    every = [task.id for task in suite.tasks(choices.model_copy(update={"tasks": None}), folder)]
    near = [each for name in choices.tasks for each in get_close_matches(name, every, n=2)]
    hint = f"did you mean {' or '.join(dict.fromkeys(near))}?" if near else f"expected {_listed(every)}"
    raise ConfigError(f"no task {_listed(choices.tasks)} in the suite {suite.name}; {hint}")


def _listed(ids: Sequence[str]) -> str:
    """The first three, and how many more there are."""
    more = f" and {len(ids) - 3} more" if len(ids) > 3 else ""
    return f"{', '.join(ids[:3]) or 'none'}{more}"


def named(tasks: Iterable[TaskSpec], ids: Sequence[str]) -> list[TaskSpec]:
    """The tasks of these ids in the order of the ids. Raises ConfigError for one that is missing or twice."""
    by_id = {task.id: task for task in tasks}
    missing = [each for each in ids if each not in by_id]
    if missing:
        raise ConfigError(f"no task {_listed(missing)} among the {len(by_id)} of the suite")
    if len(set(ids)) < len(ids):
        twice = max(ids, key=list(ids).count)
        raise ConfigError(f"tasks: {twice} is named twice; to play a task several times, use --trials")
    return [by_id[each] for each in ids]
