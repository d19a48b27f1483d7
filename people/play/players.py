"""All players of this server, and their shared workers and store."""

import asyncio
import contextlib
from collections.abc import Callable

from arena.processes import cores
from people.play.client import Client
from people.play.page_protocol import POLICY, PROTOCOL, REPLACED, ConnectionRefused, Hello
from people.play.player import Player, TrialRecorder
from people.play.task_source import TaskSource
from people.play.workers import WorkerPool
from people.store import Participant, Store
from people.texts import AWAY, FULL

SEATS_PER_CORE = 8
"""Players per core. With 8 for each core `benchmarks.results` measured 16.6 steps and as many full images
a second, and 95 % of keys were seen within 66 ms."""

MAX_WAITING = 200
"""Further newcomers are refused."""

GRACE_S = 10.0
"""Seconds for which a seat is kept after its page has gone."""

IDLE_S = 300.0
"""Seconds without news from a page after which its seat is free. It is given to a waiting person."""

CHECK_S = 2.0
"""Seconds between checks of idle seats."""


def seats_for(workers: int) -> int:
    """Return the maximum number of simultaneous players for worker processes."""
    return SEATS_PER_CORE * max(1, min(workers, cores()))


class _Waiter:
    """A connection that waits; `admitted` is done when it has a seat."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.admitted: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class Seats:
    """A number of seats, by the ids of participants. `on_idle` is called with that of one who is to leave."""

    def __init__(self, count: int, on_idle: Callable[[int], None]) -> None:
        self.count, self._on_idle = count, on_idle
        self._heard_at: dict[int, float] = {}
        """Time of the last message from each person with a seat."""
        self._leaving: dict[int, asyncio.TimerHandle] = {}
        self._waiting: dict[int, _Waiter] = {}

    async def take(self, participant_id: int, client: Client) -> None:
        """Wait for a seat, unless the participant has one. Raises ConnectionRefused if too many wait, and
        WebSocketDisconnect if the connection ends before."""
        if (timer := self._leaving.pop(participant_id, None)) is not None:
            timer.cancel()
        elif participant_id not in self._heard_at and (self._waiting or len(self._heard_at) >= self.count):
            await self._wait(participant_id, client)
        self.heard(participant_id)

    def heard(self, participant_id: int) -> None:
        """The participant's page has sent something."""
        self._heard_at[participant_id] = asyncio.get_running_loop().time()

    def leave(self, participant_id: int) -> None:
        """The participant's page is closed. The seat becomes free unless it is opened again soon."""
        if participant_id in self._heard_at and participant_id not in self._leaving:
            loop = asyncio.get_running_loop()
            self._leaving[participant_id] = loop.call_later(GRACE_S, self._free, participant_id)

    def _free(self, participant_id: int) -> None:
        del self._leaving[participant_id], self._heard_at[participant_id]
        while self._waiting and len(self._heard_at) < self.count:
            first = next(iter(self._waiting))
            waiter = self._waiting.pop(first)
            # Otherwise its connection has just ended.
            if not waiter.admitted.done():
                self.heard(first)
                waiter.admitted.set_result(None)
        self._send_places()

    async def _wait(self, participant_id: int, client: Client) -> None:
        older = self._waiting.get(participant_id)
        if older is not None:
            older.client.end(REPLACED, "opened in another window")
        elif len(self._waiting) >= MAX_WAITING:
            raise ConnectionRefused(POLICY, FULL)
        # In the place of the older one, if any.
        self._waiting[participant_id] = waiter = _Waiter(client)
        self._send_places()
        received = asyncio.ensure_future(client.receive())
        # So that the end of the connection ends the waiting.
        received.add_done_callback(lambda _: waiter.admitted.cancel())
        try:
            while not waiter.admitted.done():
                await asyncio.wait((waiter.admitted,), timeout=CHECK_S)
                self._dismiss_idle()
            if waiter.admitted.cancelled():
                kind = received.result().type
                raise ConnectionRefused(POLICY, f"out of order: got {kind} before the trial")
        finally:
            received.cancel()
            if self._waiting.get(participant_id) is waiter:
                del self._waiting[participant_id]
                self._send_places()

    def _send_places(self) -> None:
        for place, waiter in enumerate(self._waiting.values()):
            waiter.client.send("waiting", before=place)

    def _dismiss_idle(self) -> None:
        now = asyncio.get_running_loop().time()
        for participant_id in [each for each, at in self._heard_at.items() if now - at > IDLE_S]:
            if participant_id not in self._leaving:
                self._on_idle(participant_id)


KEEP_S = 600.0
"""Seconds for which a game stays in memory without its page. There are no more games than seats; after that
it is rebuilt from the store."""

CLOSING_S = 5.0
"""Maximum seconds that a stopping server waits for recordings to be stored."""

HELLO_S = 10.0
"""A connection must begin with a hello within this time."""


class Players:
    """The participants. `start` and `close` are called in the server's event loop.

    `seats`: how many of them play at the same time, by default `seats_for` this computer; others wait.
    `speed`: how many times faster than real time games run, for participants who are simulated.
    """

    def __init__(
        self,
        store: Store,
        task_source: TaskSource,
        *,
        workers: int,
        seats: int | None = None,
        speed: float = 1.0,
    ) -> None:
        self.recorder = TrialRecorder(store, task_source)
        self.workers = WorkerPool(workers)
        self.seats = Seats(seats or seats_for(workers), lambda idle: self.dismiss(idle, AWAY))
        self._speed = speed
        self._players: dict[int, Player] = {}
        self._timers: dict[int, asyncio.TimerHandle] = {}
        self._closing: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Start the worker processes; returns when they are ready."""
        self.workers.start()
        await self.workers.ready()

    async def close(self) -> None:
        """Pause all games and end the workers.

        `recorder` is closed together with the store. If the database is unavailable, recordings not stored
        within `CLOSING_S` are left to `recorder`, which reports them.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_S):
                await asyncio.gather(*(player.close() for player in self._players.values()))
        self.workers.close()

    async def serve(self, participant: Participant, client: Client) -> None:
        """Serve a participant's page until its connection ends. Raises ConnectionRefused."""
        await _expect_hello(client)
        await self.seats.take(participant.id, client)
        player = self._player(participant)
        try:
            await player.attach(client)
            while True:
                message = await client.receive()
                self.seats.heard(participant.id)
                await player.handle(message, client)
        finally:
            player.detach(client)
            # Of several connections of a participant, only one is the last to end.
            if not player.connected and participant.id not in self._timers:
                loop = asyncio.get_running_loop()
                self._timers[participant.id] = loop.call_later(KEEP_S, self._forget, participant.id)
                self.seats.leave(participant.id)

    def is_connected(self, participant_id: int) -> bool:
        """Return whether a participant's page is connected."""
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
        """End a leaving participant's game, in all their windows. They have left the study."""
        if (player := self._players.get(participant_id)) is not None:
            player.dismiss(POLICY, reason)
            await player.close()

    def _player(self, participant: Participant) -> Player:
        if (timer := self._timers.pop(participant.id, None)) is not None:
            timer.cancel()
        if participant.id not in self._players:
            # Of as many games as seats, that of the participant who left first is forgotten.
            if len(self._players) >= self.seats.count:
                left_first = next(iter(self._timers))
                self._timers[left_first].cancel()
                self._forget(left_first)
            self._players[participant.id] = Player(participant, self.recorder, self.workers, self._speed)
        return self._players[participant.id]

    def _forget(self, participant_id: int) -> None:
        self._timers.pop(participant_id, None)
        task = asyncio.create_task(self._players.pop(participant_id).close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


async def _expect_hello(client: Client) -> None:
    try:
        hello = await asyncio.wait_for(client.receive(), HELLO_S)
    except TimeoutError:
        raise ConnectionRefused(POLICY, "no hello was sent") from None
    if not isinstance(hello, Hello):
        raise ConnectionRefused(POLICY, f"out of order: got {hello.type}, expected hello first")
    if hello.protocol != PROTOCOL:
        raise ConnectionRefused(
            POLICY, f"the page uses protocol {hello.protocol}, the server {PROTOCOL}; please reload the page"
        )
