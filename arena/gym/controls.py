"""What a learning agent may send as an action, and which of the nine actions it means."""

import math
from collections.abc import Callable
from operator import index
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from arena.action import ACTIONS, Action
from arena.errors import ConfigError

DEAD_ZONE = 1 / 3
"""A continuous command counts from here on, so that a third of its range is each of the three actions."""


class Controls(NamedTuple):
    """A kind of action: its space, and what an element of the space means.

    `read` raises ConfigError for what is not in the space.
    """

    space: Callable[[], spaces.Space[Any]]
    read: Callable[[Any], Action]


def discrete9(action: Any) -> Action:
    """Number 0 to 8 of `arena.ACTIONS`."""
    try:
        number = index(action)
    except TypeError:
        number = -1
    if 0 <= number < len(ACTIONS):
        return ACTIONS[number]
    raise ConfigError(f"action: got {action!r}, expected a whole number from 0 to {len(ACTIONS) - 1}")


def multidiscrete(action: Any) -> Action:
    """Two numbers 0 to 2: `arena.Move` and `arena.Rotate`, Animal-AI's two branches."""
    try:
        move, rotate = map(index, action)
    except (TypeError, ValueError):
        move = rotate = -1
    if 0 <= move <= 2 and 0 <= rotate <= 2:
        return ACTIONS[3 * move + rotate]
    raise ConfigError(f"action: got {action!r}, expected two whole numbers (move, rotate) from 0 to 2")


def continuous(action: Any) -> Action:
    """Forward and right, -1 to 1; beyond a third of the range, the full command of that direction."""
    try:
        forward, right = map(float, action)
    except (TypeError, ValueError):
        forward = right = math.nan
    if math.isnan(forward + right):
        raise ConfigError(f"action: got {action!r}, expected two numbers (forward, right) from -1 to 1")
    return ACTIONS[3 * _branch(forward) + _branch(right)]


def _branch(command: float) -> int:
    """A branch's number: 1 for ahead or right, 2 for back or left."""
    if command > DEAD_ZONE:
        return 1
    return 2 if command < -DEAD_ZONE else 0


_KINDS = {
    "discrete9": Controls(lambda: spaces.Discrete(len(ACTIONS)), discrete9),
    "multidiscrete": Controls(lambda: spaces.MultiDiscrete([3, 3]), multidiscrete),
    "continuous": Controls(lambda: spaces.Box(-1.0, 1.0, (2,), np.float32), continuous),
}

KINDS = tuple(_KINDS)
"""The kinds of action, by name."""


def controls(kind: str) -> Controls:
    """A kind of action by its name; raises ConfigError where there is none."""
    if kind not in KINDS:
        raise ConfigError(f"action: got {kind!r}, expected one of {', '.join(KINDS)}")
    return _KINDS[kind]
