"""Which tasks a participant plays, and in which order: the interface between the game and a study."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from arena import Recording
from arena.recording import spec_sha256
from arena.rules import SAFETY_STEPS
from people.play.worker_protocol import VIEWS, Mode, Palette, View
from people.store import Participant, Store, Trial
from testbed import Task


@dataclass(frozen=True, slots=True)
class Assignment:
    """One task for one participant.

    `position` is its place in the participant's order, from 0, and `count` the number of tasks, None to hide
    it. `title` is shown above the view. `views` can be selected; the first is shown at the start. `feedback`:
    whether health, rewards and success are shown; `show_score`: whether the score at the end is, too.
    `may_stop`: whether the participant may end the episode. `block`: the name of the study's block that it
    belongs to. `max_steps`: limit of an episode played with keys; `max_pause_s`: seconds of pauses, None for
    no limit. `stars`: rewards are shown as a star for each ball; `palette`: that of the picture.
    """

    task: Task
    position: int
    seed: int = 0
    mode: Mode = "keys"
    count: int | None = None
    title: str = ""
    views: tuple[View, ...] = VIEWS[:1]
    feedback: bool = True
    show_score: bool = True
    may_stop: bool = True
    block: str | None = None
    max_steps: int = SAFETY_STEPS
    max_pause_s: float | None = None
    stars: bool = False
    palette: Palette = "standard"

    @property
    def lights_out(self) -> bool:
        """Whether the light goes out at times, so that the agent sees nothing."""
        return bool(self.task.spec.blackouts)


class TaskSource(Protocol):
    """Assigns tasks. Called in a separate thread, one call at a time."""

    def next_task(self, store: Store, participant: Participant) -> Assignment | None:
        """The next task, None if there are no more."""

    def resumed(self, store: Store, participant: Participant, trial: Trial) -> Assignment | None:
        """The assignment of an interrupted trial, None if it cannot be resumed."""

    def finished(self, store: Store, participant: Participant, trial: Trial, recording: Recording) -> None:
        """A trial has ended and is stored."""

    def next_page(self, participant: Participant) -> str | None:
        """The page of this server to show after the last task; None: the game's own end."""


class TaskList:
    """The same tasks in the same order for everyone, starting again after the last.

    Returning participants resume after the task that they played last.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        *,
        seed: int = 0,
        mode: Mode = "keys",
        views: tuple[View, ...] = VIEWS[:1],
    ) -> None:
        self._tasks = tuple(tasks)
        self._seed, self._mode, self._views = seed, mode, views
        self._positions = {task.id: position for position, task in enumerate(tasks)}

    def next_task(self, store: Store, participant: Participant) -> Assignment | None:
        """The task after the one that was started last."""
        trials = store.trials(participant.id)
        last = self._positions.get(trials[-1].task_id, -1) if trials else -1
        return self._assignment((last + 1) % len(self._tasks))

    def resumed(self, store: Store, participant: Participant, trial: Trial) -> Assignment | None:
        """The trial's task, if the list has it unchanged: same arena, seed and mode."""
        position = self._positions.get(trial.task_id)
        if position is None or (trial.seed, trial.mode) != (self._seed, self._mode):
            return None
        unchanged = spec_sha256(self._tasks[position].spec) == trial.spec_sha256
        return self._assignment(position) if unchanged else None

    def finished(self, store: Store, participant: Participant, trial: Trial, recording: Recording) -> None:
        """Nothing to do: the store has the trial."""

    def next_page(self, participant: Participant) -> str | None:
        """None: the last task is followed by the first."""
        return None

    def _assignment(self, position: int) -> Assignment:
        task = self._tasks[position]
        title = f"{task.level_name} {task.id}" if task.level else task.id
        return Assignment(task, position, self._seed, self._mode, len(self._tasks), title, self._views)
