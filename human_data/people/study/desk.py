"""The store for the pages: asked in a thread, so that nobody's episode waits for it."""

import asyncio
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from human_data.people.store import DatabaseAway, Store

PATIENCE_S = 5.0
"""How long a page waits for a database that is away before it says so."""

AGAIN_S = 0.25

_Result = TypeVar("_Result")


class Desk:
    """One call after the other, so that two people who come at once do not get the same row of a design."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._thread = ThreadPoolExecutor(1, "study")

    async def do(self, call: Callable[[Store], _Result]) -> _Result:
        """What a call with the store gives; raises DatabaseAway where it stays away."""
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                return await asyncio.get_running_loop().run_in_executor(self._thread, call, self._store)
            except DatabaseAway:
                if time.monotonic() > end:
                    raise
                await asyncio.sleep(AGAIN_S)

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown()


class Tabs:
    """Which of a person's windows is the newest: only that one may send forms."""

    def __init__(self) -> None:
        self._newest: dict[int, str] = {}

    def open(self, participant_id: int) -> str:
        """The name of a new window, which is the newest from now on."""
        self._newest[participant_id] = name = secrets.token_urlsafe(9)
        return name

    def is_newest(self, participant_id: int, name: str) -> bool:
        """Whether a window is the newest; after a restart of the server any is."""
        return self._newest.get(participant_id, name) == name
