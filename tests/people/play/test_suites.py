"""Requests, records, export and comparison of people who play EST."""

import json
import re

import pandas as pd
import pytest
from starlette.testclient import TestClient

from arena.errors import ConfigError
from evaluation.suites import get_suite
from people.play.app import create_suite_app
from people.play.task_source import Course
from people.store import Store
from people.store.export import export
from report.comparison.read import read_run
from report.comparison.whole import compare
from suites.est.suite import SUITE

STUDY = "play-est"
BLICKETS = [task.content["blickets"] for task in SUITE.tasks(SUITE.choices(episodes=2), None)]
RIGHT = [{f"belief{k}": 100 * (k in blickets) for k in range(9)} for blickets in BLICKETS]
DOUBT = {f"belief{k}": 50 for k in range(9)}


def course(suite: str = "est", **choices: str) -> Course:
    own = {"episodes": "2"} if suite == "est" else {}
    return Course.of(get_suite(suite), {**own, **choices})


class Visitor(TestClient):
    """A browser without JavaScript, at a server of its own."""

    def __init__(self, store: Store, suite: str = "est", **choices: str) -> None:
        app, self.server = create_suite_app(store, course(suite, **choices))
        super().__init__(app, headers={"Origin": "http://testserver"})
        self.shown = {}

    def look(self) -> dict:
        self.shown = self.get("/suite/state").json()
        return self.shown

    def act(self, address: str, **values: object):
        answer = self.post(address, data={"trial": self.shown["trial"], **values})
        if answer.status_code == 200:
            self.shown = answer.json()
        return answer

    def reply(self, turn: int, answers: dict):
        entered = {f"item-{name}": value for name, value in answers.items()}
        return self.act("/suite/reply", turn=turn, **entered)


def play(store: Store) -> None:
    """One person solves the first task, stops the second and breaks off the first again."""
    visitor = Visitor(store)
    visitor.get("/")
    visitor.look()
    visitor.reply(0, DOUBT)
    visitor.reply(1, RIGHT[0])
    assert visitor.shown["end"]["passed"]
    visitor.act("/suite/next")
    visitor.reply(0, DOUBT)
    visitor.act("/suite/stop")
    assert not visitor.shown["end"]["passed"]
    visitor.act("/suite/next")
    visitor.reply(0, DOUBT)
    visitor.server.close()


def test_a_reply_is_played_once_and_an_episode_continues(store):
    visitor = Visitor(store)
    visitor.get("/")
    first = visitor.look()
    assert first["fields"].count('type="number"') == 9
    assert "Blickets" in first["task"]
    assert "every other object below" in first["help"]
    assert "Belief(" not in str(first)
    for _ in range(2):
        assert visitor.reply(0, DOUBT).json()["known"] == 1
        begun, answered = visitor.look()["turns"]
        assert (begun["said"], answered["said"].count(": 50 %")) == (None, 9)
    before = visitor.look()
    assert before["fields"].count('value="50"') == 9
    visitor.server.close()
    again = Visitor(store)
    again.cookies = visitor.cookies
    assert again.look() | {"fields": ""} == before | {"fields": ""}
    # With other choices it would be another episode.
    other = Visitor(store, machine="noisy")
    other.cookies = visitor.cookies
    assert other.look()["trial"] != before["trial"]
    stranger = Visitor(store)
    stranger.get("/")
    assert stranger.look()["trial"] not in (before["trial"], other.shown["trial"])


def test_wrong_requests_are_refused_in_a_sentence(store):
    visitor = Visitor(store)
    assert visitor.get("/suite/state").status_code == 403
    assert "content-security-policy" in visitor.get("/").headers
    visitor.look()
    for entered, told in (
        ({**DOUBT, "belief0": 101}, "Please enter a number from 0 to 100."),
        ({**DOUBT, "belief0": 2.5}, "Please enter a number."),
        ({**DOUBT, "belief0": True}, "Please enter a number."),
        ({}, "Please answer this question."),
    ):
        answer = visitor.reply(0, entered)
        assert (answer.status_code, answer.json()["open"]) == (422, "belief0")
        assert answer.json()["detail"].endswith(told)
    assert len(visitor.look()["turns"]) == 1


def test_the_export_has_every_reply_and_is_verified(store, command, tmp_path):
    play(store)
    data = tmp_path / "data"
    done = export(store, STUDY, data)
    assert (done.rows["episodes"], done.rows["replies"], done.recordings) == (3, 4, 2)
    replies = pd.read_csv(data / "replies.csv")
    assert [json.loads(text) for text in replies["entered"]] == [DOUBT, RIGHT[0], DOUBT, DOUBT]
    assert (replies["at"] >= replies["shown_at"]).all()
    assert replies["reward"][1] == 20
    assert list(pd.read_csv(data / "episodes.csv")["suite"]) == ["est"] * 3
    book = json.loads((data / "codebook.json").read_text())["tables"]
    assert [each["name"] for each in book["replies.csv"]["columns"]] == list(replies.columns)
    assert "2 of 2 episodes: agrees" in command("verify", data, "--jobs", 1).succeeded()


def test_a_changed_episode_is_found(store, command, tmp_path):
    play(store)
    export(store, STUDY, tmp_path)
    [file] = (tmp_path / "recordings").rglob("est-00001*.json")
    episode = json.loads(file.read_text())
    episode["record"]["turns"][0]["reply"] = episode["record"]["turns"][1]["reply"]
    for changed, told in (
        (episode, "1 of 1 episodes: differs"),
        ({**episode, "suite": "esd"}, "did you mean est?"),
        ({**episode, "choices": {"machine": "big"}}, "this version cannot play the episode"),
        ({**episode, "record": {"turns": 3}}, "its turns are broken"),
    ):
        file.write_text(json.dumps(changed))
        found = command("verify", file)
        assert found.returncode == 1
        assert told in " ".join((found.stdout + found.stderr).split())


def test_people_are_compared_as_a_run_of_their_suite(store, tmp_path):
    play(store)
    export(store, STUDY, tmp_path)
    places = (f"{tmp_path / 'play.db'}#{STUDY}", str(tmp_path / "results.csv"))
    runs = [run for name, place in zip("ab", places, strict=True) for run in read_run(place, name)]
    for run in runs:
        assert (run.suite, len(run.digests), run.animal_ai) == ("est", 2, None)
        rows = run.results[["task_id", "trial", "passed", "score", "turns", "error"]].astype(object)
        assert rows.where(rows.notna(), None).to_numpy().tolist() == [
            ["est-00001", 0, True, 1, 2, None],
            ["est-00002", 0, False, 0, 1, None],
            ["est-00001", 1, None, None, None, "broken off"],
        ]
    pairs = compare(runs, []).tables["comparisons"]
    assert list(pairs[pairs["scope"] == "all"]["tasks"]) == [2]


def test_deletion_leaves_nothing(store):
    play(store)
    [person] = store.participants(STUDY)
    deleted = store.delete_participant(STUDY, person.code)
    assert (deleted.trials, deleted.episodes, deleted.replies) == (3, 3, 4)
    assert store.episodes(STUDY) == {}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--suite", "esd"), "did you mean est?"),
        (("--suite", "est", "--machine", "big"), "machine: got 'big'"),
        (("--suite", "est", "--tasks", "est-0"), "no task est-0"),
        (("--suite", "est", "--replies", "tools"), "people reply with a form, one task at a time"),
        (("--suite", "est", "--protocol", "nothing"), "nothing"),
    ],
)
def test_wrong_options_are_said(arguments, told, command, tmp_path):
    assert told in command("play", *arguments, "--no-open", "--db", tmp_path / "a.db").sentence
    assert not (tmp_path / "a.db").exists()


def test_a_suite_without_a_form_cannot_be_played(monkeypatch):
    monkeypatch.setattr("people.play.task_source.form_of", lambda *_: None)
    with pytest.raises(ConfigError, match="people cannot play it, as it has no form"):
        course()


def test_a_form_of_boxing_says_what_a_person_does_and_spends_nothing_on_a_wrong_number(store):
    choices = {"tasks": "peregrines-prediction-0", "experiments": "1", "evaluations": "0", "questions": "1"}
    with Visitor(store, "boxing", **choices) as person:
        person.get("/")
        first = person.look()
        assert "Reply with" not in str(first["turns"]) + first["task"]
        assert "<" not in str(first["turns"]) + first["task"]
        name = re.search('name="item-([^"]+)"', first["fields"])[1]
        for wrong in ("some", "-3", "1, 2"):
            refused = person.reply(0, {name: wrong})
            assert refused.status_code == 422
            assert re.search("expected|Please enter", refused.text)
            assert "<" not in refused.text
        assert len(person.look()["turns"]) == 1
        assert person.reply(0, {name: "12"}).status_code == 200
        assert len(person.look()["turns"]) == 2
