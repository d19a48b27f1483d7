"""Effective choices of a run: defaults, then preset, then options."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from arena.errors import ConfigError, nearest
from arena.files import read_text
from arena.packages import folder_of
from arena.taskfile.nodes import plain, read_keys
from evaluation.choices.run_choices import Contradiction, shown
from evaluation.suite import Suite

FOLDER = "presets"
"""Name of a suite's preset folder, next to its module."""

_DESCRIPTION = "description"


class Preset(NamedTuple):
    """Preset file: name, description, and choices with their lines."""

    name: str
    source: str
    description: str
    choices: Mapping[str, Any]
    lines: Mapping[str, int]


def preset_names(suite: Suite) -> tuple[str, ...]:
    """The names of a suite's presets, sorted."""
    return tuple(sorted(path.stem for path in (folder_of(type(suite)) / FOLDER).glob("*.yaml")))


def load_preset(suite: Suite, name: str) -> Preset:
    """Load a suite's preset by name, or a file by path.

    A path ends in .yaml or .yml or has a slash. The values are not checked against the choices yet. Raises
    ConfigError, with file:line, for a file that cannot be read or is no mapping, and for unknown or repeated
    keys; for a missing preset with the nearest name.
    """
    known = (_DESCRIPTION, *suite.choices.model_fields)
    if "/" in name or name.endswith((".yaml", ".yml")):
        return _parsed(Path(name).stem, name, read_text(name), known)
    names = preset_names(suite)
    if name not in names:
        hint = nearest(name, names, f"expected one of: {', '.join(names) or 'none'}")
        raise ConfigError(
            f"no protocol {name!r} (to use a file of your own, give its path, NAME.yaml); {hint}"
        )
    path = folder_of(type(suite)) / FOLDER / f"{name}.yaml"
    return _parsed(name, str(path), read_text(path), known)


def _parsed(name: str, source: str, text: str, keys: Sequence[str]) -> Preset:
    values, lines = read_keys(source, text, keys, "max_scripts: 30")
    return Preset(name, source, str(values.pop(_DESCRIPTION, "") or ""), values, lines)


class Effective(NamedTuple):
    """Choices of a run, each with its origin: preset, option or default. `choices` is an instance of the
    suite's own class."""

    choices: Any
    origins: Mapping[str, str]
    preset: Preset | None

    def rows(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield each choice as (name, value, origin, meaning), in the model's order. For an agent that plays
        whole episodes, only choices with an effect."""
        for name, field in type(self.choices).model_fields.items():
            if self.choices.acts and name not in self.choices.for_players:
                continue
            value = shown(getattr(self.choices, name))
            yield name, value, self.origins[name], field.description or ""

    def changed(self) -> dict[str, str]:
        """Choices from a preset or option, as text."""
        return {name: value for name, value, origin, _ in self.rows() if origin != "default"}


def effective(suite: Suite, name: str | None, options: Mapping[str, Any]) -> Effective:
    """Combine a preset (None for the defaults) with options, which override it.

    An agent has its own defaults. Absent options do not count; text is read as on a command line. Raises
    ConfigError for an unknown preset or option, a wrong value, and choices that exclude each other, with the
    choice's origin.
    """
    kind = suite.choices
    preset = load_preset(suite, name) if name is not None else None
    origins = {field: "default" for field in kind.model_fields}
    values: dict[str, Any] = {}
    for key, value in (preset.choices if preset else {}).items():
        values[key], origins[key] = _read(kind, key, value), f"preset {preset.name}" if preset else ""
    for key, value in options.items():
        key = _known(kind, key)
        values[key], origins[key] = (
            _read(kind, key, plain(value) if isinstance(value, str) else value),
            "option",
        )
    agent = str(values.get("agent"))
    for key, value in kind.agent_defaults.get(agent, {}).items():
        if key not in values:
            values[key], origins[key] = value, f"agent {agent}"
    try:
        return Effective(kind(**values), origins, preset)
    except Contradiction as problem:
        raise ConfigError(problem.message(origins)) from None
    except ValidationError as error:
        raise ConfigError("\n".join(_problems(error, origins, preset))) from None


def _known(kind: Any, key: str) -> str:
    key = kind.short_names.get(key, key)
    if key not in kind.model_fields:
        known = [*kind.model_fields, "protocol", "folder", "prompt"]
        hint = nearest(key, known, f"expected one of: {', '.join(kind.model_fields)}")
        raise ConfigError(f"unknown option {key!r}; {hint}")
    return str(key)


def _read(kind: Any, key: str, value: Any) -> Any:
    if key in kind.words and isinstance(value, bool | int | float):
        return str(value).lower()
    decimal = "float" in str(kind.model_fields[key].annotation)
    return float(value) if decimal and type(value) is int else value


def _problems(error: ValidationError, origins: Mapping[str, str], preset: Preset | None) -> Iterator[str]:
    for problem in error.errors():
        key = str(problem["loc"][0])
        from_file = preset is not None and origins[key] != "option"
        where = f"{preset.source}:{preset.lines[key]}: {key}" if from_file and preset else f"option {key}"
        expected = problem["msg"].removeprefix("Input should be ").replace("tuple", "list")
        yield f"{where}: got {shown(problem['input'])!r}, expected {expected}"
