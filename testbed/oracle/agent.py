"""The oracle as an agent that acts at every step."""

import numpy as np

from arena import Action, Episode
from testbed.oracle.driver import waiting
from testbed.oracle.solve import solve


class Oracle:
    """Plans on the true state at its first action, then carries the plan out.

    An upper bound: it knows the layout, where every ball will roll, and the effects of its own actions.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        """`rng` is not used: random probes depend on the number of the attempt alone."""
        self._plan: list[Action] | None = None

    def act(self, episode: Episode) -> Action:
        """The next action; after the end of the plan it waits."""
        if self._plan is None:
            plan = solve(
                episode.spec,
                task_id=episode.task_id,
                seed=episode.seed,
                trial=episode.trial,
                taken=episode.actions,
            )
            self._plan = list(reversed(plan.actions))
        return self._plan.pop() if self._plan else waiting(episode)
