"""Questionnaires by SurveyJS: shown in a real browser, and checked by the server."""

import json
from random import Random

import pandas as pd
import pytest

from arena.errors import ConfigError
from people.simulation.simulate import answered
from people.store.export import export
from people.study.load import study_of
from tests.cases import cases
from tests.people.chromium import browser, watched_page
from tests.people.study.media import write_picture
from tests.people.study.server import TINY, StudyServer
from tests.people.study.test_questions import answers_of
from tests.people.study.walk import Walker

CASES = cases(__file__)

ITEMS = "items: [{id: age, type: number, ask: How old are you?, least: 5, most: 120, whole: true}]"
STUDY = TINY.replace(ITEMS, "survey: about.json")
CHOICES = [{"value": "l", "text": "left"}, {"value": "r", "text": "right"}]
PICTURES = [{"value": "one", "imageLink": "ball.png"}, "two"]
FIRST = [
    {"type": "html", "name": "hello", "html": "<b>Hello</b>"},
    {"type": "text", "name": "age", "title": "Age?", "inputType": "number", "min": 5, "isRequired": True},
    {"type": "radiogroup", "name": "hand", "choices": CHOICES, "showOtherItem": True, "isRequired": True},
    {"type": "comment", "name": "why", "title": "Why?", "visibleIf": "{hand} = 'other'", "isRequired": True},
    {"type": "checkbox", "name": "pets", "choices": ["cat", "dog"], "showNoneItem": True},
    {"type": "boolean", "name": "driver", "title": {"default": "Do you drive?", "de": "?"}},
]
SCALE = {"rows": ["calm", "tense"], "columns": [1, 2.5, {"value": True, "text": "very"}]}
SECOND = [
    {"type": "matrix", "name": "mood", **SCALE, "eachRowRequired": True},
    {"type": "panel", "visibleIf": "{age} > 17", "elements": [{"type": "text", "name": "job"}]},
    {"type": "rating", "name": "fun", "rateMin": 0, "rateMax": 10, "correctAnswer": 3},
    {"type": "imagepicker", "name": "ball", "choices": PICTURES},
    {"type": "ranking", "name": "order", "choices": ["a", "b"]},
    {"type": "text", "name": "born", "inputType": "date", "min": "1900-01-01"},
    {"type": "multipletext", "name": "home", "items": [{"name": "town", "maxLength": 5}, {"name": "street"}]},
    {"type": "slider", "name": "pain", "step": 5},
]
SURVEY = {"title": "Hidden", "pages": [{"elements": FIRST}, {"elements": SECOND}]}
RIGHT = {
    **{"age": "30", "hand": "other", "hand-Comment": "both", "why": "so", "pets[]": ["cat", "none"]},
    **{"mood.calm": "2.5", "mood.tense": "true", "job": "", "fun": "3", "ball": "one", "order[]": ["b", "a"]},
    **{"driver": "false", "born": "1990-01-01", "home.town": "Bern", "home.street": "", "pain": "55"},
}


@pytest.fixture
def survey(tmp_path):
    """Writes a survey beside the study."""
    write_picture(tmp_path / "ball.png")
    return lambda survey=SURVEY: (tmp_path / "about.json").write_text(json.dumps(survey))


def send(walker: Walker, answers: dict):
    return walker.send("/go", **{f"item-{name}": value for name, value in answers.items()})


def test_answers_are_checked_stored_and_exported(app, survey, tmp_path):
    survey()
    study, store = app(STUDY)
    walker = Walker(study, "p1").agree()
    assert 'id="survey"' in walker.page.text
    assert "ball.png" not in walker.page.text
    unasked = {name: value for name, value in RIGHT.items() if name not in ("why", "job")}
    for changed, told in CASES["refused"]:
        refused = send(walker, unasked | changed)
        assert refused.status_code == 422
        assert told in refused.text
    assert "has no question &#39;size&#39;" in send(walker, RIGHT | {"size": "1"}).text
    walker.open()
    send(walker, unasked)
    assert walker.stage == "introduction-tutorial"
    found = answers_of(store, walker)
    assert found["why"] == found["job"] == ("", False, None)
    assert found["pets"] == ('["cat", "none"]', True, None)
    assert found["fun"] == ("3", True, True)
    export(store, "tiny", tmp_path / "data", bids=True)
    wide = pd.read_csv(tmp_path / "data" / "participants_wide.csv")
    assert wide[["background.age", "background.fun"]].to_numpy().tolist() == [[30, 3]]
    book = json.loads((tmp_path / "data" / "codebook.json").read_text())["tables"]["participants_wide.csv"]
    assert {"mood: calm (true: very)", "hand (l: left; r: right)"} <= {
        column["description"] for column in book["columns"]
    }


def test_a_survey_is_part_of_the_study(app, survey, tmp_path):
    survey()
    text = STUDY.replace("survey: about.json", "survey: about.json\n    screen: {age: {least: 18}}")
    study, source = app(text)[0].state.study, Random(1)
    assert study.study.questionnaires[0].survey == SURVEY
    assert len(study.plan.media) == 1
    for _ in range(9):
        assert float(answered(study.study, study.study.questionnaires[0], {}, source)["age"]) >= 18
    other = "conditions: {a: {}, b: {questionnaires: [{name: x, when: after, title: X, survey: about.json}]}}"
    both = study_of(f"{TINY}{other}", str(tmp_path / "study.yaml"))[0]
    assert both.conditions["b"]["questionnaires"][0]["survey"] == SURVEY


WRONG = [
    *CASES["wrong"],
    (SURVEY | {"triggers": [{}]}, "the study: triggers is not supported"),
    ({"elements": [{"type": "image", "name": "a", "imageLink": "https://x/y.png"}, FIRST[1]]}, "//x/y.png"),
]


def test_a_wrong_survey_is_refused_with_its_place(app, survey, tmp_path):
    for wrong, told in WRONG:
        survey(wrong)
        if wrong == "{":
            (tmp_path / "about.json").write_text(wrong)
        with pytest.raises(ConfigError) as error:
            app(STUDY)
        assert ": questionnaires.0.survey: " in str(error.value)
        assert told in str(error.value)
    for text in (STUDY.replace("about", "absent"), STUDY.replace("survey: about.json", "survey: [a]")):
        with pytest.raises(ConfigError, match=r"absent.json|expected the name of a file"):
            app(text)


@pytest.mark.skipif(browser() is None, reason="no browser")
def test_a_survey_is_filled_in(chromium, survey, tmp_path):
    survey()
    with StudyServer(tmp_path, STUDY.replace("A tiny study", "A tiny study\nlanguage: de")) as server:
        with watched_page(chromium, lambda text: "inline style violates" in text) as page:
            page.goto(f"{server.url}/?PROLIFIC_PID=abc")
            page.locator("button.primary").click()
            page.get_by_role("button", name="Weiter").click()
            assert page.get_by_text("Bitte beantworten Sie diese Frage.").count() == 2
            page.get_by_label("Age?").fill("30")
            page.get_by_text("Sonstiges").click()
            page.locator("[data-name=hand] textarea, [data-name=hand] input[type=text]").fill("both")
            page.get_by_label("Why?").fill("so")
            page.get_by_text("cat").click()
            page.get_by_role("button", name="Weiter").click()
            for row in (1, 2):
                page.locator("[data-name=mood] tr").nth(row).locator("label").nth(row).click()
            page.locator("[data-name=fun] label").nth(3).click()
            page.locator("[data-name=ball] label").first.click()
            assert page.locator("[data-name=ball] img").first.evaluate("(image) => image.naturalWidth") == 8
            page.get_by_role("button", name="Weiter").click()
            page.wait_for_selector("text=Use the arrow keys.")
        with server.store() as store:
            [person] = store.participants("tiny")
            found = {answer.item: answer.value for answer in store.answers(person.id) if answer.value}
        given = {name: RIGHT[name] for name in ("age", "hand", "hand-Comment", "why", "fun", "ball")}
        given |= {"pets": '["cat"]', "mood.calm": "2.5", "mood.tense": "true"}
        assert found.items() >= given.items()
