"""YAML files of keys and plain values, each with its line."""

from collections.abc import Sequence
from typing import Any

import yaml

from arena.errors import ConfigError
from arena.taskfile.nodes import compose, scalar, unknown


def read_keys(
    source: str, text: str, keys: Sequence[str], example: str
) -> tuple[dict[str, Any], dict[str, int]]:
    """The values of a YAML file of keys, and the line of each; `example` is a line of such a file.

    Raises ConfigError, with file:line, for a file without keys and for a key that is unknown or given twice.
    """
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
        values[key], lines[key] = _value(node, f"{source}:{line}: {key}"), line
    return values, lines


def _value(node: yaml.Node, where: str) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return node.value if node.style else plain(node.value)
    # Lists in lists are refused, because aliases can nest them without bound.
    if isinstance(node, yaml.SequenceNode) and all(isinstance(e, yaml.ScalarNode) for e in node.value):
        return tuple(_value(entry, where) for entry in node.value)
    raise ConfigError(f"{where}: got keys or lists in a list, expected a value or a list of values")


def plain(text: str) -> Any:
    """A value as it is written without quotes, on a command line too: number, yes, no, none or a word."""
    words = {"none": None, "yes": True, "no": False}
    return words[text.lower()] if text.lower() in words else scalar(text)
