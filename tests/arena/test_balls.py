"""Balls that move by themselves, among bodies that push each other, and from one to the other."""

from itertools import groupby

import numpy as np
import pytest

from arena import FORWARD, IDLE
from arena.action import STEP_S
from arena.kernel.motion import STILL_TICKS
from arena.kernel.tables import Role
from tests.arena.plain_motion import rolled
from tests.arena.worlds import agent, body_of, episode, item, play

WALL = item("Wall", "20 0 20", sizes="4 2 4", rotations="0")
BALL = item("GoodGoalMulti", "20 2 20", sizes="1 1 1")

RAMP = item("Ramp", "20 0 20", sizes="6 3 8", rotations="0")
TUNNEL = item("CylinderTunnel", "20 0 20", sizes="5 5 6", rotations="0")
BLOCK = item("LightBlock", "20 0 22", sizes="2 1 2", rotations="0")

ALONE = {
    "on the floor": [item("GoodGoalMulti", "20 0 20", sizes="2 2 2")],
    "falls to the floor": [item("GoodGoal", "20 9 20", sizes="1 1 1")],
    "on a wall": [WALL, BALL],
    "falls onto a wall": [WALL, item("GoodGoalMulti", "20.5 7 19", sizes="0.6 0.6 0.6")],
    "beside a wall": [WALL, item("GoodGoalMulti", "22.52 6 20", sizes="1 1 1")],
    "in a tunnel": [TUNNEL, item("BadGoal", "20 0 20", sizes="1 1 1")],
    "in a hot zone": [item("HotZone", "20 0 20", sizes="4 1 4"), item("GoodGoal", "20 3 20")],
    "down a ramp": [RAMP, item("GoodGoal", "20 3 18", sizes="1 1 1")],
    "over an edge": [WALL, item("GoodGoalMulti", "22.2 4 20", sizes="1 1 1")],
    "off a tunnel": [TUNNEL, item("GoodGoal", "20.5 6 20", sizes="1 1 1")],
    "launched": [item("GoodGoalBounce", "20 0 20", sizes="1 1 1", rotations="30")],
    "launched into a wall": [WALL, item("GoodGoalBounce", "20 0 10", sizes="1 1 1", rotations="10")],
    "launched up a ramp": [RAMP, item("GoodGoalBounce", "20 0 30", sizes="2 2 2", rotations="180")],
    "no ball": [item("HeavyBlock", "20 0 20"), item("LBlock", "10 0 20"), item("UBlock", "30 0 20")],
}

TOGETHER = {
    "ball on a ball": [BALL, item("GoodGoalMulti", "20 5 20.05", sizes="1 1 1")],
    "ball on a block": [BLOCK, item("GoodGoal", "20 2 22")],
    "ball into a block": [BLOCK, item("GoodGoalBounce", "20 0 19", sizes="1 1 1", rotations="0")],
    "block in the air": [item("LightBlock", "20 3 20", sizes="1 1 1")],
    "wall in the air": [item("Wall", "20 3 20", sizes="1 1 1")],
    "block half over a wall": [WALL, item("LightBlock", "22.3 2 20", sizes="2 1 2", rotations="0")],
}


def places(things, ticks, together):
    """Places (ticks, 3) of the last thing in the first ticks."""
    run = episode(agent("2 0 2"), *things, t=0)
    world, seen = run._stage.world, []
    if together:
        world.things.still = -(10**9)
    for _ in range(ticks):
        world.advance([IDLE])
        seen.append(run.scene().positions[-1])
    assert (world._bodies is None) is not together
    return np.array(seen)


@pytest.mark.parametrize("name", ALONE)
def test_balls_that_touch_nothing_movable_move_alike_among_bodies_that_push(name):
    alone, together = (places(ALONE[name], 100, together) for together in (False, True))
    way = abs(np.diff(together, axis=0)).sum()
    # What falls to rest at once when alone takes a few ticks among the others.
    assert abs(alone - together).max() < 0.02 + 0.02 * way


@pytest.mark.parametrize("name", ALONE)
def test_balls_move_by_the_rules_written_plainly(name):
    world = episode(agent("2 0 2"), *ALONE[name], t=0)._stage.world
    balls, parts = world.things.balls, world.things.parts
    rows = np.flatnonzero(parts["role"] == Role.BALL)
    for _ in range(60):
        awake = parts["still"][rows] < STILL_TICKS
        expected = [
            rolled(world, ball, *parts[row]["motion"][:2].copy())
            for ball, row in zip(balls, rows, strict=True)
        ]
        world.advance([IDLE])
        for ball, row, plain, moves in zip(balls, rows, expected, awake, strict=True):
            place, turn, velocity, spin = plain
            if moves:
                assert world.things.position(ball) == pytest.approx(place, abs=1e-9)
                assert world.things.rotations[ball] == pytest.approx(turn, abs=1e-9)
            if parts["still"][row] < STILL_TICKS:
                assert parts["motion"][row, 0] == pytest.approx(velocity, abs=1e-9)
                assert parts["motion"][row, 1] == pytest.approx(spin, abs=1e-9)


@pytest.mark.parametrize("name", TOGETHER)
def test_what_moves_others_is_simulated(name):
    run = episode(agent("2 0 2"), *TOGETHER[name], t=0)
    play(run, steps=20)
    assert run._stage.world._bodies


def test_a_ball_rolls_on_while_a_block_is_pushed_and_after():
    ball = item("GoodGoalBounce", "30 0 5", sizes="1 1 1", rotations="0")
    run = episode(agent("20 0 8"), ball, item("HeavyBlock", "20 0 11", sizes="2 1 1", rotations="0"), t=0)
    world, rest, speeds = run._stage.world, [], []
    for action in [IDLE] * 5 + [FORWARD] * 12 + [IDLE] * 60:
        before = run.scene().positions
        run.step(action)
        rest.append(world.things.rest)
        speeds.append(np.linalg.norm(run.scene().positions - before, axis=1) / STEP_S)
    assert [each for each, _ in groupby(rest)] == [True, False, True]
    ball_speeds, block_speeds = np.array(speeds).T
    # No change moves anything or stops it: the ball slides, then rolls, and the block is pushed once.
    assert (np.diff(ball_speeds[1:]) < 0.05).all()
    assert ball_speeds[18] > 3
    assert block_speeds[:5].max() < 1 < block_speeds.max()
    # What creeps when it falls asleep does not creep on when it wakes.
    assert not body_of(world, 1)["motion"][:2].any()


def test_a_ball_rolls_on_when_another_is_eaten():
    ball = item("GoodGoalMultiBounce", "30 0 5", sizes="1 1 1", rotations="0")
    others = [item("GoodGoalMulti", place, sizes="1 1 1") for place in ("20 0 9", "5 0 35")]
    runs = [episode(agent("20 0 5"), ball, other, t=0) for other in others]
    for _ in range(20):
        eaten, apart = ((run.step(FORWARD), run.scene().positions[0].tolist())[1] for run in runs)
        assert eaten == apart
    assert [len(run._stage.world.things.present()) for run in runs] == [1, 2]
    assert eaten[2] > 10


@pytest.mark.parametrize("size", [0.5, 1, 2])
@pytest.mark.parametrize("start", [14.9, 15, 15.1, 15.2])
def test_a_ball_takes_its_share_of_the_momentum_of_who_eats_it(size, start):
    far = item("GoodGoalMulti", "5 0 5")
    free = episode(agent(f"20 0 {start}"), far, t=0)
    run = episode(
        agent(f"20 0 {start}"), far, item("GoodGoalMulti", "20 0 20", sizes=f"{size} {size} {size}"), t=0
    )
    while len(run._stage.world.things.present()) == 2:
        assert run.velocity == free.velocity
        run.step(FORWARD)
        free.step(FORWARD)
    assert run._stage.world._bodies is None
    # The agent has 100 kg, the ball 1 kg; a gap of 0.02 m may be closed first, and the drive goes on.
    assert 0.985 < run.velocity[2] / free.velocity[2] < 0.996
    assert run.velocity[0] == pytest.approx(0, abs=1e-9)
