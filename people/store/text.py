"""Text from outside, made safe for every database, file and folder."""

import re

from people.store.errors import InvalidRequest

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
