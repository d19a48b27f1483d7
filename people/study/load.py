"""Loading a study's file; errors name file and line, the value, and what was expected."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from arena.errors import ConfigError
from arena.files import read_text
from arena.taskfile.load import MAX_PROBLEMS
from arena.taskfile.nodes import MAX_DEPTH, MAX_NODES, compose
from people.study.config import Study
from people.study.links.return_links import link_problems
from people.study.parts.conditions import condition_lines, condition_problems, in_condition
from people.study.parts.messages import Loc, in_file, problems
from people.study.questions.branching import question_problems
from people.translations import with_translation

EXAMPLE = Path(__file__).parent / "example.yaml"
"""A study that runs without changes."""


def read_study(path: str | Path) -> tuple[Study, Mapping[Loc, int]]:
    """The study in a file, and the line of each of its values by its path of keys and indices.

    Raises ConfigError if the file cannot be read, is not YAML, or does not fit the schema.
    """
    return study_of(read_text(path), str(path))


def study_of(text: str, source: str) -> tuple[Study, Mapping[Loc, int]]:
    """Like `read_study`, from the text; `source` is its name in messages."""
    root = compose(text, source)
    if not isinstance(root, yaml.MappingNode):
        raise ConfigError(f"{source}:1: expected lines such as 'name: my-study', got no keys")
    lines: dict[Loc, int] = {(): 1}
    values = with_translation(_value(root, (), lines, source))
    try:
        study = Study.model_validate(values)
    except ValidationError as error:
        raise _config_error(source, problems(error, lines)) from None
    wrong = list(condition_problems(study))
    found = [(lines[in_file(loc, lines)], problem) for loc, problem in wrong]
    found += [*_contradictions(study, lines), *([] if wrong else _in_conditions(study, lines))]
    if found:
        raise _config_error(source, found)
    return study, lines


def _config_error(source: str, found: Iterable[tuple[int, str]]) -> ConfigError:
    shown = [f"{source}:{line}: {problem}" for line, problem in found]
    more = [f"... and {len(shown) - MAX_PROBLEMS} more"] if len(shown) > MAX_PROBLEMS else []
    return ConfigError("\n".join(shown[:MAX_PROBLEMS] + more))


def _contradictions(study: Study, lines: Mapping[Loc, int]) -> Iterator[tuple[int, str]]:
    """What is wrong with a study whose values are valid one by one."""
    for loc, problem in (*link_problems(study), *question_problems(study)):
        yield lines[in_file(loc, lines)], problem


def _in_conditions(study: Study, lines: Mapping[Loc, int]) -> Iterator[tuple[int, str]]:
    """What is wrong with the study in each of its conditions."""
    for name in study.conditions:
        own = condition_lines(lines, name)
        try:
            found = list(_contradictions(in_condition(study, name), own))
        except ValidationError as error:
            found = list(problems(error, own))
        yield from ((line, f"conditions.{name}: {problem}") for line, problem in found)


def _value(node: yaml.Node, loc: Loc, lines: dict[Loc, int], source: str) -> Any:
    """The value of a node; numbers stay text, so that a code such as 007 keeps its zeros."""
    line = node.start_mark.line + 1
    lines.setdefault(loc, line)
    if len(loc) > MAX_DEPTH or len(lines) > MAX_NODES:
        raise ConfigError(f"{source}:{line}: nested too deeply or too long for a study")
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
            raise ConfigError(f"{source}:{line}: {key}: given twice, first on line {lines[(*loc, key)]}")
        lines[(*loc, key)] = line
        values[key] = _value(entry, (*loc, key), lines, source)
    return values
