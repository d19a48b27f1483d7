"""An episode of any suite by the id of its task: what every other harness than the runner begins with."""

from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

from arena.errors import ConfigError
from evaluation.capabilities import brought, prompts_of
from evaluation.choices.effective import effective
from evaluation.suite import EpisodeSetup, Suite
from evaluation.suites import chosen_tasks, find_task, get_suite, unknown_task

SPLITS = ("train", "test")


class Opened(NamedTuple):
    """A suite with the choices of its episodes; `setup` is that of one, which `suite.open(setup)` plays."""

    suite: Suite
    choices: Any

    @classmethod
    def named(cls, name: str, **choices: Any) -> "Opened":
        """A suite by its name. Raises ConfigError for an unknown name or choice, or a wrong value."""
        suite = get_suite(name)
        return cls(suite, effective(suite, choices.pop("protocol", None), choices).choices)

    def split(self, name: str) -> Iterator[str]:
        """Ids of the suite's tasks to train on (`train`) or to test with (`test`), which share none.

        Raises ConfigError for another name, or if the suite says nothing of splits.
        """
        if name not in SPLITS:
            raise ConfigError(f"split: got {name!r}, expected one of: {', '.join(SPLITS)}")
        suite, choices = self
        found = brought(suite, "splits", "split")
        if found is None:
            raise ConfigError(f"suite {suite.name}: it has no splits; its folder needs a function `split`")
        ids: Iterator[str] = found(name, choices)
        return ids

    def episodes(self, split: str) -> Iterator[tuple[str, int]]:
        """Task and trial of the episodes of a split, without end: all its tasks, then again as trial 1."""
        return ((task_id, trial) for trial in count() for task_id in self.split(split))

    def setup(self, task_id: str, trial: int = 0) -> EpisodeSetup:
        """What an episode of a task depends on. Raises ConfigError if there is no such task."""
        task = find_task(self.suite, task_id, self.choices, None)
        if task is None:
            raise unknown_task(task_id, [task.id for task in chosen_tasks(*self, None)])
        suite, choices = self
        every = chosen_tasks(suite, choices, None) if choices.needs_all_tasks else ()
        suite.check("", (task,), choices)
        return EpisodeSetup(suite, task, trial, choices, prompts_of(suite, choices), every)
