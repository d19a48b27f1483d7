"""Level 9: one option is the best, there is no way from one to another, and only the best one passes."""

import pytest

from tests.testbed.blueprints.options import reachable
from tests.testbed.blueprints.views import drawn, episode_of, numbers


@pytest.mark.parametrize("task", numbers(9))
def test_only_the_best_option_passes(task):
    made = drawn(9, task)
    rolls = task in numbers(9, "adding", "subtracting")
    with episode_of(made) as episode:
        # After 120 steps all that rolls has left the shelf or the terrace.
        balls, together = reachable(episode, 120 if rolls else 0)
    options = {tuple(sorted(ball.index for ball in option)): option for option in together}
    assert sum(map(len, options)) == len(balls), "an option leads to another"
    totals = sorted((sum(ball.reward for ball in option) for option in options.values()), reverse=True)
    # The clock takes 1 after the last ball but where that was the last of all.
    last = 0 if len(totals) == 1 else 1
    assert made.pass_mark < totals[0] - last - 0.3
    assert all(total - 1 < made.pass_mark for total in totals[1:])
