"""The connection to the database: SQLite by default, PostgreSQL through a URL."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import Session

from human_data.people.extra import require
from human_data.people.store.errors import DatabaseAway, StoreError, shown, told
from human_data.people.store.tables import TABLES, Base

BUSY_S = 10.0
"""How long we wait for another writer or reader; ours need milliseconds."""
POSTGRES = {
    "connect_timeout": 3,
    # A server whose machine has vanished answers nothing; the connection is given up after these ms.
    "tcp_user_timeout": 10_000,
    "application_name": "arena-llm",
}
WRITING, ALONE = "arena_writing", "arena_alone"
"""Options of a connection to SQLite: it writes from the start; each statement stands by itself."""
TRACES = "the file beside it, which ends in -wal"
AGAIN = "another program is using the database; end it and give the same command again"
EXPECTED = "expected a file, sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME"


class Database:
    """An engine, its two kinds of transactions, and its `insert` that can leave out what is there.

    Raises StoreError where the URL or the database is none of ours, DatabaseAway where it cannot be reached.
    """

    def __init__(self, url: str, *, create: bool = True) -> None:
        self.url = _parsed(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.insert = sqlite.insert if self.is_sqlite else postgresql.insert
        if self.is_sqlite:
            _prepare_file(self.url, create)
        with told(self.url):
            self.engine = _sqlite(self.url) if self.is_sqlite else _postgres(self.url)
            self._writing = self.engine.execution_options(**{WRITING: True})
        try:
            self._check_tables(create)
            if self.is_sqlite:
                # Readers and the writer do not wait for each other; set only now, as it changes the file.
                with told(self.url), self.alone() as connection:
                    connection.exec_driver_sql("PRAGMA journal_mode=WAL")
        except BaseException:
            self.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A transaction that only reads; errors of the database become StoreError."""
        with told(self.url), Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction that is committed at the end, or rolled back where something is raised."""
        with told(self.url), Session(self._writing, expire_on_commit=False) as session, session.begin():
            yield session

    def erase(self) -> None:
        """Write the tables anew, so that nothing of deleted rows stays.

        Raises StoreError where another program keeps the database busy; traces stay then.
        """
        try:
            with told(self.url), self.alone() as connection:
                busy = _rewrite_sqlite(connection) if self.is_sqlite else _rewrite_postgres(connection)
        except DatabaseAway as error:
            raise StoreError(f"{error}; the rows are removed, but traces may stay: {AGAIN}") from None
        if busy:
            raise StoreError(f"{shown(self.url)}: the rows are removed, but traces stay in {TRACES}: {AGAIN}")

    def alone(self) -> AbstractContextManager[Connection]:
        """A connection for statements that no transaction may hold, such as VACUUM."""
        alone: dict[str, Any] = {ALONE: True} if self.is_sqlite else {"isolation_level": "AUTOCOMMIT"}
        return self.engine.execution_options(**alone).connect()

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def _check_tables(self, create: bool) -> None:
        with told(self.url), self._writing.begin() as connection:
            there = {table: inspect(connection).get_columns(table) for table in _names(connection)}
            for table in Base.metadata.sorted_tables:
                got = {column["name"] for column in there.get(table.name, ())}
                if got and got != set(table.columns.keys()):
                    raise StoreError(
                        f"{shown(self.url)}: table {table.name} has other columns than this version of "
                        "arena-llm expects; name another database, or export with the version that made it"
                    )
            if len(there) < len(TABLES) and not create:
                raise StoreError(f"{shown(self.url)}: a database, but no study of arena-llm is in it")
            Base.metadata.create_all(connection)


def _rewrite_sqlite(connection: Connection) -> bool:
    connection.exec_driver_sql("VACUUM")
    busy, *_ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
    return bool(busy)


def _rewrite_postgres(connection: Connection) -> bool:
    # Closed afterwards and not used again, for the sake of its setting.
    connection.detach()
    # Whoever waits for a whole table makes all others wait behind them.
    connection.exec_driver_sql(f"SET lock_timeout = {BUSY_S * 1000:.0f}")
    for table in TABLES:
        # The statistics of a column hold values of it, until they are made anew.
        connection.exec_driver_sql(f"VACUUM (FULL, ANALYZE) {table.__tablename__}")
    return False


def _names(connection: Connection) -> set[str]:
    return set(inspect(connection).get_table_names()) & set(Base.metadata.tables)


def _parsed(text: str) -> URL:
    if text and "://" not in text:
        return URL.create("sqlite", database=text)
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        # The text is not repeated: it may hold a password.
        raise StoreError(f"database: not a URL; {EXPECTED}") from None
    if "@" in (url.host or ""):
        raise StoreError("database: the password has an '@'; write it as %40")
    if url.drivername in ("postgres", "postgresql", "postgresql+psycopg"):
        require("psycopg")
        return url.set(drivername="postgresql+psycopg")
    if url.drivername == "sqlite" and url.database not in (None, "", ":memory:"):
        return url
    raise StoreError(f"database: got one of {url.drivername}, {EXPECTED}")


def _prepare_file(url: URL, create: bool) -> None:
    path = Path(str(url.database))
    if path.is_dir():
        raise StoreError(f"{path}: a folder, expected a database file")
    if not path.exists() and not create:
        raise StoreError(f"{path}: no such database file")
    try:
        # Answers are nobody else's business: a new file is for its owner only, as are those beside it.
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
    # None: transactions begin where `_begin_sqlite` says, not where the driver guesses.
    connection.isolation_level = None
    for setting in ("synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
        connection.execute(f"PRAGMA {setting}").close()


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that reads before it writes would fail, without waiting, where another wrote meanwhile.
    options = connection.get_execution_options()
    if not options.get(ALONE, False):
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(WRITING, False) else "BEGIN")
