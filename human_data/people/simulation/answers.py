"""Random valid answers to questionnaires."""

import math
import random
import string
from collections.abc import Iterable, Mapping

from human_data.people.study.config import Study
from human_data.people.study.items import Choice, Item, Likert, Number, Questionnaire

LEFT_OUT = 0.3
"""Share of the optional items that are left out."""


def random_answers(items: Iterable[Item], source: random.Random) -> dict[str, str]:
    """An answer to each item that its questionnaire accepts; some optional ones are left out."""
    chosen = (item for item in items if item.required or source.random() >= LEFT_OUT)
    return {item.id: _answer(item, source) for item in chosen}


def questionnaire_of(study: Study, stage: str) -> Questionnaire | None:
    """The questionnaire whose page is the stage of this name; None for another page."""
    found = [page for page in study.questionnaires if f"{stage}-".startswith(f"questions-{page.name}-")]
    return max(found, key=lambda page: len(page.name), default=None)


def fields(answers: Mapping[str, str]) -> dict[str, str]:
    """Answers by item as the fields of a questionnaire's form."""
    return {f"item-{name}": value for name, value in answers.items()}


def _answer(item: Item, source: random.Random) -> str:
    match item:
        case Choice():
            return source.choice(item.options)
        case Likert():
            return str(source.randint(1, item.points))
        case Number():
            return _number(item, source)
        case _:
            words = ("".join(source.choices(string.ascii_lowercase, k=6)) for _ in range(3))
            return f"Simulated: {' '.join(words)}"[: item.longest]


def _number(item: Number, source: random.Random) -> str:
    low = item.least if item.least is not None else (item.most or 100.0) - 100.0
    high = item.most if item.most is not None else low + 100.0
    if item.whole:
        return str(source.randint(math.ceil(low), math.floor(high)))
    return repr(min(max(round(source.uniform(low, high), 2), low), high))
