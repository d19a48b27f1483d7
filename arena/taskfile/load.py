"""Strict reader of the original's YAML.

It returns an `ArenaFile` or raises `ConfigError` with file:line. `arena.taskfile.nodes` reads the text; here
its values are validated by the models of `arena.taskfile.config`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from pydantic import ValidationError

from arena.errors import ConfigError
from arena.files import read_text
from arena.science.families import FAMILIES
from arena.taskfile.catalog import ALIASES, KINDS
from arena.taskfile.config import (
    ArenaFile,
    ArenaSpec,
    Item,
    LimitedInvocations,
    Operation,
    OperationFromList,
    ToggleObject,
)
from arena.taskfile.nodes import NEEDS_LABORATORY, Path_, Place, Reader, Remark, compose, unknown
from arena.taskfile.symbols import EXPECTED, is_symbol
from arena.taskfile.versions import DIFFERENCES, Version, exists, version_of

MAX_PROBLEMS = 10
"""Maximum number of problems that an error lists."""


class Located(NamedTuple):
    """A task file with each value's place, by fields and indices. `remarks` are about values that are not
    read as they are written, or have no effect."""

    file: ArenaFile
    places: Mapping[Path_, Place]
    remarks: tuple[Remark, ...] = ()


def load(
    path: str | Path, version: str = Version.V3, *, lenient: bool = False, chance: str = "own"
) -> ArenaFile:
    """Read a task file as a version of Animal-AI.

    Versions are "3.1.3", "4", "4.1" and "2". With `lenient`, objects that the version does not have are
    ignored, as in the original, and named in the file's `warnings`. `chance="unity"` lets its arenas draw
    random values as the original does.

    Raises ConfigError if it cannot be read, is not YAML, or has an unknown or duplicate key, an unknown
    object, a wrong type or an invalid value; the message has file:line, the path in the file, the value and
    what was expected.
    """
    return load_text(read_text(path), str(path), version, lenient=lenient, chance=chance)


@lru_cache(maxsize=1024)
def load_text(
    text: str,
    source: str = "<text>",
    version: str = Version.V3,
    *,
    lenient: bool = False,
    chance: str = "own",
) -> ArenaFile:
    """Read a task file from its text. `source` is its name in messages. Raises as `load` does."""
    return load_located(text, source, version, lenient=lenient).file.drawn_by(chance)


def load_located(
    text: str, source: str = "<text>", version: str = Version.V3, *, lenient: bool = False
) -> Located:
    """Read a task file from its text, with all values' places."""
    read_as, root = version_of(version), compose(text, source)
    if not isinstance(root, yaml.MappingNode):
        got = "nothing" if root is None else "no keys"
        raise ConfigError(f"{source}:1: expected !ArenaConfig with the key 'arenas', got {got}")
    # Read before all others, with which its value is checked.
    said = (value for key, value in root.value if key.value == "laboratory")
    laboratory = any(isinstance(value, yaml.ScalarNode) and value.value.lower() == "true" for value in said)
    reader = Reader(source, read_as, known_names(read_as, laboratory) if lenient else None, laboratory)
    values = reader.read(root, (), "", "ArenaConfig")
    if not values.get("arenas"):
        raise ConfigError(
            f"{source}:1: no arenas: expected the key 'arenas' with at least one arena, such as 0: !Arena"
        )
    try:
        spec = _merged(ArenaFile(**values, source=source))
    except ValidationError as error:
        problems = list(_readable(error, reader))
        more = [f"... and {len(problems) - MAX_PROBLEMS} more"] if len(problems) > MAX_PROBLEMS else []
        raise ConfigError("\n".join(problems[:MAX_PROBLEMS] + more)) from None
    for arena_id, arena in spec.arenas.items():
        _check_names(arena.items, ("arenas", arena_id, "items"), reader)
        _check_blackouts(arena, ("arenas", arena_id, "blackouts"), reader)
    remarks = list(reader.remarks)
    for arena_id, arena in spec.arenas.items():
        for path, code, remark in _without_effect(arena):
            remarks.append(Remark(nearest(reader.places, ("arenas", arena_id, *path)), code, remark))
    warnings = tuple(f"{source}:{place.line}: {place.spelled}: {remark}" for place, _, remark in remarks)
    return Located(spec.model_copy(update={"warnings": warnings}), reader.places, tuple(remarks))


_EXPECTED = re.compile("^(Input should be )?(a )?(valid )?")
"""Beginnings of pydantic's messages about expected values."""


_NO_KEYS = ("[key]", *FAMILIES.values())
"""Parts of pydantic's paths that are not keys. In questions the family is one, too."""


def _readable(error: ValidationError, reader: Reader) -> Iterator[str]:
    for problem in error.errors():
        path = tuple(part for part in problem["loc"] if part not in _NO_KEYS)
        missing = problem["type"] == "missing"
        where = _where(reader, path[:-1] if missing else path)
        if missing:
            yield f"{where}: the key {path[-1]!r} is missing"
            continue
        if problem["type"] == "value_error":
            yield f"{where}: {problem['msg'].removeprefix('Value error, ')}"
            continue
        expected = _EXPECTED.sub("", problem["msg"].replace("tuple", "list"))
        yield f"{where}: got {_shown(problem['input'])}, expected {expected}"


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "keys (" + ", ".join(map(str, value)) + ")"
    text = "a list" if isinstance(value, tuple) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def nearest(places: Mapping[Path_, Place], path: Path_) -> Place:
    """Return a value's place, else that of the innermost value around it."""
    while path not in places and path:
        path = path[:-1]
    return places[path]


def _where(reader: Reader, path: Path_) -> str:
    """Source, line and path of a value for messages."""
    place = nearest(reader.places, path)
    return f"{reader.source}:{place.line}: {place.spelled}"


def _merged(spec: ArenaFile) -> ArenaFile:
    """Return the file with `then` set in arenas that merge the next."""
    arenas: dict[int, ArenaSpec] = {}
    after: ArenaSpec | None = None
    for arena_id, arena in reversed(list(spec.arenas.items())):
        arenas[arena_id] = after = arena.model_copy(update={"then": after}) if arena.merge_next else arena
    return spec.model_copy(update={"arenas": dict(reversed(list(arenas.items())))})


def known_names(version: Version, laboratory: bool = False) -> list[str]:
    """Return all object names of a version, including `Agent`; optionally those of `laboratory` files."""
    return ["Agent", *(name for name in (*KINDS, *ALIASES) if exists(name, version, laboratory))]


def _check_names(items: Sequence[Item], path: Path_, reader: Reader) -> None:
    known = known_names(reader.version, reader.laboratory)
    for index, item in enumerate(items):
        here = (*path, index)
        for field, name in [("name", item.name), *(("reward_names", name) for name in item.reward_names)]:
            if name not in known:
                later = " (it is new in version 4)" if exists(name, Version.V4) else ""
                problem = unknown("unknown object", name, known, None)
                if exists(name, reader.version, laboratory=True):
                    problem = f"got the object {name!r}; {NEEDS_LABORATORY}"
                raise ConfigError(f"{_where(reader, (*here, field))}: {problem}{later}")
        for number, operation in enumerate(item.operations):
            _check_names(list(spawned_items(operation)), (*here, "operations", number), reader)


def spawned_items(operation: Operation) -> Iterator[Item]:
    """Yield all items that an operation can spawn."""
    if isinstance(operation, ToggleObject):
        yield operation.spawnable
    elif isinstance(operation, LimitedInvocations):
        yield from spawned_items(operation.operation)
    elif isinstance(operation, OperationFromList):
        for choice in operation.operations:
            yield from spawned_items(choice)


def _check_blackouts(arena: ArenaSpec, path: Path_, reader: Reader) -> None:
    """Reject blackouts that only versions before 4 accept."""
    frames = arena.blackouts
    if not DIFFERENCES[arena.version].strict_blackouts or not frames or frames[0] < 0:
        return
    rising = all(a < b for a, b in pairwise(frames))
    if not rising or (arena.time_limit and frames[-1] > arena.time_limit):
        raise ConfigError(
            f"{_where(reader, path)}: got {list(frames)}, expected increasing frames up to the time limit "
            f"({arena.time_limit}) in version 4"
        )


def _without_effect(arena: ArenaSpec) -> Iterator[tuple[Path_, str, str]]:
    """Yield path, code and sentence of values without effect in an arena. The arena is valid."""
    if arena.pass_mark is None:
        text = "no pass mark; the task can be played but not passed or failed (unmarked)"
        yield (), "no-pass-mark", text
    if arena.blackouts and arena.blackouts[0] < 0 and len(arena.blackouts) > 1:
        text = "blackouts start with a negative period, so the other entries are ignored"
        yield (), "blackouts-ignored", text
    if sum(item.name == "Agent" for item in arena.items) > 1 and not arena.version.is_4:
        yield (), "several-agents", "several Agent items; only the first is used before version 4"
    if arena.merge_next and arena.then is None:
        yield ("merge_next",), "nothing-merged", "there is no next arena to merge"
    for index, item in enumerate(arena.items):
        kind = KINDS.get(ALIASES.get(item.name, item.name))
        for number, name in enumerate(item.symbol_names):
            if kind and "symbol_names" in kind.fields and not is_symbol(name):
                text = f"got the symbol {name!r}, shown as the default one; expected {EXPECTED}"
                yield ("items", index, "symbol_names", number), "unknown-symbol", text
