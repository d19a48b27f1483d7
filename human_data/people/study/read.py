"""Read a study's file: `Study`, or sentences that say file, line, got and expected."""

import difflib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from arena.errors import ConfigError
from arena.taskfile.load import MAX_PROBLEMS, read_text
from arena.taskfile.nodes import MAX_DEPTH, MAX_NODES, compose
from human_data.people.study.base import Part
from human_data.people.study.config import Study

EXAMPLE = Path(__file__).parent / "example.yaml"
"""A study that runs as it is."""

Loc = tuple[str | int, ...]


def read_study(path: str | Path) -> tuple[Study, Mapping[Loc, int]]:
    """The study of a file, and the line of each of its values by its path of keys and indices.

    Raises ConfigError where the file cannot be read, is not YAML, or says what no study can be.
    """
    return study_of(read_text(path), str(path))


def study_of(text: str, source: str) -> tuple[Study, Mapping[Loc, int]]:
    """As `read_study`, from the text; `source` is what messages call it."""
    root = compose(text, source)
    if not isinstance(root, yaml.MappingNode):
        raise ConfigError(f"{source}:1: expected lines such as 'name: my-study', got no keys")
    lines: dict[Loc, int] = {(): 1}
    values = _value(root, (), lines, source)
    try:
        return Study.model_validate(values), lines
    except ValidationError as error:
        problems = [f"{source}:{line}: {told}" for line, told in _problems(error, lines)]
        more = [f"... and {len(problems) - MAX_PROBLEMS} more"] if len(problems) > MAX_PROBLEMS else []
        raise ConfigError("\n".join(problems[:MAX_PROBLEMS] + more)) from None


def _value(node: yaml.Node, loc: Loc, lines: dict[Loc, int], source: str) -> Any:
    """Plain values; words and numbers stay text, so that a code such as 007 keeps its zeros."""
    line = node.start_mark.line + 1
    lines.setdefault(loc, line)
    if len(loc) > MAX_DEPTH or len(lines) > MAX_NODES:
        raise ConfigError(f"{source}:{line}: nested too deeply, or too long, for a study")
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, loc, lines, source)
    if isinstance(node, yaml.SequenceNode):
        return tuple(_value(entry, (*loc, k), lines, source) for k, entry in enumerate(node.value))
    assert isinstance(node, yaml.ScalarNode)
    empty = not node.style and node.value.lower() in ("", "~", "null", "none")
    return None if empty else node.value


def _mapping(node: yaml.MappingNode, loc: Loc, lines: dict[Loc, int], source: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key_node, entry in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            raise ConfigError(f"{source}:{line}: a key must be a word, got a list or keys")
        key = str(key_node.value)
        if key in values:
            raise ConfigError(f"{source}:{line}: {key}: given twice, first in line {lines[(*loc, key)]}")
        lines[(*loc, key)] = line
        values[key] = _value(entry, (*loc, key), lines, source)
    return values


def _problems(error: ValidationError, lines: Mapping[Loc, int]) -> Iterator[tuple[int, str]]:
    seen = set()
    for problem in error.errors(include_url=False):
        loc = _in_file(problem["loc"], lines)
        kind, name = problem["type"], ".".join(map(str, loc)) or "the study"
        if kind == "missing":
            told = f"{'.'.join(map(str, (*loc, problem['loc'][-1])))} is missing"
        elif kind == "extra_forbidden":
            told = f"unknown key {problem['loc'][-1]!r}{_hint(str(problem['loc'][-1]))}"
        elif kind == "value_error":
            told = f"{name}: {problem['msg'].removeprefix('Value error, ')}"
        else:
            told = f"{name}: got {_shown(problem['input'])}, expected {_expected(problem['msg'])}"
        # A value that may be a word or a list is refused once for each; a list whose entries are wrong is
        # told of once more as too short.
        key = (loc, told if kind == "missing" else "")
        if key not in seen and not (kind == "too_short" and problem["input"]):
            seen.add(key)
            yield lines[loc], told


def _in_file(loc: tuple[int | str, ...], lines: Mapping[Loc, int]) -> Loc:
    """The innermost value of the file that a place in the model belongs to: the model has more names."""
    here: Loc = ()
    for part in loc:
        if (*here, part) in lines:
            here = (*here, part)
        elif str(part).isdigit() and (*here, str(part)) in lines:
            here = (*here, str(part))
    return here


def _hint(key: str) -> str:
    near = difflib.get_close_matches(key, _keys(), n=1)
    return f"; did you mean {near[0]}?" if near else "; `arena-llm study --example` shows all keys"


def _keys(model: type[BaseModel] = Part) -> set[str]:
    names = {field.alias or name for name, field in model.model_fields.items()}
    return names.union(*map(_keys, model.__subclasses__()))


def _shown(value: Any) -> str:
    if isinstance(value, dict | tuple):
        return "keys" if isinstance(value, dict) else "a list"
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _expected(message: str) -> str:
    told = message.replace("Input should be ", "").removeprefix("a valid ")
    told = told.replace("Tuple should", "list that should").replace("tuple", "list")
    told = re.sub(r"dictionary( or instance of \w+)?", "keys", told)
    return told.replace("String should", "text that should")
