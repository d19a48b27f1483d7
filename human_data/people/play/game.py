"""An episode on its way: stepped by the server's clock, 16.7 times a second, whatever the page does."""

import asyncio
import time
from collections.abc import Sequence
from typing import Protocol as Interface

from arena import Recording
from arena.action import STEP_S
from human_data.people.play.records import Begun
from human_data.people.play.wire import Draw, Drawn, Opened, Replied, State, View
from human_data.people.play.workers import EpisodeFailed, RemoteEpisode, Workers
from human_data.people.store import ActionRow

MOST_CAUGHT_UP = 8
"""Steps (0.5 s) that are caught up at once. After a longer stall of the machine the episode waits instead:
nobody can steer through what they did not see."""


class Listener(Interface):
    """Who is told what happens in an episode."""

    def take(self, rows: Sequence[ActionRow]) -> None:
        """Actions were taken."""
        ...

    def stepped(self, state: State, due: float, late_s: Sequence[float]) -> None:
        """Steps were taken, the last of them due then (Unix seconds); `late_s`: how late each was done."""
        ...

    def drawn(self, drawn: Drawn) -> None:
        """A picture is ready."""
        ...

    def stalled(self) -> None:
        """The episode waits, because the machine was held up."""
        ...

    def ended(self, recording: Recording) -> None:
        """The episode is over."""
        ...

    def failed(self, reason: str) -> None:
        """The episode cannot go on."""
        ...


class Game:
    """The episode of one trial. `state` is None until `open` has built it."""

    def __init__(self, begun: Begun, workers: Workers, listener: Listener) -> None:
        self.begun, self._listener = begun, listener
        self.action = 0
        """What the keys mean now, an index into `arena.ACTIONS`."""
        self.state: State | None = None
        self._wanted = False
        self._task: asyncio.Task[None] | None = None
        assignment = begun.assignment
        self._episode = RemoteEpisode(
            workers,
            assignment.task,
            assignment.seed,
            begun.trial.trial,
            assignment.mode,
            listener.drawn,
            assignment.most_steps,
        )

    async def open(self) -> Opened:
        """Build the episode up to where it was broken off. Raises EpisodeFailed."""
        opened = await self._episode.open(self.begun.actions, self.begun.scripts)
        self.state = opened.state
        if opened.actions:
            # What was taken since the last commit; the store leaves alone what it has.
            self._take(0, opened.actions, time.time())
        return opened

    @property
    def running(self) -> bool:
        """Whether the clock runs."""
        return self._wanted

    def start(self) -> None:
        """Let the clock run."""
        self._wanted = True
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    def pause(self) -> None:
        """Halt the clock after the step that is being taken; the keys are let go."""
        self._wanted, self.action = False, 0

    async def stop(self) -> None:
        """End the episode: its clock runs down."""
        self.pause()
        if self._task is not None:
            await self._task
        try:
            answer = await self._episode.stop()
        except EpisodeFailed as error:
            self._listener.failed(str(error))
            return
        self._take(answer.state.step - answer.idle, (0,) * answer.idle, time.time())
        self.state = answer.state
        if answer.recording is not None:
            self._listener.ended(answer.recording)

    async def reply(self, text: str) -> Replied | None:
        """Play a script, and tell the listener of an end; None where the episode failed."""
        assert self.state is not None
        first, at = self.state.step, time.time()
        try:
            answer = await self._episode.reply(text)
        except EpisodeFailed as error:
            self._listener.failed(str(error))
            return None
        self._take(first, answer.actions, at)
        self.state = answer.state
        return answer

    def draw(self, due: float, view: View, size: int, quality: int) -> None:
        """Ask for a picture of the step that was due then."""
        self._episode.draw(Draw(0, due, view, size, quality))

    def close(self) -> None:
        """Forget the episode; what was taken stays in the store."""
        self.pause()
        if self._task is not None:
            self._task.cancel()
        self._episode.close()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        try:
            while self._wanted:
                due += STEP_S
                await asyncio.sleep(due - loop.time())
                missed = int((loop.time() - due) / STEP_S)
                if missed >= MOST_CAUGHT_UP:
                    self.pause()
                    self._listener.stalled()
                elif self._wanted:
                    await self._step(1 + missed, due)
                    due += missed * STEP_S
        except EpisodeFailed as error:
            self._wanted = False
            self._listener.failed(str(error))

    async def _step(self, steps: int, due: float) -> None:
        """Take the step that is due, and those that were missed since."""
        assert self.state is not None
        loop, at, first = asyncio.get_running_loop(), time.time(), self.state.step
        actions = (self.action,) * steps
        # The first is sure to be taken, so it need not wait for the worker's answer to be kept; whether those
        # that were missed are taken too, only the worker knows: the episode may end before them.
        self._take(first, actions[:1], at)
        answer = await self._episode.step(actions)
        self.state = answer.state
        self._take(first + 1, (*actions[1 : answer.taken], *(0,) * answer.idle), at)
        late = [loop.time() - due - k * STEP_S for k in range(answer.taken)]
        if answer.recording is not None:
            self._wanted = False
        self._listener.stepped(answer.state, time.time() - late[-1] if late else at, late)
        if answer.recording is not None:
            self._listener.ended(answer.recording)

    def _take(self, first: int, actions: Sequence[int], at: float) -> None:
        trial = self.begun.trial.id
        self._listener.take([ActionRow(trial, first + k, action, at) for k, action in enumerate(actions)])
