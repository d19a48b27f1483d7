"""Loading a study's file. Errors name file and line, the value, and the expected one."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from arena.errors import ConfigError, nearest
from arena.files import read_bytes, read_text
from arena.taskfile.load import MAX_PROBLEMS
from arena.taskfile.nodes import MAX_DEPTH, MAX_NODES, compose
from evaluation.by_hand.form import Section
from people.pages import pictures
from people.study.branching import question_problems
from people.study.config import DIFFERING, PATTERNS, Study
from people.study.links import link_problems
from people.study.survey import Panel, pictures_in
from people.texts import with_translation

Loc = tuple[str | int, ...]
Lines = Mapping[Loc, int]

KEYS = "keys with their values, such as title: Hello"
NULL = "; if you mean a word such as None or null, put it in quotes"

_WORDS = {"'short-form' or 'children'": "a list of tasks, such as [01-02-01], or the word short-form"}

EXPECTED: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "string_type": lambda _: "a text",
    "string_too_short": lambda _: "a text that is not empty",
    "string_too_long": lambda limits: f"a text of at most {limits['max_length']} characters",
    "string_pattern_mismatch": lambda limits: PATTERNS[limits["pattern"]],
    **dict.fromkeys(("int_type", "int_parsing"), lambda _: "a whole number"),
    "int_parsing_size": lambda _: "a smaller number",
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), lambda _: "a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), lambda _: "true or false"),
    "date_type": lambda _: "a date such as 2026-03-31",
    "greater_than": lambda limits: f"more than {limits['gt']:g}",
    "greater_than_equal": lambda limits: f"at least {limits['ge']:g}",
    "less_than": lambda limits: f"less than {limits['lt']:g}",
    "less_than_equal": lambda limits: f"at most {limits['le']:g}",
    "literal_error": lambda limits: _WORDS.get(limits["expected"]) or limits["expected"].replace("'", ""),
    "tuple_type": lambda _: "a list, such as [a, b]",
    "too_short": lambda limits: f"a longer list, at least {limits['min_length']}",
    "too_long": lambda limits: f"a shorter list, at most {limits['max_length']}",
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), lambda _: KEYS),
}
"""Expected values, by pydantic's kind of error, with its limits."""


def problems(error: ValidationError, lines: Lines) -> Iterator[tuple[int, str]]:
    """Yield the line and a sentence for each problem. `lines` are those of values by path."""
    seen = set()
    found = error.errors(include_url=False)
    for problem in found:
        loc = in_file(problem["loc"], lines)
        kind, text = problem["type"], _sentence(problem, loc)
        # A value that may be a word or a list yields a problem for each type; a list whose entries are wrong
        # is reported once more as too short.
        key = (loc, text if kind == "missing" else "")
        entries = [each for each in found if each["loc"][: len(problem["loc"])] == problem["loc"]]
        if key not in seen and not (kind == "too_short" and len(entries) > 1):
            seen.add(key)
            yield lines[loc], text


def in_file(loc: Loc, lines: Lines) -> Loc:
    """Return the innermost file value of a (longer) location in the model."""
    here: Loc = ()
    for part in loc:
        if (*here, part) in lines:
            here = (*here, part)
        elif str(part).isdigit() and (*here, str(part)) in lines:
            here = (*here, str(part))
    return here


def _sentence(problem: Mapping[str, Any], loc: Loc) -> str:
    kind, value = problem["type"], problem["input"]
    name, last = ".".join(map(str, loc)) or "the study", problem["loc"][-1] if problem["loc"] else ""
    limits = problem.get("ctx", {})
    match kind:
        case "missing":
            return f"{'.'.join(map(str, (*loc, last)))} is missing"
        case "extra_forbidden":
            advice = nearest(str(last), _keys(), "`arena-llm study --example` shows all keys")
            return f"unknown key {last!r}; {advice}"
        case "value_error":
            return f"{name}: {problem['msg'].removeprefix('Value error, ')}"
        case "union_tag_not_found":
            return f"{name}.type is missing"
        case "union_tag_invalid":
            tags = limits["expected_tags"].replace("'", "")
            return f"{name}.type: got {_quoted(limits['tag'])}, expected one of: {tags}"
    expected = EXPECTED[kind](limits) if kind in EXPECTED else "another value"
    hint = NULL if value is None and kind.startswith("string") else ""
    return f"{name}: got {_quoted(value)}, expected {expected}{hint}"


def _keys(model: type[BaseModel] = Section) -> set[str]:
    names = {field.alias or name for name, field in model.model_fields.items()}
    return names.union(*map(_keys, model.__subclasses__()))


def _quoted(value: Any) -> str:
    if isinstance(value, dict | tuple | list):
        return "keys" if isinstance(value, dict) else "a list"
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


TASKS = frozenset(("tasks", "levels"))
"""Keys of which a block has one. A condition may have the other."""


def in_condition(study: Study, name: str) -> Study:
    """Return the study in a condition. Raises pydantic's ValidationError if it is wrong."""
    values = study.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude={"conditions"})
    whole = {**values, "test": values["test"][0]} if len(values["test"]) == 1 else values
    changed = {key: _merged(whole.get(key), each) for key, each in study.conditions[name].items()}
    return Study.model_validate({**values, **changed})


def condition_lines(lines: Lines, name: str) -> Lines:
    """Return the lines of a condition's values, by their study paths."""
    own = {loc[2:]: line for loc, line in lines.items() if loc[:2] == ("conditions", name) and len(loc) > 2}
    return {**lines, **own}


def condition_problems(study: Study) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield problems of fixed sections in conditions, and of an unused parameter."""
    if study.participants.condition and not study.conditions:
        problem = "participants.condition: names the condition, but the study has no conditions"
        yield ("participants", "condition"), problem
    for name, changes in study.conditions.items():
        for key, value in changes.items():
            loc, place = ("conditions", name, key), f"conditions.{name}.{key}"
            if key not in DIFFERING:
                yield loc, f"{place}: cannot differ between conditions; {', '.join(DIFFERING)} can"
            elif key == "test" and isinstance(value, Mapping) and len(study.test) > 1:
                yield loc, f"{place}: the test has several blocks; list all of this condition"


def _merged(value: Any, change: Any) -> Any:
    """Return a changed section. Values that a condition does not mention stay."""
    if not (isinstance(value, Mapping) and isinstance(change, Mapping)):
        return change
    # Tasks can be given in either way.
    kept = {key: each for key, each in value.items() if not (TASKS & change.keys() and key in TASKS)}
    return {**kept, **{key: _merged(kept.get(key), each) for key, each in change.items()}}


EXAMPLE = Path(__file__).parent / "example.yaml"
"""A study that runs without changes."""


def study_of(text: str, source: str) -> tuple[Study, Lines]:
    """Return the study in a file's text, and its values' lines. The lines are given by paths of keys and
    indices. `source` is the file's name. Raises ConfigError if it is not YAML, or does not fit the schema."""
    root = compose(text, source)
    if not isinstance(root, yaml.MappingNode):
        raise ConfigError(f"{source}:1: expected lines such as 'name: my-study', got no keys")
    lines: dict[Loc, int] = {(): 1}
    values = _with_surveys(with_translation(_value(root, (), lines, source)), lines, source)
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


def _with_surveys(values: dict[str, Any], lines: Lines, source: str) -> dict[str, Any]:
    """Return the values with contents and items of the questionnaires' surveys."""

    def whole(section: Any, loc: Loc) -> Any:
        """Return a section, or the file itself, whose questionnaires are whole."""
        pages = section.get("questionnaires") if isinstance(section, Mapping) else None
        if not isinstance(pages, tuple):
            return section
        loc = (*loc, "questionnaires")
        return {**section, "questionnaires": tuple(page(each, (*loc, k)) for k, each in enumerate(pages))}

    def page(given: Any, loc: Loc) -> Any:
        if not isinstance(given, Mapping) or "survey" not in given:
            return given
        loc = (*loc, "survey")
        return {**given, **_survey(given, source, f"{source}:{lines[loc]}: {'.'.join(map(str, loc))}")}

    conditions = values.get("conditions")
    if isinstance(conditions, Mapping):
        changed = {name: whole(each, ("conditions", name)) for name, each in conditions.items()}
        values = {**values, "conditions": changed}
    return whole(values, ())


def _survey(page: Mapping[str, Any], source: str, place: str) -> dict[str, Any]:
    """Return the survey that a questionnaire names, and its items. Raises ConfigError."""
    name = page["survey"]
    if "items" in page or not isinstance(name, str):
        raise ConfigError(f"{place}: expected the name of a file such as mood.json, and no items")
    try:
        survey = json.loads(read_text(Path(source).parent / name))
        items = tuple(Panel.model_validate(survey).questions())
    except ValidationError as error:
        found = error.errors(include_url=False)[0]
        said = _sentence(found, found["loc"][: -1 if found["type"] == "missing" else None])
        raise ConfigError(f"{place}: {name}: {said}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{place}: {name}: not valid JSON ({error})") from None
    if not items:
        raise ConfigError(f"{place}: {name}: it has no questions; expected pages with elements")
    return {"survey": survey, "items": items}


def _config_error(source: str, found: Iterable[tuple[int, str]]) -> ConfigError:
    shown = [f"{source}:{line}: {problem}" for line, problem in found]
    more = [f"... and {len(shown) - MAX_PROBLEMS} more"] if len(shown) > MAX_PROBLEMS else []
    return ConfigError("\n".join(shown[:MAX_PROBLEMS] + more))


def _contradictions(study: Study, lines: Lines) -> Iterator[tuple[int, str]]:
    """Yield problems of a study whose single values are valid."""
    for loc, problem in (*link_problems(study), *question_problems(study)):
        yield lines[in_file(loc, lines)], problem


def _in_conditions(study: Study, lines: Lines) -> Iterator[tuple[int, str]]:
    """Yield problems of the study in each of its conditions."""
    for name in study.conditions:
        own = condition_lines(lines, name)
        try:
            found = list(_contradictions(in_condition(study, name), own))
        except ValidationError as error:
            found = list(problems(error, own))
        yield from ((line, f"conditions.{name}: {problem}") for line, problem in found)


def _value(node: yaml.Node, loc: Loc, lines: dict[Loc, int], source: str) -> Any:
    """Return the value of a node. Numbers stay text, so that a code such as 007 keeps its zeros."""
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


PICTURES = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
    ".webp": "image/webp",
}  # fmt: skip
SOUNDS = {
    ".mp3": "audio/mpeg", ".m4a": "audio/mp4", ".ogg": "audio/ogg", ".oga": "audio/ogg",
    ".opus": "audio/ogg", ".wav": "audio/wav", ".flac": "audio/flac",
}  # fmt: skip
TYPES = PICTURES | SOUNDS
"""Media types by the ending of a file's name."""

MAX_BYTES = 50 * 2**20
"""Maximum bytes of a file, enough for an hour of sound."""

MARKDOWN = frozenset(("text", "contact", "break_text"))
"""Keys whose texts are Markdown."""


def media_files(study: Study, folder: Path, where: Callable[..., str]) -> dict[str, Path]:
    """The pictures and sounds that a study names, relative to its folder. Raises ConfigError, with the place
    of the key (`where`), if one is missing or of another kind."""
    files = {}
    for loc, name, types in _named(study, ()):
        path = folder / name
        if problem := _problem(name, path, folder, types):
            raise ConfigError(f"{where(*loc)}: {name}: {problem}")
        files[name] = path
    return files


def digest(path: Path) -> str:
    """Return a file's SHA-256, that of an empty one if vanished."""
    try:
        return hashlib.sha256(read_bytes(path, MAX_BYTES)).hexdigest()
    except OSError:
        return ""


def _problem(name: str, path: Path, folder: Path, types: dict[str, str]) -> str | None:
    if "://" in name or not path.resolve().is_relative_to(folder.resolve()):
        return f"expected the name of a file in the study's folder, such as a{next(iter(types))}"
    if path.suffix.lower() not in types:
        return f"expected a file that ends in {', '.join(types)}"
    try:
        read_bytes(path, MAX_BYTES)
    except (OSError, ValueError) as error:
        return f"cannot be read ({getattr(error, 'strerror', None) or error})"
    return None


def _named(part: BaseModel, loc: Loc) -> Iterator[tuple[Loc, str, dict[str, str]]]:
    """Yield place, name, and permitted types of a study part's files."""
    for name, field in type(part).model_fields.items():
        value, here = getattr(part, name), (*loc, field.alias or name)
        if isinstance(value, BaseModel):
            yield from _named(value, here)
        elif isinstance(value, tuple):
            for number, each in enumerate(value):
                if isinstance(each, BaseModel):
                    yield from _named(each, (*here, number))
                elif name == "pictures":
                    yield (*here, number), each, PICTURES
        elif name == "sound" and value:
            yield here, value, SOUNDS
        elif name == "survey" and value:
            yield from ((here, picture, PICTURES) for picture in pictures_in(value))
        elif name in MARKDOWN and "![" in value:
            yield from ((here, picture, PICTURES) for picture in pictures(value))
