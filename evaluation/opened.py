"""An episode of any suite by the id of its task: what every other harness than the runner begins with."""

from typing import Any, NamedTuple

from evaluation.capabilities import prompts_of
from evaluation.choices.effective import effective
from evaluation.suite import EpisodeSetup, Suite
from evaluation.suites import chosen_tasks, find_task, get_suite, unknown_task


class Opened(NamedTuple):
    """A suite with the choices of its episodes; `setup` is that of one, which `suite.open(setup)` plays."""

    suite: Suite
    choices: Any

    @classmethod
    def named(cls, name: str, **choices: Any) -> "Opened":
        """A suite by its name. Raises ConfigError for an unknown name or choice, or a wrong value."""
        suite = get_suite(name)
        return cls(suite, effective(suite, choices.pop("protocol", None), choices).choices)

    def setup(self, task_id: str, trial: int = 0) -> EpisodeSetup:
        """What an episode of a task depends on. Raises ConfigError if there is no such task."""
        task = find_task(self.suite, task_id, self.choices, None)
        if task is None:
            raise unknown_task(task_id, [task.id for task in chosen_tasks(*self, None)])
        every = chosen_tasks(*self, None) if self.choices.needs_all_tasks else ()
        self.suite.check("", (task,), self.choices)
        return EpisodeSetup(
            self.suite, task, trial, self.choices, prompts_of(self.suite, self.choices), every
        )
