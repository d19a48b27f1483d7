"""What is at rest is drawn once: the picture stays what it was."""

import resource
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arena.scene import Scene
from render import Renderer, top_view
from tests.arena.worlds import agent, episode, item

SIZE = 96
LONG = 20
"""Frames: more than a thing has to be still to count as at rest."""

ROOM = (
    item("GoodGoal", "20 0 25", sizes="2 2 2"),
    item("LightBlock", "23 0 24", sizes="1 1 1", rotations="30"),
    item("Wall", "16 0 26", sizes="3 2 1"),
)


def room() -> Scene:
    return episode(agent("20 0 20"), *ROOM).scene()


def shifted(scene, index, east):
    positions = scene.positions.copy()
    positions[index, 0] += east
    return replace(scene, positions=positions)


def same_as_fresh(renderer, scene):
    return (renderer.frame(scene, top_view()) == Renderer(SIZE, SIZE).frame(scene, top_view())).all()


@pytest.mark.parametrize("index", range(len(ROOM)))
def test_what_rests_and_moves_again_leaves_no_shadow_behind(index):
    renderer, start = Renderer(SIZE, SIZE), room()
    for east in (0.0, 0.5, 1.0, -2.0):
        here = shifted(start, index, east)
        for _ in range(LONG):
            renderer.frame(here)
        assert same_as_fresh(renderer, here)
        assert same_as_fresh(renderer, shifted(here, index, 0.25))


def test_what_appears_and_vanishes_takes_its_shadow_along():
    renderer, start = Renderer(SIZE, SIZE), room()
    for number in range(3 * LONG):
        here = replace(start, visible=start.visible & (np.arange(len(ROOM)) != number // 7 % 4))
        renderer.frame(here)
        assert number % 5 or same_as_fresh(renderer, here)


def test_trembling_things_are_at_rest():
    renderer, start = Renderer(SIZE, SIZE), room()
    renderer.frame(start)
    shadows = renderer._shadows
    drawn, moving = [], []

    def draw(scene):
        renderer.frame(scene)
        drawn.append(shadows.since[0] == 0)
        moving.append((shadows.cast & ~shadows.resting).sum())

    at = start.positions.copy()
    at[:] = np.rint(at * 512) / 512
    renderer.frame(replace(start, positions=at))
    for number in range(2 * LONG):
        draw(replace(start, positions=at + 1e-5 * (-1) ** number, agent_yaw=float(number)))
    assert not any(drawn)
    assert max(moving) == 0
    rolling = [shifted(start, 0, 0.1 * number) for number in range(1, LONG)]
    for scene in rolling:
        draw(scene)
    assert sum(drawn) == 1
    assert max(moving[-2:]) == 1


def megabytes() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory in use is read from /proc")
def test_new_arenas_leave_no_memory_behind():
    renderer, kinds = Renderer(SIZE, SIZE), ("Wall", "GoodGoal", "LightBlock", "CylinderTunnel", "Ramp")
    rng = np.random.default_rng(3)
    scenes = []
    for kind in kinds:
        places = [f"{x:.1f} 0 {z:.1f}" for x, z in rng.uniform(3, 37, (6, 2))]
        scenes.append(episode(agent("20 0 20"), item(kind, *places)).scene())

    def run(count):
        for number in range(count):
            scene = scenes[number % len(scenes)]
            renderer.frame(replace(scene, things=tuple(list(scene.things))))

    run(100)
    before = megabytes()
    run(600)
    # One pair of shadow maps is 5.8 MB, the rows of one arena are 3 KB: 10 KB for each arena would be seen.
    assert megabytes() - before < 6
