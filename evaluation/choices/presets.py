"""Presets: the choices of a run as files, those of a suite and a user's own."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from arena.errors import ConfigError
from arena.files import read_text
from arena.taskfile.nodes import compose, scalar, unknown

if TYPE_CHECKING:
    from evaluation.suite import Suite

_DESCRIPTION = "description"


@dataclass(frozen=True)
class Preset:
    """A preset file: its name, what it says about itself, its choices and the line of each."""

    name: str
    source: str
    description: str
    choices: Mapping[str, Any]
    lines: Mapping[str, int]


def preset_names(suite: "Suite") -> tuple[str, ...]:
    """The names of a suite's presets, sorted."""
    return tuple(sorted(path.stem for path in suite.presets.glob("*.yaml"))) if suite.presets else ()


def load_preset(suite: "Suite", name: str) -> Preset:
    """A preset of a suite by its name, or a file by its path, which ends in .yaml or .yml or has a slash.

    The values are not checked against the choices yet. Raises ConfigError, with file:line, for a file that
    cannot be read or is no mapping, and for keys that are unknown or given twice; with the nearest name for
    a preset that does not exist.
    """
    known = (_DESCRIPTION, *suite.choices.model_fields)
    if "/" in name or name.endswith((".yaml", ".yml")):
        return _parsed(Path(name).stem, name, read_text(name), known)
    names = preset_names(suite)
    if suite.presets is None or name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]}?" if near else f"expected one of: {', '.join(names) or 'none'}"
        raise ConfigError(
            f"no protocol {name!r} (to use a file of your own, give its path, NAME.yaml); {hint}"
        )
    path = suite.presets / f"{name}.yaml"
    return _parsed(name, str(path), read_text(path), known)


def _parsed(name: str, source: str, text: str, keys: Sequence[str]) -> Preset:
    values, lines = read_keys(source, text, keys, "max_scripts: 30")
    description = values.pop(_DESCRIPTION, "")
    return Preset(name, source, str(description or ""), values, lines)


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
