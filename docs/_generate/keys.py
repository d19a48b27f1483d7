"""Tables of the YAML keys, from `arena.taskfile.config`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from arena.taskfile.config import (
    ENTRIES,
    KEYS,
    MODELS,
    OPERATION_FIELDS,
    OPERATIONS,
    QUESTIONS,
    SINCE_4,
    VALUES,
)
from docs._generate.markdown import code, number, tabled

KEY_MEANINGS: Mapping[str, Mapping[str, str]] = yaml.safe_load(
    Path(__file__).with_name("meanings.yaml").read_text(encoding="utf-8")
)
"""A sentence for each key, by tag and field."""

_WORDS = {"number": "number", "integer": "whole number", "string": "text", "boolean": "yes or no"}


def operations_section() -> str:
    """Every operation with its keys."""
    parts = []
    for tag in OPERATIONS:
        parts.append(f"### !{tag}\n\n{(MODELS[tag].__doc__ or '').strip()}")
        if KEYS[tag]:
            parts.append(keys_table(tag))
    return "\n\n".join(parts)


def spellings(tag: str) -> dict[str, list[str]]:
    """The keys that set each field, the newest last."""
    named: dict[str, list[str]] = {}
    for key, field in KEYS[tag].items():
        named.setdefault(field, []).append(key)
    return named


@tabled("key", "value", "version", "meaning")
def keys_table(tag: str) -> Iterator[tuple[str, ...]]:
    """Every key of a tag: type, range, default, version and meaning."""
    schema = MODELS[tag].model_json_schema()
    schema = schema if "properties" in schema else schema["$defs"][MODELS[tag].__name__]
    for field, keys in spellings(tag).items():
        declared = _simple(schema["properties"][field])
        since = "4" if keys[-1] in SINCE_4 or tag in OPERATIONS else "all"
        older = "".join(f" (older: {code(key)})" for key in keys[:-1])
        default = "required" if field in schema.get("required", ()) else _default(declared.get("default"))
        value = ", ".join(filter(None, (_type(field, declared), _range(declared), default)))
        yield code(keys[-1]) + older, value, since, KEY_MEANINGS[tag][field]


def _simple(declared: dict[str, Any]) -> dict[str, Any]:
    """A property's schema without the alternative null."""
    choices: list[dict[str, Any]] = [
        choice for choice in declared.get("anyOf", ()) if choice.get("type") != "null"
    ]
    if len(choices) != 1:
        return declared
    return {key: value for key, value in declared.items() if key != "anyOf"} | choices[0]


def _type(field: str, declared: dict[str, Any]) -> str:
    if field == "arenas":
        return "`!Arena` by number"
    if field == "question":
        return ", ".join(code(f"!{tag}") for tag in QUESTIONS)
    if field in OPERATION_FIELDS:
        return "list of operations" if field.endswith("s") else "operation"
    if field in VALUES:
        return code(f"!{VALUES[field]}")
    if field in ENTRIES:
        return f"list of `!{ENTRIES[field]}`"
    if declared.get("type") == "array":
        return f"list of {_WORDS[declared['items']['type']]}s"
    if "anyOf" in declared:
        return "text or number, or a list of these"
    return "word" if "enum" in declared else _WORDS[declared["type"]]


def _default(value: Any) -> str:
    """The value if the key is missing; nothing for a list that is then empty."""
    if value is None:
        return "default none"
    if isinstance(value, dict):
        return "default " + code("{" + ", ".join(f"{key}: {number(v)}" for key, v in value.items()) + "}")
    if isinstance(value, bool):
        return f"default {code(str(value).lower())}"
    if isinstance(value, list):
        return f"default {code(', '.join(value))}" if value else ""
    return f"default {code(value if isinstance(value, str) else number(value))}"


def _range(declared: dict[str, Any]) -> str:
    declared = declared.get("items", declared)
    if "enum" in declared:
        return " or ".join(map(code, declared["enum"]))
    if "minimum" not in declared:
        return ""
    low = number(declared["minimum"])
    return f"{low} to {declared['maximum']:.0f}" if "maximum" in declared else f"from {low}"
