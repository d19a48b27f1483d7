"""Presets: the choices of a run as files, those of a suite and a user's own."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import ConfigError
from arena.files import read_text
from arena.packages import folder_of
from evaluation.choices.keys import read_keys
from evaluation.suite import Suite

FOLDER = "presets"
"""The folder of a suite's presets, beside its module."""

_DESCRIPTION = "description"


@dataclass(frozen=True)
class Preset:
    """A preset file: its name, what it says about itself, its choices and the line of each."""

    name: str
    source: str
    description: str
    choices: Mapping[str, Any]
    lines: Mapping[str, int]


def preset_names(suite: Suite) -> tuple[str, ...]:
    """The names of a suite's presets, sorted."""
    return tuple(sorted(path.stem for path in (folder_of(type(suite)) / FOLDER).glob("*.yaml")))


def load_preset(suite: Suite, name: str) -> Preset:
    """A preset of a suite by its name, or a file by its path, which ends in .yaml or .yml or has a slash.

    The values are not checked against the choices yet. Raises ConfigError, with file:line, for a file that
    cannot be read or is no mapping, and for keys that are unknown or given twice; with the nearest name for
    a preset that does not exist.
    """
    known = (_DESCRIPTION, *suite.choices.model_fields)
    if "/" in name or name.endswith((".yaml", ".yml")):
        return _parsed(Path(name).stem, name, read_text(name), known)
    names = preset_names(suite)
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]}?" if near else f"expected one of: {', '.join(names) or 'none'}"
        raise ConfigError(
            f"no protocol {name!r} (to use a file of your own, give its path, NAME.yaml); {hint}"
        )
    path = folder_of(type(suite)) / FOLDER / f"{name}.yaml"
    return _parsed(name, str(path), read_text(path), known)


def _parsed(name: str, source: str, text: str, keys: Sequence[str]) -> Preset:
    values, lines = read_keys(source, text, keys, "max_scripts: 30")
    description = values.pop(_DESCRIPTION, "")
    return Preset(name, source, str(description or ""), values, lines)
