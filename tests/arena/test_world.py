"""The motion rule against the closed form, and what bodies do to each other."""

import math
from functools import partial

import numpy as np
import pytest

from arena import BACKWARD, FORWARD, IDLE, TURN_LEFT, TURN_RIGHT, Action, Move, Rotate
from arena.kernel.tables import BODY
from tests.arena.worlds import advance, agent, body_of, energy, episode, item, play, settled, world_of
from tests.cases import cases

CASES = cases(__file__)

# By the rules of `TrainingAgent.cs`: steps from rest, distance, speed, glide.
rested = partial(settled, steps=10)


@pytest.mark.parametrize(("steps", "distance", "speed", "glide"), CASES["from_rest"])
@pytest.mark.parametrize("stop", [IDLE, TURN_RIGHT, TURN_LEFT])
def test_driving_and_gliding_follow_the_closed_form(steps, distance, speed, glide, stop):
    run = rested(place="20 0 1.5")
    play(run, FORWARD, steps)
    assert run.position[2] - 1.5 == pytest.approx(distance, rel=0.01, abs=0.002)
    assert run.speed == pytest.approx(speed, abs=0.01)
    play(run, stop, 9)
    assert run.position[2] - 1.5 == pytest.approx(distance + glide, rel=0.01, abs=0.003)
    assert run.speed == pytest.approx(0, abs=1e-9)
    assert run.position[0] == pytest.approx(20, abs=1e-9)


def test_backward_is_as_strong_as_forward():
    ahead, back = rested(place="20 0 20"), rested(place="20 0 20")
    play(ahead, FORWARD, 8)
    play(back, BACKWARD, 8)
    assert ahead.position[2] - 20 == pytest.approx(20 - back.position[2], abs=1e-9)


def test_turning_is_six_degrees_a_step_and_leaves_the_velocity():
    run = rested(yaw=90, place="10 0 20")
    play(run, FORWARD, 5)
    before = run.velocity
    run.step(TURN_RIGHT)
    assert run.yaw == pytest.approx(96)
    assert run.velocity[0] > 0.5 * before[0]
    assert run.velocity[2] == pytest.approx(0, abs=1e-9)
    play(run, TURN_LEFT, 17)
    assert run.yaw == pytest.approx(354)


def test_the_force_uses_the_heading_before_the_turn():
    run = rested(place="20 0 20")
    run.step(Action(Move.FORWARD, Rotate.RIGHT))
    # Headings 0, 2 and 4 degrees in the three ticks.
    assert math.degrees(math.atan2(run.velocity[0], run.velocity[2])) == pytest.approx(2.2, abs=0.2)


@pytest.mark.parametrize(("y", "ticks"), [(1, 26), (2, 39)])
def test_the_agent_falls_as_unity_says(y, ticks):
    run = episode(agent(f"20 {y} 20"))
    steps = 0
    while run.position[1] > 0.495:
        run.step(IDLE)
        steps += 1
    assert steps * 3 == pytest.approx(ticks, abs=3)
    play(run, IDLE, 3)
    assert run.position[1] == pytest.approx(0.49, abs=0.001)


def test_in_the_air_there_is_no_drive():
    run = episode(agent("20 5 20"))
    play(run, FORWARD, 3)
    assert run.position[2] == pytest.approx(20)


def test_walls_stop_and_the_agent_slides_along_them():
    wall = item("Wall", "23.5 0 20", sizes="1 5 30", rotations="0")
    run = rested(wall, place="21 0 20", yaw=120)
    play(run, FORWARD, 15)
    assert run.position[0] == pytest.approx(22.5, abs=0.02)
    # 60 degrees off the wall, friction of 0.6 holds the agent; 18 degrees off, it slides.
    assert run.speed == pytest.approx(0, abs=0.01)
    run = rested(wall, place="22.4 0 30", yaw=162)
    play(run, FORWARD, 12)
    assert run.position[0] == pytest.approx(22.5, abs=0.02)
    assert run.speed > 5


@pytest.mark.parametrize(("height", "climbed"), [(0.1, True), (0.4, False)])
def test_only_low_steps_can_be_mounted_from_rest(height, climbed):
    run = rested(item("Wall", "20 0 8", sizes=f"6 {height} 6", rotations="0"), place="20 0 4.4")
    play(run, FORWARD, 12)
    assert (run.position[1] > 0.49 + height / 2) is climbed


@pytest.mark.parametrize(("height", "climbed"), [(6.0, True), (10.0, False)])
def test_a_ramp_of_45_degrees_can_be_climbed_one_of_60_cannot(height, climbed):
    # At rotation 180 the slope rises towards +z.
    run = rested(item("Ramp", "20 0 12", sizes=f"6 {height} 6", rotations="180"), place="20 0 8.2")
    highest = 0.0
    for _ in range(70):
        run.step(FORWARD)
        highest = max(highest, run.position[1])
    assert (highest > 0.8 * height) is climbed


def test_a_light_block_is_pushed_and_a_wall_is_not():
    for kind, moves in (("LightBlock", True), ("HeavyBlock", True), ("UBlock", True), ("Wall", False)):
        thing = item(kind, "20 0 8", sizes="2 1 5", rotations="0")
        run = rested(thing, place="20 0 2")
        before = run.scene().positions[0, 2]
        play(run, FORWARD, 12)
        assert bool(run.scene().positions[0, 2] > before + 2) is moves, kind


def test_a_tunnel_lets_through_and_its_side_does_not():
    tunnel = item("CylinderTunnel", "20 0 12", sizes="4 4 6", rotations="0")
    run = rested(tunnel, place="20 0 3")
    play(run, FORWARD, 25)
    assert run.position[2] > 17
    run = rested(tunnel, place="13 0 12", yaw=90)
    play(run, FORWARD, 25)
    assert run.position[0] < 18.2


def test_a_rolling_ball_slows_from_10_to_spin_limited_rolling():
    # Friction slows size 1 by 5.9 m/s2 to 3.5 m/s (7 rad/s) within 7.4 m, then it rolls on.
    run = episode(agent("2 0 2"), item("GoodGoalBounce", "20 0 5", sizes="1 1 1", rotations="0"), t=500)
    play(run, IDLE, 19)
    slid = run.scene().positions[0, 2] - 5
    play(run, IDLE, 10)
    rolled = run.scene().positions[0, 2] - 5 - slid
    assert slid == pytest.approx(7.4, abs=0.5)
    assert rolled / 0.6 == pytest.approx(3.5, abs=0.15)


def test_a_ball_rolls_down_a_ramp_towards_its_low_side():
    ramp = item("Ramp", "20 0 20", sizes="6 3 8", rotations="0")
    run = episode(agent("2 0 2"), ramp, item("GoodGoal", "20 3 18", sizes="1 1 1"), t=500)
    play(run, IDLE, 80)
    assert run.scene().positions[1, 2] > 25


def test_the_scene_shares_no_memory_with_the_world_and_keeps_its_things():
    run = rested(item("GoodGoalBounce", "20 0 20", sizes="1 1 1", rotations="0"), place="20 0 1.5")
    first = run.scene()
    kept = first.positions.copy()
    play(run, IDLE, 5)
    assert (first.positions == kept).all()
    assert run.scene().things is first.things
    assert run.scene().positions[0, 2] != kept[0, 2]


def test_a_small_block_does_not_fall_through_the_floor():
    # After 100 m it moves 0.88 m per tick; the last tick may end that far below the surface.
    for height in range(90, 100):
        run = episode(
            agent("2 0 2"), item("LightBlock", f"20 {height} 20", sizes="0.5 0.5 0.5", rotations="0")
        )
        play(run, IDLE, 90)
        assert run.scene().positions[0, 1] == pytest.approx(0.24, abs=0.02), height


def test_energy_is_that_of_height_and_motion():
    world = world_of(agent("20 2 20"))
    assert energy(world) == pytest.approx(100 * 9.81 * 2.51)
    advance(world, IDLE, 10)
    fall = world.agents[0].velocity[1]
    assert energy(world) == pytest.approx(50 * fall**2 + 981 * world.agents[0].position[1])
    ball = item("GoodGoalBounce", "20 0 20", sizes="2 2 2", rotations="0")
    assert energy(world_of(agent("2 0 2"), ball)) == pytest.approx(981 * 0.51 + 50 + 9.81 * 1.009)


@pytest.mark.parametrize(("version", "bottom"), [("3.1.3", -0.01), ("4", 0.0548)])
def test_a_j_block_of_version_4_stands_on_the_collider_below_its_mesh(version, bottom):
    block = item("JBlock", "20 0 20", rotations="0", sizes="1 1 3")
    with episode(agent("5 0 5"), block, version=version) as run:
        play(run, steps=5)
        assert run.scene().positions[0, 1] - 0.999 / 2 == pytest.approx(bottom, abs=0.005)


def test_what_lies_on_a_ball_falls_when_that_is_removed():
    world = world_of(agent(), item("GoodGoal", "20 0 20", "20 2.3 20", sizes="2 2 2; 1 1 1"))
    advance(world, IDLE, 150)
    assert world.things.position(1)[1] > 2
    world.remove(0)
    advance(world, IDLE, 60)
    assert world.things.position(1)[1] == pytest.approx(0.49, abs=0.01)


@pytest.mark.parametrize(("eats", "reached"), [(False, 35.0), (True, 10.0)])
def test_a_ball_is_pushed_unless_it_is_going_to_be_eaten(eats, reached):
    world = world_of(agent(), item("GoodGoal", "20 0 10", sizes="1 1 1"))
    advance(world, FORWARD, 85, eats=eats)
    assert world.things.position(0)[2] == pytest.approx(reached, abs=0.1)


def test_a_ramp_tips_over_a_third_of_its_length_and_a_wall_over_half():
    kinds = {"Ramp": "20 0 20", "Wall": "30 0 20"}
    world = world_of(agent(), *(item(kind, kinds[kind], sizes="2 1 3", rotations="0") for kind in kinds))
    advance(world, IDLE, 5)
    owner, arm = world.things.parts["owner"], world.things.parts["arm"]
    assert [arm[owner == index][0] for index in (0, 1)] == pytest.approx([2 / 3, 1], abs=0.002)


def test_still_walls_sleep_while_something_else_moves():
    world = world_of(agent(), agent("30 0 5"), item("Wall", "20 1 20", sizes="2 2 2"), version="4")
    advance(world, IDLE, 2)
    assert body_of(world, 0)["moves"]
    advance(world, IDLE, 100)
    assert not body_of(world, 0)["moves"]


def test_ticks_that_were_taken_elsewhere_count():
    stage = rested()._stage
    parts = stage.lend(np.zeros(BODY), np.zeros_like(stage.accounts[0].clock)).copy()
    stage.take_back(parts, 7)
    assert stage.tick == 37
