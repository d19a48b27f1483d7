"""A random walker: a random action, repeated for a random number of steps."""

from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from arena.animalai.actions import AAIAction, AAIActions
from arena.animalai.exception import InvalidValueError


class RandomActionAgent:
    """Draws an action and for how many steps it is repeated, from numpy's global generator."""

    def __init__(
        self,
        max_step_length: int = 10,
        step_length_distribution: Callable[[], float] | None = None,
        action_biases: Sequence[float] | None = None,
        prev_step_bias: float = 0,
        remove_prev_step: bool = False,
    ) -> None:
        """`step_length_distribution` draws the number of steps of an action, rounded towards 0 and without
        its sign, by default always `max_step_length`. The probability of an action is the softmax of the nine
        `action_biases`: no movement, left, right, forwards, backwards, forwards left and right, backwards
        left and right. With probability `prev_step_bias` the last action is drawn again; with
        `remove_prev_step` it is otherwise not drawn.

        Raises InvalidValueError, a ValueError, for another number of biases, and a `prev_step_bias` outside
        0 to 1.
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
        """An action as often as it is repeated."""
        return deque([prev_step] * abs(int(self.step_length_distribution())))

    def get_new_action(self, prev_step: AAIAction) -> AAIAction:
        """The action after `prev_step`."""
        if np.random.random() < self.prev_step_bias:
            return prev_step
        # A softmax that no large bias overflows.
        weights = np.exp(np.array(self.action_biases, np.float64) - max(self.action_biases))
        if self.remove_prev_step:
            weights[[action.name == prev_step.name for action in self.actions]] = 0.0
        return self.actions[np.random.choice(len(self.actions), p=weights / weights.sum())]
