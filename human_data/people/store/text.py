"""Text from outside, made such that every database, file and folder takes it."""

import re

from human_data.people.store.errors import Refused

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
"""Codes and names of studies: they become names of files and folders in an export."""


def clean(text: str) -> str:
    """The text without NUL, which PostgreSQL refuses, and with "?" for half characters."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")


def check_name(what: str, name: str) -> None:
    """Raises Refused where a code or a study's name could not be the name of a file."""
    if not NAME.fullmatch(name):
        raise Refused(
            f"{what}: got {name!r}, expected 1 to 64 letters, digits, '_', '-' or '.', not '-' or '.' first"
        )
