"""Tasks of a suite that people play."""

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

from arena.errors import ConfigError
from evaluation.capabilities import choices_of_people, form_of
from evaluation.prompts import PromptSet
from evaluation.request import EvalRequest
from evaluation.suite import EpisodeSetup, Suite, TaskSpec
from evaluation.suites import DEFAULT, get_suite
from llm_control.suite import task_spec
from testbed import Task


class Course(NamedTuple):
    """Tasks of a suite with the choices and texts under which they are played."""

    suite: Suite
    choices: Any
    prompts: PromptSet
    tasks: tuple[TaskSpec, ...]

    @classmethod
    def of(
        cls, suite: Suite, choices: Mapping[str, Any], folder: Path | None = None, protocol: str | None = None
    ) -> Self:
        """The tasks under these choices, or a preset's, and otherwise those for people. Raises as `check`."""
        for_people = {} if protocol else choices_of_people(suite)
        unset = {name: value for name, value in for_people.items() if choices.get(name) is None}
        request = EvalRequest(suite, "", folder, None, protocol, {**choices, **unset})
        course = cls(suite, request.effective.choices, request.prompts, tuple(request.tasks))
        course.check()
        return course

    @classmethod
    def by_scripts(cls, tasks: Iterable[Task], choices: Mapping[str, str]) -> Self:
        """Tasks of the arena as a model plays them, by its default choices apart from these."""
        request = EvalRequest(get_suite(DEFAULT), "", choices=choices)
        return cls(request.suite, request.effective.choices, request.prompts, tuple(map(task_spec, tasks)))

    def __str__(self) -> str:
        """The suite, and those of its choices that are not its defaults."""
        chosen = self.choices.model_dump(mode="json", exclude_defaults=True, exclude={"tasks", "seed"})
        return ", ".join(
            [f"suite {self.suite.name}", *(f"{name}: {value}" for name, value in chosen.items())]
        )

    def every(self) -> "tuple[SuiteTask, ...]":
        """All tasks, in their order."""
        return tuple(SuiteTask(self, place) for place in range(len(self.tasks)))

    def check(self) -> None:
        """Begin a task and close it. Raises ConfigError if people cannot play it, or the suite's errors."""
        if (self.choices.replies, self.choices.conversation) != ("text", "episode"):
            raise ConfigError(
                "people reply by a form, one task at a time: leave out replies and conversation"
            )
        if self.choices.judges:
            models = ", ".join(self.choices.judges)
            raise ConfigError(f"where people play, no second model is asked: leave out {models}")
        setup = SuiteTask(self, 0).setup()
        with closing(self.suite.open(setup)) as environment:
            first = environment.begin()
        if form_of(self.suite, setup.task, self.choices, first) is None:
            raise ConfigError(
                f"suite {self.suite.name}: people cannot play it, as it has no form; docs/add-suite.md says "
                "how to add one"
            )


@dataclass(frozen=True, slots=True)
class SuiteTask:
    """A task that is played by a form: at a place of its course, from 0."""

    course: Course
    place: int

    @property
    def spec(self) -> TaskSpec:
        """The task in its suite."""
        return self.course.tasks[self.place]

    @property
    def id(self) -> str:
        """The id of the task in its suite."""
        return self.spec.id

    @property
    def group(self) -> str:
        """The group of the task in its suite."""
        return str(self.spec.group)

    def setup(self, trial: int = 0) -> EpisodeSetup:
        """What an episode of the task depends on."""
        suite, choices, prompts, tasks = self.course
        every = tasks if choices.needs_all_tasks else ()
        return EpisodeSetup(suite, self.spec, trial, choices, prompts, every)
