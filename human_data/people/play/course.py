"""What a person plays, and in which order: the seam between the game and whoever hands out tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol as Interface

from arena import Recording
from arena.recording import spec_sha256
from arena.rules import SAFETY_STEPS
from human_data.people.play.wire import VIEWS, Mode, View
from human_data.people.store import Participant, Store, Trial
from testbed import Task


@dataclass(frozen=True, slots=True)
class Assignment:
    """One task for one person.

    `position` is its place in the person's order, from 0, and `count` how many there are, None where that
    is not to be shown. `title` is shown above the view. `views` are those that may be chosen, the first is
    shown at the start. `feedback`: whether rewards and success are shown. `may_stop`: whether the person may
    end the episode themselves. `most_steps`: after how many an episode by keys is stopped.
    """

    task: Task
    position: int
    seed: int = 0
    mode: Mode = "keys"
    count: int | None = None
    title: str = ""
    views: tuple[View, ...] = VIEWS[:1]
    feedback: bool = True
    may_stop: bool = True
    most_steps: int = SAFETY_STEPS


class Course(Interface):
    """Who plays what. Called in a thread of its own, one call at a time, with the store at hand."""

    def next_task(self, store: Store, participant: Participant) -> Assignment | None:
        """What comes next; None where there is nothing more to play."""
        ...

    def resumed(self, store: Store, participant: Participant, trial: Trial) -> Assignment | None:
        """The assignment of a trial that was broken off; None where it is not to be gone on with."""
        ...

    def finished(self, store: Store, participant: Participant, trial: Trial, recording: Recording) -> None:
        """A trial ended, and is in the store."""
        ...

    def after(self, participant: Participant) -> str | None:
        """Where on this server the page goes when there is nothing more; None: it says so itself."""
        ...


class TaskList:
    """The same tasks in the same order for everybody, and again from the first after the last.

    Who comes back goes on after the task that they finished last.
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
        self._places: Mapping[str, int] = {task.id: place for place, task in enumerate(tasks)}

    def next_task(self, store: Store, participant: Participant) -> Assignment | None:
        """The task after the one that was begun last."""
        trials = store.trials(participant.id)
        last = self._places.get(trials[-1].task_id, -1) if trials else -1
        return self._assignment((last + 1) % len(self._tasks))

    def resumed(self, store: Store, participant: Participant, trial: Trial) -> Assignment | None:
        """The trial's task, where the list has it as it was: same arena, seed and mode."""
        place = self._places.get(trial.task_id)
        if place is None or (trial.seed, trial.mode) != (self._seed, self._mode):
            return None
        same = spec_sha256(self._tasks[place].spec) == trial.spec_sha256
        return self._assignment(place) if same else None

    def finished(self, store: Store, participant: Participant, trial: Trial, recording: Recording) -> None:
        """Nothing: the store has it."""

    def after(self, participant: Participant) -> str | None:
        """Nowhere: after the last task comes the first."""
        return None

    def _assignment(self, place: int) -> Assignment:
        task = self._tasks[place]
        return Assignment(
            task,
            place,
            self._seed,
            self._mode,
            len(self._tasks),
            f"{task.level_name} {task.id}" if task.level else task.id,
            self._views,
        )
