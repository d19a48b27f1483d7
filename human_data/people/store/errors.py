"""What can go wrong with a store.

ArenaError
└── StoreError          the database, or what is asked of it, is not as it must be
    ├── DatabaseAway    the database does not answer now; the same call may succeed later
    └── Refused         what was asked is never done: no such trial, no possible name or action
"""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, SQLAlchemyError

from arena.errors import ArenaError


class StoreError(ArenaError):
    """The database, or what is asked of it, is not as it must be."""


class DatabaseAway(StoreError):
    """The database does not answer now; what was asked is not done, and may be asked again later."""


class Refused(StoreError):
    """What was asked does not fit what is there, and will not later."""


def shown(url: URL) -> str:
    """The database's name for people: a file's path, or a URL without its password."""
    if url.get_backend_name() == "sqlite":
        return url.database or ""
    # The query may hold a password too.
    return url.set(drivername=url.get_backend_name(), query={}).render_as_string()


@contextmanager
def told(url: URL) -> Iterator[None]:
    """Turns errors of the database into StoreError, in one line and without the password."""
    try:
        yield
    except SQLAlchemyError as error:
        away = isinstance(error, OperationalError | InterfaceError)
        away = away or (isinstance(error, DBAPIError) and error.connection_invalidated)
        cause = getattr(error, "orig", None) or error
        text = " ".join(str(cause).split())
        for secret in filter(None, (url.password, url.query.get("password"))):
            text = text.replace(str(secret), "[password]")
        raise (DatabaseAway if away else StoreError)(f"{shown(url)}: {text}") from None
