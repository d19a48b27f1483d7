import math

import pytest

from arena import FORWARD, TURN_LEFT, TURN_RIGHT, Episode, load_text
from testbed.blueprints import CONDITIONS, blueprint, condition_of
from testbed.blueprints.blueprint import Draw, to_yaml
from testbed.oracle.solve import solve, solved

IN_THE_WAY = {
    "island", "slalom", "hot lake", "pocket", "ring", "blind corner", "behind a wall", "winding path",
    "red rows",
}  # fmt: skip
DRAWS = [Draw(4, number, 1, 0) for number in range(1, 1 + len(CONDITIONS[4]))]


def called(*names):
    found = [draw for draw in DRAWS if condition_of(draw).name in names]
    return pytest.mark.parametrize("draw", found, ids=lambda draw: f"{draw.level:02d}-{draw.task:02d}")


def spec_of(task):
    return load_text(to_yaml(task)).arenas[0]


@called(*IN_THE_WAY)
def test_the_straight_way_fails(draw):
    task = blueprint(draw)
    goal = next(thing for thing in task.objects if thing.kind == "GoodGoal")
    with Episode(spec_of(task), task_id="straight") as episode:
        x, _, z = episode.position
        bearing = math.degrees(math.atan2(goal.place[0] - x, goal.place[2] - z))
        turns = round(((bearing - episode.yaw + 180) % 360 - 180) / 6)
        for _ in range(abs(turns)):
            episode.step(TURN_RIGHT if turns > 0 else TURN_LEFT)
        while not episode.done:
            episode.step(FORWARD)
        assert not episode.recording().passed


@called("lanes")
def test_the_worse_lane_fails(draw):
    task = blueprint(draw)
    goals = [thing for thing in task.objects if thing.kind == "GoodGoal"]
    # The second lane is the better one, but where the first one's ball is so much larger.
    better = goals[0] if goals[0].size > goals[1].size else goals[1]
    left = task._replace(objects=tuple(thing for thing in task.objects if thing is not better))
    assert not solved(solve(spec_of(left), task_id="worse", budget=1).recording)


def test_zones_keep_off_the_fence():
    for draw in DRAWS:
        for thing in blueprint(draw).objects:
            if thing.kind in ("DeathZone", "HotZone") and thing.yaw == 0:
                x, z = thing.place[0], thing.place[2]
                half = thing.size[0] / 2, thing.size[2] / 2
                assert min(x - half[0], z - half[1]) > 0.03
                assert max(x + half[0], z + half[1]) < 39.97
