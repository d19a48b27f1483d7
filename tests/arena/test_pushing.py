"""Pushed blocks beside PhysX 4.1 (as in SAPIEN 2.2.2) with Unity's settings, and beside physics on paper."""

import math

import numpy as np
import pytest

from arena import FORWARD, IDLE
from arena.kernel.tables import YAW, X
from arena.physics import world as physics
from arena.taskfile.kind import GRAVITY
from tests.arena.worlds import agent, body_of, episode, item, play

RAMS = {
    "220 kg": ("4", "LightBlock", 0.0, 14.8, 39.0),
    "220 kg, beside its middle": ("4", "LightBlock", 0.7, 8.3, 25.04),
    "420 kg": ("4", "HeavyBlock", 0.0, 3.6, 39.0),
    "420 kg, beside its middle": ("4", "HeavyBlock", 0.7, 2.8, 22.85),
    "1 kg, thrown over": ("3.1.3", "LightBlock", 0.0, 44, 37.2),
    "2 kg, thrown over": ("3.1.3", "HeavyBlock", 0.0, 44, 37.2),
}
"""Blocks that the agent drives against for 60 steps: version, kind, distance from the middle of its path
(metres), and in PhysX the largest tilt (degrees) and the last place along the path (metres).

Those that are thrown over are hit half a metre below their middle at 14 m/s; they tilt by 43 and 45 degrees.
"""


def flat_tilt(run):
    """Angle (degrees) between the vertical and the first thing's axis that is nearest to it."""
    return math.degrees(math.acos(min(1.0, abs(run.scene().rotations[0][1]).max())))


@pytest.mark.parametrize("name", RAMS)
def test_a_rammed_block_tilts_and_goes_as_far_as_in_physx(name):
    version, kind, aside, most, end = RAMS[name]
    block = item(kind, f"{20 + aside} 0 20", rotations="0", sizes="2 2 2")
    run, tilts = episode(block, agent("20 0 12"), version=version, t=0), []
    for _ in range(60):
        run.step(FORWARD)
        tilts.append(flat_tilt(run))
    assert max(tilts) == pytest.approx(most, abs=0.5 if version == "4" else 2)
    assert run.scene().positions[0][2] == pytest.approx(end, abs=0.4)


def test_a_sliding_block_stops_by_its_friction_and_stays_flat():
    run = episode(item("HeavyBlock", "20 0 10", rotations="0", sizes="2 2 2"), agent("5 0 5"), t=0)
    world = run._stage.world
    play(run, steps=20)
    world.things.still = 0
    block = body_of(world, 0)
    block["motion"][0, 2], block["moves"], block["still"] = 5, 1, 0
    play(run, steps=60)
    assert run.scene().positions[0] == pytest.approx([20, 0.989, 10 + 25 / (2 * 0.425 * GRAVITY)], abs=0.1)
    assert flat_tilt(run) == pytest.approx(0, abs=0.1)


def test_a_stack_stands_still():
    stack = [item("HeavyBlock", f"20 {2.1 * n} 20", rotations=f"{45 * n}", sizes="2 2 2") for n in range(3)]
    run = episode(*stack, agent("5 0 5"), t=0)
    play(run, steps=40)
    before = run.scene().positions.copy()
    assert before == pytest.approx(np.array([[20, 0.99 + 2 * n, 20] for n in range(3)]), abs=0.02)
    play(run, steps=40)
    assert np.allclose(run.scene().positions, before, atol=1e-4)


def test_a_wall_hit_at_full_speed_leans_as_in_physx():
    """The tutorial's turns 20 and 21: places after the hit in PhysX, metres."""
    run = episode(item("Wall", "23.5 0 6.5", sizes="1 5 7", rotations="0"), agent("10 0 10", 120), t=0)
    play(run, steps=20)
    world = run._stage.world
    body, places = world.agents[0], []
    body.state[X:YAW] = 22.6862, 0.49, 3.5422, 13.1, 0.0, -7.563
    for _ in range(3):
        world.advance([FORWARD])
        places.append((body.position[0], world.things.position(0)[0]))
    assert np.array(places) == pytest.approx(
        np.array([(22.5477, 23.5028), (22.5190, 23.5044), (22.5131, 23.5059)]), abs=0.0005
    )


def test_a_heap_moves_alike_however_much_place_there_is_at_first(monkeypatch):
    heap = [
        item("LightBlock", f"20 {1 + level} 20", sizes="1 1 1", rotations=f"{20 * level}")
        for level in range(9)
    ]
    ends = []
    for places in (64, 1024):
        monkeypatch.setattr(physics, "_POINTS", places)
        run = episode(agent("5 0 5"), *heap, item("GoodGoalMulti", "20 15 20"), t=0)
        play(run, steps=60)
        ends.append(run.scene().positions.tobytes())
    assert ends[0] == ends[1]
    assert len(run._stage.world._bodies._points) == 1024


def test_what_nothing_moving_touches_sleeps_and_a_chain_wakes_at_once():
    row = [item("HeavyBlock", f"20 0 {z}", rotations="0", sizes="2 2 2") for z in (20, 22, 24, 35)]
    run = episode(*row, agent("20 0 15"), t=0)
    world, awake = run._stage.world, []
    for action in [IDLE] * 5 + [FORWARD] * 12:
        run.step(action)
        awake.append([bool(body_of(world, index)["moves"]) for index in range(4)])
    assert awake[4] == [False] * 4
    assert [True, True, True, False] in awake
    assert [True, False, False, False] not in awake
    assert run.scene().positions[2][2] > 24.5
