"""Seats for those who play at the same time; others wait for one, in order of arrival."""

import asyncio
from collections.abc import Callable

from arena.processes import cores
from people.play.connection import Connection
from people.play.page_protocol import POLICY, REPLACED, ConnectionRefused
from people.play.page_texts import FULL

SEATS_PER_CORE = {"keys": 8, "scripts": 32}
"""With 8 players for each core `benchmarks.people_load` measured 16.6 steps and 11 images a second, some of
them smaller; with 12, games paused. With scripts, pictures are drawn only after each."""

MAX_WAITING = 200
"""Further newcomers are refused."""

GRACE_S = 10.0
"""Who reloads the page, or loses the connection, keeps the seat for so long."""

IDLE_S = 300.0
"""While others wait, a seat is taken from those of whose page nothing was heard for so long."""

CHECK_S = 2.0
"""How often this is checked."""


def seats_for(workers: int, *, scripts: bool) -> int:
    """How many people this computer can serve at the same time, with this number of worker processes."""
    return SEATS_PER_CORE["scripts" if scripts else "keys"] * max(1, min(workers, cores()))


class _Waiter:
    """A connection that waits; `admitted` is done when it has a seat."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.admitted: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class Seats:
    """A number of seats, by the ids of participants; `on_idle` is called with that of one who is to leave."""

    def __init__(self, count: int, on_idle: Callable[[int], None]) -> None:
        self.count, self._on_idle = count, on_idle
        self._heard_at: dict[int, float] = {}
        """Those who have a seat, and when something was last heard from them."""
        self._leaving: dict[int, asyncio.TimerHandle] = {}
        self._waiting: dict[int, _Waiter] = {}

    async def take(self, participant_id: int, connection: Connection) -> None:
        """Wait for a seat, unless the participant has one.

        Raises ConnectionRefused if too many wait, and WebSocketDisconnect if the connection ends before.
        """
        if (timer := self._leaving.pop(participant_id, None)) is not None:
            timer.cancel()
        elif participant_id not in self._heard_at and (self._waiting or len(self._heard_at) >= self.count):
            await self._wait(participant_id, connection)
        self.heard(participant_id)

    def heard(self, participant_id: int) -> None:
        """The participant's page has sent something."""
        self._heard_at[participant_id] = asyncio.get_running_loop().time()

    def leave(self, participant_id: int) -> None:
        """The participant's page is closed; the seat becomes free unless it is opened again soon."""
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

    async def _wait(self, participant_id: int, connection: Connection) -> None:
        older = self._waiting.get(participant_id)
        if older is not None:
            older.connection.end(REPLACED, "opened in another window")
        elif len(self._waiting) >= MAX_WAITING:
            raise ConnectionRefused(POLICY, FULL)
        # In the place of the older one, if any.
        self._waiting[participant_id] = waiter = _Waiter(connection)
        self._send_places()
        received = asyncio.ensure_future(connection.receive())
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
            waiter.connection.send("waiting", before=place)

    def _dismiss_idle(self) -> None:
        now = asyncio.get_running_loop().time()
        for participant_id in [each for each, at in self._heard_at.items() if now - at > IDLE_S]:
            if participant_id not in self._leaving:
                self._on_idle(participant_id)
