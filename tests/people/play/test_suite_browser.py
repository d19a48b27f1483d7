"""Playing a suite in a real browser, also after the server was killed."""

import pytest

from people.store import Store
from tests.entry_points import install
from tests.evaluation.example_suite import environment
from tests.people.chromium import skip_without_browser, watched_page
from tests.people.play.server import Server
from tests.suites.setups import needs_package

__all__ = ["environment"]

IN_SIGHT = """() => {
  const { top, bottom } = document.querySelector("#now").getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}"""

skip_without_browser()


@pytest.fixture
def page(chromium):
    # Chromium itself reports that a server does not respond, or refuses a reply.
    with watched_page(chromium, lambda text: "net::ERR_" in text or "status of 422" in text) as page:
        yield page


@pytest.fixture
def start(tmp_path, environment):
    servers = []
    suites = {"arena_llm.suites": {"kitchen": "tests.people.play.kitchen:SUITE"}}
    install(tmp_path / "site", "kitchen", suites)
    environment = {**environment, "PYTHONPATH": f"{environment['PYTHONPATH']}:{tmp_path / 'site'}"}

    def started(*options: str, port: int = 0) -> Server:
        servers.append(Server(tmp_path / "play.db", *options, port=port, env=environment))
        return servers[-1]

    yield started
    for server in servers:
        if server.process.poll() is None:
            server.stop()


def send(page, turn: int) -> None:
    """Send the form, and wait until this turn is there."""
    page.click("#send")
    page.wait_for_selector(f"body[data-turn='{turn}']")


def replies(server: Server) -> list[tuple[str, bool | None, list[str]]]:
    """Of each trial the task, the verdict and the replies."""
    with Store(server.database, create=False) as store:
        [person] = [person for study in store.studies() for person in store.participants(study)]
        return [
            (trial.task_id, trial.passed, [reply.reply for reply in store.replies(trial.id)])
            for trial in store.trials(person.id)
        ]


def test_a_suite_is_played_by_a_slider_and_continues_after_a_crash(start, page):
    options = ("--suite", "guessing", "--tasks", "7-of-10,99-of-100", "--guesses", "3")
    server = start(*options)
    page.goto(server.url)
    page.wait_for_selector("text=You have 3 guesses.")
    assert page.inner_text("#place") == "Task 1 of 2"
    assert page.inner_text(".slider output") == "–"
    page.click("#send")
    page.wait_for_selector("text=Your guess: Please answer this question.")
    page.fill("#item-guess", "5")
    send(page, 1)
    assert page.inner_text("#now") == "higher; 2 left."
    server.process.kill()
    page.click("#send")
    page.wait_for_selector("text=No connection.")
    server = start(*options, port=server.port)
    page.reload()
    page.wait_for_selector("body[data-turn='1']")
    assert page.inner_text("#log b") == "5"
    page.fill("#item-guess", "7")
    send(page, 2)
    assert page.inner_text("#verdict") == "Well done!"
    assert "The number was 7." in page.inner_text("#summary")
    page.click("#next")
    page.wait_for_selector("text=Task 2 of 2")
    page.click("#send")
    page.wait_for_selector("text=Your guess: Please answer this question.")
    page.click("#item-guess")  # where it stands, in the middle
    send(page, 1)
    page.click("#stop")
    page.wait_for_selector("text=Not this time")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Task 1 of 2")
    played = [("7-of-10", True, ["5", "7"]), ("99-of-100", False, ["51"]), ("7-of-10", None, [])]
    assert replies(server) == played


def test_commands_are_played_and_completed_by_typing_only(start, page):
    server = start("--suite", "kitchen", "--tasks", "3-of-10", "--guesses", "2")
    page.goto(server.url)
    field = page.locator("#item-command:focus")
    offered = page.locator(".completions li")
    field.wait_for()
    assert field.get_attribute("autocomplete") == "off"
    assert page.inner_text("#now") == "You see:\n\tan orange\n\ta  door"
    page.keyboard.press("ArrowDown")
    assert offered.all_text_contents() == ["look around", "open ", "move ", "mix "]
    page.keyboard.type("MO")
    assert offered.count() == 10
    assert offered.all_text_contents()[:2] == ["move orange to ", "move door to kitchen to "]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert field.input_value() == "move orange to "
    page.keyboard.type("d")
    assert offered.all_text_contents() == ["move orange to door to kitchen"]
    offered.click()
    assert field.input_value() == "move orange to door to kitchen"
    assert offered.count() == 0
    page.keyboard.press("Enter")
    page.wait_for_selector("body[data-turn='1']")
    page.keyboard.type("l")
    assert field.input_value() == "l"
    assert offered.all_text_contents() == ["look around"]
    assert page.evaluate(IN_SIGHT)
    assert 'nothing after "move orange to door to kitchen"' in page.inner_text("#now")
    assert "\tan orange" in page.inner_text("#log .part")
    page.keyboard.press("Escape")
    assert not page.is_visible(".completions")
    page.keyboard.type("isten")
    page.keyboard.press("Enter")
    page.wait_for_selector("body[data-state='end']")
    page.keyboard.press("Enter")
    field.wait_for()
    page.click("button:text-is('look around')")
    page.wait_for_selector("body[data-turn='1']")
    assert page.evaluate("document.activeElement.textContent") == "look around"
    first, second = replies(server)
    assert (first[2], second[2]) == (["move orange to door to kitchen", "listen"], ["look around"])


def test_emotions_cannot_be_sent_untouched(start, page):
    server = start("--suite", "boxing", "--tasks", "emotions-prediction-0")
    page.goto(server.url)
    page.wait_for_selector("text=What do you expect?")
    assert page.locator(".slider output").all_text_contents() == ["–"] * 8
    for number in range(8):
        page.click("#send")
        page.wait_for_selector("#error:has-text('Please answer this question')")
        assert page.evaluate("document.activeElement.id") == f"item-0_{number}"
        page.press(f"#item-0_{number}", "ArrowRight")
    assert page.get_attribute("body", "data-turn") == "0"
    assert replies(server)[0][2] == []
    send(page, 1)
    [(_, _, [sent])] = replies(server)
    assert sent.count(",") == 7


@needs_package
def test_an_action_is_sent_in_words(start, page):
    server = start("--suite", "discoveryworld", "--tasks", "proteomics-easy-0", "--observation", "text")
    page.goto(server.url)
    page.wait_for_selector("#item-action:focus")
    assert "(" not in page.text_content("#instructions")
    page.keyboard.type("read the paper")
    for text in ("pick up …", "sign"):
        page.click(f"button:text-is('{text}')")
    assert page.input_value("#item-action:focus") == "pick up sign"
    page.keyboard.press("Escape")
    page.keyboard.type(" of a dragon")
    page.keyboard.press("Enter")
    page.wait_for_selector("#error:has-text('expected the name of something in sight')")
    page.fill("#item-action", "")
    page.click("button:text-is('turn west')")
    page.wait_for_selector("body[data-turn='1']")
    assert replies(server)[0][2] == ["turn(west)"]


def test_objects_are_clicked_in_the_picture(start, page):
    server = start("--suite", "est", "--observation", "image")
    page.goto(server.url)
    page.wait_for_selector("text=Another person has put these objects on the machine.")
    page.fill("#item-belief3", "90")
    page.click("#send")
    page.wait_for_selector("text=Please answer this question.")
    assert page.get_attribute("body", "data-turn") == "0"
    for number in (0, 1, 2, 4, 5, 6, 7, 8):
        page.fill(f"#item-belief{number}", "40")
    for turn in (1, 2, 3):
        send(page, turn)
    page.click(".spot >> nth=4")
    page.click(".option >> nth=1")
    page.click(".spot >> nth=1")
    assert page.locator(".spot[aria-pressed=true]").count() == 1
    send(page, 4)
    assert page.locator(".option input:checked").count() == 1
    assert page.get_attribute("#now img", "src").startswith("data:image/png")
    [(_, _, sent)] = replies(server)
    belief = "Belief([0.4, 0.4, 0.4, 0.9, 0.4, 0.4, 0.4, 0.4, 0.4]);"
    assert sent == [belief] * 3 + [f"{belief} Trial([5]);"]
