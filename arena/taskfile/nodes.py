"""Converts YAML text to plain values and their places. The models of `arena.taskfile.config` validate them.

The text is only composed into YAML nodes; no tag is ever bound to a Python class. Every key is looked up in
the tables of `arena.taskfile.config`, so that a typo is an error with a suggestion.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

import yaml

from arena.errors import ConfigError, DuplicateKeyError, nearest
from arena.taskfile.config import ENTRIES, KEYS, OPERATION_FIELDS, OPERATIONS, QUESTIONS, SINCE_4, VALUES
from arena.taskfile.versions import Version

MAX_NODES = 200_000
"""Maximum number of YAML nodes. Aliases can expand a small file without bound."""

MAX_DEPTH = 24
"""Maximum nesting, for a dozen levels of operations in operations. More could exhaust the stack."""

_SAFE_INDICATORS = 2000
"""Maximum number of `[{-?:,` in a text whose events need no count. Each level of nesting has one of them of
its own, and libyaml survives ten times as many levels."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}

NEEDS_LABORATORY = "it needs the line 'laboratory: true' at the top of the file"

Path_ = tuple[str | int, ...]


class _Values(_LOADER):  # type: ignore[misc, valid-type]
    def flatten_mapping(self, node: yaml.Node) -> None:
        """Refuse merge keys. In a small file they can multiply without bound."""
        for key, _ in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                problem = "merge keys (<<) are not supported; write the keys out"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)


_OPERATION = "Operation"
"""Placeholder for the tags of operations."""

_QUESTION = "question"
"""Placeholder for the tags of questions."""

_TAGS = VALUES | dict.fromkeys(OPERATION_FIELDS, _OPERATION) | {"question": _QUESTION}
"""The tag of a mapping by its field."""


class Place(NamedTuple):
    """A value's place in a file: line, path and YAML nodes. The line counts from 1, the path is as spelled
    there. `key` is the node of its mapping key; None for an entry of a list."""

    line: int
    spelled: str
    node: yaml.Node
    key: yaml.Node | None


class Remark(NamedTuple):
    """Note on a value not read literally or without effect. It has a stable code and a sentence."""

    place: Place
    code: str
    text: str


@dataclass
class Reader:
    """Converts YAML nodes to plain values and stores the place of each."""

    source: str
    version: Version
    known: Collection[str] | None = None
    """Names of objects. Others are ignored with a remark, as in the original; with None all are read."""
    laboratory: bool = False
    """True if the file has `laboratory: true`."""
    places: dict[Path_, Place] = field(default_factory=dict)
    nodes: int = 0
    numbers: dict[int, int] = field(default_factory=dict)
    """Number of each arena by the number in the file."""
    remarks: list[Remark] = field(default_factory=list)

    def remark(self, path: Path_, code: str, text: str) -> None:
        """Remark on a value that has been read."""
        self.remarks.append(Remark(self.places[path], code, text))

    def fail(self, node: yaml.Node, spelled: str, message: str) -> NoReturn:
        """Raise ConfigError for a node."""
        raise ConfigError(f"{self.source}:{_line(node)}: {spelled or 'the file'}: {message}")

    def read(
        self, node: yaml.Node, path: Path_, spelled: str, tag: str | None, key: yaml.Node | None = None
    ) -> Any:
        """Return a node's value: numbers, words, tuples and dictionaries by field. `path` consists of field
        names, `spelled` is the same path with the file's keys, `tag` is the expected tag."""
        self.places[path] = Place(_line(node), spelled, node, key)
        self.nodes += 1
        if self.nodes > MAX_NODES or len(path) > MAX_DEPTH:
            raise _too_large(self.source, _line(node))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path, spelled, tag)
        if isinstance(node, yaml.SequenceNode):
            return self._sequence(node, path, spelled)
        assert isinstance(node, yaml.ScalarNode)
        if node.tag.startswith("!"):
            self.fail(node, spelled, f"{node.tag} expects keys, got the text {node.value!r}")
        # A quoted scalar is text; the plain style is '' in the C parser and None in the Python one.
        return node.value if node.style else scalar(node.value)

    def _mapping(self, node: yaml.MappingNode, path: Path_, spelled: str, tag: str | None) -> dict[Any, Any]:
        values: dict[Any, Any] = {}
        if tag == _OPERATION:
            tag = values["type"] = self._chosen(node, spelled, "operation", OPERATIONS)
        elif tag == _QUESTION:
            tag = self._chosen(node, spelled, "question", QUESTIONS)
            values["family"] = tag.lower()
        elif self.version is Version.V2 and (tag, node.tag) == ("RGB", "!Vector3"):
            tag = "Vector3"
        elif node.tag.startswith("!") and node.tag != f"!{tag}":
            self.fail(node, spelled, f"got tag {node.tag}, expected {f'!{tag}' if tag else 'none'}")
        for key_node, value_node in node.value:
            key, name = self._key(key_node, path, spelled, tag)
            if tag == "Vector3" and ENTRIES.get(str(path[-2])) == "RGB":
                name = _CHANNELS[name]
            where = f"{spelled}.{key}" if spelled else str(key)
            if name in values:
                first = self.places[(*path, name)]
                raise DuplicateKeyError(
                    f"{self.source}:{_line(key_node)}: {where}: duplicate key (first as {first.spelled} in "
                    f"line {first.line}); keep one of them"
                )
            child = ENTRIES["arenas"] if path == ("arenas",) else _TAGS.get(name)
            values[name] = self.read(value_node, (*path, name), where, child, key_node)
            if path == ("arenas",) and name != key:
                self.remark((*path, name), "arena-number", f"counts as arena {name}")
        if tag == ENTRIES["arenas"]:
            values["version"] = self.version
        # As in the original, a key without a value, such as a bare `colors:`, has no effect.
        present = {name: value for name, value in values.items() if value is not None}
        return self._without_unknown(present, path)

    def _without_unknown(self, values: dict[Any, Any], path: Path_) -> dict[Any, Any]:
        """Return an item or operation without unknown rewards and spawned objects. An operation that has none
        left does nothing."""
        spawned, names = values.get("spawnable"), values.get("reward_names")
        if isinstance(spawned, dict) and self._is_unknown(spawned.get("name")):
            self.remark(path, "unknown-object", f"unknown object {spawned['name']!r}, ignored")
            return {"type": "noneOperation"}
        unknown = set()
        for index, name in enumerate(names if isinstance(names, tuple) else ()):
            if self._is_unknown(name):
                unknown.add(index)
                self.remark(path, "unknown-object", f"unknown object {name!r} in rewardNames, ignored")
        for key in ("reward_names", "reward_weights", "max_reward_counts") if unknown else ():
            if isinstance(values.get(key), tuple):
                values[key] = tuple(each for index, each in enumerate(values[key]) if index not in unknown)
        return values

    def _is_unknown(self, name: object) -> bool:
        return self.known is not None and isinstance(name, str) and name not in self.known

    def _chosen(self, node: yaml.Node, spelled: str, what: str, tags: Collection[str]) -> str:
        """Return the tag of an operation or question, which names its type."""
        name = node.tag.removeprefix("!")
        if not node.tag.startswith("!") or name not in tags:
            got = name if node.tag.startswith("!") else "no tag"
            self.fail(node, spelled, unknown(f"unknown {what}", got, tags, None))
        return name

    def _key(self, node: yaml.Node, path: Path_, spelled: str, tag: str | None) -> tuple[Any, Any]:
        """Return the key as written, and the name of its field."""
        if not isinstance(node, yaml.ScalarNode):
            self.fail(node, spelled, "a key must be a word, got a list or mapping")
        if path == ("arenas",):
            key = scalar(node.value)
            if type(key) is not int:
                self.fail(node, spelled, f"got arena id {node.value!r}, expected a whole number such as 0")
            return key, self._number(key)
        known = KEYS.get(tag or "", {})
        if node.value not in known:
            self.fail(node, spelled, unknown("unknown key", node.value, known, tag))
        if not self.version.is_4 and node.value in SINCE_4:
            problem = f"got the key {node.value!r}, which is new in version 4; load the file as version 4"
            self.fail(node, spelled, problem)
        if known[node.value] == _QUESTION and not self.laboratory:
            self.fail(node, spelled, f"got the key 'question'; {NEEDS_LABORATORY}")
        return node.value, known[node.value]

    def _number(self, key: int) -> int:
        """Return the number of an arena. As in the original it is the first free one if that in the file is
        negative or was given to such an arena."""
        taken = self.numbers.values()
        if key not in self.numbers:
            free = next(number for number in range(len(self.numbers) + 1) if number not in taken)
            self.numbers[key] = free if key < 0 or key in taken else key
        return self.numbers[key]

    def _sequence(self, node: yaml.SequenceNode, path: Path_, spelled: str) -> tuple[Any, ...]:
        if node.tag.startswith("!"):
            self.fail(node, spelled, f"got a list, {node.tag} expects keys")
        field = str(path[-1]) if path else ""
        tag = _OPERATION if field == "operations" else ENTRIES.get(field)
        values: list[Any] = []
        for index, child in enumerate(node.value):
            here = (*path, len(values))
            value = self.read(child, here, f"{spelled}[{index}]", tag)
            if field == "items" and isinstance(value, dict) and self._is_unknown(value.get("name")):
                self.remark((*here, "name"), "unknown-object", f"unknown object {value['name']!r}, ignored")
                self.places = {at: place for at, place in self.places.items() if at[: len(here)] != here}
            else:
                values.append(value)
        return tuple(values)


def _line(node: yaml.Node) -> int:
    return node.start_mark.line + 1


def _too_large(source: str, line: int) -> ConfigError:
    return ConfigError(f"{source}:{line}: expected at most {MAX_NODES} values and {MAX_DEPTH} levels")


_CHANNELS = {"x": "r", "y": "g", "z": "b"}
"""Channels of colours written as `!Vector3`, as in some version-2 files."""


def scalar(text: str) -> str | int | float | bool | None:
    """Return a plain YAML scalar as the original does. It has no octals, sexagesimals, yes or no."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if len(text) <= 40 and _INT.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def unknown(what: str, got: str, known: Collection[str], tag: str | None) -> str:
    """Return the message for an unknown word, with the closest known one."""
    hint = nearest(got, known, f"expected one of: {', '.join(known) or 'no keys'}")
    return f"{what} {got!r}{f' in !{tag}' if tag else ''}; {hint}"


def compose(text: str, source: str) -> yaml.Node | None:
    """Return the root node of a YAML text, None if empty. Raises ConfigError if it is not YAML."""
    try:
        if sum(map(text.count, "[{-?:,")) > _SAFE_INDICATORS:
            _check_events(text, source)
        return yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise ConfigError(f"{source}:{line}: not valid YAML: {error.problem or error.context}") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error).splitlines()[0]
        raise ConfigError(f"{source}:1: not valid YAML: {reason}") from None


def _check_events(text: str, source: str) -> None:
    """Raise ConfigError for a text whose nodes would exhaust stack or memory. Events do neither."""
    nodes = depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        nodes += isinstance(event, yaml.NodeEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if nodes > MAX_NODES or depth > MAX_DEPTH + 1:
            raise _too_large(source, event.start_mark.line + 1 if event.start_mark else 1)


def plain_values(root: yaml.Node | None, source: str) -> Any:
    """Return the values of a composed text as PyYAML's safe loader does. Raises ConfigError for merge keys, a
    tag without a meaning and a value that does not fit its tag."""
    try:
        return _Values("").construct_document(root) if root is not None else None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"{source}:{line}: {error.problem or error.context}") from None
    except Exception as error:  # PyYAML raises many kinds, such as IndexError for `!!int ''`
        raise ConfigError(f"{source}:1: a value does not fit its tag or its form ({error})") from None


def read_keys(
    source: str, text: str, keys: Sequence[str], example: str
) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the values of a YAML file of keys, and their lines. `example` is a line of such a file. Raises
    ConfigError, with file:line, for a file without keys and for a key that is unknown or given twice."""
    root = compose(text, source)
    if not isinstance(root, yaml.MappingNode):
        raise ConfigError(f"{source}:1: expected lines such as {example!r}, got no keys")
    known = {key: key for key in keys}
    values: dict[str, Any] = {}
    lines: dict[str, int] = {}
    for key_node, node in root.value:
        line, key = key_node.start_mark.line + 1, str(key_node.value)
        if key not in known:
            raise ConfigError(f"{source}:{line}: " + unknown("unknown key", key, known, None))
        if key in lines:
            raise ConfigError(f"{source}:{line}: {key}: given twice, first in line {lines[key]}")
        values[key], lines[key] = _plain_value(node, f"{source}:{line}: {key}"), line
    return values, lines


def _plain_value(node: yaml.Node, where: str) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return node.value if node.style else plain(node.value)
    # Lists in lists are refused, because aliases can nest them without bound.
    if isinstance(node, yaml.SequenceNode) and all(isinstance(e, yaml.ScalarNode) for e in node.value):
        return tuple(_plain_value(entry, where) for entry in node.value)
    raise ConfigError(f"{where}: got keys or lists in a list, expected a value or a list of values")


def plain(text: str) -> Any:
    """Return an unquoted value: number, yes, no, none or a word. Used for command lines too."""
    words = {"none": None, "yes": True, "no": False}
    return words[text.lower()] if text.lower() in words else scalar(text)
