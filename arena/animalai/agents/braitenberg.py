"""A vehicle that drives towards food and away from what is bad, by rays."""

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from arena.animalai.actions import AAIAction, AAIActions
from arena.animalai.exception import InvalidValueError
from arena.animalai.raycastparser import RayCastObjects, RayCastParser


class Braitenberg:
    """Turns to the first of good multi goals, good goals and bad goals that it sees, and drives to the good
    ones and back from the bad ones. Without one it turns left in every second step.

    The columns of `RayCastParser` are taken as ordered from left to right, as the original does.
    """

    def __init__(self, no_rays: int) -> None:
        """`no_rays` is the number of rays; raises InvalidValueError, a ValueError, if it is even."""
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
        """The action on an observation of rays."""
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
        """Whether the middle ray of a parsed observation shows a kind of object."""
        return bool(self._row(obs, object)[self._middle] > 0)

    def left(self, obs: Sequence[Any] | npt.NDArray[Any], object: RayCastObjects) -> bool:
        """Whether a column before the middle one shows a kind of object."""
        return any(value > 0 for value in self._row(obs, object)[: self._middle])

    def right(self, obs: Sequence[Any] | npt.NDArray[Any], object: RayCastObjects) -> bool:
        """Whether a column after the middle one shows a kind of object."""
        return any(value > 0 for value in self._row(obs, object)[self._middle + 1 :])

    @property
    def _middle(self) -> int:
        return (self.no_rays - 1) // 2

    def _row(self, obs: Sequence[Any] | npt.NDArray[Any], kind: RayCastObjects) -> Any:
        return obs[self.listOfObjects.index(kind)]
