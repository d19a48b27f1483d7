"""Processes that are killed: nobody loses more than the last moment."""

import asyncio
import os
import signal

import pytest

from arena import ACTIONS, Episode, load_text
from human_data.people.play.wire import Drawn
from human_data.people.play.workers import EpisodeFailed, RemoteEpisode, Workers
from testbed import Task, task_named
from tests.human_data.people.play.server import Page, Server

MOST_LOST = 3
"""Steps: one that is being taken, and those of the last 100 ms."""


TWO_AGENTS = """
!ArenaConfig
arenas:
  0: !Arena
    items:
    - !Item
      name: Agent
    - !Item
      name: Agent
"""


def test_after_a_kill_of_the_server_the_episode_goes_on(tmp_path):
    database = tmp_path / "play.db"
    server = Server(database, "01-01-01")
    token = server.newcomer()
    with Page(server, token) as page:
        page.until("trial")
        page.do("start")
        page.do("keys", action=4)
        page.steps(20)
        seen, trial = page.state["step"], page.trial["trial"]
        server.stop(signal.SIGKILL)
    server = Server(database, "01-01-01", port=server.port)
    with server.store() as store:
        kept = [row.action for row in store.actions(trial)]
    assert len(kept) >= seen - MOST_LOST
    with Page(server, token) as page:
        assert page.until("trial")["trial"] == trial
        assert page.trial["step"] == len(kept)
        page.do("start")
        page.steps(len(kept) + 2)
        page.do("stop")
        page.until("end")
    server.stop()
    with server.store() as store:
        recording, rows = store.recording(trial), store.actions(trial)
    assert [row.action for row in rows][: len(kept)] == kept
    assert [row.action for row in rows] == [ACTIONS.index(action) for action in recording.unpacked()]


async def with_workers(play) -> None:
    workers = Workers(1)
    workers.start()
    try:
        await play(workers)
    finally:
        workers.close()


def test_an_episode_outlives_its_worker():
    task = task_named("03-09-01")
    frames: list[Drawn] = []

    async def play(workers: Workers) -> None:
        episode = RemoteEpisode(workers, task, 0, 0, "keys", frames.append)
        await episode.open()
        await episode.step((3,) * 9 + (4,) * 5)
        os.kill(workers.processes[0].process.pid, signal.SIGKILL)
        answer = await episode.step((5,) * 7)
        with Episode(task.spec, task_id=task.id) as undisturbed:
            for index in (3,) * 9 + (4,) * 5 + (5,) * 7:
                undisturbed.step(ACTIONS[index])
            assert answer.state.step == 21
            assert (answer.state.health, answer.state.total_reward) == (
                undisturbed.health,
                undisturbed.total_reward,
            )
        assert (await episode.stop()).recording.steps == 21

    asyncio.run(with_workers(play))


def test_an_episode_that_cannot_be_played_is_told():
    task = task_named("01-01-01")
    (crowd,) = load_text(TWO_AGENTS, version="4").arenas.values()

    async def play(workers: Workers) -> None:
        broken = Task(task.id, 1, task.path, crowd, task.sha256)
        episode = RemoteEpisode(workers, broken, 0, 0, "keys", lambda _: None)
        await episode.open()
        with pytest.raises(EpisodeFailed, match="2 agents, expected one"):
            await episode.step((3,))
        # The worker goes on for others.
        assert (await RemoteEpisode(workers, task, 0, 0, "keys", lambda _: None).open()).state.step == 0

    asyncio.run(with_workers(play))
