"""A real server: valid messages are played, all others end the connection with a reason."""

import json
import random
import signal
import time
from contextlib import suppress
from urllib.parse import quote

import httpx
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed

from arena import ACTIONS, Episode, Outcome
from people.play.page_protocol import MAX_MESSAGE_BYTES
from people.play.player import MAX_CATCH_UP
from people.play.security import COOKIE
from people.simulation.visitor import BUSY
from testbed import task_named
from tests.people.play.server import Page


def test_an_episode_is_recorded_action_by_action_and_replays(server, token):
    with Page(server, token) as page:
        page.until("trial")
        page.do("start")
        page.until("running")
        page.do("keys", action=5)
        page.steps(2)
        page.do("keys", action=4)
        page.steps(page.state["step"] + 2)
        page.do("keys", action=3)
        end = page.until("end")
        page.do("next")
        page.until("trial", position=1)
    with server.store() as store:
        trial, _ = store.trials(store.participant(token).id)
        recording, rows = store.recording(trial.id), store.actions(trial.id)
    assert [row.action for row in rows] == [ACTIONS.index(action) for action in recording.unpacked()]
    assert [row.step for row in rows] == list(range(recording.steps))
    assert {3, 4, 5} <= {row.action for row in rows}
    with Episode(task_named("01-01-01").spec, task_id="01-01-01", trial=trial.trial) as episode:
        for action in recording.unpacked():
            episode.step(action)
        assert (episode.outcome, episode.total_reward) == (recording.outcome, recording.total_reward)
    assert (end["steps"], end["passed"]) == (recording.steps, recording.passed)


def test_the_game_pauses_on_request_and_while_no_page_is_connected(server, token):
    with Page(server, token) as page:
        page.drive(3)
        page.do("pause", reason="key")
        page.until("paused", reason="key")
        page.do("start")
        page.until("running")
        page.steps(page.state["step"] + 2)
        trial, seen = page.trial["trial"], page.state["step"]
    # The clock would take 25 steps.
    time.sleep(1.5)
    with Page(server, token) as page:
        assert page.until("trial")["trial"] == trial
        resumed = page.until("state")["step"]
        assert resumed >= seen
        there = [data for data in server.notes(token, "pause") if data["reason"] not in BUSY]
        assert [data["reason"] for data in there] == ["key", "disconnected"]
        # The steps in progress when the pause came count.
        assert there[-1]["step"] <= resumed <= there[-1]["step"] + MAX_CATCH_UP


def test_views_that_are_allowed_are_drawn(page):
    page.do("start")
    for view in ("top", "third"):
        page.do("view", view=view)
        while page.until("frame")["frame"].view != view:
            pass


def test_over_a_long_distance_more_images_are_in_flight(page):
    page.do("start")
    page.until("running")
    while page.recv()["type"] != "ping":
        pass
    time.sleep(0.2)
    page.say("pong", ping=1)
    # The round trip is longer than three steps: four frames are in flight and one is being drawn.
    frames = 0
    while frames < 5:
        frames += page.recv()["type"] == "frame"


def test_an_episode_can_be_stopped(server, token, page):
    page.do("start")
    page.steps(5)
    page.do("stop")
    end = page.until("end")
    assert (end["passed"], end["waited"], end["text"]) == (False, True, "You stopped this task.")
    # What is shown is what was played, not the score's run to the end of the clock.
    assert end["steps"] == page.state["step"] < 100
    assert page.state["health"] > 70
    # The next trial starts once the end is in the database.
    page.do("next")
    page.until("trial", position=1)
    page.do("start")
    page.until("running")
    with server.store() as store:
        trial, _ = store.trials(store.participant(token).id)
        actions, recording = store.actions(trial.id), store.recording(trial.id)
    assert (trial.ended_by, trial.steps_played, len(actions)) == ("stopped", end["steps"], end["steps"])
    assert trial.seconds_played == pytest.approx(0.06 * len(actions))
    # For the score the clock ran down: 417 steps (t = 250).
    assert (trial.outcome, trial.steps, recording.steps) == (Outcome.HEALTH, 417, 417)
    assert trial.total_reward == pytest.approx(-1, abs=1e-5)


def test_the_newest_window_counts(server, token):
    with Page(server, token) as first:
        first.until("trial")
        with Page(server, token) as second:
            second.until("trial")
            assert first.refusal() == (4001, "opened in another window")
            second.do("start")
            second.until("running")


@pytest.mark.parametrize(
    ("text", "code", "reason"),
    [
        ("no json", 1008, "Invalid JSON"),
        ("x" * (MAX_MESSAGE_BYTES + 1), 1009, "at most"),
        ("x" * (3 * MAX_MESSAGE_BYTES), 1009, ""),
        (b"\x00\x01", 1003, "expected JSON text"),
        ('{"type":"stop","n":7,"trial":1}', 1008, "out of order: message 7, expected 2"),
        ('{"type":"hello","n":2,"protocol":1}', 1008, "hello was sent twice"),
        ('{"type":"ack","n":2,"frame":99}', 1008, "frame 99 was not sent"),
        ('{"type":"pong","n":2,"ping":1}', 1008, "answers no ping"),
        ('{"type":"stop","n":2,"trial":999999}', 1008, "trial 999999 is not the one"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_an_invalid_message_ends_the_connection_with_a_reason(page, text, code, reason):
    page.socket.send(text)
    got = page.refusal()
    assert got[0] == code
    assert reason in got[1]


def test_a_message_at_the_wrong_time_ends_the_connection_with_a_reason(server, token):
    with Page(server, token) as page:
        page.until("trial")
        page.do("next")
        assert page.refusal() == (1008, "next comes after the end of the trial")
    with Page(server, token, hello=False) as page:
        page.say("stop", trial=1)
        assert page.refusal() == (1008, "out of order: got stop, expected hello first")
    with Page(server, token, hello=False) as page:
        page.say("hello", protocol=0)
        assert "reload" in page.refusal()[1]


def test_a_flood_is_closed(page):
    for _ in range(2000):
        page.do("keys", action=random.randrange(9))
    assert "too many messages" in page.refusal()[1]


def test_another_site_and_a_forged_cookie_are_refused(server, token):
    for origin in ("http://evil.example", server.url.replace("http", "https") + ".evil.example", "null"):
        with Page(server, token, origin=origin) as page:
            assert page.refusal() == (1008, "the page comes from another site")
    for forged in (None, "guess", token[:-1]):
        with Page(server, forged) as page:
            assert "Please start again from the first page." in page.refusal()[1]


def test_nobody_plays_anothers_trial(server, token):
    with Page(server, token) as mine, Page(server, server.newcomer()) as theirs:
        trial = mine.until("trial")["trial"]
        assert theirs.until("trial")["trial"] != trial
        theirs.say("stop", trial=trial)
        assert "is not the one being played here" in theirs.refusal()[1]
        mine.do("start")
        mine.until("running")


def test_every_answer_has_its_headers_and_the_token_is_out_of_scripts_reach(server):
    for path in ("/", "/play", "/play.js", "/play_wire.js", "/play.css", "/nothing"):
        headers = httpx.get(server.url + path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers
    cookie = httpx.get(server.url + "/").headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_an_existing_cookie_is_kept(server, token):
    assert httpx.get(server.url + "/", cookies={COOKIE: token}).cookies[COOKIE] == token


def test_only_names_of_this_machine_are_answered(server):
    assert httpx.get(server.url + "/play", headers={"host": "evil.example"}).status_code == 421
    assert httpx.get(server.url + "/play", headers={"host": f"localhost:{server.port}"}).status_code == 200


PATHS = (
    *("../pyproject.toml", "..%2f..%2fplay.db", "play.py", "page/play.js", "%2e%2e/%2e%2e/etc/passwd"),
    *("docs", "openapi.json", "play/../../play.db", "play.js%00.py", "//etc/passwd"),
)


def test_no_path_leads_to_a_file(server):
    for path in PATHS:
        answer = httpx.get(f"{server.url}/{path}")
        assert answer.status_code == 404, path
        assert b"import" not in answer.content, path


@pytest.fixture(scope="module")
def victim(server):
    return server.newcomer()


TYPES = ["hello", "start", "pause", "keys", "ack", "view", "script", "stop", "next", "pong"]
MESSAGES = st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES)},
    optional={
        "trial": st.integers(-1, 60), "action": st.integers(-1, 9), "frame": st.integers(0, 4),
        "view": st.sampled_from(["first", "third", "top", "../x"]), "text": st.text(),
        "reason": st.sampled_from(["key", "hidden", ""]),
        "protocol": st.just(1), "ping": st.integers(0, 2),
    },
)  # fmt: skip


@settings(max_examples=20, phases=(Phase.explicit, Phase.generate))
@given(
    st.lists(MESSAGES | st.text() | st.binary(max_size=40), min_size=1, max_size=8),
    st.text(st.characters(codec="utf-8"), max_size=30),
)
def test_whatever_is_sent_the_server_keeps_running(server, victim, messages, path):
    with Page(server, victim) as page:
        page.until("trial")
        for message in messages:
            if isinstance(message, dict):
                message = json.dumps({"trial": page.trial["trial"], **message, "n": page.count + 1})
                page.count += 1
            with suppress(ConnectionClosed):
                page.socket.send(message)
    home = httpx.get(server.url + "/", params={"a": path}, headers={"cookie": f"{COOKIE}=x"})
    assert home.status_code == 303
    assert httpx.get(f"{server.url}/{quote(path, safe='')}").status_code in (200, 303, 404)
    assert server.process.poll() is None


def test_a_port_that_is_taken_is_reported(server, command, tmp_path):
    options = ("--port", server.port, "--no-open", "--db", tmp_path / "play.db")
    said = command("play", "01-01-01", *options).sentence
    assert f"port {server.port} is taken; choose another with --port" in said


def test_after_a_stall_of_the_computer_the_game_pauses(server, token, page):
    page.do("start")
    page.steps(3)
    page.patient = False
    server.process.send_signal(signal.SIGSTOP)
    # Too long to be caught up; the steps due meanwhile are never taken.
    time.sleep(1)
    server.process.send_signal(signal.SIGCONT)
    assert page.until("paused")["reason"] == "stall"
    page.patient = True
    page.do("start")
    page.until("running")
    page.steps(page.state["step"] + 2)
    with server.store() as store:
        person = store.participant(token)
        (trial,) = store.trials(person.id)
        rows = store.actions(trial.id)
        pauses = [note.data for note in store.notes(person.id) if note.kind == "pause"]
    stalls = [data["step"] for data in pauses if data["reason"] == "stall"]
    assert max(rows[step].at - rows[step - 1].at for step in stalls) > 0.5
