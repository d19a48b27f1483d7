"""An arena in which all stands firmly, or falls straight onto what does, needs no Bullet."""

import numpy as np
import pytest

from arena import FORWARD, IDLE
from tests.arena.worlds import agent, episode, item

WALL = item("Wall", "20 0 20", sizes="4 2 4", rotations="0")
BALL = item("GoodGoalMulti", "20 2 20", sizes="1 1 1")

FIRM = {
    "ball on the floor": [item("GoodGoalMulti", "20 0 20", sizes="2 2 2")],
    "ball falls to the floor": [item("GoodGoal", "20 9 20", sizes="1 1 1")],
    "ball on a wall": [WALL, BALL],
    "ball falls onto a wall": [WALL, item("GoodGoalMulti", "20.5 7 19", sizes="0.6 0.6 0.6")],
    "ball beside a wall": [WALL, item("GoodGoalMulti", "22.52 6 20", sizes="1 1 1")],
    "ball in a tunnel": [
        item("CylinderTunnel", "20 0 20", sizes="5 5 6"),
        item("BadGoal", "20 0 20", sizes="1 1 1"),
    ],
    "ball on a block on a wall": [
        WALL,
        item("LightBlock", "20 2 20", sizes="2 1 2", rotations="0"),
        item("GoodGoalMulti", "20 3 20", sizes="1 1 1"),
    ],
    "ball in a hot zone": [item("HotZone", "20 0 20", sizes="4 1 4"), item("GoodGoal", "20 3 20")],
    "blocks and bars": [
        item("HeavyBlock", "20 0 20"),
        item("LBlock", "10 0 20"),
        item("UBlock", "30 0 20"),
    ],
}

LOOSE = {
    "ball on a ramp": [item("Ramp", "20 0 20", sizes="6 3 8", rotations="0"), item("GoodGoal", "20 3 18")],
    "ball over an edge": [WALL, item("GoodGoalMulti", "22.2 4 20", sizes="1 1 1")],
    "ball on a ball": [BALL, item("GoodGoalMulti", "20 5 20.05", sizes="1 1 1")],
    "ball on a tunnel": [item("CylinderTunnel", "20 0 20", sizes="5 5 6"), item("GoodGoal", "20.3 6 20")],
    "block in the air": [item("LightBlock", "20 3 20", sizes="1 1 1")],
    "wall in the air": [item("Wall", "20 3 20", sizes="1 1 1")],
    "block half over a wall": [WALL, item("LightBlock", "22.3 2 20", sizes="2 1 2", rotations="0")],
    "launched ball": [item("GoodGoalBounce", "20 0 20")],
}


def heights(things, ticks, by_bullet):
    """Heights (ticks, n) of all things in the first ticks, and their last positions."""
    run = episode(agent("2 0 2"), *things, t=0)
    world, seen = run._stage.world, []
    if by_bullet:
        world._still_ticks = 0
    for _ in range(ticks):
        world.advance([IDLE])
        seen.append(run.scene().positions[:, 1])
    assert (world._made is None) is not by_bullet
    return np.array(seen), run.scene().positions


@pytest.mark.parametrize("name", FIRM)
def test_what_falls_straight_falls_as_in_bullet(name):
    ours, at = heights(FIRM[name], 90, False)
    bullets, expected = heights(FIRM[name], 90, True)
    # In Bullet a ball may stop above the ground in the tick in which it lands: it falls 0.2 m in one.
    assert abs(ours - bullets).max() < 0.2
    assert at == pytest.approx(expected, abs=0.002)


@pytest.mark.parametrize("name", LOOSE)
def test_what_does_not_is_simulated(name):
    run = episode(agent("2 0 2"), *LOOSE[name], t=0)
    run.step(IDLE)
    assert run._stage.world._made


@pytest.mark.parametrize("size", [0.5, 1, 2])
@pytest.mark.parametrize("start", [14.9, 15, 15.1, 15.2])
def test_a_ball_takes_its_share_of_the_momentum_of_who_eats_it(size, start):
    far = item("GoodGoalMulti", "5 0 5")
    free = episode(agent(f"20 0 {start}"), far, t=0)
    run = episode(
        agent(f"20 0 {start}"), far, item("GoodGoalMulti", "20 0 20", sizes=f"{size} {size} {size}"), t=0
    )
    while len(run._stage.world.present()) == 2:
        assert run.velocity == free.velocity
        run.step(FORWARD)
        free.step(FORWARD)
    assert run._stage.world._made is None
    # The agent has 100 kg, the ball 1 kg; a gap of 0.02 m may be closed first, and the drive goes on.
    assert 0.985 < run.velocity[2] / free.velocity[2] < 0.996
    assert run.velocity[0] == pytest.approx(0, abs=1e-9)


def test_an_agent_that_is_hit_by_a_falling_ball_meets_it_in_bullet():
    run = episode(agent("20 0 20"), item("GoodGoalMulti", "20 4 20", "5 0 5", sizes="1 1 1"), t=0)
    world = run._stage.world
    while len(world.present()) == 2:
        assert world._made is None
        run.step(IDLE)
    assert world._made
