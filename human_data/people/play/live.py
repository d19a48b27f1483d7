"""An episode that a person is in the middle of, as a worker process holds it."""

from typing import Protocol as Interface

from arena import ACTIONS, Episode, Recording, Scene
from arena.rules import SAFETY_STEPS
from human_data.people.play.pacing import LADDER
from human_data.people.play.wire import (
    Answer,
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


class Live(Interface):
    """What a worker does with an episode of either mode."""

    def opened(self) -> Opened:
        """What there is at the start, or where the person goes on."""
        ...

    def answer(self, request: Step | Reply | Stop) -> Answer:
        """Do what is asked."""
        ...

    def close(self) -> None:
        """Free the physics."""
        ...


class LiveKeys:
    """An episode played by keys. Raises LayoutError where its arena cannot be built, RenderError where
    no picture can be drawn.
    """

    def __init__(self, request: Open) -> None:
        self._game, self._most_steps = request.game, request.most_steps
        self._episode = episode_of(request)
        self._events: list[tuple[str, float]] = []
        self._take(request.actions)
        # The first picture of an arena takes longest, and nobody waits for this one.
        self._renderer = Renderer(LADDER[0].size, LADDER[0].size)
        self._renderer.frame(self._episode.scene())

    def opened(self) -> Opened:
        """The state after the actions that were taken again."""
        return Opened(self._game, self._state(), recording=finished(self._episode))

    def answer(self, request: Step | Reply | Stop) -> Stepped:
        """Take actions, or end the episode."""
        before, taken = self._episode.steps, 0
        if isinstance(request, Step):
            taken = self._take(request.actions)
        elif isinstance(request, Stop):
            run_down(self._episode)
        idle = self._episode.steps - before - taken
        return Stepped(self._game, self._state(), taken, idle, finished(self._episode))

    def drawn(self, request: Draw) -> Drawn:
        """The picture now. Raises RenderError where none can be drawn."""
        if self._renderer.width != request.size:
            self._renderer = Renderer(request.size, request.size)
        scene = self._episode.scene()
        frame = self._renderer.frame(scene, _camera(request.view, scene))
        data = jpeg(frame, request.quality)
        return Drawn(
            self._game, self._episode.steps, request.due, request.size, request.quality, request.view, data
        )

    def close(self) -> None:
        """Free the physics."""
        self._episode.close()

    def _take(self, actions: tuple[int, ...]) -> int:
        for taken, index in enumerate(actions):
            if self._episode.done:
                return taken
            happened = self._episode.step(ACTIONS[index]).events
            self._events += [(str(event.kind), event.reward) for event in happened]
            if self._episode.steps >= self._most_steps:
                run_down(self._episode)
        return len(actions)

    def _state(self) -> State:
        state = state_of(self._episode, tuple(self._events))
        self._events.clear()
        return state


def episode_of(request: Open) -> Episode:
    """The episode that is asked for, at its start. Raises LayoutError where its arena cannot be built."""
    task = request.task
    return Episode(task.spec, task_id=task.id, seed=request.seed, trial=request.trial)


def run_down(episode: Episode) -> None:
    """End an episode early: the clock runs down, as for a model that is not asked any more.

    Without that, who stops before time has cost anything would pass every task with a pass mark of 0.
    """
    while not episode.done:
        if not episode.spec.time_limit or episode.steps >= SAFETY_STEPS:
            episode.stop()
        else:
            episode.step(ACTIONS[0])


def state_of(episode: Episode, events: tuple[tuple[str, float], ...] = ()) -> State:
    """How an episode stands."""
    done = episode.done
    return State(
        step=episode.steps,
        health=episode.health,
        total_reward=episode.total_reward,
        outcome=str(episode.outcome) if done else None,
        passed=episode.passed if done else None,
        events=events,
    )


def finished(episode: Episode) -> Recording | None:
    """The recording of an episode that is over."""
    return episode.recording() if episode.done else None


def _camera(view: str, scene: Scene) -> Camera | None:
    if view == "third":
        return third_person(scene)
    return top_view() if view == "top" else None
