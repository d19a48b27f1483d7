"""Playing a suite in a real browser: stored, resumed, exported, verified and compared."""

import json
from pathlib import Path

import httpx
import pandas as pd
import pytest

from human_data.people.store import Store
from tests.evaluation.example_suite import arena_llm, environment
from tests.human_data.people.chromium import launched, skip_without_browser, watched_page
from tests.human_data.people.play.server import Server

__all__ = ["environment"]

skip_without_browser()

TASKS = ("--suite", "guessing", "--tasks", "7-of-10,99-of-100", "--guesses", "3")


@pytest.fixture(scope="module")
def chromium():
    with launched() as chromium:
        yield chromium


@pytest.fixture
def page(chromium):
    with watched_page(chromium, lambda _: False) as page:
        yield page


@pytest.fixture
def start(tmp_path, environment):
    servers = []

    def started(*options: str) -> Server:
        servers.append(Server(tmp_path / "play.db", *TASKS, *options, env=environment))
        return servers[-1]

    yield started
    for server in servers:
        if server.process.poll() is None:
            server.stop()


def guess(page, number: int, turn: int) -> None:
    """Set the slider, send, and wait until this turn is there."""
    page.fill("#field-guess", str(number))
    page.click("#send")
    page.wait_for_selector(f"body[data-turn='{turn}']")


def played(database: Path) -> dict[tuple[str, int], list[str]]:
    with Store(str(database), create=False) as store:
        return {
            (trial.task_id, trial.trial): [reply.reply for reply in store.replies(trial.id)]
            for person in store.participants("play-guessing")
            for trial in store.trials(person.id)
        }


def test_a_person_plays_and_stands_beside_a_model(start, page, environment, tmp_path):
    server = start()
    page.goto(server.url)
    page.wait_for_selector("text=You have 3 guesses.")
    assert page.inner_text("#place") == "Task 1 of 2"
    assert page.inner_text(".slider output") == "6"
    guess(page, 5, 1)
    assert page.inner_text("#now") == "higher; 2 left."
    # Killed, and started again: the same episode goes on.
    server.process.kill()
    server = start("--port", str(server.port))
    page.goto(server.url)
    page.wait_for_selector("body[data-turn='1']")
    assert "5" in page.inner_text("#log code")
    guess(page, 7, 2)
    assert page.inner_text("#verdict") == "Well done!"
    assert "The number was 7." in page.inner_text("#summary")
    page.click("#next")
    page.wait_for_selector("body[data-turn='0']")
    assert page.inner_text("#place") == "Task 2 of 2"
    guess(page, 50, 1)
    page.click("#stop")
    page.wait_for_selector("text=Not this time.")
    page.click("#next")
    page.wait_for_selector("text=Task 1 of 2")
    guess(page, 1, 1)
    server.stop()
    assert played(tmp_path / "play.db") == {
        ("7-of-10", 0): ["5", "7"],
        ("99-of-100", 0): ["50"],
        ("7-of-10", 1): ["1"],
    }
    data = tmp_path / "data"
    export = ("people", "export", "--db", server.database, "--study", "play-guessing", "--out", data)
    done = arena_llm(environment, *export)
    assert "3 episodes, 4 replies" in done.stdout
    replies = pd.read_csv(data / "replies.csv")
    assert list(replies["entered"].map(json.loads)) == [{"guess": each} for each in (5, 7, 50, 1)]
    assert (replies["at"] > replies["shown_at"]).all()
    results = pd.read_csv(data / "results.csv")
    assert list(results["level"]) == ["up to 10", "up to 100", "up to 10"]
    assert list(results["score"].fillna(-1)) == [1, 0, -1]
    assert results["error"][2] == "broken off"
    assert "2 of 2 episodes: agrees" in arena_llm(environment, "verify", data).stdout
    refused = arena_llm(environment, *export, "--bids")
    assert "--bids: describes steps in the arena only" in refused.stderr
    ran = arena_llm(
        environment, "eval", *TASKS, "--model", "guessing/bisect", "--log-dir", tmp_path / "logs"
    )
    assert ran.returncode == 0, ran.stderr
    (log,) = (tmp_path / "logs").glob("*.eval")
    for place in (server.database, data / "results.csv"):
        compared = arena_llm(
            environment, "compare", f"people={place}", f"model={log}", "--out", tmp_path / "compared"
        )
        assert (compared.returncode, compared.stderr) == (0, "")
        assert "up to 10" in compared.stdout
    groups = arena_llm(environment, "compare", log, "--with", server.database)
    assert "name people of guessing as a RUN" in groups.stderr


def test_a_changed_episode_is_found(start, environment, tmp_path):
    server = start()
    with httpx.Client(base_url=server.url, headers={"Origin": server.url}) as client:
        client.get("/")
        state = client.get("/state").json()
        sent = {"trial": state["trial"], "turn": 0, "entered": '{"guess": 7}'}
        first, again = (client.post("/reply", data=sent).json() for _ in range(2))
        assert first == again
        assert first["end"]["passed"]
    export = ("people", "export", "--db", server.database, "--study", "play-guessing")
    assert arena_llm(environment, *export, "--out", tmp_path / "data").returncode == 0
    (file,) = (tmp_path / "data" / "recordings").rglob("*.json")
    episode = json.loads(file.read_text())
    assert episode["record"]["turns"][0]["reply"] == "7"
    episode["record"]["turns"][0]["reply"] = "6"
    file.write_text(json.dumps(episode))
    found = arena_llm(environment, "verify", file)
    assert found.returncode == 1
    assert "passed" in found.stdout
    file.write_text(json.dumps({**episode, "suite": "gessing"}))
    assert "did you mean guessing?" in arena_llm(environment, "verify", file).stdout


def test_wrong_requests_are_refused_in_a_sentence(start):
    server = start()
    with httpx.Client(base_url=server.url, headers={"Origin": server.url}) as client:
        assert client.get("/state").status_code == 403
        assert "content-security-policy" in client.get("/").headers
        trial = client.get("/state").json()["trial"]
        for entered, told in (
            ('{"guess": 11}', "Your guess: got 11, expected a number from 1 to 10 by 1"),
            ('{"guess": 2.5}', "Your guess: got 2.5, expected"),
            ('{"guess": true}', "Your guess: got True, expected"),
            ("{}", "Your guess: got nothing, expected"),
            ("[]", "entered: expected a JSON object"),
        ):
            answer = client.post("/reply", data={"trial": trial, "turn": 0, "entered": entered})
            assert answer.status_code in (400, 422)
            assert told in answer.json()["detail"]
        assert "expected a number" in client.post("/stop", data={"trial": "x"}).json()["detail"]
        other = client.post("/stop", data={"trial": trial}, headers={"Origin": "http://elsewhere.example"})
        assert other.status_code == 403
        assert len(client.get("/state").json()["turns"]) == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--suite", "gessing"), "did you mean guessing?"),
        (("--suite", "guessing", "--guesses", "0"), "guesses: got '0'"),
        (("--suite", "guessing", "--levels", "1"), "No such option"),
        (("--suite", "guessing", "--replies", "tools"), "people play one task at a time by a form"),
    ],
)
def test_wrong_options_are_said(arguments, told, environment, tmp_path):
    failed = arena_llm(environment, "play", *arguments, "--no-open", "--db", tmp_path / "play.db")
    assert failed.returncode != 0
    assert told in failed.stderr
    assert "Traceback" not in failed.stderr
    assert not (tmp_path / "play.db").exists()
