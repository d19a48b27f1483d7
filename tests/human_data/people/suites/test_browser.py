"""Playing a suite in a real browser, also after the server was killed."""

import pytest

from human_data.people.store import Store
from tests.evaluation.example_suite import environment
from tests.human_data.people.chromium import launched, skip_without_browser, watched_page
from tests.human_data.people.play.server import Server

__all__ = ["environment"]

skip_without_browser()


@pytest.fixture(scope="module")
def chromium():
    with launched() as chromium:
        yield chromium


@pytest.fixture
def page(chromium):
    # Chromium itself reports that a server does not respond.
    with watched_page(chromium, lambda text: "ERR_CONNECTION_REFUSED" in text) as page:
        yield page


@pytest.fixture
def start(tmp_path, environment):
    servers = []

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
    assert page.inner_text(".slider output") == "6"
    page.fill("#field-guess", "5")
    send(page, 1)
    assert page.inner_text("#now") == "higher; 2 left."
    server.process.kill()
    page.click("#send")
    page.wait_for_selector("text=No connection.")
    server = start(*options, port=server.port)
    page.reload()
    page.wait_for_selector("body[data-turn='1']")
    assert page.inner_text("#log code") == "5"
    page.fill("#field-guess", "7")
    send(page, 2)
    assert page.inner_text("#verdict") == "Well done!"
    assert "The number was 7." in page.inner_text("#summary")
    page.click("#next")
    page.wait_for_selector("text=Task 2 of 2")
    send(page, 1)
    page.click("#stop")
    page.wait_for_selector("text=Not this time.")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Task 1 of 2")
    assert replies(server) == [
        ("7-of-10", True, ["5", "7"]),
        ("99-of-100", False, ["51"]),
        ("7-of-10", None, []),
    ]


def test_objects_are_clicked_in_the_picture(start, page):
    server = start("--suite", "est", "--observation", "image")
    page.goto(server.url)
    page.wait_for_selector("text=Somebody else has put these objects on the machine.")
    page.fill("#field-belief3", "90")
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
    belief = "Belief([0.5, 0.5, 0.5, 0.9, 0.5, 0.5, 0.5, 0.5, 0.5]);"
    assert sent == [belief] * 3 + [f"{belief} Trial([5]);"]
