"""Logs with one value of another kind, or one that is absent."""

import copy
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import inspect_ai._util.zipfile  # noqa: F401 (adds Zstandard to zipfile)

ABSENT = object()
WRONG = (None, "f", 7, 1.5, True, [], {}, [["x"]], {"x": [1]}, float("nan"), 1e999, 10**400, -1, "", ABSENT)
"""Wrong kinds and absurd values, one after another in the place of each value of a log."""


def members(log: Path) -> dict[str, object]:
    """The members of a log that are read, as plain values."""
    with zipfile.ZipFile(log) as whole:
        return {name: json.loads(whole.read(name)) for name in whole.namelist()}


def write(log: Path, parts: dict[str, object]) -> None:
    """A log of these members."""
    with zipfile.ZipFile(log, "w") as whole:
        for name, part in parts.items():
            whole.writestr(name, json.dumps(part))


def places(value: object, path: tuple = ()) -> Iterator[tuple]:
    """Where a value has values: every key, the first entry of every list, and one more where they differ."""
    if path:
        yield path
    if isinstance(value, dict):
        for key, each in value.items():
            yield from places(each, (*path, key))
    elif isinstance(value, list):
        for k in {type(each): k for k, each in reversed(list(enumerate(value)))}.values():
            yield from places(value[k], (*path, k))


def at(parts: object, path: tuple) -> object:
    for key in path:
        parts = parts[key]
    return parts


def tampered(parts: dict[str, object], path: tuple, wrong: object) -> dict[str, object]:
    """The members with another value at a place; only what is changed is copied."""
    parts = {**parts, path[0]: copy.deepcopy(parts[path[0]])}
    where = at(parts, path[:-1])
    if wrong is ABSENT:
        del where[path[-1]]
    else:
        where[path[-1]] = wrong
    return parts
