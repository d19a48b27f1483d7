"""Keys stay out of logs: their values are taken from whatever a provider sends back."""

import os
import re
from collections.abc import Iterable
from typing import Any

_NAMES = re.compile(r"(?i)(?:^|_)(?:key|token|secret|password)$")
"""Ends of the names of environment variables that hold keys."""

_SHORTEST = 8
"""Characters of a value that may be a key; shorter ones, such as `none`, would take words out of texts."""

PLACEHOLDER = "[key]"
"""What stands in the place of a key."""


def secrets(more: Iterable[object] = ()) -> tuple[str, ...]:
    """The keys in the environment now, and those among `more`; the longest first."""
    found = {value for name, value in os.environ.items() if _NAMES.search(name)}
    found |= {value for value in more if isinstance(value, str)}
    return tuple(sorted((value for value in found if len(value) >= _SHORTEST), key=len, reverse=True))


def without_secrets(value: Any, keys: tuple[str, ...]) -> Any:
    """A value of strings, bytes, lists and dicts in which no key is left; others come back as they are."""
    if isinstance(value, str):
        for key in keys:
            value = value.replace(key, PLACEHOLDER)
        return value
    if isinstance(value, bytes):
        for key in keys:
            value = value.replace(key.encode(), PLACEHOLDER.encode())
        return value
    if isinstance(value, dict):
        return {k: without_secrets(v, keys) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(without_secrets(v, keys) for v in value) if type(value) in (list, tuple) else value
    return value


def redact_error(error: BaseException, keys: tuple[str, ...]) -> None:
    """Take keys out of an error in place, out of what caused it and out of the answer that it carries."""
    seen: set[int] = set()
    pending: list[BaseException | None] = [error]
    while pending:
        each = pending.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        each.args = without_secrets(each.args, keys)
        for name, value in vars(each).items():
            setattr(each, name, without_secrets(value, keys))
        answer = getattr(each, "response", None)
        if isinstance(content := getattr(answer, "_content", None), bytes):
            answer._content = without_secrets(content, keys)  # type: ignore[union-attr]
        pending += [each.__cause__, each.__context__]
