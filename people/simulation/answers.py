"""Random valid answers to questionnaires."""

import math
import random
import string
from collections.abc import Iterable, Mapping
from datetime import date, timedelta

from people.study.branching import Given, asked_items, form_items
from people.study.config import Study
from people.study.forms import LIST
from people.study.questions import (
    Checkbox,
    Choice,
    Date,
    FreeText,
    Item,
    Likert,
    Number,
    Questionnaire,
    Slider,
    as_list,
    list_of,
)

LEFT_OUT = 0.3
"""Share of the optional items that are left out."""

ATTEMPTS = 100
"""Attempts at answers that do not screen a participant out."""


def random_answers(items: Iterable[Item], source: random.Random) -> dict[str, str]:
    """An answer to each item that its questionnaire accepts; some optional ones are left out."""
    chosen = (item for item in items if item.required or source.random() >= LEFT_OUT)
    return {item.id: _answer(item, source) for item in chosen}


def answered(study: Study, page: Questionnaire, earlier: Given, source: random.Random) -> dict[str, str]:
    """Answers to the items of a page that are asked after earlier answers; they fit the study if possible."""
    answers: dict[str, str] = {}
    for _ in range(ATTEMPTS):
        answers = random_answers((item for item, _ in form_items(study, page, earlier)), source)
        asked = {item.id for item in asked_items(study, page, earlier, answers)}
        answers = {name: answer for name, answer in answers.items() if name in asked}
        if all(
            page.item(name).accepts(answers[name], accepted)
            for name, accepted in page.screen.items()
            if name in asked
        ):
            break
    return answers


def questionnaire_of(study: Study, stage: str) -> Questionnaire | None:
    """The questionnaire whose page is the stage of this name; None for another page."""
    found = [page for page in study.questionnaires if f"{stage}-".startswith(f"questions-{page.name}-")]
    return max(found, key=lambda page: len(page.name), default=None)


def fields(page: Questionnaire, answers: Mapping[str, str]) -> dict[str, str | list[str]]:
    """Answers by item as the fields of a questionnaire's form."""
    several = {item.id for item in page.items if isinstance(item, Checkbox)}
    single = {f"item-{name}": value for name, value in answers.items() if name not in several}
    lists = {f"item-{name}{LIST}": list(list_of(answers[name]) or ()) for name in several & answers.keys()}
    return {**single, **lists}


def _answer(item: Item, source: random.Random) -> str:
    match item:
        case Checkbox(expect=expected) if expected:
            return as_list(expected)
        case _ if item.expect:
            return source.choice(item.expect)
        case Checkbox():
            return as_list(source.sample(item.options, source.randint(1, len(item.options))))
        case Slider():
            assert item.least is not None
            assert item.most is not None
            steps = math.floor((item.most - item.least) / item.step + 1e-9)
            return f"{item.least + item.step * source.randint(0, steps):.10g}"
        case Date():
            return _date(item, source).isoformat()
        case Choice():
            return source.choice(item.options)
        case Likert():
            return str(source.randint(1, item.points))
        case Number():
            return _number(item, source)
        case FreeText():
            words = ("".join(source.choices(string.ascii_lowercase, k=6)) for _ in range(3))
            return f"Simulated: {' '.join(words)}"[: item.longest]


def _date(item: Date, source: random.Random) -> date:
    last = item.most or max(date(2020, 1, 1), item.least or date.min)
    first = item.least or max(date.min, last - timedelta(days=min(36_500, last.toordinal() - 1)))
    return first + timedelta(days=source.randint(0, (last - first).days))


def _number(item: Number, source: random.Random) -> str:
    low = item.least if item.least is not None else (item.most or 100.0) - 100.0
    high = item.most if item.most is not None else low + 100.0
    if item.whole:
        return str(source.randint(math.ceil(low), math.floor(high)))
    return repr(min(max(round(source.uniform(low, high), 2), low), high))
