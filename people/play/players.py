"""All participants who play on this server, and the workers and the store that they share."""

import asyncio
import contextlib

from people.play.connection import Connection
from people.play.page_protocol import POLICY, PROTOCOL, ConnectionRefused, Hello
from people.play.page_texts import AWAY
from people.play.player import Player
from people.play.task_source import TaskSource
from people.play.trial_recorder import TrialRecorder
from people.play.workers import WorkerPool
from people.serving.seats import Seats, seats_for
from people.store import Participant, Store

KEEP_S = 600.0
"""A game is kept in memory for so long after its page has gone, and no more games than there are seats; after
that it is rebuilt from the store."""

CLOSING_S = 5.0
"""When the server stops, it waits at most this long for recordings to be stored."""

HELLO_S = 10.0
"""A connection must begin with a hello within this time."""


class Players:
    """The participants. `start` and `close` are called in the server's event loop.

    `seats`: how many of them play at the same time, by default `seats_for` this computer; others wait.
    `speed`: how many times faster than real time games run, for participants who are simulated.
    """

    def __init__(
        self, store: Store, task_source: TaskSource, *, workers: int, scripts: bool = False,
        seats: int | None = None, speed: float = 1.0,
    ) -> None:  # fmt: skip
        self.recorder = TrialRecorder(store, task_source)
        self.workers = WorkerPool(workers, scripts=scripts)
        self.seats = Seats(
            seats or seats_for(workers, scripts=scripts), lambda idle: self.dismiss(idle, AWAY)
        )
        self._speed = speed
        self._players: dict[int, Player] = {}
        self._timers: dict[int, asyncio.TimerHandle] = {}
        self._closing: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Start the worker processes; returns when they are ready."""
        self.workers.start()
        await self.workers.ready()

    async def close(self) -> None:
        """Pause all games and end the workers; `recorder` is closed together with the store.

        If the database is unavailable, what is not stored within `CLOSING_S` is left to `recorder`, which
        reports it.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_S):
                await asyncio.gather(*(player.close() for player in self._players.values()))
        self.workers.close()

    async def serve(self, participant: Participant, connection: Connection) -> None:
        """Serve a participant's page until its connection ends. Raises ConnectionRefused."""
        await _expect_hello(connection)
        await self.seats.take(participant.id, connection)
        player = self._player(participant)
        try:
            await player.attach(connection)
            while True:
                message = await connection.receive()
                self.seats.heard(participant.id)
                await player.handle(message, connection)
        finally:
            player.detach(connection)
            # Of several connections of a participant, only one is the last to end.
            if not player.connected and participant.id not in self._timers:
                loop = asyncio.get_running_loop()
                self._timers[participant.id] = loop.call_later(KEEP_S, self._forget, participant.id)
                self.seats.leave(participant.id)

    def is_connected(self, participant_id: int) -> bool:
        """Whether a participant's page is connected."""
        player = self._players.get(participant_id)
        return player is not None and player.connected

    async def halt(self, participant_id: int) -> None:
        """Stop the clock of a participant's game."""
        if (player := self._players.get(participant_id)) is not None:
            await player.halt()

    def dismiss(self, participant_id: int, reason: str) -> None:
        """Close a participant's page."""
        if (player := self._players.get(participant_id)) is not None:
            player.dismiss(POLICY, reason)

    async def leave(self, participant_id: int, reason: str) -> None:
        """End the game of a participant who has left the study, in all of their windows."""
        if (player := self._players.get(participant_id)) is not None:
            player.dismiss(POLICY, reason)
            await player.close()

    def _player(self, participant: Participant) -> Player:
        if (timer := self._timers.pop(participant.id, None)) is not None:
            timer.cancel()
        if participant.id not in self._players:
            self._make_room()
            self._players[participant.id] = Player(participant, self.recorder, self.workers, self._speed)
        return self._players[participant.id]

    def _make_room(self) -> None:
        """Forget the participant who left first if there are as many games as seats."""
        if len(self._players) >= self.seats.count:
            left_first = next(iter(self._timers))
            self._timers[left_first].cancel()
            self._forget(left_first)

    def _forget(self, participant_id: int) -> None:
        self._timers.pop(participant_id, None)
        task = asyncio.create_task(self._players.pop(participant_id).close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


async def _expect_hello(connection: Connection) -> None:
    try:
        hello = await asyncio.wait_for(connection.receive(), HELLO_S)
    except TimeoutError:
        raise ConnectionRefused(POLICY, "no hello was sent") from None
    if not isinstance(hello, Hello):
        raise ConnectionRefused(POLICY, f"out of order: got {hello.type}, expected hello first")
    if hello.protocol != PROTOCOL:
        raise ConnectionRefused(
            POLICY, f"the page uses protocol {hello.protocol}, the server {PROTOCOL}; please reload the page"
        )
