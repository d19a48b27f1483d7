"""The page in a real browser, played with the keyboard."""

import io
from contextlib import closing

import numpy as np
import pytest
from PIL import Image

from llm_control.agents.pixels import GREEN, blobs
from people.play.security import COOKIE
from tests.people.chromium import skip_without_browser, watched_page
from tests.people.play.line import Line

skip_without_browser()

DEGREES_PER_S = 100
"""How fast the agent turns."""

MOST_LOOKS = 200


@pytest.fixture
def page(chromium):
    """A new participant's page; any error on it fails the test."""
    # Chromium itself reports that a server does not respond.
    with watched_page(chromium, lambda text: "WebSocket connection to" in text) as page:
        yield page


def state(page) -> str:
    return page.evaluate("document.body.dataset.state")


def until(page, *states: str) -> str:
    page.wait_for_function("(states) => states.includes(document.body.dataset.state)", arg=list(states))
    return state(page)


def opened(page, url: str) -> None:
    page.goto(url)
    until(page, "ready")


def seen(page):
    """The agent's view, uint8 (512, 512, 3), as it is on the screen."""
    picture = Image.open(io.BytesIO(page.locator("#canvas").screenshot())).convert("RGB")
    return np.asarray(picture.resize((512, 512)))


def hold(page, key: str, seconds: float) -> None:
    page.keyboard.down(key)
    page.wait_for_timeout(1000 * seconds)
    page.keyboard.up(key)


def steer(page) -> None:
    """Look, and press a key: towards the ball, or turn until one is visible."""
    found = blobs(seen(page), GREEN)
    bearing = found[0].bearing if found else 60.0
    if abs(bearing) > 8:
        hold(page, "ArrowRight" if bearing > 0 else "ArrowLeft", abs(bearing) / DEGREES_PER_S)
    else:
        hold(page, "ArrowUp", 0.25)


def test_a_task_of_level_1_is_passed_by_the_keyboard(server, page):
    opened(page, server.url)
    assert page.inner_text("#place") == "Task 1 of 3"
    page.keyboard.press("Enter")
    until(page, "running")
    for _ in range(MOST_LOOKS):
        if state(page) == "end":
            break
        steer(page)
    assert until(page, "end")
    assert page.inner_text("#card-title") == "Well done!"
    assert "Your score: " in page.inner_text("#card-hint")
    page.keyboard.press("Enter")
    until(page, "ready")
    assert page.inner_text("#place") == "Task 2 of 3"


def steps(page) -> int:
    return int(page.inner_text("#step").split()[1])


def await_step(page, step: int) -> None:
    """Wait until more steps than this were taken."""
    number = "Number(document.getElementById('step').textContent.split(' ')[1])"
    page.wait_for_function(f"(step) => {number} > step", arg=step)


def test_a_reload_resumes_the_same_episode(server, page):
    opened(page, server.url)
    page.keyboard.down("ArrowLeft")
    until(page, "running")
    await_step(page, 5)
    page.keyboard.up("ArrowLeft")
    page.keyboard.press("Escape")
    until(page, "paused")
    before = steps(page)
    page.reload()
    until(page, "paused")
    assert page.inner_text("#card-title") == "Welcome back"
    # The step in progress when the pause came counts.
    assert before <= steps(page) <= before + 1
    page.keyboard.press("p")
    until(page, "running")
    await_step(page, before)


def test_a_lost_connection_is_reported_and_the_episode_resumes(server, page):
    with closing(Line(server.port)) as line:
        opened(page, line.url)
        page.keyboard.press("ArrowLeft")
        await_step(page, 5)
        line.cut()
        until(page, "lost")
        assert "Your game is saved." in page.inner_text("#card-text")
        line.repair()
        until(page, "paused")
        assert steps(page) > 5
        page.keyboard.press("p")
        await_step(page, steps(page))


def test_buttons_drive_on_a_phone(server, chromium):
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    opened(page, server.url)
    page.click("#card-actions button")
    until(page, "running")
    box = page.locator("[data-key=left]").bounding_box()
    assert min(box["width"], box["height"]) >= 44
    first = seen(page)
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    await_step(page, 12)
    assert np.abs(seen(page).astype(int) - first).mean() > 2
    page.mouse.up()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


def test_scripts_are_typed_and_mistakes_are_reported(scripts_server, page):
    page.goto(scripts_server.url)
    page.wait_for_selector("#now .picture")
    assert page.locator("#now .picture").count() == 3
    page.keyboard.type("Go(5)")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#log li")
    assert page.inner_text("#log b") == "Go(5)"
    page.fill("textarea", "Dance(5);")
    page.click("#send")
    page.wait_for_selector("#log li:nth-child(2)")
    assert "There is no such command" in page.inner_text("#now")
    page.click("#stop")
    page.wait_for_selector("#end:visible")


SIZES = {
    "small phone": {"viewport": {"width": 320, "height": 568}, "has_touch": True, "is_mobile": True},
    "phone on its side": {"viewport": {"width": 844, "height": 390}, "has_touch": True, "is_mobile": True},
    "small window": {"viewport": {"width": 700, "height": 500}},
    "zoom of 200 %": {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2},
    "forced colours": {"viewport": {"width": 1280, "height": 800}, "forced_colors": "active"},
}

COVERED = """() => {
  const canvas = document.getElementById("canvas"), box = canvas.getBoundingClientRect(), covered = [];
  for (let x = 0.01; x < 1; x += 0.07) for (let y = 0.01; y < 1; y += 0.07) {
    const there = document.elementFromPoint(box.x + x * box.width, box.y + y * box.height);
    if (there !== canvas) covered.push(there?.id ?? "outside");
  }
  return covered;
}"""
"""What is in front of the picture, point by point."""


@pytest.mark.parametrize("size", SIZES)
def test_the_picture_is_square_whole_and_uncovered(server, chromium, size):
    context = chromium.new_context(**SIZES[size])
    page = context.new_page()
    opened(page, server.url)
    sides = []
    for state in ("ready", "running"):
        until(page, state)
        box = page.locator("#canvas").bounding_box()
        assert box["width"] == pytest.approx(box["height"], abs=0.01)
        assert page.evaluate("canvas.width === canvas.height")
        assert page.evaluate(COVERED) == []
        sides.append(box["width"])
        page.keyboard.press("Enter")
    # What was looked at before the clock ran is what is played.
    assert sides[0] == sides[1] >= 256
    context.close()


def test_the_key_that_starts_does_not_drive(server, page):
    opened(page, server.url)
    page.keyboard.down("ArrowUp")
    await_step(page, 5)
    page.keyboard.up("ArrowUp")
    page.keyboard.press("Escape")
    until(page, "paused")
    before = steps(page)
    page.keyboard.press("p")
    until(page, "running")
    page.keyboard.down("ArrowUp")
    await_step(page, before + 4)
    page.keyboard.press("Escape")
    until(page, "paused")
    page.wait_for_timeout(300)
    token = next(each["value"] for each in page.context.cookies() if each["name"] == COOKIE)
    with server.store() as store:
        person = store.participant(token)
        actions = [row.action for row in store.actions(store.trials(person.id)[0].id)]
        start = next(note.data for note in store.notes(person.id) if note.kind == "start")
    assert set(actions[:before]) == {0}
    assert 3 in actions[before:]
    assert (start["viewport"], start["pixel_ratio"], start["input"]) == ([1280, 800], 1, "keys")
    assert 256 <= start["picture"] <= 800


def test_a_picture_that_stays_away_is_announced_and_then_the_game_pauses(server, page):
    with closing(Line(server.port)) as line:
        opened(page, line.url)
        page.keyboard.press("Enter")
        await_step(page, 5)
        assert page.is_hidden("#late")
        with line.slack():
            page.wait_for_selector("#late")
            assert page.inner_text("#late") == "The picture is late"
            page.wait_for_timeout(1000)
        page.wait_for_selector("#late", state="hidden")
        assert until(page, "paused", "running")
    token = next(each["value"] for each in page.context.cookies() if each["name"] == COOKIE)
    assert "connection" in [data["reason"] for data in server.notes(token, "pause")]


def test_a_window_that_is_too_small_must_be_enlarged(server, page):
    page.set_viewport_size({"width": 300, "height": 240})
    opened(page, server.url)
    assert page.inner_text("#card-title") == "Your window is too small"
    page.keyboard.press("ArrowUp")
    page.set_viewport_size({"width": 800, "height": 600})
    page.wait_for_selector("text=Ready?")
    assert state(page) == "ready"
    page.keyboard.press("Enter")
    until(page, "running")
    page.set_viewport_size({"width": 300, "height": 240})
    until(page, "paused")
    assert page.inner_text("#card-title") == "Your window is too small"


GAMEPAD = """
window.pad = { buttons: Array.from({ length: 17 }, () => ({ pressed: false })), axes: [0, 0] };
navigator.getGamepads = () => [window.pad, null];
"""


def test_a_gamepad_starts_drives_and_pauses(server, page):
    page.add_init_script(GAMEPAD)
    opened(page, server.url)
    page.evaluate("dispatchEvent(new Event('gamepadconnected'))")
    page.evaluate("pad.buttons[0].pressed = true")
    until(page, "running")
    page.evaluate("pad.buttons[0].pressed = false; pad.axes[1] = -1")
    page.wait_for_selector("[data-key=forward].held", state="attached")
    await_step(page, steps(page) + 3)
    page.evaluate("pad.axes[1] = 0; pad.buttons[14].pressed = true")
    page.wait_for_selector("[data-key=left].held", state="attached")
    page.wait_for_selector("[data-key=forward]:not(.held)", state="attached")
    page.evaluate("pad.buttons[14].pressed = false; pad.buttons[9].pressed = true")
    until(page, "paused")
    with server.store() as store:
        person = store.participant(page.context.cookies()[0]["value"])
        start = next(note.data for note in store.notes(person.id) if note.kind == "start")
        moved = {action.action for action in store.actions(store.trials(person.id)[0].id)}
    assert start["input"] == "gamepad"
    assert 3 in moved
