"""Level 5: the reward is out of view or out of reach, and a wrong side is lost."""

import pytest

from arena import TURN_RIGHT
from render import Renderer
from testbed.oracle.motion import Driver
from testbed.oracle.solve import solve, solved
from tests.testbed.blueprints.views import drawn, episode_of, numbers, seen_goals, spec_of

HIDDEN = ("screens", "hooked alley", "one can hide it", "ledges", "soft side")
ALOFT = ("pillar", "pillars", "two pillars", "stack", "beam", "shelf", "table", "post and block", "stairs")
SIDES = ("one can hide it", "two pillars", "slope")


@pytest.mark.parametrize("task", numbers(5, *HIDDEN))
def test_the_ball_is_not_seen_from_the_start_wherever_one_looks(task):
    renderer = Renderer(128, 128)
    with episode_of(drawn(5, task, seed=5)) as episode:
        for step in range(60):
            if step % 5 == 0:
                assert seen_goals(renderer, episode.scene()) == 0
            episode.step(TURN_RIGHT)


@pytest.mark.parametrize("task", numbers(5, *ALOFT))
def test_the_balls_are_above_the_agent(task):
    goals = [thing for thing in drawn(5, task, seed=5).objects if thing.kind.startswith("GoodGoal")]
    assert goals
    assert all(goal.place[1] > 1 for goal in goals)


@pytest.mark.parametrize("task", numbers(5, *SIDES))
def test_who_leaves_the_perch_on_one_side_cannot_get_to_the_other(task):
    made, passed = drawn(5, task, seed=5), []
    for way in (-1, 1):
        with episode_of(made) as episode:
            driver = Driver(episode)
            driver.turn(13 * way)
            driver.drive(8)
            driver.idle(8)
            assert episode.position[1] < 0.7, "still on the perch"
            taken = episode.actions
        plan = solve(spec_of(made), task_id="made", taken=taken, pushes=made.pushes, budget=1)
        passed.append(solved(plan.recording))
    assert sorted(passed) == [False, True]
