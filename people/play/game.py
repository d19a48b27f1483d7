"""The game loop of one trial: the server's clock takes 16.7 steps per second, whatever the page does."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Protocol

from arena.action import STEP_S
from people.play.trial_recorder import OpenTrial
from people.play.worker_protocol import Open, Opened, State, Stepped, View
from people.play.workers import EpisodeFailed, EpisodeListener, RemoteEpisode, WorkerPool
from people.play_end import PlayEnd
from people.store import ActionRow


class PauseClock:
    """Adds up the pauses of a trial, and calls `on_over` when they take longer than `limit_s`, None: never.

    Only pauses with a connected page count, so that someone who has lost the connection can come back.
    """

    def __init__(self, limit_s: float | None, on_over: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._left_s, self._on_over = limit_s, on_over
        self._timer: asyncio.TimerHandle | None = None
        self._over: asyncio.Task[None] | None = None

    @property
    def left_s(self) -> float | None:
        """Seconds of pauses that are left, None for no limit."""
        if self._timer is None or self._left_s is None:
            return self._left_s
        return max(0.0, self._timer.when() - asyncio.get_running_loop().time())

    def start(self) -> None:
        """A pause begins, unless one is in progress."""
        if self._timer is None and self._left_s is not None:
            self._timer = asyncio.get_running_loop().call_later(self._left_s, self._end)

    def stop(self) -> None:
        """The pause, if any, ends, or the page has gone."""
        self._left_s = self.left_s
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self) -> None:
        self._over = asyncio.create_task(self._on_over())


MAX_CATCH_UP = 8
"""Steps (0.5 s) that are made up for at once. After a longer stall of the computer the game pauses instead:
nobody can steer through what they did not see."""


class GameListener(EpisodeListener, Protocol):
    """Receives what happens in a game."""

    def take(self, rows: Sequence[ActionRow]) -> None:
        """Actions were taken."""

    def stepped(self, state: State, due: float, late_s: Sequence[float]) -> None:
        """Steps were taken, the last of them due then (Unix seconds); `late_s`: how late each was."""

    def stalled(self) -> None:
        """The computer cannot keep up, and the game should pause."""

    async def paused_too_long(self) -> None:
        """The game was paused for longer than it may be."""

    def ended(self, end: PlayEnd) -> None:
        """The episode is over."""


class Game:
    """The episode of one trial. `state` is None until `open` has built it.

    With another `speed` than 1 the clock takes as many times the steps in a second.
    """

    def __init__(
        self, trial: OpenTrial, workers: WorkerPool, listener: GameListener, speed: float = 1.0
    ) -> None:
        self.step_s, self._max_catch_up = STEP_S / speed, MAX_CATCH_UP * speed
        self.trial, self.assignment, self._listener = trial.trial, trial.assignment, listener
        self.action = 0
        """The action of the keys that are held now, an index into `arena.ACTIONS`."""
        self.state: State | None = None
        self.running = False
        """Whether the clock runs."""
        self.pauses = PauseClock(trial.assignment.max_pause_s, listener.paused_too_long)
        self._clock: asyncio.Task[None] | None = None
        self._drawing: asyncio.Task[None] | None = None
        task, seed, mode = self.assignment.task, self.assignment.seed, self.assignment.mode
        start = Open(
            task, seed, self.trial.trial, mode, trial.actions, trial.scripts, self.assignment.max_steps
        )
        self._episode = RemoteEpisode(workers, start, listener)

    @property
    def waiting(self) -> bool:
        """Whether the episode is built and played by keys, and its clock does not run."""
        return self.state is not None and self.assignment.mode == "keys" and not self.running

    async def open(self) -> Opened:
        """Build the episode up to where it was interrupted. Raises EpisodeFailed."""
        opened = await self._episode.open()
        self.state = opened.state
        # Actions since the last commit, if any; those that are stored are left unchanged.
        self._take(0, opened.actions, time.time())
        return opened

    def start(self) -> None:
        """Start the clock."""
        self.running = True
        self.pauses.stop()
        if self._clock is None or self._clock.done():
            self._clock = asyncio.create_task(self._run())

    def pause(self) -> None:
        """Stop the clock after the present step, and release the keys."""
        self.running, self.action = False, 0
        self.pauses.start()

    async def halt(self) -> None:
        """Stop the clock, and wait until the step that is being taken is recorded."""
        self._halt()
        if self._clock is not None:
            await self._clock

    async def stop(self, ended_by: str) -> Stepped | None:
        """End the episode early; None if it failed."""
        await self.halt()
        return await self._answered(self._episode.stop(ended_by))

    async def reply(self, text: str) -> Stepped | None:
        """Play a script; None if the episode failed."""
        return await self._answered(self._episode.reply(text))

    def draw(self, due: float, view: View, size: int, quality: int) -> None:
        """Request an image of the step that was due then."""
        self._episode.draw(due, view, size, quality)

    def draw_still(self, view: View, size: int, quality: int) -> None:
        """Request an image of the present step, for which a lost episode is rebuilt first."""

        async def draw() -> None:
            try:
                await self._episode.rebuild()
                self._episode.draw(time.time(), view, size, quality)
            except EpisodeFailed as error:
                self._listener.failed(str(error))

        self._drawing = asyncio.create_task(draw())

    def close(self) -> None:
        """Discard the episode; its actions stay in the store."""
        self._halt()
        for task in (self._clock, self._drawing):
            if task is not None:
                task.cancel()
        self._episode.close()

    def _halt(self) -> None:
        self.pause()
        self.pauses.stop()

    async def _answered(self, answer: Awaitable[Stepped]) -> Stepped | None:
        assert self.state is not None
        first, at = self.state.step, time.time()
        try:
            stepped = await answer
        except EpisodeFailed as error:
            self._listener.failed(str(error))
            return None
        self._take(first, stepped.actions, at)
        self.state = stepped.state
        return stepped

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        try:
            while self.running:
                due += self.step_s
                await asyncio.sleep(due - loop.time())
                missed = int((loop.time() - due) / self.step_s)
                if missed >= self._max_catch_up:
                    self._listener.stalled()
                elif self.running:
                    await self._step(1 + missed, due)
                    due += missed * self.step_s
        except EpisodeFailed as error:
            self.running = False
            self._listener.failed(str(error))

    async def _step(self, steps: int, due: float) -> None:
        """Take the step that is due, and those that were missed since."""
        assert self.state is not None
        loop, at, first = asyncio.get_running_loop(), time.time(), self.state.step
        actions = (self.action,) * steps
        # The first is certain to be taken, so it can be stored before the worker's answer; whether those that
        # were missed are taken too, only the worker knows: the episode may end before them.
        self._take(first, actions[:1], at)
        stall = loop.call_later(MAX_CATCH_UP * STEP_S, self._listener.stalled)
        try:
            answer = await self._episode.step(actions)
        finally:
            stall.cancel()
        self.state = answer.state
        self._take(first + 1, answer.actions[1:], at)
        late = [loop.time() - due - k * self.step_s for k in range(len(answer.actions))]
        if answer.end is not None:
            self.running = False
        self._listener.stepped(answer.state, time.time() - late[-1] if late else at, late)
        if answer.end is not None:
            self._listener.ended(answer.end)

    def _take(self, first: int, actions: Sequence[int], at: float) -> None:
        self._listener.take(
            [ActionRow(self.trial.id, first + k, action, at) for k, action in enumerate(actions)]
        )
