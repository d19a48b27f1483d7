"""Level 2: every option can be had, only the best one passes, and a drop into one is for good."""

import pytest

from arena import load_text
from testbed.blueprints import CONDITIONS, blueprint
from testbed.blueprints.blueprint import Draw
from tests.testbed.blueprints.options import drawn, reachable

FINAL = ("ledge choice", "corridor choice", "far but more")
"""Paradigms in which one drops down into an option."""

LATER = {"waiting for more": 330, "green rolls first": 380}
"""Steps after which what rolls down a chute is on the floor, in the slowest condition."""


@pytest.mark.parametrize("task", range(1, 31))
def test_all_can_be_had_at_first_and_one_option_after_a_drop(task):
    name = CONDITIONS[2][task - 1].name
    file = drawn(2, task)
    balls, together = reachable(file, LATER.get(name, 0))
    assert len(balls) == file.count("name: GoodGoal")
    if name in FINAL:
        best = max(sum(ball.reward for ball in option) for option in together)
        assert best < sum(ball.reward for ball in balls) or len(balls) == 1
        mark = load_text(file).arenas[0].pass_mark
        assert mark is not None
        assert mark < best


@pytest.mark.parametrize("task", range(1, 31))
def test_the_worse_option_earns_no_more_than_the_mark(task):
    made = blueprint(Draw(2, task, 1, 0))
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
