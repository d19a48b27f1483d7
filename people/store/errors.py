"""Errors of the store.

ArenaError
└── StoreError                  the database cannot be used as requested
    ├── DatabaseUnavailable     the database does not respond; the same call may succeed later
    └── InvalidRequest          the call can never succeed: no such trial, an invalid name or action
"""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, SQLAlchemyError

from arena.errors import ArenaError


class StoreError(ArenaError):
    """The database cannot be used as requested."""


class DatabaseUnavailable(StoreError):
    """The database does not respond. Nothing was changed; the call may be repeated later."""


class InvalidRequest(StoreError):
    """The call does not fit the stored data, and never will."""


def display_name(url: URL) -> str:
    """The database as shown to users: the path of a file, or the URL without its password."""
    if url.get_backend_name() == "sqlite":
        return url.database or ""
    # The query may contain a password too.
    return url.set(drivername=url.get_backend_name(), query={}).render_as_string()


@contextmanager
def as_store_errors(url: URL) -> Iterator[None]:
    """Turn errors of the database into StoreError, on one line and without the password."""
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
