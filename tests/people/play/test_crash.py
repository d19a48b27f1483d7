"""Killed processes, and a database away in mid-play: no more than the last moment is lost."""

import asyncio
import os
import signal
import time

import pytest

from arena import ACTIONS, Episode, load_text
from arena.action import STEP_S
from people.play.worker_protocol import Drawn, Open
from people.play.workers import EpisodeFailed, RemoteEpisode, WorkerPool
from people.store import ActionRow
from testbed import Task, task_named
from tests.people.play.server import Page, Server
from tests.people.store import postgres

MOST_LOST_S = 0.1
"""Before a kill: older actions are committed."""

ATTEMPTS = 10
"""A busy machine may hold up one process or another, but not each time."""


class Listener:
    """Keeps what a worker sends."""

    def __init__(self) -> None:
        self.frames: list[Drawn] = []
        self.failures: list[str] = []
        self.deaths = 0

    def drawn(self, drawn: Drawn) -> None:
        self.frames.append(drawn)

    def lost(self) -> None:
        self.deaths += 1

    def failed(self, reason: str) -> None:
        self.failures.append(reason)


def killed(server: Server, token: str) -> tuple[int, list[ActionRow], float]:
    """Play and kill the server; returns the trial, what is kept of it, and the age of what is not, in s.

    One action is taken per step, so what is missing began a step after the last that is there.
    """
    with Page(server, token) as page:
        begun = page.drive(15)["step"]
        seen, trial, at = page.state["step"], page.trial["trial"], time.time()
        server.stop(signal.SIGKILL)
    with server.store() as store:
        kept = store.actions(trial)
    assert [row.step for row in kept] == list(range(len(kept)))
    assert len(kept) >= begun
    return trial, kept, max(at - kept[-1].at - STEP_S, (seen - len(kept)) * STEP_S)


def test_killing_the_server_loses_only_the_last_moment_and_the_episode_resumes(tmp_path):
    database = tmp_path / "play.db"
    server = Server(database, "01-01-01")
    token, lost_s = server.newcomer(), []
    for _ in range(ATTEMPTS):
        trial, kept, lost = killed(server, token)
        lost_s.append(lost)
        server = Server(database, "01-01-01", port=server.port)
        if lost <= MOST_LOST_S:
            break
    assert lost_s[-1] <= MOST_LOST_S, lost_s
    with Page(server, token) as page:
        assert page.until("trial")["trial"] == trial
        assert page.trial["step"] == len(kept)
        page.do("start")
        page.steps(len(kept) + 2)
        page.finish()
    server.stop()
    with server.store() as store:
        recording, rows = store.recording(trial), store.actions(trial)
    assert rows[: len(kept)] == kept
    taken = [ACTIONS.index(action) for action in recording.unpacked()]
    assert [row.action for row in rows] == taken[: len(rows)]


@pytest.fixture(scope="module")
def loop():
    loop = asyncio.new_event_loop()
    yield loop
    loop.close()


@pytest.fixture(scope="module")
def workers(loop):
    """One worker process, shared by the tests; it lives in their loop."""
    workers = WorkerPool(1)

    async def do(what) -> None:
        what()

    loop.run_until_complete(do(workers.start))
    yield workers
    loop.run_until_complete(do(workers.close))


@pytest.mark.e2e
def test_an_episode_that_cannot_be_played_is_reported(loop, workers):
    task = task_named("01-01-01")
    crowd = load_text("arenas: {0: {items: [{name: Agent}, {name: Agent}]}}", version="4").arenas[0]

    async def play() -> None:
        broken = Task(task.id, 1, task.path, crowd, task.sha256)
        episode = RemoteEpisode(workers, Open(broken, 0, 0), Listener())
        await episode.open()
        with pytest.raises(EpisodeFailed, match="2 agents, expected one"):
            await episode.step((3,))
        # The worker keeps serving others.
        other = RemoteEpisode(workers, Open(task, 0, 0), Listener())
        assert (await other.open()).state.step == 0

    loop.run_until_complete(play())


@pytest.mark.e2e
def test_a_worker_that_is_still_starting_is_not_dead(loop, workers, monkeypatch):
    task = task_named("03-09-01")
    monkeypatch.setattr("people.play.workers.TIMEOUT_S", 0.5)

    async def play() -> None:
        episode = RemoteEpisode(workers, Open(task, 0, 0), Listener())
        await episode.open()
        os.kill(workers.processes[0].process.pid, signal.SIGKILL)
        assert (await episode.step((3,))).state.step == 1

    loop.run_until_complete(play())


@pytest.mark.e2e
def test_an_episode_survives_its_worker(loop, workers):
    task = task_named("03-09-01")
    listener = Listener()

    async def play() -> None:
        episode = RemoteEpisode(workers, Open(task, 0, 0), listener)
        await episode.open()
        await episode.step((3,) * 9 + (4,) * 5)
        os.kill(workers.processes[0].process.pid, signal.SIGKILL)
        # Nothing waits for an answer, as while a game is paused.
        while not listener.deaths:
            await asyncio.sleep(0.01)
        await episode.rebuild()
        episode.draw(1.5, "first", 256, 50)
        while not listener.frames:
            await asyncio.sleep(0.01)
        assert (listener.frames[0].step, listener.frames[0].due) == (14, 1.5)
        answer = await episode.step((5,) * 7)
        with Episode(task.spec, task_id=task.id) as undisturbed:
            for index in (3,) * 9 + (4,) * 5 + (5,) * 7:
                undisturbed.step(ACTIONS[index])
            assert answer.state.step == 21
            assert answer.state.health == undisturbed.health
            assert answer.state.total_reward == undisturbed.total_reward
        stopped = await episode.stop()
        assert (stopped.actions, stopped.end.steps_played) == ((), 21)
        assert stopped.end.recording.steps > 21

    loop.run_until_complete(play())


@pytest.fixture
def database():
    with postgres.running() as database:
        yield database


@pytest.mark.slow
def test_the_server_ends_without_its_database(database):
    server = Server(database.url("postgres"), "01-01-01")
    try:
        with Page(server, server.newcomer()) as page:
            page.drive(3)
            database.stop()
            page.do("stop")
            server.stop()
    finally:
        database.start()
        if server.process.poll() is None:
            server.stop(signal.SIGKILL)
    assert server.process.returncode not in (0, -signal.SIGKILL)


def test_postgres_restarted_in_mid_play(database):
    with Server(database.url("postgres"), "01-01-01", "01-05-01") as server:
        token = server.newcomer()
        with Page(server, token) as page:
            page.drive(8)
            database.stop()
            try:
                page.do("keys", action=5)
                page.steps(page.state["step"] + 15)
            finally:
                database.start()
            page.do("keys", action=7)
            page.steps(page.state["step"] + 8)
            end = page.finish()
        with server.store() as store:
            trial, _ = store.trials(store.participant(token).id)
            rows, recording = store.actions(trial.id), store.recording(trial.id)
    assert [row.step for row in rows] == list(range(end["steps"]))
    taken = [ACTIONS.index(action) for action in recording.unpacked()]
    assert [row.action for row in rows] == taken[: len(rows)]
    assert {4, 5, 7} <= {row.action for row in rows}
