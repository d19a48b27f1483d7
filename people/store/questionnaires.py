"""What questionnaires asked, from the study's file as it is stored with the data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from people.store.store import Store
from people.store.tables import CONFIG, Answer

NUMBERS = {"likert": "integer", "number": "number", "slider": "number"}
"""Types of items whose answers are numbers, and those of their columns."""


@dataclass(frozen=True)
class Asked:
    """An item on a page: the type of its answers, and the keys of the item and the title of the page in the
    study's file, if that is stored.
    """

    page: str
    item: str
    kind: str = "text"
    keys: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""

    @property
    def question(self) -> str:
        """The question, or what is known of it."""
        asked = " ".join(str(self.keys.get("ask", "")).split())
        return asked or f"Answer to the item {self.item} of the page {self.page}"

    @property
    def levels(self) -> dict[str, str]:
        """What the values mean, where that is fixed."""
        keys = self.keys
        if options := keys.get("options"):
            return {option: option for option in options}
        if "points" not in keys:
            return {}
        ends = {"1": keys.get("low"), str(keys["points"]): keys.get("high")}
        return {str(point): ends.get(str(point)) or str(point) for point in range(1, keys["points"] + 1)}

    def value(self, answer: str) -> str | float | int | None:
        """An answer as the value of a column; None for one that was left out."""
        if not answer or self.kind == "text":
            return answer or None
        number = _number(answer)
        return int(number) if number is not None and self.kind == "integer" else number


def asked_items(store: Store, study: str, answers: Sequence[Answer]) -> list[Asked]:
    """The items that these answers are to: pages by first answer, items in the order of the study's file."""
    files = [note.data["study"] for note in store.study_notes(study) if note.kind == CONFIG]
    pages = {page["name"]: page for page in (files[-1] if files else {}).get("questionnaires", ())}
    given: dict[str, dict[str, list[str]]] = {}
    for answer in answers:
        given.setdefault(answer.page, {}).setdefault(answer.item, []).append(answer.value)
    found = []
    for name, items in given.items():
        # At a break the page has a number.
        page = pages.get(name) or pages.get(name.rpartition("-")[0]) or {}
        keys = {item["id"]: item for item in page.get("items", ())}
        for item in sorted(items, key=[*keys, *items].index):
            known = keys.get(item, {})
            found.append(Asked(name, item, _kind(known, items[item]), known, str(page.get("title", ""))))
    return found


def _kind(keys: Mapping[str, Any], answers: Sequence[str]) -> str:
    """The type of answers; text if one fits no longer, because the study was another before."""
    kind = NUMBERS.get(str(keys.get("type")), "text")
    numbers = [_number(answer) for answer in answers if answer]
    if None in numbers or (kind == "integer" and any(number != round(number or 0) for number in numbers)):
        return "text"
    return kind


def _number(answer: str) -> float | None:
    try:
        return float(answer.replace(",", "."))
    except ValueError:
        return None
