"""One participant: the present game, and the page that plays it."""

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from people.play import page_protocol as page
from people.play.client import Client, ending, turn_values
from people.play.connection import Connection
from people.play.game import Game
from people.play.page_protocol import POLICY, REPLACED, ConnectionRefused
from people.play.trial_recorder import SCRIPT_NOTE, TrialRecorder
from people.play.worker_protocol import Drawn, ScriptTurn, State, View
from people.play.workers import EpisodeFailed, WorkerPool
from people.play_end import PAUSE, STOPPED, PlayEnd
from people.store import ActionRow, Participant


class Player:
    """The participant's present trial, and the connection of their page, if any.

    Only the newest connection counts; an older one is closed. Without one the game is paused.
    """

    def __init__(
        self, participant: Participant, recorder: TrialRecorder, workers: WorkerPool, speed: float = 1.0
    ) -> None:
        self.participant, self._speed = participant, speed
        self._recorder, self._workers = recorder, workers
        self._client: Client | None = None
        self._game: Game | None = None
        self._view: View = "first"
        self._starting: page.Start | None = None  # waits until the page has shown the present picture
        self._turns: list[ScriptTurn] = []
        self._instructions = self._failure = ""
        self._ending: dict[str, Any] | None = None
        self._saving: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()

    @property
    def connected(self) -> bool:
        """Whether a page is connected."""
        return self._client is not None

    async def attach(self, connection: Connection) -> None:
        """Switch to a new connection, and send it the present state."""
        self._pause("reconnected")
        self.dismiss(REPLACED, "opened in another window")
        self._client = client = Client(connection)
        self._starting = None
        async with self._lock:
            if self._game is None:
                await self._begin()
        if self._client is client:
            self._send_trial()

    def detach(self, connection: Connection) -> None:
        """A connection is closed; the game pauses if it was the newest."""
        if self._client is not None and self._client.connection is connection:
            self._client = None
            self._pause("disconnected")
            if self._game is not None:
                self._game.pauses.stop()

    def dismiss(self, code: int, reason: str) -> None:
        """Close the connection, if any."""
        if self._client is not None:
            self._client.connection.end(code, reason)

    async def halt(self) -> None:
        """Stop the game's clock; no step is taken after this call unless the page starts again."""
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

    async def handle(self, message: page.Message, connection: Connection) -> None:
        """Act on a message of the page. Raises ConnectionRefused if it is not allowed now."""
        client, now = self._client, time.time()
        if client is None or client.connection is not connection:
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
        by_keys = game.assignment.mode == "keys"
        match message:
            case page.Keys() if by_keys:
                game.action = message.action if game.running or self._starting else 0
            case page.Start() if by_keys:
                if not game.running:
                    self._starting, game.action = message, 0
                    self._go_on()
            case page.Pause() if by_keys:
                self._starting = None
                self._pause(message.reason)
            case page.ScriptText() if not by_keys:
                await self._script(game, message.text)
            case page.ChangeView() if message.view in game.assignment.views:
                self._view = message.view
                self._note("view", view=message.view)
                self._go_on()
            case page.StopTask() if game.assignment.may_stop:
                self._note("stop")
                await self._stop(STOPPED)
            case _:
                raise ConnectionRefused(POLICY, f"{message.type} is not allowed in this trial")

    def _go_on(self) -> None:
        """While the game is paused, show the present step; once it is shown, start if that is wanted."""
        client, game = self._client, self._game
        if client is None or game is None or game.state is None or not game.waiting or self._failure:
            return
        if client.shown != (game.state.step, self._view):
            if (level := client.paused(game.state, time.time())) is not None:
                game.draw_still(self._view, level.size, level.quality)
        elif self._starting is not None and not self._over:
            self._note("start", device=client.connection.device, **self._starting.display)
            self._starting = None
            self._send("running")
            game.start()
            client.started(time.time())

    def _pause(self, reason: str) -> None:
        """Pause the game if it runs; the page gets the state and a new image, as its own may be older."""
        if self._game is not None and self._game.running:
            self._game.pause()
            self._note("pause", reason=reason)
            self._record_stretch()
            self._send_state()
            self._send("paused", reason=reason, left_s=self._game.pauses.left_s)
            self._go_on()

    async def paused_too_long(self) -> None:
        """End the trial."""
        await self._stop(PAUSE)

    async def _stop(self, ended_by: str) -> None:
        if self._game is not None and not self._over:
            stopped = await self._game.stop(ended_by)
            if stopped is not None and stopped.end is not None:
                self._send_state()
                self.ended(stopped.end)

    async def _script(self, game: Game, text: str) -> None:
        self._note(SCRIPT_NOTE, text=text)
        answer = await game.reply(text)
        if answer is None or answer.turn is None:
            return
        self._turns.append(answer.turn)
        self._send("turns", turns=[turn_values(answer.turn)])
        self._send_state()
        if answer.end is not None:
            self.ended(answer.end)

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
        self._turns, self._instructions, self._starting = [], "", None
        if (trial := await self._recorder.begin(self.participant, fresh)) is None:
            return
        self._view = trial.assignment.views[0]
        self._game = game = Game(trial, self._workers, self, self._speed)
        try:
            opened = await game.open()
        except EpisodeFailed as error:
            self._failure = str(error)
            return
        self._turns, self._instructions = list(opened.turns), opened.instructions
        if opened.end is not None:
            self._finish(opened.end)

    def _send_trial(self) -> None:
        """Send the participant's trial and its state, or that there are no more."""
        if self._client is None:
            return
        if self._game is None:
            self._send("over", next_page=self._recorder.task_source.next_page(self.participant))
            return
        trial, assignment = self._game.trial.id, self._game.assignment
        state = self._game.state or State(0, 100.0, 0.0)
        if state.step > 0 and not self._over:
            self._game.pauses.start()
        left_s = self._game.pauses.left_s
        self._client.send_trial(trial, assignment, state, self._turns, self._instructions, left_s)
        if self._failure:
            self._send("failed", reason=self._failure)
        elif self._ending is not None:
            self._send("end", **self._ending)
        self._go_on()

    def take(self, rows: Sequence[ActionRow]) -> None:
        """Record actions."""
        self._recorder.put(rows)

    def stepped(self, state: State, due: float, late_s: Sequence[float]) -> None:
        """Send what happened, and request an image if the connection has room for one."""
        client, game, now = self._client, self._game, time.time()
        if client is None or game is None:
            return
        if (level := client.stepped(state, late_s, now)) is not None:
            game.draw(due, self._view, level.size, level.quality)
        self._record_stretch(only_long=True)
        if game.running and (reason := client.too_late(state.step, game.step_s, now)):
            self._pause(reason)
        self._go_on()

    def drawn(self, drawn: Drawn) -> None:
        """Send an image."""
        if self._client is not None and self._game is not None and self._game.state is not None:
            self._client.show(drawn, self._game.state)

    def stalled(self) -> None:
        """Pause."""
        self._pause("stall")

    def lost(self) -> None:
        """Pause until the episode is rebuilt and drawn."""
        if self._client is not None:
            self._client.forget_images()
        self._pause("worker")
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
        self._record_stretch()
        self._ending = ending(self._game.assignment, end)
        self._saving = asyncio.create_task(self._recorder.finish(self.participant, self._game.trial, end))

    def _record_stretch(self, only_long: bool = False) -> None:
        """Store what the page displayed since play began or continued."""
        if self._client is not None and self._game is not None:
            row = self._client.take_stretch(self._game.trial.id, time.time(), only_long)
            if row is not None:
                self._recorder.put_stretch(row)

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
        self._recorder.note(self.participant, kind, {"trial": self._game.trial.id, "step": step, **data})
