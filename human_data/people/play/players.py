"""Everybody who plays on this server, with the workers and the store that they share."""

import asyncio
import contextlib

from human_data.people.play.course import Course
from human_data.people.play.link import Link
from human_data.people.play.messages import POLICY, PROTOCOL, Hello, Refused
from human_data.people.play.player import Player
from human_data.people.play.records import Records
from human_data.people.play.workers import Workers
from human_data.people.store import Participant, Store

MOST_PLAYERS = 64
"""Participants with an episode in memory. More than two cores can draw for; it bounds the memory."""

FORGET_S = 600.0
"""An episode is kept in memory for so long after its page is gone; then it is built again from the store."""

CLOSING_S = 5.0
"""The server's end waits so long for episodes that are being saved."""

HELLO_S = 10.0
"""A connection that does not say hello in so long is closed."""


class Players:
    """The participants. `start` and `close` are called in the event loop in which all else runs."""

    def __init__(self, store: Store, course: Course, *, workers: int, scripts: bool = False) -> None:
        self.records = Records(store, course)
        self.workers = Workers(workers, scripts=scripts)
        self._players: dict[int, Player] = {}
        self._forgetting: dict[int, asyncio.TimerHandle] = {}
        self._closing: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Start the worker processes."""
        self.workers.start()

    async def close(self) -> None:
        """Let every episode wait and end the workers; `records` are closed by whoever made the store.

        Where the database is away, what is not saved in `CLOSING_S` is left to `records`, which say so.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_S):
                await asyncio.gather(*(player.close() for player in self._players.values()))
        self.workers.close()

    async def serve(self, participant: Participant, link: Link) -> None:
        """Play with a participant's page until its connection ends. Raises Refused, with the reason."""
        await _greeted(link)
        player = self._player(participant)
        await player.attach(link)
        try:
            while True:
                await player.handle(await link.receive(), link)
        finally:
            player.detach(link)
            if not player.connected:
                self._forget_later(participant.id)

    def dismiss(self, participant_id: int, reason: str) -> None:
        """Close the page of somebody who does not play any more, and tell them why."""
        if (player := self._players.get(participant_id)) is not None:
            player.dismiss(Refused(POLICY, reason))

    def _player(self, participant: Participant) -> Player:
        if (timer := self._forgetting.pop(participant.id, None)) is not None:
            timer.cancel()
        if participant.id not in self._players:
            self._make_room()
            self._players[participant.id] = Player(participant, self.records, self.workers)
        return self._players[participant.id]

    def _make_room(self) -> None:
        """Forget who has been away longest where there are too many. Raises Refused where all are here."""
        if len(self._players) >= MOST_PLAYERS:
            if not self._forgetting:
                raise Refused(POLICY, f"full: {MOST_PLAYERS} people play here already; come back later")
            longest_away = next(iter(self._forgetting))
            self._forgetting[longest_away].cancel()
            self._forget(longest_away)

    def _forget_later(self, participant_id: int) -> None:
        loop = asyncio.get_running_loop()
        self._forgetting[participant_id] = loop.call_later(FORGET_S, self._forget, participant_id)

    def _forget(self, participant_id: int) -> None:
        self._forgetting.pop(participant_id, None)
        player = self._players.pop(participant_id)
        task = asyncio.create_task(player.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


async def _greeted(link: Link) -> None:
    try:
        hello = await asyncio.wait_for(link.receive(), HELLO_S)
    except TimeoutError:
        raise Refused(POLICY, "no hello was said") from None
    if not isinstance(hello, Hello):
        raise Refused(POLICY, f"out of order: got {hello.type}, expected hello first")
    if hello.protocol != PROTOCOL:
        raise Refused(POLICY, f"the page speaks protocol {hello.protocol}, the server {PROTOCOL}; reload it")
