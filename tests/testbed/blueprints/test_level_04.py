import pytest

from testbed.oracle.solve import solve, solved
from tests.testbed.blueprints.views import drawn, drive_straight, episode_of, numbers, spec_of

IN_THE_WAY = (
    "island", "slalom", "hot lake", "pocket", "ring", "blind corner", "behind a wall", "winding path",
    "red rows",
)  # fmt: skip


@pytest.mark.parametrize("number", numbers(4, *IN_THE_WAY))
def test_the_straight_way_fails(number):
    with episode_of(drawn(4, number)) as episode:
        drive_straight(episode, 10_000)
        assert episode.done
        assert not episode.recording().passed


@pytest.mark.parametrize("number", numbers(4, "lanes"))
def test_the_worse_lane_fails(number):
    task = drawn(4, number)
    goals = [thing for thing in task.objects if thing.kind == "GoodGoal"]
    # The second lane is the better one, but where the first one's ball is so much larger.
    better = goals[0] if goals[0].size > goals[1].size else goals[1]
    left = task._replace(objects=tuple(thing for thing in task.objects if thing is not better))
    assert not solved(solve(spec_of(left), task_id="worse", budget=1).recording)


def test_zones_keep_off_the_fence():
    for number in numbers(4):
        for thing in drawn(4, number).objects:
            if thing.kind in ("DeathZone", "HotZone") and thing.yaw == 0:
                x, z = thing.place[0], thing.place[2]
                half = thing.size[0] / 2, thing.size[2] / 2
                assert min(x - half[0], z - half[1]) > 0.03
                assert max(x + half[0], z + half[1]) < 39.97
