"""The connection to the database: SQLite by default, PostgreSQL through a URL."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, Table, create_engine, event, inspect, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import Session

from arena.packages import require
from people.store.errors import DatabaseUnavailable, StoreError, as_store_errors, display_name
from people.store.tables import TABLES, Base

BUSY_S = 10.0
"""How long a transaction waits for other programs; ours take milliseconds."""
POSTGRES = {
    "connect_timeout": 3,
    # Milliseconds after which a connection to a machine that has vanished is closed.
    "tcp_user_timeout": 10_000,
    "application_name": "arena-llm",
}
WRITING, AUTOCOMMIT = "arena_writing", "arena_autocommit"
"""Options of a connection to SQLite: its transactions write; it has no transactions."""
WAL_FILE = "the file next to it that ends in -wal"
REPEAT = "another program is using the database; close it and run the same command again"
EXPECTED = "expected a file, sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME"


class Database:
    """An engine, its read and write transactions, and its `insert` with conflict handling.

    Raises StoreError if the URL or the database is not one of arena-llm, DatabaseUnavailable if it cannot be
    reached.
    """

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

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A read-only transaction; errors of the database become StoreError."""
        with as_store_errors(self.url), Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction that is committed at the end, or rolled back if an exception is raised."""
        with (
            as_store_errors(self.url),
            Session(self._writing, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield session

    def erase(self) -> None:
        """Rewrite the tables, so that nothing of deleted rows remains.

        Raises StoreError if another program keeps the database busy; then traces remain.
        """
        try:
            with as_store_errors(self.url), self.autocommit() as connection:
                busy = _rewrite_sqlite(connection) if self.is_sqlite else _rewrite_postgres(connection)
        except DatabaseUnavailable as error:
            raise StoreError(f"{error}; the rows are removed, but traces may remain: {REPEAT}") from None
        if busy:
            raise StoreError(
                f"{display_name(self.url)}: the rows are removed, but traces remain in {WAL_FILE}: {REPEAT}"
            )

    def autocommit(self) -> AbstractContextManager[Connection]:
        """A connection for statements that cannot run in a transaction, such as VACUUM."""
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
                raise StoreError(f"{display_name(self.url)}: this database holds no study of arena-llm")
            Base.metadata.create_all(connection)

    def _add_columns(self, connection: Connection, table: Table, got: set[str]) -> None:
        """Add the columns that an earlier version did not have, empty. Raises StoreError for other tables."""
        new = [column for column in table.columns if column.name not in got]
        if got - set(table.columns.keys()) or not all(column.nullable for column in new):
            raise StoreError(
                f"{display_name(self.url)}: table {table.name} has other columns than this version "
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
