"""Checks of options, and action spaces: which of the nine actions an element of each stands for."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from inspect import Parameter, signature
from numbers import Integral, Real
from operator import index
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from arena.action import ACTIONS, Action
from arena.cameras import RESOLUTIONS
from arena.errors import ConfigError, UnknownOptionError

_FORMER = ("camera", "depth", "segmentation")
"""Options of earlier versions, now names in `observation`."""


_MOST = {"rays_per_side": 1000, "frame_stack": 64, "action_repeat": 1000, "num_envs": 1024}
"""Maximum of options that memory or the time of a step grows with, far beyond what is of use."""


def check_options(given: Mapping[str, Any], *takers: Callable[..., Any]) -> None:
    """Raises UnknownOptionError, with a hint, for an option that none of the `takers` has."""
    known = {
        parameter.name
        for taker in takers
        for parameter in signature(taker).parameters.values()
        if parameter.kind is not Parameter.VAR_KEYWORD
    }
    for name in given:
        if name not in known:
            # TorchRL passes `frameskip` to every environment, and drops it if it reads Python's own message.
            words = f"unexpected keyword argument '{name}'"
            raise UnknownOptionError(f"{name}: no such option; {_hint(name, sorted(known))} ({words})")


def _hint(name: str, known: list[str]) -> str:
    if name in _FORMER:
        return f'list all observations, such as observation=("{name}", "vector")'
    close = get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"expected some of {', '.join(known)}"


def whole(option: str, value: Any, least: int = 1) -> int:
    """A whole number, also of NumPy, that is at least `least` and at most what the option allows.

    Raises ConfigError for anything else.
    """
    number, most = _as_int(value), _MOST.get(option)
    if number is None or number < least or (most is not None and number > most):
        bounds = f"{least} or more" if most is None else f"{least} to {most}"
        raise ConfigError(f"{option}: got {value!r}, expected a whole number, {bounds}")
    return number


def side(option: str, value: Any) -> int:
    """The side of a picture in pixels; raises ConfigError for anything else."""
    low, high = RESOLUTIONS
    number = _as_int(value)
    if number is None or not low <= number <= high:
        raise ConfigError(f"{option}: got {value!r}, expected {low} to {high} pixels, a whole number")
    return number


def yes_or_no(option: str, value: Any) -> bool:
    """A boolean, also of NumPy; raises ConfigError for anything else."""
    if not isinstance(value, bool | np.bool_):
        raise ConfigError(f"{option}: got {value!r}, expected True or False")
    return bool(value)


def degrees(option: str, value: Any) -> float:
    """An angle of more than 0 and at most 180 degrees; raises ConfigError for anything else."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ConfigError(f"{option}: got {value!r}, expected a number of degrees")
    if not 0 < float(value) <= 180:
        raise ConfigError(f"{option}: got {value!r}, expected more than 0 and at most 180")
    return float(value)


def _as_int(value: Any) -> int | None:
    """A whole number as an int; None for anything else, also for booleans and arrays."""
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None


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
