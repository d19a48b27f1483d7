"""An episode in a worker process: what was played of it, and how it ended."""

from typing import NamedTuple

from arena import ACTIONS, Episode, Event, EventKind, Scene
from arena.rules import SAFETY_STEPS
from llm_control.messages import laboratory
from llm_control.prompts import arena_prompts
from people.play import worker_protocol as protocol
from people.play.pacing import QUALITY_LEVELS
from people.play.worker_protocol import Drawn, Open, Played, PlayEnd, State, View
from render import Renderer, jpeg, third_person, top_view


class BreakOff(NamedTuple):
    """Where play ended before the episode did: by what, and what the person saw last."""

    ended_by: str
    state: State
    scene: Scene


class WorkerEpisode:
    """An episode played with keys.

    Raises LayoutError if its arena cannot be built, RenderError if it cannot be drawn.
    """

    def __init__(self, request: Open) -> None:
        task = request.task
        self._episode = Episode(task.spec, task_id=task.id, seed=request.seed, trial=request.trial)
        self._events: list[tuple[str, float]] = []
        self._balls = 0
        self._hurt = False
        """Whether something other than the clock has cost reward."""
        self._broken_off: BreakOff | None = None
        self._max_steps = request.max_steps
        self._take(request.actions)
        # The first image of an arena takes longest, and nobody is waiting for this one.
        self._renderer = Renderer(QUALITY_LEVELS[0].size, QUALITY_LEVELS[0].size)
        self._renderer.frame(self._episode.scene())

    def opened(self) -> Played:
        """The state at the start or where the episode resumes, and what a laboratory arena asks for."""
        asked = laboratory(self._episode.spec, arena_prompts())
        return Played(self._state(), end=self._end(), instructions=asked)

    def step(self, actions: tuple[int, ...]) -> Played:
        """Take actions (indices into `arena.ACTIONS`) until the episode is over."""
        before = self._steps_played
        self._take(actions)
        return self._played(before)

    def stop(self, ended_by: str = protocol.STOPPED) -> Played:
        """End the episode early."""
        before = self._steps_played
        self._run_down(ended_by)
        return self._played(before)

    def close(self) -> None:
        """Free the physics."""
        self._episode.close()

    def _played(self, before: int) -> Played:
        """What has happened since this number of steps."""
        return Played(self._state(), self._actions_since(before), self._end())

    @property
    def _steps_played(self) -> int:
        return self._broken_off.state.step if self._broken_off else self._episode.steps

    def _actions_since(self, step: int) -> tuple[int, ...]:
        """The actions that were really taken from a step on."""
        return tuple(map(ACTIONS.index, self._episode.actions[step : self._steps_played]))

    def _note(self, events: tuple[Event, ...]) -> None:
        self._balls += sum(event.kind is EventKind.GOOD_GOAL for event in events)
        self._hurt |= any(event.kind is EventKind.HOT_ZONE or event.reward < 0 for event in events)

    def _break_off(self, ended_by: str) -> None:
        """Note that play ends here, unless the episode is over."""
        if not self._episode.done:
            self._broken_off = BreakOff(ended_by, self._state_now(), self._episode.scene())

    def _run_down(self, ended_by: str) -> None:
        """End the episode early: its clock runs down, as for a model that has no replies left.

        Otherwise stopping before time has cost anything would pass every task with a pass mark of 0.
        """
        self._break_off(ended_by)
        while not self._episode.done:
            if not self._episode.spec.time_limit or self._episode.steps >= SAFETY_STEPS:
                self._episode.stop()
            else:
                self._episode.step(ACTIONS[0])

    def _state(self) -> State:
        """The state at the point that play has reached, without the steps that only the score needs."""
        episode, events = self._episode, tuple(self._events)
        self._events.clear()
        state = self._broken_off.state if self._broken_off else self._state_now()
        outcome, passed = (str(episode.outcome), episode.passed) if episode.done else (None, None)
        return state._replace(outcome=outcome, passed=passed, events=events)

    def _state_now(self) -> State:
        episode = self._episode
        return State(episode.steps, episode.health, episode.total_reward, balls=self._balls)

    def _end(self) -> PlayEnd | None:
        if not self._episode.done:
            return None
        return PlayEnd(self._ended_by(), self._steps_played, self._episode.recording())

    def _ended_by(self) -> str:
        if self._broken_off:
            return self._broken_off.ended_by
        return protocol.ended_by(self._episode.outcome, self._hurt, self._episode.spec.version)

    def draw(self, due: float, view: View, size: int, quality: int) -> Drawn:
        """The present image. Raises RenderError if it cannot be drawn."""
        if self._renderer.width != size:
            self._renderer = Renderer(size, size)
        scene = self._broken_off.scene if self._broken_off else self._episode.scene()
        camera = third_person(scene) if view == "third" else top_view() if view == "top" else None
        image = jpeg(self._renderer.frame(scene, camera), quality)
        return Drawn(self._steps_played, due, size, quality, view, image)

    def _take(self, actions: tuple[int, ...]) -> None:
        for index in actions:
            if self._episode.done:
                return
            events = self._episode.step(ACTIONS[index]).events
            self._note(events)
            self._events += [(str(event.kind), event.reward) for event in events]
            if self._episode.steps >= self._max_steps:
                self._run_down(protocol.LIMIT)
