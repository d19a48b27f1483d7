"""A game is driven only while its pictures are seen, and without feedback nothing else is sent."""

import json
import os
import signal
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena.action import STEP_S
from people.play.app import create_app
from people.play.client import MAX_UNSEEN_S
from people.play.pacing import QUALITY_LEVELS, QualityLevel
from people.play.page_protocol import PROTOCOL
from people.play.players import Players
from people.play.security import COOKIE
from people.play.task_source import Assignment
from people.simulation.visitor import DISPLAY
from testbed import task_named
from tests.arena.worlds import agent, arena_text, item
from tests.people.play.server import TIMEOUT_S, Assignments, Page

SOON = 5
"""Steps that may be in progress when the server decides to pause; on a busy machine some at once."""


def test_the_clock_waits_until_the_page_shows_the_present_picture(server, token, page):
    while (first := page.recv())["type"] != "frame":
        pass
    assert first["frame"].step == 0
    page.do("start")
    page.do("keys", action=3)
    # The clock would take ten steps.
    time.sleep(0.6)
    page.do("view", view="top")
    page.say("ack", frame=first["number"])
    # The picture of another view is waited for as well.
    while (second := page.recv())["type"] != "frame":
        assert second["type"] != "running"
    assert (second["frame"].step, second["frame"].view) == (0, "top")
    page.say("ack", frame=second["number"])
    page.until("running")
    page.steps(1)
    (start,) = server.notes(token, "start")
    assert start == {"trial": page.trial["trial"], "step": 0, "device": "?, ?", **DISPLAY}


def test_a_page_that_answers_but_shows_no_pictures_is_paused(server, page):
    page.patient = False
    page.do("start")
    page.until("running")
    seen = page.state["step"]
    while (message := page.recv())["type"] != "paused":
        if message["type"] == "frame":
            last = message
        if message["type"] == "ping":
            page.say("pong", ping=message["ping"])
        if message["type"] == "state":
            page.do("keys", action=3 + message["step"] % 3)
    assert message["reason"] in ("connection", "stall")
    if message["reason"] == "connection":
        assert MAX_UNSEEN_S / STEP_S - 1 <= page.state["step"] - seen <= MAX_UNSEEN_S / STEP_S + SOON
    # The game continues from the present step, once that is shown.
    page.say("ack", frame=last["number"])
    while last["frame"].step != page.state["step"]:
        last = page.until("frame")
    page.do("start")
    page.until("running")


def test_every_trial_begins_with_the_full_picture_whatever_came_before(server, page):
    page.patient = False
    page.do("start")
    page.until("running")
    # Nothing more is acknowledged, so the game pauses and the pictures get worse.
    while (paused := page.recv())["type"] != "paused":
        if paused["type"] == "frame":
            last = paused
    page.say("ack", frame=last["number"])
    while last["frame"].step != page.state["step"]:
        last = page.until("frame")
    worse = QualityLevel(*page.state["level"])
    assert worse in QUALITY_LEVELS[1:] or paused["reason"] == "stall"
    page.finish()
    frame = page.until("frame")["frame"]
    assert (frame.size, frame.quality) == QUALITY_LEVELS[0][:2]


def workers_of(server) -> set[int]:
    """The process ids of the server's workers."""
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    return {int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()}


def kill_worker(server) -> None:
    """Kill the only worker, and wait for the next."""
    (worker,) = workers_of(server)
    os.kill(worker, signal.SIGKILL)
    while not workers_of(server) - {worker}:
        time.sleep(0.01)


def test_when_a_worker_dies_the_game_pauses_until_it_is_drawn_again(server, token, page):
    page.do("start")
    page.do("keys", action=3)
    page.steps(5)
    kill_worker(server)
    # A busy computer may have paused the game just before, so that nothing is lost by the death.
    while (message := page.until("paused", "running")).get("reason") != "worker":
        if message["type"] == "running":
            kill_worker(server)
    page.do("start")
    # The start waits also for the next one, which dies before it has built the episode.
    kill_worker(server)
    while (message := page.hear())["type"] != "running":
        last = message
    assert last["frame"].step == page.state["step"] >= 5
    page.steps(page.state["step"] + 2)
    assert "worker" in [pause["reason"] for pause in server.notes(token, "pause")]


HOT = arena_text(agent("20 0 20"), item("HotZone", "20 0 20", sizes="10 1 10"), blackouts="100")


class DirectPage(Page):
    """A page of a server in this process; `sent` is all that it was sent as text."""

    def __init__(self, websocket) -> None:
        self._websocket, self.socket, self.timeout_s = websocket, self, TIMEOUT_S
        self.count, self.trial, self.state, self.sent = 0, {}, {}, []
        self.say("hello", protocol=PROTOCOL)

    def send(self, text: str) -> None:
        self._websocket.send_text(text)

    def recv(self, timeout: float | None = None):
        if timeout is None:
            return super().recv()
        message = self._websocket.receive()
        if "text" in message:
            self.sent.append(message["text"])
        return message["text"] if "text" in message else message["bytes"]


def test_without_feedback_nothing_is_sent_but_pictures_and_pauses_have_a_limit(store, tmp_path):
    (tmp_path / "hot.yaml").write_text(HOT)
    task = task_named(str(tmp_path / "hot.yaml"))
    secret, limited = Assignment(task, 0, feedback=False), Assignment(task, 1, max_pause_s=1.5)
    players = Players(store, Assignments(secret, limited), workers=1)
    token = store.add_participant("P1").token
    headers = {"cookie": f"{COOKIE}={token}", "origin": "http://testserver"}
    with (
        TestClient(create_app(players), base_url="http://testserver") as client,
        client.websocket_connect("/play/socket", headers=headers) as websocket,
    ):
        page = DirectPage(websocket)
        secret_is_kept(page)
        pauses_end(page)
    players.recorder.close()
    first, second = store.trials(store.participant(token).id)
    assert (first.ended_by, second.ended_by) == ("stopped", "pause")
    assert second.steps_played == len(store.actions(second.id)) < second.steps


def secret_is_kept(page: DirectPage) -> None:
    assert page.until("trial")["lights_out"] is True
    page.do("start")
    # Health and reward fall fast in a hot zone.
    page.steps(20)
    page.do("stop")
    end = page.until("end")
    assert (end["passed"], end["reward"]) == (None, None)
    states = [message for message in map(json.loads, page.sent) if message["type"] == "state"]
    assert {tuple(sorted(state)) for state in states} == {("late", "level", "sent", "step", "type")}
    assert "zone" not in "".join(page.sent)


def pauses_end(page: DirectPage) -> None:
    page.do("next")
    page.until("trial", position=1)
    page.do("start")
    page.until("running")
    page.until("state")
    assert {"health", "reward", "events"} <= set(page.state)
    page.do("pause", reason="hidden")
    assert page.until("paused", reason="hidden")["left_s"] == pytest.approx(1.5, abs=0.2)
    time.sleep(0.5)
    page.do("start")
    page.until("running")
    page.do("pause", reason="key")
    assert page.until("paused", reason="key")["left_s"] < 1.1
    assert page.until("end")["text"] == "You paused for too long. This task is over."
