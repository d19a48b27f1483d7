"""The nine actions by name, as in `animalai.actions` (`animalai` 4.0 to 6.2)."""

from collections.abc import Sequence

import numpy as np

from arena.animalai.base_env import ActionTuple
from arena.animalai.environment import checked
from arena.animalai.exception import InvalidTypeError, InvalidValueError
from arena.gym.env import whole


class AAIAction:
    """A named action; pass `action_tuple` to `AnimalAIEnvironment.set_actions`."""

    def __init__(self, name: str, action_tuple: ActionTuple) -> None:
        """Check the arguments. Raises InvalidTypeError, a TypeError, if one of them is of another type."""
        if not isinstance(name, str):
            raise InvalidTypeError(f"name: got {name!r}, expected a text")
        if not isinstance(action_tuple, ActionTuple):
            raise InvalidTypeError(f"action_tuple: got {action_tuple!r}, expected an ActionTuple")
        self.name, self.action_tuple = name, action_tuple

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"AAIAction(name={self.name}, discrete={self.action_tuple.discrete.tolist()})"


class AAIActions:
    """The nine actions; `allActions` has them in the original's order.

    That order (idle, left, right, then the same forwards and backwards) is not the numbering of the flattened
    action space, `arena.ACTIONS`, which is 3 x move + rotate with right before left.
    """

    def __init__(self, no_agents: int = 1) -> None:
        """Create the actions. With `no_agents` = n an action has n equal rows; the environment here takes
        one. Raises InvalidValueError, a ValueError, for a number that is not whole and positive."""
        checked(whole, "no_agents", no_agents)

        def action(name: str, move: int, rotate: int) -> AAIAction:
            return AAIAction(name, ActionTuple(np.zeros((no_agents, 0)), [[move, rotate]] * no_agents))

        self.NOOP = action("noop", 0, 0)
        self.LEFT = action("left", 0, 2)
        self.RIGHT = action("right", 0, 1)
        self.FORWARDS = action("forwards", 1, 0)
        self.FORWARDSLEFT = action("forwards&left", 1, 2)
        self.FORWARDSRIGHT = action("forwards&right", 1, 1)
        self.BACKWARDS = action("backwards", 2, 0)
        self.BACKWARDSLEFT = action("backwards&left", 2, 2)
        self.BACKWARDSRIGHT = action("backwards&right", 2, 1)
        self.allActions: list[AAIAction] = [*vars(self).values()]

    def random(self) -> AAIAction:
        """Return a random action, drawn from NumPy's global generator (`np.random.seed`)."""
        return self.allActions[np.random.randint(len(self.allActions))]


def stack_actions(actions: Sequence[AAIAction]) -> ActionTuple:
    """Stack several agents' actions in one ActionTuple. They are in the order of the steps' `agent_id`.
    Raises InvalidValueError, a ValueError, for no action."""
    if not actions:
        raise InvalidValueError("actions: got none, expected one for each agent")
    tuples = [action.action_tuple for action in actions]
    return ActionTuple(
        np.concatenate([each.continuous for each in tuples]),
        np.concatenate([each.discrete for each in tuples]),
    )
