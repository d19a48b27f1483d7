"""How long a participant may still pause a trial."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any


class PauseClock:
    """Adds up the pauses of a trial, and calls `on_over` when they take longer than `limit_s`, None: never.

    Only pauses with a connected page count, so that someone who has lost the connection can come back.
    """

    def __init__(self, limit_s: float | None, on_over: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._left_s, self._on_over = limit_s, on_over
        self._timer: asyncio.TimerHandle | None = None
        self._over: asyncio.Task[None] | None = None

    @property
    def left_s(self) -> float | None:
        """Seconds of pauses that are left, None for no limit."""
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
