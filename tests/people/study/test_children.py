"""For children: a parent's page, one question at a time, pictures as answers, a voice, no numbers."""

import pytest

from arena.errors import ConfigError
from people.study.links import parents_path, signing_key
from people.study.load import study_of
from tests.people.chromium import browser, watched_page
from tests.people.study.media import write_picture
from tests.people.study.server import TINY, StudyServer
from tests.people.study.test_browser import press, until
from tests.people.study.walk import Walker, client_of

CHILD = TINY + "style: child\nspeech: true\n"
FACES = """\
      - {id: face, type: choice, ask: How are you?, options: [Sad, Happy], pictures: [sad.png, happy.png]}
      - {id: why, type: text, ask: Why?, if: {face: Sad}}
      - {id: how,"""
FACED = CHILD.replace("      - {id: how,", FACES).replace("when: after", "when: before")


def test_a_parent_sees_how_far_the_child_is_and_may_stop(app):
    study, store = app(CHILD)
    link = parents_path(signing_key(store, "tiny"), "p1")
    parent = client_of(study)
    assert "Your child has not begun yet." in parent.get(link).text
    walker = Walker(study, "p1").agree()
    assert "Part 1 of 9" in parent.get(link).text
    walker.answer()
    assert "Part 2 of 9" in parent.get(link).text
    stranger = parents_path(signing_key(store, "tiny"), "p2").rpartition("/")[2]
    wrong = f"/parent/p1/{stranger}"
    assert (parent.get(wrong).status_code, parent.post(wrong).status_code) == (404, 404)
    assert walker.stage == "introduction-tutorial"
    assert parent.post(link).headers["location"] == link
    assert "The study is over for your child." in parent.get(link).text
    assert "You have stopped" in walker.open().text
    (me,) = store.participants("tiny")
    left = [note.data for note in store.notes(me.id) if note.kind == "withdrawn"]
    assert left == [{"stage": "introduction-tutorial", "by": "parent"}]
    assert parent.post(link).status_code == 303


def test_a_look_of_the_parent_does_not_bring_back_who_has_left(app):
    study, store = app(CHILD)
    Walker(study, "p1").agree()
    (me,) = store.participants("tiny")
    store.note(me.id, "left", {"by": "timeout"})
    shown = client_of(study).get(parents_path(signing_key(store, "tiny"), "p1")).text
    assert "The study is over for your child." in shown
    assert "returned" not in [note.kind for note in store.notes(me.id)]


def test_adults_have_no_parents(app):
    study, store = app()
    assert client_of(study).get(parents_path(signing_key(store, "tiny"), "p1")).status_code == 404


def test_links_are_printed_for_parents_too(tmp_path, command):
    (tmp_path / "study.yaml").write_text(CHILD)
    (tmp_path / "ids.txt").write_text("12\n")
    files = ("--db", tmp_path / "study.db", "--links", tmp_path / "ids.txt")
    done = command("study", tmp_path / "study.yaml", *files, "--url", "https://lab.example/")
    head, row = done.stdout.splitlines()
    assert head == "id,link,parent"
    assert row.split(",")[2].startswith("https://lab.example/parent/12/")


def test_each_answer_has_one_picture():
    with pytest.raises(ConfigError, match="got 1 pictures for 2 options"):
        study_of(FACED.replace("[sad.png, happy.png]", "[sad.png]"), "s")


@pytest.mark.skipif(browser() is None, reason="no browser; install one: make browser")
def test_a_child_sees_one_thing_at_a_time_and_no_numbers(tmp_path, chromium):
    for name in ("sad", "happy"):
        write_picture(tmp_path / f"{name}.png")
    with (
        StudyServer(tmp_path, FACED) as server,
        watched_page(chromium, lambda text: "ERR_CONNECTION" in text) as page,
    ):
        page.goto(f"{server.url}/?PROLIFIC_PID=child")
        _speaks(page)
        press(page, "I agree to take part")
        page.fill("#item-age", "7")
        press(page, "Next")
        _one_at_a_time(page)
        press(page, "Let's go!")
        until(page, "ready")
        page.keyboard.press("Enter")
        until(page, "running")
        assert page.is_visible("#health")
        assert not any(map(page.is_visible, ("#step", "#health-number")))
        page.goto("about:blank")


def _speaks(page) -> None:
    """The button makes the browser say what the page shows, in its language."""
    page.evaluate("() => { speechSynthesis.speak = (said) => { window.said = [said.text, said.lang]; }; }")
    press(page, "Listen")
    text, language = page.evaluate("said")
    assert "You may stop at any time." in text
    assert language == "en"
    assert "Your browser reads the text aloud." in page.inner_text("header")


SHOWN = """(id) => [...document.querySelectorAll(".item")].every(
  (each) => Boolean(each.offsetParent) === (each.dataset.item === id))"""


def asked(page, item: str) -> None:
    """Wait until this item alone is shown."""
    page.wait_for_function(SHOWN, arg=item)


def _one_at_a_time(page) -> None:
    """Each question after the one before is answered; those that are not asked are left out."""
    asked(page, "again")
    press(page, "Next")
    assert page.inner_text(".problem") == "Please answer this one, too."
    page.get_by_text("Yes", exact=True).click()
    press(page, "Next")
    asked(page, "face")
    page.wait_for_function("() => document.querySelector('.pictured img').naturalWidth === 8")
    assert page.get_by_role("radio", name="Happy").count() == 1
    page.get_by_text("Happy").click()
    press(page, "Next")
    asked(page, "how")
    press(page, "Next")
    page.wait_for_selector('button:has-text("Let\'s go!")')
