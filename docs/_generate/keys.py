"""Tables of the YAML keys, made from `arena.taskfile.keys` and the models of `arena.taskfile.config`."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from arena.taskfile.config import (
    RGB,
    ArenaFile,
    ArenaSpec,
    EndEpisode,
    FreezeAgent,
    GrantContinuousReward,
    GrantReward,
    Item,
    LimitedInvocations,
    NoneOperation,
    OperationFromList,
    ToggleObject,
    Vector3,
)
from arena.taskfile.keys import ENTRIES, KEYS, OPERATION_FIELDS, OPERATIONS, SINCE_4, VALUES
from arena.taskfile.symbols import PRESETS
from docs._generate.markdown import code, number, table
from docs._generate.meanings import KEY_MEANINGS

MODELS: dict[str, type[BaseModel]] = {
    "ArenaConfig": ArenaFile,
    "Arena": ArenaSpec,
    "Item": Item,
    "Vector3": Vector3,
    "RGB": RGB,
    "endEpisode": EndEpisode,
    "grantReward": GrantReward,
    "grantContinuousReward": GrantContinuousReward,
    "freezeAgent": FreezeAgent,
    "toggleObject": ToggleObject,
    "limitedInvocationsOperation": LimitedInvocations,
    "operationFromList": OperationFromList,
    "noneOperation": NoneOperation,
}
"""What reads each tag."""

HEADER = ("key", "value", "version", "meaning")

_WORDS = {"number": "number", "integer": "whole number", "string": "text", "boolean": "yes or no"}


def keys_table(tag: str) -> str:
    """Every key of a tag: type, range and default, since when, and what it means."""
    return table(HEADER, _rows(tag))


def operations_section() -> str:
    """Every operation with its keys."""
    parts = []
    for tag in OPERATIONS:
        parts.append(f"### !{tag}\n\n{(MODELS[tag].__doc__ or '').strip()}")
        if KEYS[tag]:
            parts.append(keys_table(tag))
    return "\n\n".join(parts)


def symbols_list() -> str:
    """The names of the symbols of sign boards."""
    return ", ".join(map(code, PRESETS))


def spellings(tag: str) -> dict[str, list[str]]:
    """Of every field the keys that set it, the newest last."""
    named: dict[str, list[str]] = {}
    for key, field in KEYS[tag].items():
        named.setdefault(field, []).append(key)
    return named


def _rows(tag: str) -> Iterator[tuple[str, ...]]:
    schema = MODELS[tag].model_json_schema()
    schema = schema if "properties" in schema else schema["$defs"][MODELS[tag].__name__]
    for field, keys in spellings(tag).items():
        told = _simple(schema["properties"][field])
        since = "4" if keys[-1] in SINCE_4 or tag in OPERATIONS else "all"
        older = "".join(f" (older: {code(key)})" for key in keys[:-1])
        default = "required" if field in schema.get("required", ()) else _default(told.get("default"))
        value = ", ".join(filter(None, (_type(field, told), _range(told), default)))
        yield code(keys[-1]) + older, value, since, KEY_MEANINGS[tag][field]


def _simple(told: dict[str, Any]) -> dict[str, Any]:
    """A property without the alternative of being absent."""
    choices: list[dict[str, Any]] = [
        choice for choice in told.get("anyOf", ()) if choice.get("type") != "null"
    ]
    if len(choices) != 1:
        return told
    return {key: value for key, value in told.items() if key != "anyOf"} | choices[0]


def _type(field: str, told: dict[str, Any]) -> str:
    if field == "arenas":
        return "`!Arena` by number"
    if field in OPERATION_FIELDS:
        return "list of operations" if field.endswith("s") else "operation"
    if field in VALUES:
        return code(f"!{VALUES[field]}")
    if field in ENTRIES:
        return f"list of `!{ENTRIES[field]}`"
    if told.get("type") == "array":
        return f"list of {_plural(told['items']['type'])}"
    if "anyOf" in told:
        return "text or number"
    return "word" if "enum" in told else _WORDS[told["type"]]


def _plural(kind: str) -> str:
    return "texts" if kind == "string" else f"{_WORDS[kind]}s"


def _default(value: Any) -> str:
    """What holds where the key is missing; nothing for a list, which is then empty."""
    if value is None:
        return "default none"
    if isinstance(value, dict):
        return "default " + code("{" + ", ".join(f"{key}: {number(v)}" for key, v in value.items()) + "}")
    if isinstance(value, bool):
        return f"default {code(str(value).lower())}"
    if isinstance(value, list):
        return ""
    return f"default {code(value if isinstance(value, str) else number(value))}"


def _range(told: dict[str, Any]) -> str:
    if "enum" in told:
        return " or ".join(map(code, told["enum"]))
    told = told.get("items", told)
    if "minimum" not in told:
        return ""
    low = number(told["minimum"])
    return f"{low} to {told['maximum']:.0f}" if "maximum" in told else f"from {low}"
