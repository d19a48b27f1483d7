"""Actions of an agent, and the duration of a step."""

from enum import IntEnum
from typing import NamedTuple

TICK_S = 0.02
"""Seconds of one physics tick: Unity's fixed timestep (`TimeManager.asset`)."""

TICKS_PER_STEP = 3
STEP_S = TICK_S * TICKS_PER_STEP
"""Seconds of one step, in which one action is taken."""


class Move(IntEnum):
    """First branch of an action, numbered as in Animal-AI."""

    NONE = 0
    FORWARD = 1
    BACKWARD = 2


class Rotate(IntEnum):
    """Second branch of an action, numbered as in Animal-AI. Right is clockwise seen from above."""

    NONE = 0
    RIGHT = 1
    LEFT = 2


class Action(NamedTuple):
    """Command of one step: both branches together. All nine combinations are legal."""

    move: Move = Move.NONE
    rotate: Rotate = Rotate.NONE


IDLE = Action()
FORWARD = Action(Move.FORWARD)
BACKWARD = Action(Move.BACKWARD)
TURN_RIGHT = Action(rotate=Rotate.RIGHT)
TURN_LEFT = Action(rotate=Rotate.LEFT)
ACTIONS: tuple[Action, ...] = tuple(Action(move, rotate) for move in Move for rotate in Rotate)
"""The nine actions, in the numbering of `animalai`'s flattened action space. Index = 3 * move + rotate."""
