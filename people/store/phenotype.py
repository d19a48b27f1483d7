"""Questionnaires as the phenotype files of BIDS: a table and a description of each page."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from people.store.questionnaires import Asked, asked_items
from people.store.store import Store
from people.store.tables import Participant

Page = tuple[str, list[str], list[list[Any]], dict[str, Any]]
"""Its name, the names of columns, rows, and the description of columns."""


def phenotype(
    store: Store, study: str, people: Sequence[Participant], subject: Callable[[str], str]
) -> Iterator[Page]:
    """The pages that were answered; `subject` is the label of the participant with a code."""
    answers = {person.code: store.answers(person.id) for person in people}
    given = sorted((answer for each in answers.values() for answer in each), key=lambda answer: answer.at)
    values = {
        code: {(answer.page, answer.item): answer.value for answer in each} for code, each in answers.items()
    }
    for page, asked in groupby(asked_items(store, study, given), key=lambda each: each.page):
        items = list(asked)
        rows = [
            [f"sub-{subject(code)}", *(_plain(each, mine.get((page, each.item))) for each in items)]
            for code, mine in values.items()
            if any(name == page for name, _ in mine)
        ]
        yield page, ["participant_id", *(each.item for each in items)], rows, _described(items)


def _plain(asked: Asked, answer: str | None) -> Any:
    """A value without tabs and line breaks, which would end a cell."""
    value = None if answer is None else asked.value(answer)
    return re.sub(r"\s+", " ", value).strip() if isinstance(value, str) else value


def _described(items: Sequence[Asked]) -> dict[str, Any]:
    title = items[0].title or items[0].page
    described: dict[str, Any] = {
        "MeasurementToolMetadata": {"Description": title},
        "participant_id": {"Description": "Name of the participant's folder"},
    }
    for each in items:
        unit = each.keys.get("unit")
        described[each.item] = {
            "Description": each.question,
            **({"Levels": each.levels} if each.levels else {}),
            **({"Units": unit} if unit else {}),
        }
    return described
