"""Level 5: the reward is out of view or out of reach, and a wrong side is lost."""

from contextlib import closing

import pytest

from arena import FORWARD, TURN_LEFT, TURN_RIGHT, Episode, load_text
from render import Renderer
from testbed.blueprints import CONDITIONS, blueprint, condition_of, text
from testbed.blueprints.blueprint import Draw
from testbed.oracle.solve import solve, solved
from tests.testbed.blueprints.views import seen_goals

TASKS = range(1, len(CONDITIONS[5]) + 1)
HIDDEN = ("screens", "hooked alley", "one can hide it", "ledges", "soft side")
ALOFT = ("pillar", "pillars", "two pillars", "stack", "beam", "shelf", "table", "post and block", "stairs")
SIDES = ("one can hide it", "two pillars", "slope")


def named(names):
    return [task for task in TASKS if condition_of(Draw(5, task, 1, 0)).name in names]


def draw_of(task):
    return Draw(5, task, 1, seed=5)


def spec_of(task):
    return load_text(text(draw_of(task))).arenas[0]


@pytest.mark.parametrize("task", named(HIDDEN))
def test_the_ball_is_not_seen_from_the_start_wherever_one_looks(task):
    renderer = Renderer(128, 128)
    with closing(Episode(spec_of(task), task_id="made")) as episode:
        for step in range(60):
            if step % 5 == 0:
                assert seen_goals(renderer, episode.scene()) == 0
            episode.step(TURN_RIGHT)


@pytest.mark.parametrize("task", named(ALOFT))
def test_the_balls_are_above_the_agent(task):
    goals = [thing for thing in blueprint(draw_of(task)).objects
             if thing.kind.startswith("GoodGoal")]  # fmt: skip
    assert goals
    assert all(goal.place[1] > 1 for goal in goals)


def leave(episode, way):
    """The actions with which the agent leaves its perch to its left (-1) or right (1)."""
    actions = [TURN_LEFT if way < 0 else TURN_RIGHT] * 13 + [FORWARD] * 8 + [TURN_LEFT, TURN_RIGHT] * 4
    for action in actions:
        episode.step(action)
    return actions


@pytest.mark.parametrize("task", named(SIDES))
def test_who_leaves_the_perch_on_one_side_cannot_get_to_the_other(task):
    passed = []
    for way in (-1, 1):
        with closing(Episode(spec_of(task), task_id="made")) as episode:
            taken = leave(episode, way)
            assert episode.position[1] < 0.7, "still on the perch"
        pushes = blueprint(draw_of(task)).pushes
        plan = solve(spec_of(task), task_id="made", taken=taken, pushes=pushes, budget=1)
        passed.append(solved(plan.recording))
    assert sorted(passed) == [False, True]
