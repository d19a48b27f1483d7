"""One server for each database: two would draw the same order twice, and play one trial twice."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from filelock import FileLock, Timeout
from sqlalchemy import Connection, text

from people.store.database import Database
from people.store.errors import DatabaseUnavailable, StoreError, as_store_errors, display_name

LOCK_ENDING = "-server"
"""The locked file is beside that of the database, and stays there; the system frees the lock when the server
ends, however that happens."""

KEY = 0x6172656E
"""In PostgreSQL the lock is named by this number and the schema, and belongs to a connection."""

RENEW_S = 10.0
"""After a restart of PostgreSQL the lock is taken again within this time."""


@contextmanager
def only_server(database: Database) -> Iterator[None]:
    """While this lasts, no other server can use the database. Raises StoreError if one does already."""
    with _locked_file(database) if database.is_sqlite else _locked_schema(database):
        yield


@contextmanager
def _locked_file(database: Database) -> Iterator[None]:
    path = os.path.realpath(str(database.url.database)) + LOCK_ENDING
    try:
        lock = FileLock(path, timeout=0, mode=0o600).acquire()
    except Timeout:
        raise _taken(database) from None
    except (OSError, NotImplementedError) as error:
        raise StoreError(f"{path}: cannot be locked ({getattr(error, 'strerror', None) or error})") from None
    with lock:
        yield


@contextmanager
def _locked_schema(database: Database) -> Iterator[None]:
    lock, stopped = _SchemaLock(database), threading.Event()
    lock.take()

    def renew() -> None:
        while not stopped.wait(RENEW_S):
            try:
                lock.take()
            except DatabaseUnavailable:
                continue
            except StoreError as error:
                print(f"Warning: {error}", file=sys.stderr)

    thread = threading.Thread(target=renew, name="one-server", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()
        lock.release()


class _SchemaLock:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: Connection | None = None

    def take(self) -> None:
        """Lock the schema, also if it is locked by this already; raises StoreError if that is impossible."""
        statement = text("SELECT pg_try_advisory_lock(:key, hashtext(current_schema()))")
        try:
            with as_store_errors(self._database.url):
                self._connection = self._connection or self._database.autocommit().__enter__()
                locked = self._connection.execute(statement, {"key": KEY}).scalar_one()
        except StoreError:
            self.free()
            raise
        if not locked:
            self.free()
            raise _taken(self._database)

    def release(self) -> None:
        """Unlock the schema at once; PostgreSQL notices a closed connection only after a while."""
        if self._connection is not None:
            with suppress(Exception):
                self._connection.execute(text("SELECT pg_advisory_unlock_all()"))
        self.free()

    def free(self) -> None:
        """Close the connection, and with it the lock."""
        if self._connection is not None:
            # Not kept for other uses, as the lock would be, too.
            with suppress(Exception):
                self._connection.invalidate()
            self._connection.close()
            self._connection = None


def _taken(database: Database) -> StoreError:
    name = display_name(database.url)
    return StoreError(f"{name}: another server is using this database; stop it first, or use another --db")
