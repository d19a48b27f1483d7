"""The database, its errors, and the lock for a single server.

Two servers would draw the same order twice, and play one trial twice.
"""

import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from sqlalchemy import URL, Connection, Engine, Table, create_engine, event, inspect, make_url, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.orm import Session

from arena.errors import ArenaError
from arena.packages import require
from people.store.tables import TABLES, Base


class StoreError(ArenaError):
    """The database cannot be used as requested."""


class DatabaseUnavailable(StoreError):
    """The database does not respond. It was not changed; the call may be repeated later."""


class InvalidRequest(StoreError):
    """The call does not fit the stored data, and never will."""


def display_name(url: URL) -> str:
    """Return the database's display name. It is the path of a file, or the URL without its password."""
    if url.get_backend_name() == "sqlite":
        return url.database or ""
    # The query may contain a password too.
    return url.set(drivername=url.get_backend_name(), query={}).render_as_string()


@contextmanager
def as_store_errors(url: URL) -> Iterator[None]:
    """Turn database errors into StoreError, on one line, without the password."""
    try:
        yield
    except SQLAlchemyError as error:
        unavailable = isinstance(error, OperationalError | InterfaceError) or (
            isinstance(error, DBAPIError) and error.connection_invalidated
        )
        text = " ".join(str(getattr(error, "orig", None) or error).split())
        for secret in filter(None, (url.password, url.query.get("password"))):
            text = text.replace(str(secret), "[password]")
        kind = DatabaseUnavailable if unavailable else StoreError
        raise kind(f"{display_name(url)}: {text}") from None


NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
"""Pattern of participant codes and study names. They become names of files and folders in an export."""


def clean(text: str) -> str:
    """Return the text without NUL and lone surrogates. PostgreSQL rejects NUL; surrogates become "?"."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")


def check_name(what: str, name: str) -> None:
    """Raise InvalidRequest if a code or name cannot name a file. The name is that of a study."""
    if not NAME.fullmatch(name):
        raise InvalidRequest(
            f"{what}: got {name!r}, expected 1 to 64 letters, digits, '_', '-' or '.', not starting with '-' "
            "or '.'"
        )


BUSY_S = 10.0
"""Seconds that a transaction waits for other programs; ours take milliseconds."""
POSTGRES = {
    "connect_timeout": 3,
    # Milliseconds after which a connection to a machine that has vanished is closed.
    "tcp_user_timeout": 10_000,
    "application_name": "arena-llm",
}
WRITING, AUTOCOMMIT = "arena_writing", "arena_autocommit"
"""Options of a connection to SQLite: its transactions write. It has no transactions."""
REPEAT = "another program is using the database; close it and run the same command again"
EXPECTED = "expected a file, sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME"


class Database:
    """An engine, its transactions, and its conflict-safe `insert`. Raises StoreError if the URL or the
    database is not one of arena-llm, DatabaseUnavailable if it cannot be reached."""

    def __init__(self, url: str, *, create: bool = True) -> None:
        self.url = _parsed(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.insert = sqlite.insert if self.is_sqlite else postgresql.insert
        if self.is_sqlite:
            _prepare_file(self.url, create)
        with as_store_errors(self.url):
            self.engine = _sqlite(self.url) if self.is_sqlite else _postgres(self.url)
            self._writing = self.engine.execution_options(**{WRITING: True})
        try:
            self._check_tables(create)
            if self.is_sqlite:
                # Readers and the writer need not wait for each other. Set only now, as it changes the file.
                with as_store_errors(self.url), self.autocommit() as connection:
                    connection.exec_driver_sql("PRAGMA journal_mode=WAL")
        except BaseException:
            self.close()
            raise

    @property
    def name(self) -> str:
        """The database as shown to users."""
        return display_name(self.url)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A read-only transaction; errors of the database become StoreError."""
        with as_store_errors(self.url), Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Open a transaction, committed at the end. It is rolled back if an exception is raised."""
        with (
            as_store_errors(self.url),
            Session(self._writing, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield session

    def erase(self) -> None:
        """Rewrite the tables, so that deleted rows leave no trace. Raises StoreError if another program keeps
        the database busy; then traces remain."""
        try:
            with as_store_errors(self.url), self.autocommit() as connection:
                busy = _rewrite_sqlite(connection) if self.is_sqlite else _rewrite_postgres(connection)
        except DatabaseUnavailable as error:
            raise StoreError(f"{error}; the rows are removed, but traces may remain: {REPEAT}") from None
        if busy:
            where = "the file next to it that ends in -wal"
            raise StoreError(f"{self.name}: the rows are removed, but traces remain in {where}: {REPEAT}")

    def autocommit(self) -> AbstractContextManager[Connection]:
        """Open a connection for statements outside transactions, such as VACUUM."""
        options: dict[str, Any] = {AUTOCOMMIT: True} if self.is_sqlite else {"isolation_level": "AUTOCOMMIT"}
        return self.engine.execution_options(**options).connect()

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def _check_tables(self, create: bool) -> None:
        with as_store_errors(self.url), self._writing.begin() as connection:
            inspector = inspect(connection)
            present = Base.metadata.tables.keys() & set(inspector.get_table_names())
            for table in Base.metadata.sorted_tables:
                if table.name in present:
                    got = {each["name"] for each in inspector.get_columns(table.name)}
                    self._add_columns(connection, table, got)
                    for index in table.indexes:
                        index.create(connection, checkfirst=True)
            if TABLES[0].__tablename__ not in present and not create:
                raise StoreError(f"{self.name}: this database holds no study of arena-llm")
            Base.metadata.create_all(connection)

    def _add_columns(self, connection: Connection, table: Table, got: set[str]) -> None:
        """Add the columns that an earlier version did not have, empty. Raises StoreError for other tables."""
        new = [column for column in table.columns if column.name not in got]
        if got - set(table.columns.keys()) or not all(column.nullable for column in new):
            raise StoreError(
                f"{self.name}: table {table.name} has other columns than this version "
                "of arena-llm expects; use another database, or export with the version that made it"
            )
        for column in new:
            kind = column.type.compile(connection.dialect)
            connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {column.name} {kind}")


def _rewrite_sqlite(connection: Connection) -> bool:
    connection.exec_driver_sql("VACUUM")
    busy, *_ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
    return bool(busy)


def _rewrite_postgres(connection: Connection) -> bool:
    # Detached: closed afterwards and not returned to the pool, because of its setting.
    connection.detach()
    # A statement that waits for a whole table blocks all others behind it.
    connection.exec_driver_sql(f"SET lock_timeout = {BUSY_S * 1000:.0f}")
    for table in TABLES:
        # The statistics of a column contain some of its values until they are recomputed.
        connection.exec_driver_sql(f"VACUUM (FULL, ANALYZE) {table.__tablename__}")
    return False


def _parsed(text: str) -> URL:
    if text and "://" not in text:
        return URL.create("sqlite", database=text)
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        # The text is not repeated: it may contain a password.
        raise StoreError(f"database: not a URL; {EXPECTED}") from None
    if "@" in (url.host or ""):
        raise StoreError("database: the password contains '@'; write it as %40")
    if url.drivername in ("postgres", "postgresql", "postgresql+psycopg"):
        require("people", "psycopg")
        return url.set(drivername="postgresql+psycopg")
    if url.drivername == "sqlite" and url.database not in (None, "", ":memory:"):
        return url
    raise StoreError(f"database: got a URL of {url.drivername}, {EXPECTED}")


def _prepare_file(url: URL, create: bool) -> None:
    path = Path(str(url.database))
    if path.is_dir():
        raise StoreError(f"{path}: a folder, expected a database file")
    if not path.exists() and not create:
        raise StoreError(f"{path}: no such database file")
    try:
        # Answers are private: a new file, and SQLite's files next to it, are readable by the owner only.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise StoreError(f"{path}: cannot be opened ({error.strerror or error})") from None


def _postgres(url: URL) -> Engine:
    return create_engine(
        url,
        pool_pre_ping=True,
        connect_args={key: POSTGRES[key] for key in POSTGRES.keys() - url.query.keys()},
    )


def _sqlite(url: URL) -> Engine:
    engine = create_engine(url, connect_args={"timeout": BUSY_S})
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(connection: Any, _: Any) -> None:
    # None: transactions are started by `_begin_sqlite`, not implicitly by the driver.
    connection.isolation_level = None
    for setting in ("synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
        connection.execute(f"PRAGMA {setting}").close()


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that reads first would fail at its first write if another one wrote meanwhile.
    options = connection.get_execution_options()
    if not options.get(AUTOCOMMIT, False):
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(WRITING, False) else "BEGIN")


LOCK_ENDING = "-server"
"""Ending of the locked file, which stays next to the database. The system frees the lock when the server
ends, however that happens."""

KEY = 0x6172656E
"""Number that names the lock in PostgreSQL, with the schema. The lock belongs to a connection."""

RENEW_S = 10.0
"""Maximum seconds until the lock is taken again after PostgreSQL restarts."""


def only_server(database: Database) -> AbstractContextManager[None]:
    """While this lasts, no other server can use the database. Raises StoreError if one does already."""
    return _locked_file(database) if database.is_sqlite else _locked_schema(database)


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
        """Lock the schema, also if it is locked by this already. Raises StoreError if that is impossible."""
        statement = text("SELECT pg_try_advisory_lock(:key, hashtext(current_schema()))")
        try:
            with as_store_errors(self._database.url):
                self._connection = self._connection or self._database.autocommit().__enter__()
                locked = self._connection.execute(statement, {"key": KEY}).scalar_one()
            if not locked:
                raise _taken(self._database)
        except StoreError:
            self.free()
            raise

    def release(self) -> None:
        """Unlock the schema immediately. PostgreSQL notices a closed connection only after a while."""
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
    reason = "another server is using this database; stop it first, or use another --db"
    return StoreError(f"{database.name}: {reason}")
