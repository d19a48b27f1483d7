"""The example agents, as in `animalai.agents` (package `animalai` 4.1 to 6.2)."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.animalai.actions import AAIAction, AAIActions
from arena.animalai.exception import InvalidValueError
from arena.animalai.raycastparser import RayCastObjects, RayCastParser


class Braitenberg:
    """Agent that drives to good goals and away from bad ones.

    It turns to the first of good multi goals, good goals and bad goals that it sees. Without one it turns
    left in every second step. The columns of `RayCastParser` are taken as ordered from left to right, as in
    the original.
    """

    def __init__(self, no_rays: int) -> None:
        """Set the number of rays, `no_rays`. Raises InvalidValueError, a ValueError, if it is even."""
        if no_rays % 2 != 1:
            raise InvalidValueError(f"no_rays: got {no_rays!r}, expected an odd number")
        self.no_rays = no_rays
        self.listOfObjects = [
            *(RayCastObjects.GOODGOAL, RayCastObjects.GOODGOALMULTI, RayCastObjects.BADGOAL),
            *(RayCastObjects.IMMOVABLE, RayCastObjects.MOVABLE),
        ]
        self.raycast_parser = RayCastParser(self.listOfObjects, no_rays)
        self.actions = AAIActions()
        self.prev_action = self.actions.NOOP

    def prettyPrint(self, obs: npt.NDArray[Any]) -> None:
        """Print the rays of an observation, a line per object."""
        self.raycast_parser.prettyPrint(obs)

    def get_action(self, obs: npt.NDArray[Any]) -> AAIAction:
        """Return the action for an observation of rays."""
        seen, does = self.raycast_parser.parse(obs), self.actions
        approach = (does.FORWARDS, does.LEFT, does.RIGHT)
        retreat = (does.BACKWARDS, does.BACKWARDSLEFT, does.BACKWARDSRIGHT)
        for kind, (ahead, left, right) in (
            (RayCastObjects.GOODGOALMULTI, approach),
            (RayCastObjects.GOODGOAL, approach),
            (RayCastObjects.BADGOAL, retreat),
        ):
            for is_there, action in ((self.ahead, ahead), (self.left, left), (self.right, right)):
                if is_there(seen, kind):
                    self.prev_action = action
                    return action
        searches = self.prev_action in (does.NOOP, does.BACKWARDS)
        self.prev_action = does.LEFT if searches else does.NOOP
        return self.prev_action

    def ahead(self, obs: Sequence[Any] | npt.NDArray[Any], object: RayCastObjects) -> bool:
        """Return whether the middle ray shows a kind of object."""
        return bool(self._row(obs, object)[self._middle] > 0)

    def left(self, obs: Sequence[Any] | npt.NDArray[Any], object: RayCastObjects) -> bool:
        """Return whether a column left of the middle shows a kind."""
        return any(value > 0 for value in self._row(obs, object)[: self._middle])

    def right(self, obs: Sequence[Any] | npt.NDArray[Any], object: RayCastObjects) -> bool:
        """Return whether a column right of the middle shows a kind."""
        return any(value > 0 for value in self._row(obs, object)[self._middle + 1 :])

    @property
    def _middle(self) -> int:
        return (self.no_rays - 1) // 2

    def _row(self, obs: Sequence[Any] | npt.NDArray[Any], kind: RayCastObjects) -> Any:
        return obs[self.listOfObjects.index(kind)]


class RandomActionAgent:
    """Agent of actions and repetitions drawn from NumPy's global generator."""

    def __init__(
        self,
        max_step_length: int = 10,
        step_length_distribution: Callable[[], float] | None = None,
        action_biases: Sequence[float] | None = None,
        prev_step_bias: float = 0,
        remove_prev_step: bool = False,
    ) -> None:
        """Set the distributions.

        `step_length_distribution` draws the number of steps of an action, rounded towards 0 and without its
        sign, by default always `max_step_length`. The probability of an action is the softmax of the nine
        `action_biases`: no movement, left, right, forwards, backwards, forwards left and right, backwards
        left and right. With probability `prev_step_bias` the last action is drawn again; with
        `remove_prev_step` it is otherwise not drawn.

        Raises InvalidValueError, a ValueError, for another number of biases, and a `prev_step_bias` outside 0
        to 1.
        """
        self.max_step_length = max_step_length
        self.step_length_distribution = step_length_distribution or (lambda: max_step_length)
        self.action_biases = [1.0] * 9 if action_biases is None else list(action_biases)
        self.prev_step_bias, self.remove_prev_step = prev_step_bias, remove_prev_step
        does = AAIActions()
        self.actions = [
            *(does.NOOP, does.LEFT, does.RIGHT, does.FORWARDS, does.BACKWARDS, does.FORWARDSLEFT),
            *(does.FORWARDSRIGHT, does.BACKWARDSLEFT, does.BACKWARDSRIGHT),
        ]
        if len(self.action_biases) != len(self.actions):
            raise InvalidValueError(f"action_biases: got {self.action_biases!r}, expected nine numbers")
        if not 0 <= self.prev_step_bias <= 1:
            raise InvalidValueError(f"prev_step_bias: got {self.prev_step_bias!r}, expected 0 to 1")

    def get_num_steps(self, prev_step: AAIAction) -> deque[AAIAction]:
        """Return an action as often as it is repeated."""
        return deque([prev_step] * abs(int(self.step_length_distribution())))

    def get_new_action(self, prev_step: AAIAction) -> AAIAction:
        """Draw the action after `prev_step`."""
        if np.random.random() < self.prev_step_bias:
            return prev_step
        # A softmax that no large bias overflows.
        weights = np.exp(np.array(self.action_biases, np.float64) - max(self.action_biases))
        if self.remove_prev_step:
            weights[[action.name == prev_step.name for action in self.actions]] = 0.0
        return self.actions[np.random.choice(len(self.actions), p=weights / weights.sum())]
