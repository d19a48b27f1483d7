"""The nine actions by name, as in `animalai.actions` (package `animalai` 4.0 to 6.2)."""

import numpy as np

from arena.animalai.base_env import ActionTuple
from arena.errors import ConfigError


class AAIAction:
    """A named action; pass `action_tuple` to `AnimalAIEnvironment.set_actions`."""

    def __init__(self, name: str, action_tuple: ActionTuple) -> None:
        self.name, self.action_tuple = name, action_tuple

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"AAIAction(name={self.name}, discrete={self.action_tuple.discrete.tolist()})"


def _action(name: str, move: int, rotate: int) -> AAIAction:
    return AAIAction(name, ActionTuple(np.zeros((1, 0)), [[move, rotate]]))


class AAIActions:
    """The nine actions of one agent; `allActions` has them in the original's order.

    That order (idle, left, right, then the same forwards and backwards) is not the numbering of the flattened
    action space, `arena.ACTIONS`, which is 3 x move + rotate with right before left.
    """

    def __init__(self, no_agents: int = 1) -> None:
        """Raises ConfigError for several agents; use `arena.gym.parallel_env` for those."""
        if no_agents != 1:
            raise ConfigError(
                f"no_agents: got {no_agents!r}, expected 1; for several agents use "
                "arena.gym.parallel_env.ArenaParallelEnv"
            )
        self.NOOP = _action("noop", 0, 0)
        self.LEFT = _action("left", 0, 2)
        self.RIGHT = _action("right", 0, 1)
        self.FORWARDS = _action("forwards", 1, 0)
        self.FORWARDSLEFT = _action("forwards&left", 1, 2)
        self.FORWARDSRIGHT = _action("forwards&right", 1, 1)
        self.BACKWARDS = _action("backwards", 2, 0)
        self.BACKWARDSLEFT = _action("backwards&left", 2, 2)
        self.BACKWARDSRIGHT = _action("backwards&right", 2, 1)
        self.allActions = [
            *(self.NOOP, self.LEFT, self.RIGHT),
            *(self.FORWARDS, self.FORWARDSLEFT, self.FORWARDSRIGHT),
            *(self.BACKWARDS, self.BACKWARDSLEFT, self.BACKWARDSRIGHT),
        ]

    def random(self) -> AAIAction:
        """A random action, drawn from numpy's global generator as in the original (`np.random.seed`)."""
        return self.allActions[np.random.randint(len(self.allActions))]
