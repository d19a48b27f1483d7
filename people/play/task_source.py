"""Sources of people's tasks: tasks, their participants and their order."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NamedTuple, Self, TypeVar, cast

from arena.action import STEP_S
from arena.errors import ConfigError
from arena.recording import spec_sha256
from arena.rules import SAFETY_STEPS
from evaluation.capabilities import choices_of_people, form_of
from evaluation.prompts import PromptSet
from evaluation.request import EvalRequest
from evaluation.suite import EpisodeSetup, Suite, TaskSpec
from evaluation.suites import DEFAULT, get_suite
from llm_control.suite import task_spec
from people.play.pacing import Picture, QualityLevel
from people.play.worker_protocol import VIEWS, Palette, View
from people.store import Participant, Store, Trial
from people.texts import Texts
from testbed import Task


class Course(NamedTuple):
    """Tasks of a suite with their choices and texts."""

    suite: Suite
    choices: Any
    prompts: PromptSet
    tasks: tuple[TaskSpec, ...]

    @classmethod
    def of(
        cls, suite: Suite, choices: Mapping[str, Any], folder: Path | None = None, protocol: str | None = None
    ) -> Self:
        """Return the tasks under these choices, a preset's, or people's. Raises as `check`."""
        for_people = {} if protocol else choices_of_people(suite)
        unset = {name: value for name, value in for_people.items() if choices.get(name) is None}
        request = EvalRequest(suite, "", folder, None, protocol, {**choices, **unset})
        course = cls(suite, request.effective.choices, request.prompts, tuple(request.tasks))
        course.check()
        return course

    @classmethod
    def by_scripts(cls, tasks: Iterable[Task], choices: Mapping[str, str]) -> Self:
        """Return the arena's tasks as models play them, apart from these choices."""
        request = EvalRequest(get_suite(DEFAULT), "", choices=choices)
        return cls(request.suite, request.effective.choices, request.prompts, tuple(map(task_spec, tasks)))

    def __str__(self) -> str:
        """The suite, and those of its choices that are not its defaults."""
        chosen = self.choices.model_dump(mode="json", exclude_defaults=True, exclude={"tasks", "seed"})
        return ", ".join(
            [f"suite {self.suite.name}", *(f"{name}: {value}" for name, value in chosen.items())]
        )

    def every(self) -> "tuple[SuiteTask, ...]":
        """Return all tasks, in their order."""
        return tuple(SuiteTask(self, place) for place in range(len(self.tasks)))

    def check(self) -> None:
        """Begin a task and close it. Raises ConfigError if people cannot play it, or the suite's errors."""
        if (self.choices.replies, self.choices.conversation) != ("text", "episode"):
            raise ConfigError(
                "people reply with a form, one task at a time: leave out replies and conversation"
            )
        if self.choices.judges:
            models = ", ".join(self.choices.judges)
            raise ConfigError(f"people play without further models: leave out {models}")
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
    """A form-played task, at a place of its course, from 0."""

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
        """Data that determine an episode of the task."""
        suite, choices, prompts, tasks = self.course
        every = tasks if choices.needs_all_tasks else ()
        return EpisodeSetup(suite, self.spec, trial, choices, prompts, every)


AnyTask = TypeVar("AnyTask", bound=Task | SuiteTask, covariant=True)
Wanted = TypeVar("Wanted", bound=Task | SuiteTask)


@dataclass(frozen=True, slots=True)
class Assignment(Generic[AnyTask]):
    """One task for one participant.

    `position` is its place in the participant's order, from 0, and `count` the number of tasks, None to hide
    it. `title` is shown above the view. `views` can be selected; the first is shown at the start. `feedback`:
    whether health, rewards and success are shown; `show_score`: whether the score at the end is, too.
    `may_stop`: whether the participant may end the episode. `block`: the name of the study's block that it
    belongs to. `limit_s`: seconds after which play ends, and `max_pause_s` of pauses, None for no limit.
    `stars`: rewards are shown as a star for each ball; `palette`: that of the picture, which is `fixed` or
    adapts to the connection. With `check` the page drives by itself, and what it displays is judged. Tasks of
    another suite have no views and pauses; `words` are texts of their page, and `may_leave`: whether it leads
    out of the study.
    """

    task: AnyTask
    position: int
    seed: int = 0
    count: int | None = None
    title: str = ""
    views: tuple[View, ...] = VIEWS[:1]
    feedback: bool = True
    show_score: bool = True
    may_stop: bool = True
    block: str | None = None
    limit_s: float | None = None
    max_pause_s: float | None = None
    stars: bool = False
    palette: Palette = "standard"
    fixed: QualityLevel | None = None
    check: Picture | None = None
    words: Texts = field(default_factory=Texts)
    may_leave: bool = False

    @property
    def max_steps(self) -> int:
        """Limit of an episode played with keys."""
        return SAFETY_STEPS if self.limit_s is None else max(1, round(self.limit_s / STEP_S))

    @property
    def lights_out(self) -> bool:
        """True if the light goes out at times, which blinds the agent."""
        return isinstance(self.task, Task) and bool(self.task.spec.blackouts)


AnyAssignment = Assignment[Task | SuiteTask]


class TaskSource(ABC):
    """Assigns tasks. Called in a separate thread, one call at a time."""

    def next_task(self, store: Store, person: Participant, kind: type[Wanted]) -> Assignment[Wanted] | None:
        """Return the next task. None if there are no more, or it is of another kind."""
        return _of_kind(self.following(store, person), kind)

    def resumed(
        self, store: Store, person: Participant, trial: Trial, kind: type[Wanted]
    ) -> Assignment[Wanted] | None:
        """Return an interrupted trial's assignment. None if not resumable, or of another kind."""
        assignment = self.again(store, person, trial)
        return _of_kind(assignment, kind) if _is_same(trial, assignment) else None

    @abstractmethod
    def following(self, store: Store, person: Participant) -> AnyAssignment | None:
        """Return the task to be played next; None without one."""

    @abstractmethod
    def again(self, store: Store, person: Participant, trial: Trial) -> AnyAssignment | None:
        """Return a begun trial's present assignment. It is resumed if its task is the same."""

    def finished(self, store: Store, person: Participant) -> None:
        """A trial has ended and is stored."""
        return None

    def next_page(self, person: Participant) -> str | None:
        """Return the server's page after the last task. None: the game's own end."""
        return None


class TaskList(TaskSource):
    """One list of tasks for everyone, which starts again after the last. Returning participants resume after
    the task that they played last."""

    def __init__(
        self, tasks: Sequence[Task | SuiteTask], *, seed: int = 0, views: tuple[View, ...] = VIEWS[:1]
    ) -> None:
        self._tasks = tuple(tasks)
        self._seed, self._views = seed, views
        self._positions = {task.id: position for position, task in enumerate(tasks)}

    def following(self, store: Store, person: Participant) -> AnyAssignment:
        """Return the task after the one that was started last."""
        trials = store.trials(person.id)
        last = self._positions.get(trials[-1].task_id, -1) if trials else -1
        return self._assignment((last + 1) % len(self._tasks))

    def again(self, store: Store, person: Participant, trial: Trial) -> AnyAssignment | None:
        """Return the trial's task, if the list has it."""
        position = self._positions.get(trial.task_id)
        return None if position is None else self._assignment(position)

    def _assignment(self, position: int) -> AnyAssignment:
        task, count = self._tasks[position], len(self._tasks)
        level = task.level_name if isinstance(task, Task) and task.level else ""
        title = f"{level} {task.id}".strip() if isinstance(task, Task) else task.course.suite.title
        return Assignment(task, position, self._seed, count, title, self._views)


def _of_kind(assignment: AnyAssignment | None, kind: type[Wanted]) -> Assignment[Wanted] | None:
    """Return the assignment if its task is of this kind."""
    fits = assignment is not None and isinstance(assignment.task, kind)
    return cast("Assignment[Wanted]", assignment) if fits else None


def _is_same(trial: Trial, assignment: AnyAssignment | None) -> bool:
    """Return whether a trial is of this task. One of the arena also with the same arena and seed, by keys."""
    if assignment is None or trial.task_id != assignment.task.id:
        return False
    if isinstance(assignment.task, SuiteTask):
        return True
    played = (trial.spec_sha256, trial.seed, trial.mode)
    return played == (spec_sha256(assignment.task.spec), assignment.seed, "keys")
