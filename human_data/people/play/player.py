"""One participant at the controls: what their page says, and what becomes of it."""

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from arena import Recording
from human_data.people.play.game import Game
from human_data.people.play.link import Link
from human_data.people.play.messages import (
    POLICY,
    REPLACED,
    Ack,
    GiveUp,
    Hello,
    Keys,
    Look,
    Message,
    Next,
    Pause,
    Pong,
    Refused,
    ScriptText,
    Start,
)
from human_data.people.play.records import SCRIPT_NOTE, Records
from human_data.people.play.screen import Screen, ending, shown
from human_data.people.play.wire import Drawn, State, Told, View
from human_data.people.play.workers import EpisodeFailed, Workers
from human_data.people.store import ActionRow, Participant


class Player:
    """The participant's present trial, and the connection of their page where there is one.

    Only the newest connection counts; an older one is closed. Without one the episode waits.
    """

    def __init__(self, participant: Participant, records: Records, workers: Workers) -> None:
        self.participant = participant
        self._records, self._workers = records, workers
        self._screen: Screen | None = None
        self._game: Game | None = None
        self._view: View = "first"
        self._told: list[Told] = []
        self._instructions = ""
        self._end: dict[str, Any] | None = None
        self._failure = ""
        self._saving: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()

    @property
    def connected(self) -> bool:
        """Whether a page is there."""
        return self._screen is not None

    async def attach(self, link: Link) -> None:
        """Take a new connection, and tell it where the participant is."""
        self._pause("reconnected")
        if self._screen is not None:
            self._screen.link.end(Refused(REPLACED, "opened in another window"))
        self._screen = screen = Screen(link)
        async with self._lock:
            if self._game is None:
                await self._begin()
        if self._screen is screen:
            self._tell()

    def detach(self, link: Link) -> None:
        """A connection is gone; the episode waits if it was the newest."""
        if self._screen is not None and self._screen.link is link:
            self._pause("disconnected")
            self._screen = None

    def dismiss(self, reason: Refused) -> None:
        """Close the connection, where there is one."""
        if self._screen is not None:
            self._screen.link.end(reason)

    async def close(self) -> None:
        """Forget the episode; the store has all of it."""
        if self._game is not None:
            self._game.close()
            self._game = None
        if self._saving is not None:
            await self._saving

    async def handle(self, message: Message, screen_of: Link) -> None:
        """Do what the page says. Raises Refused where it may not say so now."""
        screen, now = self._screen, time.time()
        if screen is None or screen.link is not screen_of:
            return
        screen.hears(now)
        if isinstance(message, Hello):
            raise Refused(POLICY, "hello is said once")
        if isinstance(message, Pong):
            screen.ponged(message.ping, now)
            return
        if isinstance(message, Ack):
            screen.acknowledged(message.frame, now)
            return
        game = self._game
        if game is None or message.trial != game.begun.trial.id:
            raise Refused(POLICY, f"trial {message.trial} is not the one that is played here")
        match message:
            case Next():
                await self._go_on()
            case _ if self._end is None and not self._failure:
                await self._play(game, message)

    async def _play(self, game: Game, message: Start | Pause | Keys | Look | ScriptText | GiveUp) -> None:
        """What may be said before the end; what was on its way when the end came is passed over."""
        assignment = game.begun.assignment
        by_keys = assignment.mode == "keys"
        match message:
            case Keys() if by_keys:
                game.action = message.action if game.running else 0
            case Start() if by_keys:
                self._start(game)
            case Pause() if by_keys:
                self._pause(message.reason)
            case ScriptText() if not by_keys:
                await self._script(game, message.text)
            case Look() if message.view in assignment.views:
                self._view = message.view
                self._note("view", view=message.view)
            case GiveUp() if assignment.may_stop:
                self._note("stop")
                await game.stop()
            case _:
                raise Refused(POLICY, f"{message.type} may not be said in this trial")

    def _start(self, game: Game) -> None:
        if not game.running and game.state is not None:
            self._note("start")
            self._say("running")
            game.start()
            if self._screen is not None:
                self._screen.started(time.time())
                self.stepped(game.state._replace(events=()), time.time(), ())

    def _pause(self, reason: str) -> None:
        if self._game is not None and self._game.running:
            self._game.pause()
            self._note("pause", reason=reason)
            self._halted(reason)

    async def _script(self, game: Game, text: str) -> None:
        assert game.state is not None
        data = {"trial": game.begun.trial.id, "step": game.state.step, "text": text}
        self._records.note(self.participant, SCRIPT_NOTE, data)
        answer = await game.reply(text)
        if answer is None:
            return
        self._told.append(answer.told)
        self._say("told", told=[shown(answer.told)])
        if self._screen is not None:
            self._screen.tell(answer.state)
        if answer.recording is not None:
            self.ended(answer.recording)

    async def _go_on(self) -> None:
        if self._end is None and not self._failure:
            raise Refused(POLICY, "next comes after the end of the trial")
        async with self._lock:
            failed = bool(self._failure)
            await self.close()
            await self._begin(fresh=failed)
        self._tell()

    async def _begin(self, fresh: bool = False) -> None:
        """Build the episode that the participant is in, or their next; always the next where `fresh`."""
        self._end, self._failure, self._saving = None, "", None
        self._told, self._instructions = [], ""
        begun = await self._records.begin(self.participant, fresh)
        if begun is None:
            return
        self._view = begun.assignment.views[0]
        self._game = game = Game(begun, self._workers, self)
        try:
            opened = await game.open()
        except EpisodeFailed as error:
            self._failure = str(error)
            return
        self._told, self._instructions = list(opened.told), opened.instructions
        if opened.recording is not None:
            self._finish(opened.recording)

    def _tell(self) -> None:
        """Say where the participant is."""
        if self._screen is None:
            return
        if self._game is None:
            self._say("over", after=self._records.course.after(self.participant))
            return
        state = self._game.state or State(0, 100.0, 0.0)
        self._screen.tell_trial(self._game.begun, state, self._told, self._instructions)
        if self._failure:
            self._say("failed", reason=self._failure)
        elif self._end is not None:
            self._say("end", **self._end)

    def take(self, rows: Sequence[ActionRow]) -> None:
        """Actions were taken: they go to the store."""
        self._records.put(rows)

    def stepped(self, state: State, due: float, late_s: Sequence[float]) -> None:
        """Steps were taken: tell of them, and ask for a picture if the connection can take one."""
        screen, game, now = self._screen, self._game, time.time()
        if screen is None or game is None:
            return
        if (rung := screen.takes(state, late_s, now)) is not None:
            game.draw(due, self._view, rung.size, rung.quality)
        if screen.silent(now):
            self._pause("connection")

    def drawn(self, drawn: Drawn) -> None:
        """A picture is ready."""
        if self._screen is not None and self._game is not None and self._game.state is not None:
            self._screen.show(drawn, self._game.state)

    def stalled(self) -> None:
        """The machine was held up, and the episode waits."""
        self._note("pause", reason="stall")
        self._halted("stall")

    def _halted(self, reason: str) -> None:
        """Say that the episode waits, and how it stands: the last picture may be some steps old."""
        if self._screen is not None and self._game is not None and self._game.state is not None:
            self._screen.tell(self._game.state)
            self._say("paused", reason=reason)

    def ended(self, recording: Recording) -> None:
        """The episode is over: it is kept, and the page told."""
        self._finish(recording)
        self._say("end", **(self._end or {}))

    def failed(self, reason: str) -> None:
        """The episode cannot go on."""
        self._failure = reason
        self._say("failed", reason=reason)

    def _finish(self, recording: Recording) -> None:
        assert self._game is not None
        begun = self._game.begun
        self._end = ending(begun, recording)
        self._saving = asyncio.create_task(self._records.finish(self.participant, begun.trial, recording))

    def _say(self, kind: str, **values: Any) -> None:
        if self._screen is not None:
            self._screen.say(kind, **values)

    def _note(self, kind: str, **data: Any) -> None:
        """Keep that something happened in this trial."""
        assert self._game is not None
        state = self._game.state
        data |= {"trial": self._game.begun.trial.id, "step": state.step if state else 0}
        self._records.note(self.participant, kind, data)
