"""Errors of the store, and texts from outside made safe for databases, files and folders."""

import re
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


NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
"""Participant codes and names of studies, which become names of files and folders in an export."""


def clean(text: str) -> str:
    """The text without NUL, which PostgreSQL rejects, and with "?" for lone surrogates."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")


def check_name(what: str, name: str) -> None:
    """Raise InvalidRequest if a code or a study's name cannot be the name of a file."""
    if not NAME.fullmatch(name):
        raise InvalidRequest(
            f"{what}: got {name!r}, expected 1 to 64 letters, digits, '_', '-' or '.', not starting with '-' "
            "or '.'"
        )
