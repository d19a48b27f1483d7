"""Pages and items to ask, and screening, depending on earlier answers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from evaluation.by_hand.form import Accepted, Item
from people.store.tables import Answer
from people.study.config import Questionnaire, Study

Given = Mapping[tuple[str, str], str]
"""Answers to items that were asked, by page and item."""
Problem = tuple[tuple[str | int, ...], str]
"""Key path of a value in the file, and its problem."""


class Source(NamedTuple):
    """The item that an `if` refers to, and its page."""

    page: Questionnaire
    item: Item


def given(answers: Sequence[Answer]) -> Given:
    """Return the answers to items that were asked."""
    return {(answer.page, answer.item): answer.value for answer in answers if answer.asked is not False}


def is_page_asked(study: Study, page: Questionnaire, answers: Given) -> bool:
    """Return whether an item of a page can follow these answers."""
    return _holds(study, page, page.if_, answers, {}) and bool(form_items(study, page, answers))


def form_items(study: Study, page: Questionnaire, answers: Given) -> list[tuple[Item, set[str]]]:
    """Return items not excluded by earlier pages, with same-page deciding ids."""
    items = []
    for item in page.items:
        sources = {name: _source(study, page, name) for name in item.if_}
        here = {name: source.item.id for name, source in sources.items() if source and source.page is page}
        if _holds(study, page, {k: v for k, v in item.if_.items() if k not in here}, answers, {}):
            items.append((item, set(here.values())))
    return items


def asked_items(
    study: Study, page: Questionnaire, answers: Given, filled_in: Mapping[str, str]
) -> list[Item]:
    """Return the asked items of a page filled in like this."""
    asked: list[Item] = []
    here: dict[str, str] = {}
    for item in page.items:
        shown = item.id in filled_in or not item.conditional
        if shown and _holds(study, page, item.if_, answers, here):
            asked.append(item)
            here[item.id] = filled_in.get(item.id, "")
    return asked


def is_screened_out(study: Study, answers: Sequence[Answer]) -> bool:
    """Return whether answers do not fit the study. Too many failed attention checks count as well."""
    failed = sum(answer.as_expected is False for answer in answers)
    if study.attention is not None and failed > study.attention.allowed:
        return True
    values = given(answers)
    pages = {page: _page_named(study, page) for page, _ in values}
    return any(
        not questionnaire.item(item).accepts(values[name, item], accepted)
        for name, questionnaire in pages.items() if questionnaire is not None
        for item, accepted in questionnaire.screen.items() if (name, item) in values
    )  # fmt: skip


def question_problems(study: Study) -> Iterator[Problem]:
    """Yield problems of the keys if, screen and attention."""
    for number, page in enumerate(study.questionnaires):
        loc = ("questionnaires", number)
        yield from _rule_problems(study, page, page.if_, (*loc, "if"), ())
        for place, item in enumerate(page.items):
            before = page.items[:place]
            yield from _rule_problems(study, page, item.if_, (*loc, "items", place, "if"), before)
        for name, accepted in page.screen.items():
            yield from _screen_problems(page, name, accepted, (*loc, "screen", name))
    checks = [page.when for page in study.questionnaires for item in page.items if item.expect]
    if study.attention is not None and not checks:
        yield ("attention",), "attention: no item has the key expect, which makes it an attention check"
    elif study.attention is not None and "between" not in checks and study.attention.allowed >= len(checks):
        got, count = study.attention.allowed, len(checks)
        yield ("attention", "allowed"), f"attention.allowed: got {got}, but only {count} can be failed"


def _rule_problems(
    study: Study,
    page: Questionnaire,
    rules: Mapping[str, Accepted],
    loc: tuple[str | int, ...],
    before: Sequence[Item],
) -> Iterator[Problem]:
    for name, accepted in rules.items():
        source = _source(study, page, name)
        if source is None or (source.page is page and source.item not in before):
            why = "no earlier item has that id, or several have; then write PAGE.ITEM"
            if any(name in names for other in study.questionnaires for names in _names(other)):
                why = (
                    "it must be asked once and before: earlier on this page, or on an earlier page that is "
                    "not shown at every break; if several pages have the id, write PAGE.ITEM"
                )
            yield (*loc, name), f"{'.'.join(map(str, loc))}: {name}: {why}"
        elif problem := source.item.accepted_problem(accepted):
            yield (*loc, name), f"{'.'.join(map(str, loc))}: {name}: {problem}"


def _screen_problems(
    page: Questionnaire, name: str, accepted: Accepted, loc: tuple[str | int, ...]
) -> Iterator[Problem]:
    place = ".".join(map(str, loc))
    item = next((item for item in page.items if item.id == name), None)
    if item is None:
        yield loc, f"{place}: the page has no item {name}"
    elif not item.required:
        yield loc, f"{place}: the item is optional; remove required: false, or the item from screen"
    elif problem := item.accepted_problem(accepted):
        yield loc, f"{place}: {problem}"


def _holds(
    study: Study, page: Questionnaire, rules: Mapping[str, Accepted], answers: Given, here: Mapping[str, str]
) -> bool:
    """Return whether answers, same-page ones in `here`, fit all rules. Skipped items never fit."""
    for name, accepted in rules.items():
        source = _source(study, page, name)
        assert source is not None
        other, item = source
        value = here.get(item.id, "") if other is page else answers.get((other.name, item.id), "")
        if not item.accepts(value, accepted):
            return False
    return True


def _source(study: Study, page: Questionnaire, name: str) -> Source | None:
    """Return the item of this name before the end of `page`. None without a unique one."""
    order = ("before", "between", "after")
    pages = sorted(study.questionnaires, key=lambda each: order.index(each.when))
    earlier = [each for each in pages[: pages.index(page)] if each.when != "between"]
    for candidates in ([page], earlier):
        found = [
            Source(each, item)
            for each in candidates
            for item, names in zip(each.items, _names(each), strict=True)
            if name in names
        ]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _names(page: Questionnaire) -> list[tuple[str, str]]:
    """Return the names by which an `if` may refer to items. They are given for each item of a page."""
    return [(item.id, f"{page.name}.{item.id}") for item in page.items]


def _page_named(study: Study, name: str) -> Questionnaire | None:
    """Return the questionnaire whose answers are stored under a name. At breaks it ends in their number."""
    for page in study.questionnaires:
        if name == page.name or (page.when == "between" and name.rpartition("-")[0] == page.name):
            return page
    return None
