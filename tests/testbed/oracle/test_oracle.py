"""The oracle's skills, each in a small world that an agent without it fails."""

import math

import pytest

from arena import BACKWARD, FORWARD, IDLE, TURN_LEFT, TURN_RIGHT, Episode, EventKind
from testbed.oracle.motion import Driver
from testbed.oracle.solve import solve, solved
from testbed.oracle.targets import balls
from testbed.oracle.world_model import Forecast, copy_of
from tests.arena.worlds import agent, episode, item, spec

GOAL = "GoodGoal"


def ball(kind, place, size="1 1 1"):
    return item(kind, place, sizes=size, rotations="0")


def box(kind, place, size, yaw=0):
    return item(kind, place, sizes=size, rotations=str(yaw))


def with_goal(*things, at="20 0 30", start=None, size="1 1 1", **marks):
    return spec(start or agent(), ball(GOAL, at, size), *things, **marks)


def wall(place, size):
    return box("Wall", place, size)


WORLDS = {
    "detour round a wall": with_goal(wall("20 0 15", "20 3 1")),
    "detour round glass": with_goal(box("WallTransparent", "20 0 15", "20 3 1")),
    "through a gap": with_goal(wall("14.3 0 15", "28.6 3 1"), wall("35.1 0 15", "9.8 3 1")),
    "up a ramp": with_goal(
        wall("20 0 30", "10 2 10"), box("Ramp", "28 0 30", "4 2 6", 90), at="20 2 30", t=500
    ),
    "along a ledge": with_goal(
        wall("10 0 15", "1 1 22"),
        wall("20.5 0 25", "20 1 1"),
        box("DeathZone", "20 0 20", "40 0 40"),
        start=agent("10 1 5"),
        at="30 1 25",
        t=500,
    ),
    "round a hot zone": with_goal(box("HotZone", "20 0 20", "20 0 25"), at="20 0 35", pass_mark="0.5"),
    "through a hot zone": with_goal(
        box("HotZone", "20 0 15", "40 0 4"), wall("20 0 20", "10 3 1"), pass_mark="0.3"
    ),
    "round a red ball": with_goal(ball("BadGoal", "20 0 15", "3 3 3")),
    "yellow before green": with_goal(ball("GoodGoalMulti", "20 0 30"), at="20 0 15", pass_mark="1.5"),
    "the larger side of a choice without return": with_goal(
        wall("20 0 20", "1 2 40"),
        ball(GOAL, "6 0 20", "3 3 3"),
        start=agent("20 2 20", 90),
        at="30 0 20",
        pass_mark="2",
    ),
    "leaves the small goal on top for the large one below": with_goal(
        wall("20 0 10", "20 2 20"),
        ball(GOAL, "20 0 30", "3 3 3"),
        start=agent("20 2 10"),
        at="20 2 15",
        pass_mark="2",
    ),
    "pushes a block out of a corridor": with_goal(
        wall("9.5 0 15", "19 3 4"),
        wall("30.5 0 15", "19 3 4"),
        wall("20 0 23", "3 3 1"),
        box("LightBlock", "20 0 15", "1.9 1 3"),
        t=500,
    ),
    "rams a pillar so that the goal falls": with_goal(
        box("LightBlock", "20 0 25", "0.6 2 0.6"), wall("20 0 15", "9 3 1"), at="20 2.1 25", t=500
    ),
    "through a tunnel": with_goal(
        wall("12.2 0 15", "24.4 4 1"),
        wall("35 0 15", "9.9 4 1"),
        box("CylinderTunnelTransparent", "27.2 0 15", "5 5 6"),
    ),
}


def played_straight(arena):
    """By one who knows where the nearest good goal is, and nothing else: turns to it and drives."""
    with Episode(arena, task_id="test", seed=0) as run:
        driver = Driver(run)
        while not run.done:
            x, _, z = run.position
            ways = [(at.centre[0] - x, at.centre[2] - z) for at in balls(run.scene()) if at.worth > 0]
            if ways:
                driver.face(math.degrees(math.atan2(*min(ways, key=lambda way: math.hypot(*way)))))
                driver.drive(1)
            else:
                driver.idle(1)
        return run.recording()


@pytest.mark.parametrize("name", WORLDS)
def test_the_oracle_solves_what_driving_straight_does_not(name):
    arena = WORLDS[name]
    assert not solved(played_straight(arena))
    assert solve(arena, task_id="test").recording.passed


def test_it_wastes_no_time_on_open_floor():
    arena = spec(agent(), ball(GOAL, "20 0 35"))
    # Full throttle takes 27 steps for these 29 m.
    assert solve(arena, task_id="test").recording.steps <= 30


def test_it_meets_a_rolling_ball_before_it_stops():
    arena = spec(agent("20 0 5"), item("GoodGoalBounce", "5 0 20", rotations="90", sizes="1 1 1"))
    plan = solve(arena, task_id="test")
    with Episode(arena, task_id="test", seed=0) as run:
        forecast = Forecast(run)
    assert plan.recording.passed
    assert plan.recording.steps < forecast.end


def test_it_goes_round_a_hot_zone_where_that_is_cheap():
    arena = spec(agent(), ball(GOAL, "20 0 30"), box("HotZone", "20 0 17", "4 0 4"))
    actions = solve(arena, task_id="test").actions
    with Episode(arena, task_id="test", seed=0) as run:
        events = [event for action in actions for event in run.step(action).events]
        assert run.done
    assert [event.kind for event in events] == [EventKind.GOOD_GOAL]


def test_the_plan_is_the_same_every_time_and_replays_to_its_end():
    arena = WORLDS["rams a pillar so that the goal falls"]
    one, other = solve(arena, task_id="test"), solve(arena, task_id="test")
    assert one == other
    with Episode(arena, task_id="test", seed=0) as run:
        for action in one.recording.unpacked():
            run.step(action)
        assert run.recording() == one.recording


def test_a_plan_can_begin_after_other_actions_and_only_drives_or_turns():
    arena = spec(agent(), ball(GOAL, "30 0 30"))
    plan = solve(arena, task_id="test", taken=[IDLE] * 49)
    assert plan.recording.unpacked()[:49] == [IDLE] * 49
    assert plan.recording.passed
    assert set(plan.actions) <= {FORWARD, BACKWARD, TURN_LEFT, TURN_RIGHT}


def test_what_cannot_be_done_ends_with_the_budget():
    arena = spec(agent(), ball(GOAL, "20 5 30"), box("Wall", "20 0 30", "6 5 6"), t=100)
    plan = solve(arena, task_id="test", budget=500)
    assert not plan.recording.passed
    # One more episode of 167 steps may have begun before the budget was spent.
    assert 500 <= plan.imagined < 500 + 170


def test_a_copy_is_the_same_to_the_bit():
    with episode(agent(), item("GoodGoalBounce", "5 0 20", rotations="0", sizes="1 1 1")) as run:
        for _ in range(30):
            run.step(FORWARD)
        with copy_of(run) as twin:
            assert twin.recording() == run.recording()
            assert twin.position == run.position
