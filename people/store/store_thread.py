"""Access to the store from an event loop that must never wait for the database."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from people.store.errors import DatabaseUnavailable
from people.store.store import Store

RETRY_S = 0.25
"""Pause before a call that found the database unavailable is repeated."""

_Result = TypeVar("_Result")


class StoreThread:
    """Runs calls with the store in one thread, one after another.

    So two participants who arrive at the same moment never get the same row of a design. A call that finds
    the database unavailable is repeated for `patience_s` seconds.
    """

    def __init__(self, store: Store, patience_s: float = float("inf")) -> None:
        self._store, self._patience_s = store, patience_s
        self._thread = ThreadPoolExecutor(1, "store")

    async def run(self, call: Callable[[Store], _Result]) -> _Result:
        """The result of a call with the store; raises DatabaseUnavailable when patience runs out."""
        end = time.monotonic() + self._patience_s
        while True:
            try:
                return await asyncio.get_running_loop().run_in_executor(self._thread, call, self._store)
            except DatabaseUnavailable:
                if time.monotonic() > end:
                    raise
                await asyncio.sleep(RETRY_S)

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown()
