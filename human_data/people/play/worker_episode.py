"""An episode in progress, as a worker process holds it."""

from abc import ABC, abstractmethod

from arena import ACTIONS, Episode, Recording
from arena.rules import SAFETY_STEPS
from human_data.people.play.pacing import QUALITY_LEVELS
from human_data.people.play.worker_protocol import (
    Draw,
    Drawn,
    Open,
    Opened,
    Reply,
    ScriptTurn,
    State,
    Step,
    Stepped,
    Stop,
)
from render import Renderer, jpeg, third_person, top_view


class WorkerEpisode(ABC):
    """An episode of either mode. Raises LayoutError if its arena cannot be built."""

    def __init__(self, request: Open) -> None:
        task = request.task
        self._number = request.episode
        self._episode = Episode(task.spec, task_id=task.id, seed=request.seed, trial=request.trial)
        self._events: list[tuple[str, float]] = []

    def opened(self) -> Opened:
        """The state at the start, or at the point where the episode resumes."""
        return Opened(self._number, self._state(), recording=self._recording())

    def answer(self, request: Step | Reply | Stop) -> Stepped:
        """Carry out a request."""
        before, taken, turn = self._episode.steps, 0, None
        if isinstance(request, Stop):
            self._run_down()
        else:
            taken, turn = self._play(request)
        actions = tuple(map(ACTIONS.index, self._episode.actions[before:]))
        idle = len(actions) - taken
        return Stepped(self._number, self._state(), actions, idle, self._recording(), turn)

    def close(self) -> None:
        """Free the physics."""
        self._episode.close()

    @abstractmethod
    def _play(self, request: Step | Reply) -> tuple[int, ScriptTurn | None]:
        """Take actions or play a script; returns the number of steps that were requested, and the turn."""

    def _run_down(self) -> None:
        """End the episode early: its clock runs down, as for a model that has no replies left.

        Otherwise stopping before time has cost anything would pass every task with a pass mark of 0.
        """
        while not self._episode.done:
            if not self._episode.spec.time_limit or self._episode.steps >= SAFETY_STEPS:
                self._episode.stop()
            else:
                self._episode.step(ACTIONS[0])

    def _state(self) -> State:
        episode, events = self._episode, tuple(self._events)
        self._events.clear()
        outcome, passed = (str(episode.outcome), episode.passed) if episode.done else (None, None)
        return State(episode.steps, episode.health, episode.total_reward, outcome, passed, events)

    def _recording(self) -> Recording | None:
        return self._episode.recording() if self._episode.done else None


class KeyEpisode(WorkerEpisode):
    """An episode played with keys. Raises RenderError if it cannot be drawn."""

    def __init__(self, request: Open) -> None:
        super().__init__(request)
        self._max_steps = request.max_steps
        self._take(request.actions)
        # The first image of an arena takes longest, and nobody is waiting for this one.
        self._renderer = Renderer(QUALITY_LEVELS[0].size, QUALITY_LEVELS[0].size)
        self._renderer.frame(self._episode.scene())

    def drawn(self, request: Draw) -> Drawn:
        """The present image. Raises RenderError if it cannot be drawn."""
        _, due, view, size, quality = request
        if self._renderer.width != size:
            self._renderer = Renderer(size, size)
        scene = self._episode.scene()
        camera = third_person(scene) if view == "third" else top_view() if view == "top" else None
        image = jpeg(self._renderer.frame(scene, camera), quality)
        return Drawn(self._number, self._episode.steps, due, size, quality, view, image)

    def _play(self, request: Step | Reply) -> tuple[int, ScriptTurn | None]:
        return (self._take(request.actions) if isinstance(request, Step) else 0), None

    def _take(self, actions: tuple[int, ...]) -> int:
        for taken, index in enumerate(actions):
            if self._episode.done:
                return taken
            events = self._episode.step(ACTIONS[index]).events
            self._events += [(str(event.kind), event.reward) for event in events]
            if self._episode.steps >= self._max_steps:
                self._run_down()
        return len(actions)
