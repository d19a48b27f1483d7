"""Action spaces, and which of the nine actions an element of each stands for."""

from collections.abc import Callable
from operator import index
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from arena.action import ACTIONS, Action
from arena.errors import ConfigError

DEAD_ZONE = 1 / 3
"""Magnitude from which a continuous command has an effect: each of the three actions has a third of the
range."""


class Controls(NamedTuple):
    """An action space, and the function that maps its elements to actions.

    `read` raises ConfigError for a value outside the space.
    """

    space: Callable[[], spaces.Space[Any]]
    read: Callable[[Any], Action]


def discrete9(action: Any) -> Action:
    """Index 0 to 8 into `arena.ACTIONS`."""
    try:
        number = _whole(action)
    except TypeError:
        number = -1
    if 0 <= number < len(ACTIONS):
        return ACTIONS[number]
    raise ConfigError(f"action: got {action!r}, expected a whole number from 0 to {len(ACTIONS) - 1}")


def multidiscrete(action: Any) -> Action:
    """Two numbers from 0 to 2: `arena.Move` and `arena.Rotate`, Animal-AI's two branches."""
    try:
        move, rotate = map(_whole, action)
    except (TypeError, ValueError):
        move = rotate = -1
    if 0 <= move <= 2 and 0 <= rotate <= 2:
        return ACTIONS[3 * move + rotate]
    raise ConfigError(f"action: got {action!r}, expected two whole numbers (move, rotate) from 0 to 2")


def continuous(action: Any) -> Action:
    """Forward and right, -1 to 1; beyond a third, the full action in that direction."""
    try:
        forward, right = action
        inside = np.shape(action) == (2,) and -1 <= forward <= 1 and -1 <= right <= 1
    except (TypeError, ValueError):
        inside = False
    if not inside:
        raise ConfigError(f"action: got {action!r}, expected two numbers (forward, right) from -1 to 1")
    return ACTIONS[3 * _branch(forward) + _branch(right)]


def _whole(value: Any) -> int:
    """A whole number as an int; raises TypeError for anything else, also for True and False."""
    if isinstance(value, bool):
        raise TypeError
    return index(value)


def _branch(command: float) -> int:
    """Number of a branch: 1 for forward or right, 2 for backward or left."""
    if command > DEAD_ZONE:
        return 1
    return 2 if command < -DEAD_ZONE else 0


_KINDS = {
    "discrete9": Controls(lambda: spaces.Discrete(len(ACTIONS)), discrete9),
    "multidiscrete": Controls(lambda: spaces.MultiDiscrete([3, 3]), multidiscrete),
    "continuous": Controls(lambda: spaces.Box(-1.0, 1.0, (2,), np.float32), continuous),
}

KINDS = tuple(_KINDS)
"""Names of the action spaces."""


def controls(kind: str) -> Controls:
    """An action space by name; raises ConfigError for an unknown name."""
    if kind not in KINDS:
        raise ConfigError(f"action: got {kind!r}, expected one of {', '.join(KINDS)}")
    return _KINDS[kind]
