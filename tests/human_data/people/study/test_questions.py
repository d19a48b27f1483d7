"""Questionnaires: kinds of items, attention checks, branching and screening."""

import pytest

from human_data.people.store import Store
from tests.human_data.people.study.server import TINY
from tests.human_data.people.study.walk import Walker

KINDS = TINY.replace(
    "items: [{id: age, type: number, ask: How old are you?, least: 5, most: 120, whole: true}]",
    """items:
      - {id: pets, type: checkbox, ask: Which pets?, options: [Cat, "Dog, big", Fish], required: false}
      - {id: mood, type: slider, ask: How do you feel?, low: sad, high: happy, step: 0.5}
      - {id: born, type: date, ask: When were you born?, least: 1900-01-01}
      - {id: colour, type: text, ask: Please write blue., expect: [blue, azure]}
      - {id: both, type: checkbox, ask: Choose A and C., options: [A, B, C], expect: [A, C]}""",
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


@pytest.mark.parametrize("pets", [["Cat", "Horse"], ["Cat", "Cat"]])
def test_nothing_but_the_options_can_be_chosen(app, pets):
    walker = Walker(app(KINDS)[0], "p1").agree()
    assert "Please choose one of these." in walker.send("/go", **{"item-pets[]": pets}).text
