"""Worker process: takes steps first, and draws in the remaining time."""

import signal
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from arena import ACTIONS, IDLE, ArenaSpec, Episode, EventKind, Scene
from arena.errors import ArenaError
from arena.rules import SAFETY_STEPS
from llm_control.messages import laboratory
from llm_control.prompts import arena_prompts
from people.play import worker_protocol as protocol
from people.play.pacing import QUALITY_LEVELS
from people.play.worker_protocol import Drawn, Open, Played, PlayEnd, Request, State, View
from render import Renderer, jpeg, third_person, top_view


def work(pipe: Connection) -> None:
    """Serve requests until the other end of the pipe is closed.

    The death of its process closes it too. Tasks that are slow the first time, such as a step or a picture,
    are done at the start and not in the middle of an episode.
    """
    # Ctrl-C in a terminal reaches every process of the group; the server decides when this one ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The first step compiles the core, or loads its machine code.
    with Episode(ArenaSpec(time_limit=0, items=()), task_id="first step") as first:
        first.step(IDLE)
    # If drawing does not work, opening an episode reports it.
    with suppress(ArenaError):
        Renderer(QUALITY_LEVELS[-1].size, QUALITY_LEVELS[-1].size)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        pipe.send(None)
        Worker(pipe).run()


class Worker:
    """Several episodes, each with its own renderer. A renderer caches the shadows of one arena."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._episodes: dict[int, WorkerEpisode] = {}
        self._to_draw: dict[int, tuple[Any, ...]] = {}

    def run(self) -> None:
        """Serve forever; raises EOFError when the pipe is closed."""
        while True:
            while not self._to_draw or self._pipe.poll():
                self._serve(*self._pipe.recv())
            number = next(iter(self._to_draw))
            self._answer(number, "draw", *self._to_draw.pop(number))

    def _serve(self, number: int, request: Request, *arguments: Any) -> None:
        match request:
            case "draw":
                # A newer request keeps the position in the queue of the one that it replaces.
                self._to_draw[number] = arguments
            case "close":
                self._to_draw.pop(number, None)
                if (episode := self._episodes.pop(number, None)) is not None:
                    episode.close()
            case _:
                self._answer(number, request, *arguments)

    def _answer(self, number: int, request: Request, *arguments: Any) -> None:
        try:
            if request == "open":
                self._episodes[number] = WorkerEpisode(*arguments)
                self._pipe.send((number, self._episodes[number].opened()))
            elif request != "draw" or number in self._episodes:
                self._pipe.send((number, getattr(self._episodes[number], request)(*arguments)))
        except ArenaError as error:
            self._pipe.send((number, str(error)))


class BreakOff(NamedTuple):
    """Early end of play: cause, and last displayed step."""

    ended_by: str
    state: State
    scene: Scene


class WorkerEpisode:
    """An episode played with keys. Raises LayoutError if its arena cannot be built, RenderError if it cannot
    be drawn."""

    def __init__(self, request: Open) -> None:
        task = request.task
        self._episode = Episode(task.spec, task_id=task.id, seed=request.seed, trial=request.trial)
        self._events: list[tuple[str, float]] = []
        self._balls = 0
        self._hurt = False
        """True if something other than the clock has cost reward."""
        self._broken_off: BreakOff | None = None
        self._max_steps = request.max_steps
        self._take(request.actions)
        # The first image of an arena takes longest; this one is not waited for.
        self._renderer = Renderer(QUALITY_LEVELS[0].size, QUALITY_LEVELS[0].size)
        self._renderer.frame(self._episode.scene())

    def opened(self) -> Played:
        """Return the first or resumed state, and a laboratory arena's question."""
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
        """Return events since a number of steps, with the actions really taken."""
        taken = map(ACTIONS.index, self._episode.actions[before : self._steps_played])
        return Played(self._state(), tuple(taken), self._end())

    @property
    def _steps_played(self) -> int:
        return self._broken_off.state.step if self._broken_off else self._episode.steps

    def _run_down(self, ended_by: str) -> None:
        """End the episode early: its clock runs down. A model that has no replies left ends like this, too.
        Otherwise stopping before time has cost anything would pass every task with a pass mark of 0."""
        if not self._episode.done:
            self._broken_off = BreakOff(ended_by, self._state_now(), self._episode.scene())
        while not self._episode.done:
            if not self._episode.spec.time_limit or self._episode.steps >= SAFETY_STEPS:
                self._episode.stop()
            else:
                self._episode.step(ACTIONS[0])

    def _state(self) -> State:
        """Return the state of play, without steps that only the score needs."""
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
        """Return the present image. Raises RenderError if it cannot be drawn."""
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
            for event in self._episode.step(ACTIONS[index]).events:
                self._balls += event.kind is EventKind.GOOD_GOAL
                self._hurt |= event.kind is EventKind.HOT_ZONE or event.reward < 0
                self._events.append((str(event.kind), event.reward))
            if self._episode.steps >= self._max_steps:
                self._run_down(protocol.LIMIT)
