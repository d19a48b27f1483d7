"""A whole study in a real browser, from consent to the completion link, with a crash of the server."""

import re
import signal

import pytest

from arena import ACTIONS
from tests.people.chromium import WAIT_MS, skip_without_browser, watched_page
from tests.people.study.media import write_picture, write_sound
from tests.people.study.server import TINY, StudyServer

skip_without_browser()

PLAY_WORDS = """\
language: nl
palette: colour-safe
play_words: {"Task {n} of {count}": "Taak {n} van {count}", Pause: Pauzeren, Health: Gezondheid}
"""
STUDY = TINY + PLAY_WORDS
STUDY = STUDY.replace(
    "      - {id: how,",
    """      - {id: what, type: checkbox, ask: What did you see?, options: [Balls, Walls, Ghosts]}
      - {id: fun, type: slider, ask: How much fun was it?, low: little, high: a lot}
      - {id: why, type: text, ask: Why not?, if: {again: No}}
      - {id: how,""",
)
STUDY = STUDY.replace(
    'text: "You may **stop** at any time."', 'text: "![A ball](ball.png)", sound: consent.wav'
)
STEPS = "Number(document.getElementById('step')?.textContent.split(' ')[1])"
REFUSED = "the server responded with a status of 422"


@pytest.fixture
def page(chromium):
    """A participant's page; any error on it fails the test, except refused answers."""
    with watched_page(chromium, lambda text: REFUSED in text or "ERR_CONNECTION" in text) as page:
        yield page


def until(page, state: str) -> None:
    page.wait_for_function("(state) => document.body?.dataset.state === state", arg=state)


def drive(page, key: str = "ArrowLeft") -> None:
    """Start the task, and drive for some steps."""
    until(page, "ready")
    page.keyboard.press("Enter")
    until(page, "running")
    page.keyboard.down(key)
    page.wait_for_function(f"() => {STEPS} > 4")
    page.keyboard.up(key)
    page.keyboard.press("Escape")
    until(page, "paused")


def finish(page) -> None:
    page.get_by_role("button", name="Stop this task").click()
    until(page, "end")
    page.keyboard.press("Enter")


def press(page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_a_whole_study(tmp_path, page):
    write_picture(tmp_path / "ball.png")
    write_sound(tmp_path / "consent.wav")
    server = StudyServer(tmp_path, STUDY)
    link = f"{server.url}/?PROLIFIC_PID=abc123&STUDY_ID=s1&SESSION_ID=no"
    page.goto(link)
    page.wait_for_function("() => document.querySelector('.prose img')?.naturalWidth === 8")
    page.evaluate("() => { document.querySelector('audio').preload = 'metadata'; }")
    page.wait_for_function("() => document.querySelector('audio').duration === 1")
    press(page, "I agree to take part")
    press(page, "Continue")
    assert page.inner_text(".problem") == "Please answer this question."
    page.fill("#item-age", "9")
    press(page, "Continue")
    press(page, "Begin")
    drive(page)
    assert page.inner_text("#pause").startswith("Pauzeren")
    assert page.inner_text("#health-label") == "Gezondheid"
    assert "#colour-safe" in page.evaluate("getComputedStyle(document.getElementById('stage')).filter")
    finish(page)
    drive(page, "ArrowUp")
    # The server is killed in a task, the browser reopened by its link; actions older than 100 ms are stored.
    page.wait_for_timeout(300)
    steps = page.evaluate(STEPS)
    server.stop(signal.SIGKILL)
    server = StudyServer(tmp_path, STUDY, port=server.port)
    try:
        page.context.clear_cookies()
        page.goto(link)
        until(page, "paused")
        page.wait_for_function(f"(steps) => {STEPS} === steps", arg=steps)
        finish(page)
        _rest(page)
        assert (
            page.get_attribute("#finish", "href") == "https://app.prolific.com/submissions/complete?cc=C1A2"
        )
        assert page.inner_text(".code code") == "C1A2"
        _everything_is_there(server)
    finally:
        page.goto("about:blank")
        server.stop()


def _rest(page) -> None:
    """The second try of practice, both test tasks with the break between, and the last questions."""
    for _ in range(2):
        drive(page)
        finish(page)
    page.wait_for_selector(".scale")
    page.locator(".scale label").nth(3).click()
    press(page, "Continue")
    assert "You have done 1 of 2 tasks." in page.inner_text(".prose")
    press(page, "Continue")
    drive(page)
    assert page.inner_text("#place") == "Taak 2 van 2"
    finish(page)
    why = page.get_by_label("Why not?")
    assert not why.is_visible()
    page.get_by_text("No", exact=True).click()
    why.fill("Enough")
    page.get_by_label("Balls").check()
    page.get_by_label("Walls").check()
    page.get_by_label("How did you").fill("By looking\nround <b>")
    slider = page.get_by_label("How much fun was it?")
    assert slider.get_attribute("aria-valuetext") == "not answered yet"
    press(page, "Continue")
    assert page.inner_text(".problem") == "Please answer this question."
    # Pressed where it stands: that is an answer, too.
    slider.and_(page.locator("[aria-valuetext]")).click()
    slider.and_(page.locator(":not([aria-valuetext])")).wait_for()
    slider.press("ArrowRight")
    page.emulate_media(forced_colors="active")
    chosen = page.locator(".option:has(:checked)").first
    assert chosen.evaluate("(option) => getComputedStyle(option).outlineStyle") == "solid"
    page.emulate_media(forced_colors="none")
    press(page, "Continue")
    page.wait_for_selector("#finish")


def _everything_is_there(server: StudyServer) -> None:
    with server.store() as store:
        person = next(each for each in store.participants("tiny") if each.code == "abc123")
        assert person.link == {"PROLIFIC_PID": "abc123", "STUDY_ID": "s1"}
        trials = store.trials(person.id)
        assert [trial.position for trial in trials] == [-2, -1, -1, 0, 1]
        for trial in trials:
            taken = [row.action for row in store.actions(trial.id)]
            scored = [ACTIONS.index(action) for action in store.recording(trial.id).unpacked()]
            assert (taken, trial.ended_by) == (scored[: trial.steps_played], "stopped")
            # Left or forward, as the keys were held.
            assert {2, 3} & set(taken)
        answers = {(answer.page, answer.item): answer.value for answer in store.answers(person.id)}
        assert answers == {
            ("background", "age"): "9", ("mood-1", "tired"): "4",
            ("afterwards", "again"): "No", ("afterwards", "what"): '["Balls", "Walls"]',
            ("afterwards", "fun"): "51", ("afterwards", "why"): "Enough",
            ("afterwards", "how"): "By looking\nround <b>",
        }  # fmt: skip
        notes = store.notes(person.id)
        assert [note.kind for note in notes if note.kind in ("consent", "order", "completed")] == [
            "consent", "order", "completed",
        ]  # fmt: skip
        assert [note.data["stage"] for note in notes if note.kind == "passed"] == [
            "questions-background", "introduction-tutorial", "questions-mood-1", "break-1",
            "questions-afterwards",
        ]  # fmt: skip
        assert {"start", "pause", "stop"} <= {note.kind for note in notes}


def test_an_older_window_says_so_and_the_experimenter_watches(server, page, chromium):
    page.goto(f"{server.url}/?PROLIFIC_PID=tabs")
    press(page, "I agree to take part")
    page.wait_for_selector("#item-age")
    newer = page.context.new_page()
    newer.goto(f"{server.url}/?PROLIFIC_PID=tabs")
    page.wait_for_selector("#elsewhere[open]")
    assert page.inner_text("#elsewhere p") == "This page was opened in another window. Please continue there."
    newer.fill("#item-age", "9")
    press(newer, "Continue")
    press(newer, "Begin")
    drive(newer)
    context = chromium.new_context()
    watcher = context.new_page()
    watcher.set_default_timeout(WAIT_MS)
    watcher.goto(server.experimenter)
    assert "tutorial, task 1 of 1: 01-01-01" in watcher.locator("tr", has_text="tabs").inner_text()
    finish(newer)
    until(newer, "ready")
    watcher.wait_for_function(
        "() => document.querySelector('#table').innerText.includes('practice, task 1 of 1')"
    )
    watcher.get_by_role("link", name="tabs").click()
    watcher.get_by_role("link", name="Replay").click()
    watcher.wait_for_selector("#replay[data-pictures]")
    assert int(watcher.get_attribute("#replay", "data-pictures")) > 4
    watcher.wait_for_function("() => document.getElementById('status').textContent.startsWith('Step ')")
    shown = "document.querySelector('canvas').getContext('2d').getImageData(192, 192, 1, 1).data[3]"
    assert watcher.evaluate(shown) == 255
    context.close()
    assert not re.search("token", newer.content())
