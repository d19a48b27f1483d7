"""The oracle as an agent that acts at every step."""

import numpy as np

from arena import TURN_LEFT, TURN_RIGHT, Action, Episode
from testbed.oracle.solve import solve


class Oracle:
    """Plans on the true state when it is first asked, then carries the plan out.

    An upper bound: it knows the layout, where every ball will roll, and what its own actions will bring.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        """`rng` is not used: what it tries at random depends on the number of the attempt alone."""
        self._plan: list[Action] | None = None

    def act(self, episode: Episode) -> Action:
        """The next action; turning to and fro where the plan is at its end."""
        if self._plan is None:
            plan = solve(
                episode.spec,
                task_id=episode.task_id,
                seed=episode.seed,
                trial=episode.trial,
                taken=episode.actions,
            )
            self._plan = list(reversed(plan.actions))
        if self._plan:
            return self._plan.pop()
        return TURN_RIGHT if episode.steps % 2 else TURN_LEFT
