"""What is wrong with a value in a study's file, as a sentence for people who do not program."""

import difflib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from people.study.config import PATTERNS
from people.study.texts import Section

Loc = tuple[str | int, ...]

KEYS = "keys with their values, such as title: Hello"
NULL = "; if you mean a word such as None or null, put it in quotes"

_WORDS = {"'short-form' or 'children'": "a list of tasks, such as [01-02-01], or the word short-form"}

EXPECTED: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "string_type": lambda _: "a text",
    "string_too_short": lambda _: "a text that is not empty",
    "string_too_long": lambda limits: f"a text of at most {limits['max_length']} characters",
    "string_pattern_mismatch": lambda limits: PATTERNS[limits["pattern"]],
    "int_type": lambda _: "a whole number",
    "int_parsing": lambda _: "a whole number",
    "int_parsing_size": lambda _: "a smaller number",
    "float_type": lambda _: "a number",
    "float_parsing": lambda _: "a number",
    "finite_number": lambda _: "a number",
    "bool_type": lambda _: "true or false",
    "bool_parsing": lambda _: "true or false",
    "date_type": lambda _: "a date such as 2026-03-31",
    "greater_than": lambda limits: f"more than {limits['gt']:g}",
    "greater_than_equal": lambda limits: f"at least {limits['ge']:g}",
    "less_than": lambda limits: f"less than {limits['lt']:g}",
    "less_than_equal": lambda limits: f"at most {limits['le']:g}",
    "literal_error": lambda limits: _WORDS.get(limits["expected"]) or limits["expected"].replace("'", ""),
    "tuple_type": lambda _: "a list, such as [a, b]",
    "too_short": lambda limits: f"a longer list, at least {limits['min_length']}",
    "too_long": lambda limits: f"a shorter list, at most {limits['max_length']}",
    "dict_type": lambda _: KEYS,
    "model_type": lambda _: KEYS,
    "model_attributes_type": lambda _: KEYS,
}
"""What was expected, by pydantic's kind of error, from the limits that it comes with."""


def problems(error: ValidationError, lines: Mapping[Loc, int]) -> Iterator[tuple[int, str]]:
    """The line and a sentence for everything that is wrong; `lines` of values by their paths in the file."""
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


def in_file(loc: Loc, lines: Mapping[Loc, int]) -> Loc:
    """The innermost value of the file that a location in the model belongs to; that has more parts."""
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
            return f"unknown key {last!r}{_hint(str(last))}"
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


def _hint(key: str) -> str:
    near = difflib.get_close_matches(key, _keys(), n=1)
    return f"; did you mean {near[0]}?" if near else "; `arena-llm study --example` shows all keys"


def _keys(model: type[BaseModel] = Section) -> set[str]:
    names = {field.alias or name for name, field in model.model_fields.items()}
    return names.union(*map(_keys, model.__subclasses__()))


def _quoted(value: Any) -> str:
    if isinstance(value, dict | tuple | list):
        return "keys" if isinstance(value, dict) else "a list"
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
