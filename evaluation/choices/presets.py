"""Protocols as files: the shipped presets, and a user's own."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from arena.errors import ConfigError
from arena.taskfile.load import read_text
from arena.taskfile.nodes import compose, scalar, unknown
from llm_control.choices import Protocol

_HERE = Path(__file__).parent
FOLDER = next(
    (path for path in (_HERE / "protocols", _HERE.parent / "configs" / "protocols") if path.is_dir()),
    _HERE / "protocols",
)
"""The shipped presets: inside the package where it was installed, beside it in a source tree."""

_DESCRIPTION = "description"


@dataclass(frozen=True)
class Preset:
    """A preset file: its name, what it says about itself, its choices and the line of each."""

    name: str
    source: str
    description: str
    choices: Mapping[str, Any]
    lines: Mapping[str, int]


def preset_names() -> tuple[str, ...]:
    """The names of the shipped presets, sorted."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))


def load_preset(name: str) -> Preset:
    """A shipped preset by its name, or a file by its path, which ends in .yaml or .yml or has a slash.

    The values are not checked against the protocol yet. Raises ConfigError, with file:line, for a file that
    cannot be read or is no mapping, and for keys that are unknown or given twice; with the nearest name for
    a preset that does not exist.
    """
    if "/" in name or name.endswith((".yaml", ".yml")):
        return _parsed(Path(name).stem, name, read_text(name))
    if name not in preset_names():
        near = difflib.get_close_matches(name, preset_names(), n=1)
        hint = f"did you mean {near[0]}?" if near else f"expected one of: {', '.join(preset_names())}"
        raise ConfigError(
            f"no protocol {name!r} (a file of your own is given by its path, NAME.yaml); {hint}"
        )
    path = FOLDER / f"{name}.yaml"
    return _parsed(name, str(path), read_text(path))


def _parsed(name: str, source: str, text: str) -> Preset:
    root = compose(text, source)
    if not isinstance(root, yaml.MappingNode):
        raise ConfigError(f"{source}:1: expected lines such as 'max_scripts: 30', got no keys")
    known = {field: field for field in (_DESCRIPTION, *Protocol.model_fields)}
    values: dict[str, Any] = {}
    lines: dict[str, int] = {}
    for key_node, node in root.value:
        line, key = key_node.start_mark.line + 1, str(key_node.value)
        if key not in known:
            raise ConfigError(f"{source}:{line}: " + unknown("unknown key", key, known, None))
        if key in lines:
            raise ConfigError(f"{source}:{line}: {key}: given twice, first in line {lines[key]}")
        values[key], lines[key] = _value(node, f"{source}:{line}: {key}"), line
    description = values.pop(_DESCRIPTION, "")
    return Preset(name, source, str(description or ""), values, lines)


def _value(node: yaml.Node, where: str) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return node.value if node.style else plain(node.value)
    if isinstance(node, yaml.SequenceNode):
        return tuple(_value(entry, where) for entry in node.value)
    raise ConfigError(f"{where}: got keys, expected a value or a list")


def plain(text: str) -> Any:
    """A value as it is written without quotes, on a command line too: number, yes, no, none or a word."""
    words = {"none": None, "yes": True, "no": False}
    return words[text.lower()] if text.lower() in words else scalar(text)
