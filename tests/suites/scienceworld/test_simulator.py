"""The Java process: shared by worlds, lost, started again, and not there at all."""

import logging
import multiprocessing
import os
import signal

import pytest

import suites.scienceworld.java as java_process
from suites.scienceworld.java import SimulatorLost
from suites.scienceworld.simulator import World
from tests.suites.scienceworld.simulation import opened, own_java
from tests.suites.setups import needs_java

pytestmark = [needs_java, pytest.mark.e2e]

NAME = "find-non-living-thing"


def test_worlds_are_apart_in_one_process():
    worlds = [World(NAME, variation, "easy", gold=True) for variation in (225, 260)]
    paths = [world.gold() for world in worlds]
    assert len(own_java()) == 1
    assert worlds[0].description() != worlds[1].description()
    for step in range(max(map(len, paths))):
        for world, path in zip(worlds, paths, strict=True):
            if step < len(path):
                answer = world.step(path[step])
                assert answer.over == (answer.score == 1) == (step == len(path) - 1)
    assert all(goal.reached for world in worlds for goal in world.subgoals() if goal.required)
    for world in worlds:
        world.close()


def test_a_lost_process_is_said_and_the_next_world_has_another(capfd):
    world = World(NAME, 225, "easy")
    (java,) = own_java()
    filters = [*logging.getLogger().filters]
    os.kill(java, signal.SIGKILL)
    with pytest.raises(SimulatorLost, match=r"has ended \(exit status -9\), and with it the episode$"):
        world.step("look around")
    with pytest.raises(SimulatorLost):
        world.look()
    world.close()
    again = World(NAME, 225, "easy")
    assert again.look()
    assert own_java() != {java}
    again.close()
    assert capfd.readouterr().err == ""
    assert logging.getLogger().filters == filters


def test_java_keeps_nothing_and_the_garbage_collector_never_calls_it():
    from py4j.finalizer import ThreadSafeFinalizer

    before = set(ThreadSafeFinalizer.finalizers)
    world = World(NAME, 225, "easy")

    def kept():
        server = world._java._gateway.java_gateway_server
        bindings = server.getGateway().getBindings()
        number = bindings.size()
        world._java.forget(bindings)
        return number

    first = kept()
    for _ in range(3):
        assert len(world.objects()) > 10
        assert world.valid_actions()
    # The gateway itself stays for each question of ours.
    assert kept() - first <= 1
    assert set(ThreadSafeFinalizer.finalizers) == before
    world.close()


def _looked(sent):
    world = World(NAME, 225, "easy")
    sent.send((bool(world.look()), len(own_java())))


def test_a_forked_process_has_a_java_of_its_own():
    world = World(NAME, 225, "easy")
    receive, send = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_looked, args=(send,))
    child.start()
    assert receive.poll(120)
    assert receive.recv() == (True, 1)
    child.join(20)
    assert child.exitcode == 0
    assert world.look()
    world.close()


@pytest.fixture
def another_java(monkeypatch):
    """The next world starts a Java of its own, which is ended with the test."""
    monkeypatch.setattr(java_process, "_running", None)
    yield
    java_process.running().close()


@pytest.mark.parametrize("name", ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"])
def test_java_starts_with_options_from_the_environment(name, another_java, monkeypatch):
    monkeypatch.setenv(name, "-Xss2m")
    assert World(NAME, 225, "easy").look().startswith("This room")


def test_a_java_with_random_hashes_is_said_and_recorded(another_java, monkeypatch):
    assert "not reproducible" not in opened("4-1-0225").finish().replay["versions"]["java"]
    java_process.running().close()
    monkeypatch.setenv("_JAVA_OPTIONS", "-XX:hashCode=5")
    with pytest.warns(UserWarning, match=r"does not follow -XX:hashCode=2.*`arena-llm verify` then reports"):
        episode = opened("4-1-0225")
    assert episode.finish().replay["versions"]["java"].endswith("not reproducible")
