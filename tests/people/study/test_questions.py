"""Questionnaires: kinds of items, attention checks, branching and screening."""

import re

import pytest

from arena.errors import ConfigError
from people.store import Store
from people.study.load import study_of
from people.study.server import Overview
from tests.cases import cases
from tests.people.study.server import TINY
from tests.people.study.walk import Walker

CASES = cases(__file__)

KINDS = TINY.replace(
    "items: [{id: age, type: number, ask: How old are you?, least: 5, most: 120, whole: true}]",
    CASES["kinds"],
)


def answers_of(store: Store, walker: Walker) -> dict[str, tuple]:
    found = store.answers(store.participant(walker.token).id)
    return {answer.item: (answer.value, answer.asked, answer.as_expected) for answer in found}


def test_every_kind_of_answer_is_stored(app):
    study, store = app(KINDS)
    walker = Walker(study, "p1").agree()
    page = walker.page.text
    assert 'type="checkbox" name="item-pets[]" value="Dog, big"' in page
    assert 'min="0.0" max="100.0" step="0.5"' in page
    given = {"item-pets[]": ["Dog, big", "Fish"], "item-born": "1899-12-31", "item-both[]": ["A", "B"]}
    wrong = walker.send("/go", **given, **{"item-mood": "50.25", "item-colour": " BLUE "})
    assert wrong.status_code == 422
    assert "Please enter 1900-01-01 or a later date." in wrong.text
    assert 'value="Dog, big" checked' in wrong.text
    assert 'value="Cat" checked' not in wrong.text
    assert wrong.text.count('class="problem"') == 2
    walker.send("/go", **given | {"item-born": "2019-05-01", "item-mood": "50.5", "item-colour": "BLUE"})
    assert walker.stage == "introduction-tutorial"
    assert answers_of(store, walker) == {
        "pets": ('["Dog, big", "Fish"]', True, None), "mood": ("50.5", True, None),
        "born": ("2019-05-01", True, None), "colour": ("BLUE", True, True),
        "both": ('["A", "B"]', True, False),
    }  # fmt: skip


BRANCHES = TINY.replace(
    "items: [{id: age, type: number, ask: How old are you?, least: 5, most: 120, whole: true}]",
    CASES["branches"],
).replace(
    "completion: {", "attention: {allowed: 0}\ncompletion: {returns: {screened: 'https://x/{participant}'}, "
)
AGED_9 = {"item-age": "9", "item-glasses": "No", "item-check": "2"}


def notes_of(store: Store, walker: Walker) -> list[tuple]:
    notes = store.notes(store.participant(walker.token).id)
    return [(note.kind, note.data) for note in notes if note.kind in ("passed", "ended", "completed")]


def test_items_and_pages_are_asked_if_earlier_answers_fit(app):
    study, store = app(BRANCHES)
    walker = Walker(study, "p1").agree()
    shown = re.findall(r'class="item of-\w+"( data-\w+.*? data-item="\w+")', walker.page.text)
    assert shown == [' data-decisive data-item="glasses"', ' data-asked="False" data-item="strength"']
    for answer, asked in (("Yes", True), ("yes", False), ("No", False), ("", False)):
        filled_in = {"stage": walker.stage, **AGED_9, "item-glasses": answer}
        found = walker.client.post("/asked", data=filled_in).json()
        assert found == ["age", "glasses", *["strength"] * asked, "check"]
    assert walker.client.post("/asked", data={"stage": "questions-grown"}).status_code == 409
    # An answer to what was not asked is not stored; one to what was asked is needed.
    assert walker.send("/go", **AGED_9 | {"item-glasses": "Yes"}).status_code == 422
    walker.send("/go", **AGED_9, **{"item-strength": "3"})
    # A child skips both pages about driving.
    assert walker.stage == "introduction-tutorial"
    assert answers_of(store, walker) == {
        "age": ("9", True, None), "glasses": ("No", True, None), "strength": ("", False, None),
        "check": ("2", True, True), "job": ("", False, None), "licence": ("", False, None),
        "years": ("", False, None),
    }  # fmt: skip
    assert notes_of(store, walker) == [
        ("passed", {"stage": "questions-background"}),
        ("passed", {"stage": "questions-grown", "asked": False}),
        ("passed", {"stage": "questions-driving", "asked": False}),
    ]
    adult = Walker(study, "p2").agree()
    adult.send("/go", **AGED_9 | {"item-age": "18,0", "item-glasses": "Yes", "item-strength": "3"})
    assert adult.stage == "questions-grown"
    adult.send("/go", **{"item-job": "Pilot", "item-licence": "Yes"})
    assert adult.stage == "questions-driving"
    assert answers_of(store, adult)["age"] == ("18", True, None)
    adult.send("/go", **{"item-years": "٥,50"})
    assert answers_of(store, adult)["years"] == ("5.5", True, None)
    assert adult.stage == "introduction-tutorial"


def test_who_does_not_fit_the_study_is_thanked_and_sent_back(app):
    study, store = app(BRANCHES)
    walker = Walker(study, "p1").agree()
    walker.send("/go", **AGED_9 | {"item-age": "6"})
    assert "The study ends here" in walker.page.text
    assert 'href="https://x/p1"' in walker.page.text
    assert notes_of(store, walker)[1:] == [("ended", {"ending": "screened"})]
    # For good: neither by the link nor by a form.
    again = Walker(study, "p1")
    assert "The study ends here" in again.page.text
    again.send("/go", stage="introduction-tutorial", **AGED_9)
    assert "The study ends here" in again.page.text
    (row,) = Overview(study.state.study.plan).rows(store)
    assert (row.stage, row.ended) == ("screened", True)


def test_failed_attention_checks_end_the_study(app):
    study, store = app(BRANCHES)
    fails = Walker(study, "p1").agree()
    fails.send("/go", **AGED_9 | {"item-check": "3"})
    assert "The study ends here" in fails.page.text
    assert answers_of(store, fails)["check"] == ("3", True, False)
    passes = Walker(study, "p2").agree()
    passes.send("/go", **AGED_9)
    assert passes.stage == "introduction-tutorial"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    CASES["wrong"],
    ids=lambda value: str(value)[-24:],
)  # fmt: skip
def test_nonsense_is_refused_with_its_line(old, new, message):
    text = BRANCHES.replace(old, new, 1)
    assert text != BRANCHES
    with pytest.raises(ConfigError, match=message):
        study_of(text, "study.yaml")
