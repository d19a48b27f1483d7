"""Level 10: what makes its tasks tasks of causal reasoning."""

import math

import pytest

from testbed.blueprints.blueprint import Blueprint, Object, Push
from testbed.oracle.attempt import Attempt
from testbed.oracle.world_model import Strategy
from tests.testbed.blueprints.views import drawn, episode_of, numbers

TOOLS = frozenset({"LightBlock", "HeavyBlock", "UBlock", "LBlock", "JBlock"})


def _ball_ahead(task: Blueprint) -> tuple[tuple[float, ...], Push, float, float]:
    """Where a task's ball is, the push to it, its direction (radians), and how far along it the ball is."""
    ball = next(thing.place for thing in task.objects if thing.kind == "GoodGoal")
    push = task.pushes[0]
    angle = math.radians(push.bearing)
    along = (ball[0] - push.x) * math.sin(angle) + (ball[2] - push.z) * math.cos(angle)
    return ball, push, angle, along


def _passes(task: Blueprint, push: Push) -> bool:
    """Whether a push and then the direct way pass a task.

    The place to stand at may be a little off to a side, as what lies there is elsewhere in each draw.
    """
    angle = math.radians(push.bearing)
    for aside in (0.0, 0.8, -0.8, 1.6, -1.6):
        x, z = push.x + aside * math.cos(angle), push.z - aside * math.sin(angle)
        with episode_of(task) as episode:
            Attempt(episode, Strategy(), (push._replace(x=x, z=z),)).run()
            # One that cannot get to where it should push ends at once: nothing else can be reached.
            if episode.steps > 20:
                return bool(episode.passed) and episode.done
    raise AssertionError("the push cannot be tried")


def _mirrored(push: Push, start: Object) -> Push:
    """A push on the other side of the line along which the agent looks at its start."""
    yaw = math.radians(start.yaw)
    east, north = push.x - start.place[0], push.z - start.place[2]
    along = 2 * (east * math.sin(yaw) + north * math.cos(yaw))
    x, z = along * math.sin(yaw) - east, along * math.cos(yaw) - north
    return push._replace(
        x=start.place[0] + x, z=start.place[2] + z, bearing=(2 * start.yaw - push.bearing) % 360
    )


@pytest.mark.parametrize("number", numbers(10))
def test_there_is_something_to_push_and_the_solution_pushes_it(number: int) -> None:
    task = drawn(10, number, seed=5)
    push = task.pushes[0]
    angle = math.radians(push.bearing)
    ahead = []
    for thing in task.objects:
        east, north = thing.place[0] - push.x, thing.place[2] - push.z
        along = east * math.sin(angle) + north * math.cos(angle)
        if thing.kind in TOOLS and along > 0:
            ahead.append(abs(east * math.cos(angle) - north * math.sin(angle)))
        elif thing.kind == "UBlock":
            ahead.append(0.0)
    assert min(ahead) < 3.1


@pytest.mark.parametrize("number", numbers(10, "tool choice", "knocking down choice"))
def test_the_same_push_on_the_wrong_side_does_not_pass(number: int) -> None:
    task = drawn(10, number, seed=5)
    start = next(thing for thing in task.objects if thing.kind == "Agent")
    assert not _passes(task, _mirrored(task.pushes[0], start))


@pytest.mark.parametrize("number", numbers(10, "trap tube"))
def test_pushed_from_the_other_end_the_ball_is_trapped(number: int) -> None:
    task = drawn(10, number, seed=5)
    _, push, angle, away = _ball_ahead(task)
    other = push._replace(
        x=push.x + (2 * away + 0.4) * math.sin(angle),
        z=push.z + (2 * away + 0.4) * math.cos(angle),
        bearing=(push.bearing + 180) % 360,
    )
    assert not _passes(task, other)


@pytest.mark.parametrize("number", numbers(10, "doorway"))
def test_pushed_straight_in_the_block_closes_the_doorway(number: int) -> None:
    task = drawn(10, number, seed=5)
    block = next(thing for thing in task.objects if thing.kind in TOOLS)
    inward = block.yaw
    angle = math.radians(inward)
    stand = block.place[0] - 3 * math.sin(angle), block.place[2] - 3 * math.cos(angle)
    assert not _passes(task, Push(*stand, inward, 5))


@pytest.mark.parametrize("number", numbers(10, "care"))
def test_the_block_before_the_ball_pushes_it_out_of_reach(number: int) -> None:
    task = drawn(10, number, seed=5)
    ball, push, angle, away = _ball_ahead(task)
    behind = push._replace(x=ball[0] - away * math.sin(angle), z=ball[2] - away * math.cos(angle))
    assert not _passes(task, behind)
