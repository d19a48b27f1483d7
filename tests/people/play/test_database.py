"""The database away in mid-play: the episode goes on, and all of it is kept once."""

import signal

import pytest

from arena import ACTIONS
from tests.people.play.server import Page, Server
from tests.people.store import postgres


@pytest.fixture
def database():
    with postgres.running() as database:
        yield database


@pytest.mark.slow
def test_the_server_ends_without_its_database(database):
    server = Server(database.url("postgres"), "01-01-01")
    try:
        with Page(server, server.newcomer()) as page:
            page.until("trial")
            page.do("start")
            page.steps(3)
            database.stop()
            page.do("stop")
            server.stop()
    finally:
        database.start()
        if server.process.poll() is None:
            server.stop(signal.SIGKILL)
    assert server.process.returncode not in (0, -signal.SIGKILL)


def test_postgres_restarted_in_mid_play(database):
    server = Server(database.url("postgres"), "01-01-01", "01-05-01")
    try:
        token = server.newcomer()
        with Page(server, token) as page:
            page.until("trial")
            page.do("start")
            page.do("keys", action=4)
            page.steps(8)
            database.stop()
            try:
                page.do("keys", action=5)
                page.steps(page.state["step"] + 15)
            finally:
                database.start()
            page.do("keys", action=7)
            page.steps(page.state["step"] + 8)
            page.do("stop")
            end = page.until("end")
            page.do("next")
            page.until("trial", position=1)
        with server.store() as store:
            trial, _ = store.trials(store.participant(token).id)
            rows, recording = store.actions(trial.id), store.recording(trial.id)
    finally:
        server.stop()
    assert [row.step for row in rows] == list(range(end["steps"]))
    taken = [ACTIONS.index(action) for action in recording.unpacked()]
    assert [row.action for row in rows] == taken[: len(rows)]
    assert {4, 5, 7} <= {row.action for row in rows}
