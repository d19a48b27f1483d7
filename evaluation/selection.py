"""Which tasks of a suite a run plays."""

from collections.abc import Iterable, Sequence

from arena.errors import ConfigError
from evaluation.suite import TaskSpec


def named(tasks: Iterable[TaskSpec], ids: Sequence[str]) -> list[TaskSpec]:
    """The tasks of these ids in the order of the ids. Raises ConfigError for one that is missing or twice."""
    by_id = {task.id: task for task in tasks}
    missing = [each for each in ids if each not in by_id]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise ConfigError(f"no task {', '.join(missing[:3])}{more} among the {len(by_id)} of the suite")
    if len(set(ids)) < len(ids):
        twice = max(ids, key=list(ids).count)
        raise ConfigError(f"tasks: {twice} is named twice; to play a task several times, use --trials")
    return [by_id[each] for each in ids]
