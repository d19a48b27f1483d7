"""One participant's game: recorded trials at 16.7 steps per second.

The server's clock takes the steps. Whatever the page does, and however slow the database is, the loop that
steps the episodes never waits.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import Any, NamedTuple

from arena.action import STEP_S
from arena.closing import Closing
from people.play import page_protocol as page
from people.play.client import Client, ending
from people.play.pacing import GOOD, PICTURE, POOR
from people.play.page_protocol import POLICY, REPLACED, ConnectionRefused
from people.play.task_source import Assignment, TaskSource
from people.play.worker_protocol import PAUSE, STOPPED, Drawn, Open, Played, PlayEnd, State, View
from people.play.workers import EpisodeFailed, RemoteEpisode, WorkerPool
from people.store import ActionRow, Participant, Store, Trial, Writer
from people.store.store import StoreThread, TrialEnd
from testbed import Task


class OpenTrial(NamedTuple):
    """A trial to be played, or resumed after the actions so far."""

    trial: Trial
    assignment: Assignment[Task]
    actions: tuple[int, ...] = ()


class TrialRecorder(Closing):
    """Storage of trials, actions and notes. Its `writer` commits actions and notes within 100 ms. Awaited
    calls wait until the database responds."""

    def __init__(self, store: Store, task_source: TaskSource) -> None:
        self.store, self.task_source = StoreThread(store), task_source
        self.writer = Writer(store)

    async def begin(self, participant: Participant, fresh: bool = False) -> OpenTrial | None:
        """Return the participant's unfinished trial, or a new one, or None.

        It is always new if `fresh`, and None if there are no more. Everything recorded before is committed
        first, so that an episode is rebuilt from all its actions.
        """
        await self.flush()
        return await self.store.run(lambda store: self._begin(store, participant, fresh))

    async def finish(self, participant: Participant, trial: Trial, end: PlayEnd) -> None:
        """Record the end of a trial. Returns when it and all its actions are committed."""
        self.writer.put(TrialEnd(trial.id, end))
        await self.flush()
        await self.store.run(lambda store: self.task_source.finished(store, participant))

    def close(self) -> None:
        """Commit waiting writes. Raises StoreError if the database stays unavailable."""
        self.store.close()
        self.writer.close()

    async def flush(self) -> None:
        """Wait until everything that was recorded before this call is committed."""
        while not await self.store.run(lambda _: self.writer.flush()):
            pass

    def _begin(self, store: Store, participant: Participant, fresh: bool) -> OpenTrial | None:
        trial = None if fresh else store.open_trial(participant.id)
        assignment = trial and self.task_source.resumed(store, participant, trial, Task)
        if trial and assignment:
            # Up to the first step that is missing.
            rows = enumerate(store.actions(trial.id))
            actions = tuple(row.action for place, row in rows if row.step == place)
            return OpenTrial(trial, assignment, actions)
        assignment = self.task_source.next_task(store, participant, Task)
        if assignment is None:
            return None
        position, block = assignment.position, assignment.block
        trial = store.begin_trial(participant.id, position, assignment.task, assignment.seed, "keys", block)
        return OpenTrial(trial, assignment)


class PauseClock:
    """Sum of a trial's pauses, with a limit.

    It calls `on_over` when they take longer than `limit_s`, None: never. Only pauses with a connected page
    count, so that someone who has lost the connection can come back.
    """

    def __init__(self, limit_s: float | None, on_over: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._left_s, self._on_over = limit_s, on_over
        self._timer: asyncio.TimerHandle | None = None
        self._over: asyncio.Task[None] | None = None

    @property
    def left_s(self) -> float | None:
        """Remaining seconds of pauses; None for no limit."""
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
"""Maximum late steps (0.5 s) taken together. After a longer stall of the computer the game pauses instead:
one cannot steer through unseen steps."""


class Game:
    """The episode of one trial. `state` is None until `open` has built it. With another `speed` than 1 the
    clock runs `speed` times faster."""

    def __init__(
        self, trial: OpenTrial, workers: WorkerPool, listener: "Player", writer: Writer, speed: float
    ) -> None:
        self.step_s, self._max_catch_up = STEP_S / speed, MAX_CATCH_UP * speed
        self.trial, self.assignment = trial.trial, trial.assignment
        self._listener, self._writer = listener, writer
        self.action = 0
        """Action of the held keys, an index into `arena.ACTIONS`."""
        self.state: State | None = None
        self.running = False
        """True if the clock runs."""
        self.pauses = PauseClock(trial.assignment.max_pause_s, partial(listener.stop, PAUSE))
        self._clock: asyncio.Task[None] | None = None
        self._drawing: asyncio.Task[None] | None = None
        task, seed, most = self.assignment.task, self.assignment.seed, self.assignment.max_steps
        start = Open(task, seed, self.trial.trial, trial.actions, most)
        self.episode = RemoteEpisode(workers, start, listener)

    @property
    def waiting(self) -> bool:
        """True if the episode is built, and its clock does not run."""
        return self.state is not None and not self.running

    async def open(self) -> Played:
        """Build the episode up to where it was interrupted. Raises EpisodeFailed."""
        opened = await self.episode.open()
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
        """Stop the clock, and wait until the current step is recorded."""
        self._halt()
        if self._clock is not None:
            await self._clock

    async def stop(self, ended_by: str) -> Played | None:
        """End the episode early; return None if it failed."""
        await self.halt()
        return await self._answered(self.episode.stop(ended_by))

    def draw_still(self, view: View, size: int, quality: int) -> None:
        """Request an image of the present step. A lost episode is rebuilt first."""

        async def draw() -> None:
            try:
                await self.episode.rebuild()
                self.episode.draw(time.time(), view, size, quality)
            except EpisodeFailed as error:
                self._listener.failed(str(error))

        self._drawing = asyncio.create_task(draw())

    def close(self) -> None:
        """Discard the episode; its actions stay in the store."""
        self._halt()
        for task in (self._clock, self._drawing):
            if task is not None:
                task.cancel()
        self.episode.close()

    def _halt(self) -> None:
        self.pause()
        self.pauses.stop()

    async def _answered(self, answer: Awaitable[Played]) -> Played | None:
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
                    self._listener.pause("stall")
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
        stall = loop.call_later(MAX_CATCH_UP * STEP_S, self._listener.pause, "stall")
        try:
            answer = await self.episode.step(actions)
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
        for k, action in enumerate(actions):
            self._writer.put(ActionRow(self.trial.id, first + k, action, at))


class Player:
    """The participant's present trial, and the connection of their page, if any. Only the newest connection
    counts; an older one is closed. Without one the game is paused."""

    def __init__(
        self, participant: Participant, recorder: TrialRecorder, workers: WorkerPool, speed: float = 1.0
    ) -> None:
        self.participant, self._speed = participant, speed
        self._recorder, self._workers = recorder, workers
        self._client: Client | None = None
        self._game: Game | None = None
        self._view: View = "first"
        self._starting: page.Start | None = None  # waits until the page has shown the present picture
        self._display: dict[str, Any] = {}
        self._instructions = self._failure = ""
        self._ending: dict[str, Any] | None = None
        self._saving: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()

    @property
    def connected(self) -> bool:
        """True if a page is connected."""
        return self._client is not None

    async def attach(self, client: Client) -> None:
        """Switch to a newly connected page, and send it the present state."""
        self.pause("reconnected")
        self.dismiss(REPLACED, "opened in another window")
        self._client = client
        self._starting = None
        async with self._lock:
            if self._game is None:
                await self._begin()
        if self._client is client:
            self._send_trial()

    def detach(self, client: Client) -> None:
        """A connection is closed; the game pauses if it was the newest."""
        if self._client is client:
            self._client = None
            self.pause("disconnected")
            if self._game is not None:
                self._game.pauses.stop()

    def dismiss(self, code: int, reason: str) -> None:
        """Close the connection, if any."""
        if self._client is not None:
            self._client.end(code, reason)

    async def halt(self) -> None:
        """Stop the game's clock. No step is taken after this call unless the page starts again."""
        if self._game is not None:
            await self._game.halt()

    async def close(self) -> None:
        """Discard the game; the store has all of it."""
        if self._game is not None:
            self._record_stretch()
            self._game.close()
            self._game = None
        if self._saving is not None:
            await self._saving

    async def handle(self, message: page.Message, client: Client) -> None:
        """Act on a message of the page. Raises ConnectionRefused if it is not allowed now."""
        now = time.time()
        if self._client is not client:
            return
        match message:
            case page.Hello():
                raise ConnectionRefused(POLICY, "hello was sent twice")
            case page.Pong():
                client.ponged(message.ping, now)
            case page.Ack():
                client.acknowledged(message.frame, now)
                self._go_on()
            case _:
                await self._handle_in_trial(message)

    async def _handle_in_trial(self, message: page.TrialMessage) -> None:
        game = self._game
        if game is None or message.trial != game.trial.id:
            raise ConnectionRefused(POLICY, f"trial {message.trial} is not the one being played here")
        if isinstance(message, page.Next):
            await self._next()
        # A message sent before the page knew of the end is ignored.
        elif not self._over:
            await self._play(game, message)

    @property
    def _over(self) -> bool:
        return self._ending is not None or bool(self._failure)

    async def _play(self, game: Game, message: page.TrialMessage) -> None:
        match message:
            case page.Keys():
                if self._client is not None and message.action != game.action:
                    self._client.pressed(time.time())
                game.action = message.action if game.running or self._starting else 0
            case page.Start():
                if not game.running:
                    self._starting, game.action = message, 0
                    self._go_on()
            case page.Pause():
                self._starting = None
                self.pause(message.reason)
            case page.ChangeView() if message.view in game.assignment.views:
                self._view = message.view
                self._note("view", view=message.view)
                self._go_on()
            case page.StopTask() if game.assignment.may_stop:
                self._note("stop")
                await self.stop(STOPPED)
            case _:
                raise ConnectionRefused(POLICY, f"{message.type} is not allowed in this trial")

    def _go_on(self) -> None:
        """While the game is paused, show the present step. Once it is shown, start if that is wanted."""
        client, game = self._client, self._game
        if client is None or game is None or game.state is None or not game.waiting or self._failure:
            return
        if client.shown != (game.state.step, self._view):
            if (level := client.paused(game.state, time.time())) is not None:
                game.draw_still(self._view, level.size, level.quality)
        elif self._starting is not None and not self._over:
            self._display = {"device": client.device, **self._starting.display}
            self._note("start", **self._display)
            self._starting = None
            self._send("running")
            game.start()
            client.started(time.time())

    def pause(self, reason: str) -> None:
        """Pause the game if it runs. The page gets the state and a new image, as its own may be older."""
        if self._game is not None and self._game.running:
            self._game.pause()
            self._note("pause", reason=reason)
            self._record_stretch()
            self._send_state()
            self._send("paused", reason=reason, left_s=self._game.pauses.left_s)
            self._go_on()

    async def stop(self, ended_by: str) -> None:
        """End the trial, unless it is over."""
        if self._game is not None and not self._over:
            stopped = await self._game.stop(ended_by)
            if stopped is not None and stopped.end is not None:
                self._send_state()
                self.ended(stopped.end)

    async def _next(self) -> None:
        if not self._over:
            raise ConnectionRefused(POLICY, "next comes after the end of the trial")
        async with self._lock:
            await self.close()
            await self._begin(fresh=bool(self._failure))
        self._send_trial()

    async def _begin(self, fresh: bool = False) -> None:
        """Open the participant's unfinished trial or, always if `fresh`, the next one."""
        self._ending, self._failure, self._saving = None, "", None
        self._instructions, self._starting = "", None
        if (trial := await self._recorder.begin(self.participant, fresh)) is None:
            return
        self._view = trial.assignment.views[0]
        self._game = game = Game(trial, self._workers, self, self._recorder.writer, self._speed)
        try:
            opened = await game.open()
        except EpisodeFailed as error:
            self._failure = str(error)
            return
        self._instructions = opened.instructions
        if opened.end is not None:
            self._finish(opened.end)

    def _send_trial(self) -> None:
        """Send the participant's trial and state, or the end of all."""
        if self._client is None:
            return
        if self._game is None:
            self._send("over", next_page=self._recorder.task_source.next_page(self.participant))
            return
        trial, assignment = self._game.trial.id, self._game.assignment
        state = self._game.state or State(0, 100.0, 0.0)
        if state.step > 0 and not self._over:
            self._game.pauses.start()
        self._client.send_trial(trial, assignment, state, self._instructions, self._game.pauses.left_s)
        if self._failure:
            self._send("failed", reason=self._failure)
        elif self._ending is not None:
            self._send("end", **self._ending)
        self._go_on()

    def stepped(self, state: State, due: float, late_s: Sequence[float]) -> None:
        """Send events, and request an image if the connection has room. The last of the steps was due then
        (Unix seconds); `late_s` are the delays of all."""
        client, game, now = self._client, self._game, time.time()
        if client is None or game is None:
            return
        if (level := client.stepped(state, late_s, now)) is not None:
            game.episode.draw(due, self._view, level.size, level.quality)
        self._record_stretch(only_long=True)
        if game.running and (reason := client.too_late(state.step, game.step_s, now)):
            self.pause(reason)
        self._go_on()

    def drawn(self, drawn: Drawn) -> None:
        """Send an image."""
        if self._client is not None and self._game is not None and self._game.state is not None:
            self._client.show(drawn, self._game.state)

    def lost(self) -> None:
        """Pause until the episode is rebuilt and drawn."""
        if self._client is not None:
            self._client.forget_images()
        self.pause("worker")
        self._go_on()

    def ended(self, end: PlayEnd) -> None:
        """Store the end, and report it, once."""
        if not self._over:
            self._finish(end)
            self._send("end", **(self._ending or {}))

    def failed(self, reason: str) -> None:
        """Report the failure, once."""
        if not self._over:
            self._record_stretch()
            self._failure = reason
            self._send("failed", reason=reason)

    def _finish(self, end: PlayEnd) -> None:
        assert self._game is not None
        self._ending = ending(self._game.assignment, end) | self._checked()
        self._record_stretch()
        self._saving = asyncio.create_task(self._recorder.finish(self.participant, self._game.trial, end))

    def _checked(self) -> dict[str, Any]:
        """Note the displayed pictures of a check; return the text about them."""
        check = self._game.assignment.check if self._game is not None else None
        if check is None or self._client is None:
            return {}
        seen = self._client.displayed(time.time())
        good = check.is_good(seen)
        self._note(PICTURE, good=good, **seen._asdict(), **self._display)
        return {"text": GOOD if good else POOR}

    def _record_stretch(self, only_long: bool = False) -> None:
        """Store the displayed pictures since play began or continued."""
        if self._client is not None and self._game is not None:
            row = self._client.take_stretch(self._game.trial.id, time.time(), only_long)
            if row is not None:
                self._recorder.writer.put(row)

    def _send(self, kind: str, **values: Any) -> None:
        if self._client is not None:
            self._client.send(kind, **values)

    def _send_state(self) -> None:
        if self._client is not None and self._game is not None and self._game.state is not None:
            self._client.send_state(self._game.state)

    def _note(self, kind: str, **data: Any) -> None:
        """Record an event of this trial."""
        assert self._game is not None
        step = self._game.state.step if self._game.state else 0
        noted = {"trial": self._game.trial.id, "step": step, **data}
        self._recorder.writer.note(self.participant.id, kind, noted)
