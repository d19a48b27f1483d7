"""Level 9: one option is the best, there is no way from one to another, and only the best one passes."""

import pytest

from arena import load_text
from testbed.blueprints import CONDITIONS
from tests.testbed.blueprints.options import drawn, reachable

ROLLING = 120
"""Steps after which all that rolls has left the shelf or the terrace."""


@pytest.mark.parametrize("task", range(1, 31))
def test_only_the_best_option_passes(task):
    file = drawn(9, task)
    rolls = CONDITIONS[9][task - 1].name in ("adding", "subtracting")
    mark = load_text(file).arenas[0].pass_mark
    assert mark is not None
    balls, together = reachable(file, ROLLING if rolls else 0)
    options = {tuple(sorted(ball.index for ball in option)): option for option in together}
    assert sum(map(len, options)) == len(balls), "an option leads to another"
    totals = sorted((sum(ball.reward for ball in option) for option in options.values()), reverse=True)
    # The clock takes 1 after the last ball but where that was the last of all.
    last = 0 if len(totals) == 1 else 1
    assert mark < totals[0] - last - 0.3
    assert all(total - 1 < mark for total in totals[1:])
