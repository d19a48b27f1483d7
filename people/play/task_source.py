"""Which tasks a participant plays, and in which order: the interface between games and a study."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

from arena.action import STEP_S
from arena.recording import spec_sha256
from arena.rules import SAFETY_STEPS
from people.play.course import SuiteTask
from people.play.pacing import Picture, QualityLevel
from people.play.worker_protocol import VIEWS, Palette, View
from people.store import Participant, Store, Trial
from people.texts import Texts
from testbed import Task

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
        """Whether the light goes out at times, so that the agent sees nothing."""
        return isinstance(self.task, Task) and bool(self.task.spec.blackouts)


AnyAssignment = Assignment[Task | SuiteTask]


class TaskSource(ABC):
    """Assigns tasks. Called in a separate thread, one call at a time."""

    def next_task(self, store: Store, person: Participant, kind: type[Wanted]) -> Assignment[Wanted] | None:
        """The next task, None if there are no more, or it is of another kind."""
        return _of_kind(self.following(store, person), kind)

    def resumed(
        self, store: Store, person: Participant, trial: Trial, kind: type[Wanted]
    ) -> Assignment[Wanted] | None:
        """The assignment of an interrupted trial, None if it cannot be resumed, or is of another kind."""
        assignment = self.again(store, person, trial)
        return _of_kind(assignment, kind) if _is_same(trial, assignment) else None

    @abstractmethod
    def following(self, store: Store, person: Participant) -> AnyAssignment | None:
        """The task that is to be played, None if there are no more."""

    @abstractmethod
    def again(self, store: Store, person: Participant, trial: Trial) -> AnyAssignment | None:
        """What a trial that was begun would be now; it is resumed if its task is the same."""

    def finished(self, store: Store, person: Participant) -> None:
        """A trial has ended and is stored."""
        return None

    def next_page(self, person: Participant) -> str | None:
        """The page of this server to show after the last task; None: the game's own end."""
        return None


class TaskList(TaskSource):
    """The same tasks in the same order for everyone, starting again after the last.

    Returning participants resume after the task that they played last.
    """

    def __init__(
        self,
        tasks: Sequence[Task | SuiteTask],
        *,
        seed: int = 0,
        views: tuple[View, ...] = VIEWS[:1],
    ) -> None:
        self._tasks = tuple(tasks)
        self._seed, self._views = seed, views
        self._positions = {task.id: position for position, task in enumerate(tasks)}

    def following(self, store: Store, person: Participant) -> AnyAssignment:
        """The task after the one that was started last."""
        trials = store.trials(person.id)
        last = self._positions.get(trials[-1].task_id, -1) if trials else -1
        return self._assignment((last + 1) % len(self._tasks))

    def again(self, store: Store, person: Participant, trial: Trial) -> AnyAssignment | None:
        """The trial's task, if the list has it."""
        position = self._positions.get(trial.task_id)
        return None if position is None else self._assignment(position)

    def _assignment(self, position: int) -> AnyAssignment:
        task, count = self._tasks[position], len(self._tasks)
        level = task.level_name if isinstance(task, Task) and task.level else ""
        title = f"{level} {task.id}".strip() if isinstance(task, Task) else task.course.suite.title
        return Assignment(task, position, self._seed, count, title, self._views)


def _of_kind(assignment: AnyAssignment | None, kind: type[Wanted]) -> Assignment[Wanted] | None:
    """The assignment if its task is of this kind."""
    fits = assignment is not None and isinstance(assignment.task, kind)
    return cast("Assignment[Wanted]", assignment) if fits else None


def _is_same(trial: Trial, assignment: AnyAssignment | None) -> bool:
    """Whether a trial is of this task; one of the arena also with the same arena and seed, by keys."""
    if assignment is None or trial.task_id != assignment.task.id:
        return False
    if isinstance(assignment.task, SuiteTask):
        return True
    played = (trial.spec_sha256, trial.seed, trial.mode)
    return played == (spec_sha256(assignment.task.spec), assignment.seed, "keys")
