"""Read the original's YAML, safely and strictly: file -> `ArenaFile`, or a `ConfigError` with file:line.

The text is only composed into YAML nodes; no tag is ever bound to a Python class. Every key is checked
against one table, so that a typo is an error with a suggestion and never a changed experiment.
"""

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import yaml
from pydantic import ValidationError

from arena.advice import advice
from arena.catalog import ALIASES, KINDS
from arena.config import ArenaFile
from arena.errors import ConfigError, DuplicateKeyError

MAX_NODES = 200_000
"""More YAML nodes than this are refused: aliases could otherwise expand a small file without bound."""

MAX_DEPTH = 12
"""Task files nest six levels deep; more is refused before it can exhaust the stack."""

MAX_PROBLEMS = 10
"""A broken file lists at most this many problems."""

_KEYS_OF_VECTOR = {"x": "x", "y": "y", "z": "z"}
_KEYS_OF_COLOR = {"r": "r", "g": "g", "b": "b"}

KEYS: dict[str, dict[str, str]] = {
    "ArenaConfig": {
        "arenas": "arenas",
        "randomizeArenas": "randomize_arenas",
        "showNotification": "show_notification",
        "canResetEpisode": "can_reset_episode",
        "canChangePerspective": "can_change_perspective",
    },
    "Arena": {
        "t": "time_limit",
        "timeLimit": "time_limit",
        "pass_mark": "pass_mark",
        "passMark": "pass_mark",
        "items": "items",
        "blackouts": "blackouts",
        "random_seed": "random_seed",
        "randomSeed": "random_seed",
    },
    "Item": {
        "name": "name",
        "positions": "positions",
        "rotations": "rotations",
        "sizes": "sizes",
        "colors": "colors",
        "skins": "skins",
        "frozenAgentDelays": "frozen_agent_delays",
    },
    "Vector3": _KEYS_OF_VECTOR,
    "RGB": _KEYS_OF_COLOR,
}
"""Per tag, every YAML spelling (v2 to v4) and the field it sets; of two spellings the newer comes last."""

_ENTRIES = {"arenas": "Arena", "items": "Item", "positions": "Vector3", "sizes": "Vector3", "colors": "RGB"}
"""Tag of the entries of each field that holds mappings."""

_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}

Path_ = tuple[str | int, ...]


class Place(NamedTuple):
    """Where a value stands in the file: its line from 1, its path as spelled there, and its YAML nodes.

    `key` is the node of the mapping key that it stands behind; None for the entry of a list.
    """

    line: int
    spelled: str
    node: yaml.Node
    key: yaml.Node | None


class Located(NamedTuple):
    """A task file together with the place of every value: path of fields and indices -> place."""

    file: ArenaFile
    places: Mapping[Path_, Place]


@dataclass
class _Reader:
    """Converts YAML nodes to plain values and remembers where each one came from."""

    source: str
    places: dict[Path_, Place] = field(default_factory=dict)
    nodes: int = 0

    def fail(self, line: int, message: str) -> NoReturn:
        raise ConfigError(f"{self.source}:{line}: {message}")

    def read(
        self, node: yaml.Node, path: Path_, spelled: str, tag: str | None, key: yaml.Node | None = None
    ) -> Any:
        line = node.start_mark.line + 1
        self.places[path] = Place(line, spelled, node, key)
        self.nodes += 1
        if self.nodes > MAX_NODES or len(path) > MAX_DEPTH:
            self.fail(line, f"more than {MAX_NODES} values or {MAX_DEPTH} levels; a task file has neither")
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path, spelled, tag)
        if isinstance(node, yaml.SequenceNode):
            return self._sequence(node, path, spelled)
        assert isinstance(node, yaml.ScalarNode)
        if node.tag.startswith("!"):
            self.fail(line, f"{spelled or 'the file'}: {node.tag} expects keys, got the text {node.value!r}")
        # A quoted scalar is text; the C parser calls the plain style '', the Python one None.
        return node.value if node.style else scalar(node.value)

    def _mapping(self, node: yaml.MappingNode, path: Path_, spelled: str, tag: str | None) -> dict[Any, Any]:
        line = node.start_mark.line + 1
        if node.tag.startswith("!") and node.tag != f"!{tag}":
            self.fail(
                line, f"{spelled or 'the file'}: got tag {node.tag}, expected {f'!{tag}' if tag else 'none'}"
            )
        values: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key, name = self._key(key_node, path, spelled, tag)
            where = f"{spelled}.{key}" if spelled else str(key)
            if name in values:
                first = self.places[(*path, name)]
                raise DuplicateKeyError(
                    f"{self.source}:{key_node.start_mark.line + 1}: {where}: given twice (first as "
                    f"{first.spelled} in line {first.line}); keep one of them"
                )
            child = _ENTRIES["arenas"] if path == ("arenas",) else None
            values[name] = self.read(value_node, (*path, name), where, child, key_node)
        return values

    def _key(self, node: yaml.Node, path: Path_, spelled: str, tag: str | None) -> tuple[Any, Any]:
        """The key as written and as the models call it."""
        line = node.start_mark.line + 1
        where = spelled or "the file"
        if not isinstance(node, yaml.ScalarNode):
            self.fail(line, f"{where}: a key must be a word, got a list or mapping")
        if path == ("arenas",):
            key = scalar(node.value)
            if type(key) is not int:
                self.fail(line, f"{where}: got arena id {node.value!r}, expected a whole number such as 0")
            return key, key
        known = KEYS.get(tag or "", {})
        if node.value not in known:
            self.fail(line, _unknown(f"{where}: unknown key", node.value, known, tag))
        return node.value, known[node.value]

    def _sequence(self, node: yaml.SequenceNode, path: Path_, spelled: str) -> tuple[Any, ...]:
        if node.tag.startswith("!"):
            self.fail(
                node.start_mark.line + 1, f"{spelled or 'the file'}: got a list, {node.tag} expects keys"
            )
        tag = _ENTRIES.get(str(path[-1])) if path else None
        return tuple(
            self.read(child, (*path, index), f"{spelled}[{index}]", tag)
            for index, child in enumerate(node.value)
        )


def scalar(text: str) -> str | int | float | bool | None:
    """A plain YAML scalar as the original's reader takes it: no octals, no sexagesimals, no yes/no."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if len(text) <= 40 and _INT.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def _unknown(what: str, got: str, known: dict[str, str], tag: str | None) -> str:
    close = difflib.get_close_matches(got, known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"expected one of: {', '.join(known) or 'no keys'}"
    return f"{what} {got!r}{f' in !{tag}' if tag else ''}; {hint}"


def load(path: str | Path) -> ArenaFile:
    """Read a task file.

    Raises ConfigError where it cannot be read, is not YAML, or has an unknown key or object, a key given
    twice, a wrong type or an impossible value; the message names file:line, the path in the file, what
    was got and what was expected.
    """
    return load_text(read_text(path), str(path))


def read_text(path: str | Path) -> str:
    """The text of a task file, line ends as they are; raises ConfigError where it is no UTF-8 text."""
    try:
        return Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from None


def load_text(text: str, source: str = "<text>") -> ArenaFile:
    """Read a task from its YAML text; `source` is what messages call it. Raises as `load` does."""
    return load_located(text, source).file


def load_located(text: str, source: str = "<text>") -> Located:
    """As `load_text`, with the place of every value in the text."""
    reader = _Reader(source)
    root = _compose(text, source)
    if not isinstance(root, yaml.MappingNode):
        reader.fail(
            1,
            "expected !ArenaConfig with the key 'arenas', got " + ("nothing" if root is None else "no keys"),
        )
    values = {key: _without_nulls(value) for key, value in reader.read(root, (), "", "ArenaConfig").items()}
    if not values.get("arenas"):
        reader.fail(1, "no arenas: expected the key 'arenas' with at least one arena, such as 0: !Arena")
    try:
        spec = ArenaFile(**values, source=source)
    except ValidationError as error:
        problems = list(_readable(error, reader))
        more = [f"... and {len(problems) - MAX_PROBLEMS} more"] if len(problems) > MAX_PROBLEMS else []
        raise ConfigError("\n".join(problems[:MAX_PROBLEMS] + more)) from None
    _check_names(spec, reader)
    return Located(spec.model_copy(update={"warnings": tuple(_warnings(spec, reader))}), reader.places)


def _compose(text: str, source: str) -> yaml.Node | None:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise ConfigError(f"{source}:{line}: not valid YAML: {error.problem or error.context}") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error).splitlines()[0]
        raise ConfigError(f"{source}:1: not valid YAML: {reason}") from None


def _without_nulls(value: Any) -> Any:
    """An empty value (`colors:` with nothing behind it) counts as a missing key, as in the original."""
    if isinstance(value, dict):
        return {key: _without_nulls(entry) for key, entry in value.items() if entry is not None}
    return tuple(_without_nulls(entry) for entry in value) if isinstance(value, tuple) else value


def _readable(error: ValidationError, reader: _Reader) -> Iterator[str]:
    for problem in error.errors():
        path = tuple(part for part in problem["loc"] if part != "[key]")
        missing = problem["type"] == "missing"
        place = nearest(reader.places, path[:-1] if missing else path)
        if missing:
            yield f"{reader.source}:{place.line}: {place.spelled}: the key {path[-1]!r} is missing"
            continue
        expected = (
            problem["msg"]
            .replace("tuple", "list")
            .removeprefix("Input should be ")
            .removeprefix("a ")
            .removeprefix("valid ")
        )
        got = _shown(problem["input"])
        yield f"{reader.source}:{place.line}: {place.spelled}: got {got}, expected {expected}"


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "keys (" + ", ".join(map(str, value)) + ")"
    text = "a list" if isinstance(value, tuple) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def nearest(places: Mapping[Path_, Place], path: Path_) -> Place:
    """The place of a value, or of the innermost thing around it that the file has."""
    while path not in places and path:
        path = path[:-1]
    return places[path]


def _check_names(spec: ArenaFile, reader: _Reader) -> None:
    known = {name: name for name in ("Agent", *KINDS, *ALIASES)}
    for arena_id, arena in spec.arenas.items():
        for index, item in enumerate(arena.items):
            if item.name not in known:
                place = nearest(reader.places, ("arenas", arena_id, "items", index, "name"))
                reader.fail(place.line, _unknown(f"{place.spelled}: unknown object", item.name, known, None))


def _warnings(spec: ArenaFile, reader: _Reader) -> Iterator[str]:
    for arena_id, arena in spec.arenas.items():
        place = nearest(reader.places, ("arenas", arena_id))
        where = f"{reader.source}:{place.line}: {place.spelled}"
        yield from (f"{where}: {remark.text}" for remark in advice(arena))
