"""Whatever is wrong with a study's file, the message is in words of people who do not program."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from people.study.config import Study
from people.study.load import EXPECTED, problems
from tests.people.study.server import TINY
from tests.people.study.test_design import BLOCKS, CONDITIONS
from tests.people.study.test_questions import BRANCHES, KINDS

MORE = """
seed: 1
language: en
assent: {version: a, text: T, sound: a.mp3}
completion: {returns: {late: "https://x/"}}
practice: {tasks: [01-05-01], criterion: {passed: 1, of_last: 1}, tries: 1, views: [first], limit_s: 5}
test: {levels: {1: 2}, break_every: 1, limit_minutes: 3}
questionnaires:
  - {name: q, when: after, title: T, items: [{id: d, type: date, ask: A, least: 2020-01-01}]}
"""
CONTROL = CONDITIONS.replace("control:\n", "control: {}\n")
STUDIES = [yaml.load(text, yaml.CBaseLoader) for text in (KINDS, BRANCHES, BLOCKS, CONTROL)]
STUDIES.append(yaml.load(TINY[: TINY.index("tutorial:")] + MORE, yaml.CBaseLoader))
WRONG: list[Any] = [
    None, "", "x" * 30_000, "a b!", "-1", "0", "1e999", "nan", "2.5", "9" * 5000, "01.02.2020",
    [], ["a b!"], [[]], {}, {"a b!": "x"}, {"type": "x"}, {"passed": "2", "of_last": "1"},
]  # fmt: skip
JARGON = re.compile(
    r"Input|String|Tuple|Field|valid|pars|match|pattern|regex|\^|\bstr\b|\bint|float|bool|dict|tuple|instance|"
    r"union|\btag|model|_type|another value|Error|Assertion|null value"
)


def places(value: Any, loc: tuple = ()) -> Iterator[tuple]:
    """The paths of all values."""
    yield loc
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from places(part, (*loc, key))


def replaced(value: Any, loc: tuple, new: Any) -> Any:
    """A copy with another value at a place."""
    if not loc:
        return new
    parts = dict(value.items() if isinstance(value, dict) else enumerate(value))
    parts[loc[0]] = replaced(parts[loc[0]], loc[1:], new)
    return parts if isinstance(value, dict) else list(parts.values())


@pytest.mark.parametrize("study", STUDIES, ids=["kinds", "branches", "blocks", "conditions", "more"])
def test_every_message_is_in_plain_words(study):
    Study.model_validate(study)
    lines = dict.fromkeys(places(study), 1)
    kinds = set()
    for loc in lines:
        for number, new in enumerate(WRONG):
            try:
                Study.model_validate(replaced(study, loc, new))
            except ValidationError as error:
                kinds |= {problem["type"] for problem in error.errors()}
                for _, text in problems(error, lines):
                    said = text.replace("x" * 30_000, "")
                    assert not JARGON.search(said), (loc, number, text)
    # A new kind of value needs words, too.
    others = {"missing", "extra_forbidden", "value_error", "union_tag_invalid", "union_tag_not_found"}
    assert kinds - others <= EXPECTED.keys()
    assert len(kinds) > 10
