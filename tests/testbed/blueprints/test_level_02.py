"""Level 2: every option can be had, only the best one passes, and a drop into one is for good."""

import pytest

from testbed.blueprints import CONDITIONS
from tests.testbed.blueprints.options import reachable
from tests.testbed.blueprints.views import drawn, episode_of, numbers

FINAL = ("ledge choice", "corridor choice", "far but more")
"""Paradigms in which one drops down into an option."""

LATER = {"waiting for more": 330, "green rolls first": 380}
"""Steps after which what rolls down a chute is on the floor, in the slowest condition."""


@pytest.mark.parametrize("task", numbers(2))
def test_all_can_be_had_at_first_and_one_option_after_a_drop(task):
    name, made = CONDITIONS[2][task - 1].name, drawn(2, task)
    with episode_of(made) as episode:
        balls, together = reachable(episode, LATER.get(name, 0))
    assert len(balls) == sum(thing.kind.startswith("GoodGoal") for thing in made.objects)
    if name in FINAL:
        best = max(sum(ball.reward for ball in option) for option in together)
        assert best < sum(ball.reward for ball in balls) or len(balls) == 1
        assert made.pass_mark < best


@pytest.mark.parametrize("task", numbers(2))
def test_the_worse_option_earns_no_more_than_the_mark(task):
    made = drawn(2, task)
    green = sorted(
        (thing.size[0] for thing in made.objects if thing.kind == "GoodGoal" and thing.size), reverse=True
    )
    yellow = sum(thing.size[0] for thing in made.objects if thing.kind == "GoodGoalMulti" and thing.size)
    if not yellow:
        assert max(0, *green[1:], 0) <= made.pass_mark < green[0] - 0.3
    elif green:
        assert yellow <= made.pass_mark < yellow + green[0] - 0.3
    else:
        assert yellow - 3 <= made.pass_mark + 1 <= yellow
