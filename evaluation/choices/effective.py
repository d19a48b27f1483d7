"""The effective protocol of a run: defaults, a preset over them, options over both."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from arena.errors import ConfigError
from evaluation.choices.contradictions import Contradiction, shown
from evaluation.choices.presets import Preset, load_preset, plain
from llm_control.choices import Protocol

SHORT_NAMES = {"icl": "demonstration"}
"""Other names of choices; `--icl` as researchers call the demonstration, in-context learning."""

FOR_POLICIES = (
    "battery",
    "tasks",
    "levels",
    "animal_ai",
    "trials",
    "seed",
    "initial_idle_steps",
    "replies",
    "sample_actions",
)
"""The choices that have an effect on a learned policy."""

_TEXT_FIELDS = frozenset({"animal_ai", "vision", "levels", "tasks"})
"""Choices among words or ids that a YAML reader takes for numbers or truth values, such as 4, true or 1."""


@dataclass(frozen=True)
class Effective:
    """A protocol and where each of its choices comes from: preset, option or default."""

    protocol: Protocol
    origins: Mapping[str, str]
    preset: Preset | None

    def rows(self) -> Iterator[tuple[str, str, str, str]]:
        """Each choice as (name, value, origin, what it means), in the protocol's order.

        Of a policy's protocol, only those that have an effect.
        """
        for name, field in Protocol.model_fields.items():
            if self.protocol.acts and name not in FOR_POLICIES:
                continue
            value = shown(getattr(self.protocol, name))
            yield name, value, self.origins[name], field.description or ""

    def changed(self) -> dict[str, str]:
        """The choices that come from a preset or an option, as text."""
        return {name: value for name, value, origin, _ in self.rows() if origin != "default"}


def effective(name: str | None, options: Mapping[str, Any]) -> Effective:
    """The protocol of a preset (None for the defaults) and options, which go over it.

    Options that are absent do not count; text is read as on a command line. Raises ConfigError for an
    unknown preset or option, a wrong value, and choices that exclude each other; the message says where the
    choice comes from.
    """
    preset = load_preset(name) if name is not None else None
    origins = {field: "default" for field in Protocol.model_fields}
    values: dict[str, Any] = {}
    for key, value in (preset.choices if preset else {}).items():
        values[key], origins[key] = _read(key, value), f"preset {preset.name}" if preset else ""
    for key, value in options.items():
        key = _known(key)
        values[key], origins[key] = _read(key, plain(value) if isinstance(value, str) else value), "option"
    try:
        return Effective(Protocol(**values), origins, preset)
    except Contradiction as problem:
        raise ConfigError(problem.told(origins)) from None
    except ValidationError as error:
        raise ConfigError("\n".join(_problems(error, origins, preset))) from None


def _known(key: str) -> str:
    key = SHORT_NAMES.get(key, key)
    if key not in Protocol.model_fields:
        near = get_close_matches(key, [*Protocol.model_fields, "protocol", "folder", "prompt"], n=1)
        hint = f"did you mean {near[0]}?" if near else f"expected one of: {', '.join(Protocol.model_fields)}"
        raise ConfigError(f"unknown option {key!r}; {hint}")
    return key


def _read(key: str, value: Any) -> Any:
    if key in _TEXT_FIELDS and isinstance(value, bool | int | float):
        return str(value).lower()
    return (
        float(value)
        if key in ("blur_px", "temperature", "max_cost_per_episode") and type(value) is int
        else value
    )


def _problems(error: ValidationError, origins: Mapping[str, str], preset: Preset | None) -> Iterator[str]:
    for problem in error.errors():
        key = str(problem["loc"][0])
        from_file = preset is not None and origins[key] != "option"
        where = f"{preset.source}:{preset.lines[key]}: {key}" if from_file and preset else f"option {key}"
        expected = problem["msg"].removeprefix("Input should be ").replace("tuple", "list")
        yield f"{where}: got {shown(problem['input'])!r}, expected {expected}"
