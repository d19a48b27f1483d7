"""An episode in progress, as a worker process holds it."""

from typing import Protocol

from arena import ACTIONS, Episode, Recording, Scene
from human_data.people.play.pacing import QUALITY_LEVELS
from human_data.people.play.worker_protocol import (
    MAX_STEPS,
    Draw,
    Drawn,
    Open,
    Opened,
    Reply,
    State,
    Step,
    Stepped,
    Stop,
)
from render import Camera, Renderer, jpeg, third_person, top_view


class WorkerEpisode(Protocol):
    """An episode of either mode."""

    def opened(self) -> Opened:
        """The state at the start, or at the point where the episode resumes."""

    def answer(self, request: Step | Reply | Stop) -> Stepped:
        """Carry out a request."""

    def close(self) -> None:
        """Free the physics."""


class KeyEpisode:
    """An episode played with keys.

    Raises LayoutError if its arena cannot be built, RenderError if it cannot be drawn.
    """

    def __init__(self, request: Open) -> None:
        self._number, self._max_steps = request.episode, request.max_steps
        self._episode = episode_of(request)
        self._events: list[tuple[str, float]] = []
        self._take(request.actions)
        # The first image of an arena takes longest, and nobody is waiting for this one.
        self._renderer = Renderer(QUALITY_LEVELS[0].size, QUALITY_LEVELS[0].size)
        self._renderer.frame(self._episode.scene())

    def opened(self) -> Opened:
        """The state after the replayed actions."""
        return Opened(self._number, self._state(), recording=recording_of(self._episode))

    def answer(self, request: Step | Reply | Stop) -> Stepped:
        """Take actions, or end the episode."""
        before = self._episode.steps
        requested = request.actions if isinstance(request, Step) else ()
        taken = self._take(requested)
        if isinstance(request, Stop):
            run_down(self._episode)
        idle = self._episode.steps - before - taken
        actions = (*requested[:taken], *(0,) * idle)
        return Stepped(self._number, self._state(), actions, idle, recording_of(self._episode))

    def drawn(self, request: Draw) -> Drawn:
        """The present image. Raises RenderError if it cannot be drawn."""
        if self._renderer.width != request.size:
            self._renderer = Renderer(request.size, request.size)
        scene = self._episode.scene()
        frame = self._renderer.frame(scene, _camera(request.view, scene))
        _, due, view, size, quality = request
        return Drawn(self._number, self._episode.steps, due, size, quality, view, jpeg(frame, quality))

    def close(self) -> None:
        """Free the physics."""
        self._episode.close()

    def _take(self, actions: tuple[int, ...]) -> int:
        for taken, index in enumerate(actions):
            if self._episode.done:
                return taken
            events = self._episode.step(ACTIONS[index]).events
            self._events += [(str(event.kind), event.reward) for event in events]
            if self._episode.steps >= self._max_steps:
                run_down(self._episode)
        return len(actions)

    def _state(self) -> State:
        state = state_of(self._episode, tuple(self._events))
        self._events.clear()
        return state


def episode_of(request: Open) -> Episode:
    """The requested episode at its start. Raises LayoutError if its arena cannot be built."""
    task = request.task
    return Episode(task.spec, task_id=task.id, seed=request.seed, trial=request.trial)


def run_down(episode: Episode) -> None:
    """End an episode early: its clock runs down, as for a model that has no replies left.

    Otherwise stopping before time has cost anything would pass every task with a pass mark of 0.
    """
    while not episode.done:
        if not episode.spec.time_limit or episode.steps >= MAX_STEPS:
            episode.stop()
        else:
            episode.step(ACTIONS[0])


def state_of(episode: Episode, events: tuple[tuple[str, float], ...] = ()) -> State:
    """The present state of an episode."""
    done = episode.done
    return State(
        step=episode.steps,
        health=episode.health,
        total_reward=episode.total_reward,
        outcome=str(episode.outcome) if done else None,
        passed=episode.passed if done else None,
        events=events,
    )


def recording_of(episode: Episode) -> Recording | None:
    """The recording of an episode that is over, otherwise None."""
    return episode.recording() if episode.done else None


def _camera(view: str, scene: Scene) -> Camera | None:
    if view == "third":
        return third_person(scene)
    return top_view() if view == "top" else None
