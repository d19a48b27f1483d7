"""Writes as things happen, without making the game wait."""

import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self

from arena import Recording
from human_data.people.store.batch import Finished, Item, Noted, check_action, put
from human_data.people.store.errors import StoreError
from human_data.people.store.store import Store
from human_data.people.store.tables import ActionRow

EVERY_S = 0.05
"""Time in which what is put gathers for one transaction; the other 50 ms of the 100 are for the commit."""
RETRY_FIRST_S = 0.1
RETRY_MOST_S = 2.0
ITEMS_AT_ONCE = 20_000
"""Of one transaction, so that a long backlog shows progress."""


@dataclass(frozen=True, slots=True)
class WriterState:
    """How the writer is doing.

    `waiting` and `committed` count what was put; `refused` what could not be kept (its participant was
    deleted), with the last reason. `error` says why the last attempt failed, None while the database answers;
    `since` is when it was first away (unix seconds).
    """

    waiting: int
    committed: int
    refused: int
    last_refusal: str | None
    error: str | None
    since: float | None


class Writer:
    """A thread that commits all that was put, every 50 ms in one transaction.

    While the database is away everything waits in memory, in order, and is tried again after 0.1 s, growing
    to 2 s. Nothing is doubled: a batch whose answer was lost is put again, and what is there already stays.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._queue: deque[Item] = deque()
        self._changed = threading.Condition()
        self._hurry = threading.Event()
        self._closing = False
        self._put = self._committed = self._refused = 0
        self._last_refusal: str | None = None
        self._error: str | None = None
        self._since: float | None = None
        self._thread = threading.Thread(target=self._run, name="people-writer", daemon=True)
        self._thread.start()

    def put(self, row: ActionRow) -> None:
        """Take an action, without waiting; raises StoreError where it is no action, or after `close`."""
        check_action(row)
        self._take(row)

    def finish_trial(self, trial_id: int, recording: Recording) -> None:
        """As `Store.finish_trial`, after all that was put before, without waiting."""
        self._take(Finished(trial_id, recording))

    def note(self, participant_id: int, kind: str, data: Mapping[str, Any] = {}) -> None:
        """As `Store.note`, with the time of this call, without waiting."""
        self._take(Noted(participant_id, kind, dict(data)))

    @property
    def state(self) -> WriterState:
        """How the writer is doing now."""
        with self._changed:
            return WriterState(
                waiting=self._put - self._committed,
                committed=self._committed,
                refused=self._refused,
                last_refusal=self._last_refusal,
                error=self._error,
                since=self._since,
            )

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Wait until all that was put before this call is committed; False where it is not in time."""
        with self._changed:
            wanted = self._put
            self._hurry.set()
            return self._changed.wait_for(lambda: self._committed >= wanted, timeout_s)

    def close(self, timeout_s: float = 5.0) -> None:
        """Commit what waits and end the thread; raises StoreError where the database stays away so long."""
        done = self.flush(timeout_s)
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            self._hurry.set()
        self._thread.join(timeout_s)
        if not done:
            state = self.state
            raise StoreError(
                f"{state.waiting} actions or notes could not be written: {state.error or 'no answer'}"
            )

    def _take(self, item: Item) -> None:
        with self._changed:
            if self._closing:
                raise StoreError("the writer is closed")
            self._queue.append(item)
            self._put += 1
            self._changed.notify_all()

    def _run(self) -> None:
        pause = EVERY_S
        while self._wait_for_items():
            self._hurry.wait(pause)
            self._hurry.clear()
            done = self._commit()
            pause = EVERY_S if done else min(max(2 * pause, RETRY_FIRST_S), RETRY_MOST_S)

    def _wait_for_items(self) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: bool(self._queue) or self._closing)
            return not self._closing

    def _commit(self) -> bool:
        with self._changed:
            batch = list(islice(self._queue, ITEMS_AT_ONCE))
        try:
            refused = put(self._store.database, batch)
        # Whatever goes wrong, a thread that ended here would lose all that is put later, unseen.
        except Exception as error:
            self._failed(error)
            return False
        self._done(len(batch), refused)
        return True

    def _failed(self, error: Exception) -> None:
        with self._changed:
            self._error = str(error) or type(error).__name__
            self._since = self._since or time.time()

    def _done(self, count: int, refused: list[str]) -> None:
        with self._changed:
            for _ in range(count):
                self._queue.popleft()
            self._committed += count
            self._refused += len(refused)
            self._last_refusal = refused[-1] if refused else self._last_refusal
            self._error = self._since = None
            self._changed.notify_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
