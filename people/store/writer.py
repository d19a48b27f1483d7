"""Background writing, so that the game never waits for the database."""

import threading
import time
from collections import deque
from collections.abc import Mapping
from itertools import islice
from typing import Any, NamedTuple

from arena.closing import Closing
from people.store.database import StoreError
from people.store.store import Store, Write, check_action, new_note, write_batch
from people.store.tables import ActionRow

INTERVAL_S = 0.05
"""Time in which writes are collected for one transaction. The other 50 ms of 100 are for the commit."""
FIRST_RETRY_S = 0.1
MAX_RETRY_S = 2.0
MAX_BATCH = 20_000
"""Writes in one transaction. A limit, so that a long backlog shows progress."""


class WriterState(NamedTuple):
    """The state of the writer.

    `waiting` and `committed` count writes; `rejected` those that could not be stored (because their
    participant was deleted), with the last reason. `error` is the reason of the last failure, None while the
    database responds; `since` is the time of the first failure (Unix seconds).
    """

    waiting: int = 0
    committed: int = 0
    rejected: int = 0
    last_rejection: str | None = None
    error: str | None = None
    since: float | None = None


class Writer(Closing):
    """A thread that commits all writes, every 50 ms in one transaction.

    While the database is unavailable all writes wait in memory, in order, and are retried after 0.1 s,
    growing to 2 s. Writes are stored only once: a batch whose confirmation was lost is written again, and
    existing rows are left unchanged.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._queue: deque[Write] = deque()
        self._changed = threading.Condition()
        self._hurry = threading.Event()
        self._closing = False
        self.state = WriterState()
        """The present state."""
        self._thread = threading.Thread(target=self._run, name="people-writer", daemon=True)
        self._thread.start()

    def put(self, item: Write) -> None:
        """Queue an action, event, end of a trial, or display statistics. A trial that is finished already is
        left unchanged. Raises StoreError if the action is not valid, or after `close`."""
        if isinstance(item, ActionRow):
            check_action(item)
        with self._changed:
            if self._closing:
                raise StoreError("the writer is closed")
            self._queue.append(item)
            self.state = self.state._replace(waiting=self.state.waiting + 1)
            self._changed.notify_all()

    def note(self, participant_id: int, kind: str, data: Mapping[str, Any] = {}) -> None:
        """Queue a `Store.note`, with the time of this call."""
        self.put(new_note(participant_id, kind, data))

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Wait until everything queued before this call is committed. False after the timeout."""
        with self._changed:
            wanted = self.state.committed + self.state.waiting
            self._hurry.set()
            return self._changed.wait_for(lambda: self.state.committed >= wanted, timeout_s)

    def close(self, timeout_s: float = 5.0) -> None:
        """Commit queued writes and end the thread. Raises StoreError if that takes too long."""
        done = self.flush(timeout_s)
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            self._hurry.set()
        self._thread.join(timeout_s)
        if not done:
            state = self.state
            raise StoreError(
                f"{state.waiting} actions or notes could not be written: {state.error or 'no response'}"
            )

    def _run(self) -> None:
        pause = INTERVAL_S
        while self._wait_for_items():
            self._hurry.wait(pause)
            self._hurry.clear()
            pause = INTERVAL_S if self._commit() else min(max(2 * pause, FIRST_RETRY_S), MAX_RETRY_S)

    def _wait_for_items(self) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: bool(self._queue) or self._closing)
            return not self._closing

    def _commit(self) -> bool:
        with self._changed:
            batch = list(islice(self._queue, MAX_BATCH))
        try:
            rejected = write_batch(self._store.database, batch)
        # Whatever goes wrong: if the thread ended here, all later writes would be lost unnoticed.
        except Exception as error:
            with self._changed:
                reason, since = str(error) or type(error).__name__, self.state.since or time.time()
                self.state = self.state._replace(error=reason, since=since)
            return False
        with self._changed:
            for _ in batch:
                self._queue.popleft()
            self.state = WriterState(
                waiting=len(self._queue),
                committed=self.state.committed + len(batch),
                rejected=self.state.rejected + len(rejected),
                last_rejection=rejected[-1] if rejected else self.state.last_rejection,
            )
            self._changed.notify_all()
        return True
