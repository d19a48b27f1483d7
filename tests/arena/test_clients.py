"""Bullet's clients are used again, without a trace of what was simulated before."""

import numpy as np
import pytest

from arena import ACTIONS, IDLE, Episode
from arena.physics import bullet as clients
from testbed import task_named
from tests.arena.worlds import agent, episode, item

PUSHES = ("04-13-01", "10-07-01", "05-09-01", "08-03-03")


def played(name):
    generator = np.random.default_rng(0)
    seen = []
    with Episode(task_named(name).spec, task_id=name, seed=1) as episode:
        while not episode.done and episode.steps < 60:
            # Mostly forward, so that things are pushed.
            action = 3 + generator.integers(3) if episode.steps % 4 else generator.integers(9)
            episode.step(ACTIONS[action])
            scene = episode.scene()
            seen.append((episode.position, scene.positions.tobytes(), scene.rotations.tobytes()))
    return seen


@pytest.fixture
def none_idle(monkeypatch):
    monkeypatch.setattr(clients, "_idle", [])


@pytest.mark.parametrize("name", PUSHES)
def test_a_used_client_simulates_the_same_bits_as_a_new_one(none_idle, name):
    fresh = played(name)
    for other in PUSHES:
        played(other)
    assert len(clients._idle) == 1
    assert played(name) == fresh


def test_few_idle_clients_are_kept(none_idle):
    block = item("LightBlock", "20 3 20")
    episodes = [episode(agent(), block) for _ in range(clients.MOST_IDLE + 2)]
    for run in episodes:
        run.step(IDLE)
    for run in episodes:
        run.close()
        run.close()
    assert len(set(clients._idle)) == len(clients._idle) == clients.MOST_IDLE
