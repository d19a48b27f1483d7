"""Rays as a table, as in `animalai.raycastparser` (`animalai` 4.0 to 6.2)."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.animalai.exception import InvalidTypeError, InvalidValueError

_FLAGS = 2
"""Values of a ray after its tags: miss flag and distance."""


class RayCastObjects(Enum):
    """Kinds that a ray distinguishes, numbered as in `arena.rays.TAGS`. PILLARBUTTON and SIGNPOSTER are the
    names of 10 and 11 before 4.1. Rays of v3.1.3 and 4.0 have the first 12 kinds, those of 4.4 all 18."""

    ARENA = 0
    IMMOVABLE = 1
    MOVABLE = 2
    GOODGOAL = 3
    GOODGOALMULTI = 4
    BADGOAL = 5
    GOALSPAWNER = 6
    DEATHZONE = 7
    HOTZONE = 8
    RAMP = 9
    SPAWNERBUTTON = 10
    SIGNBOARD = 11
    PILLARBUTTON = 10
    SIGNPOSTER = 11
    DECOYGOAL = 12
    DECOYGOALBOUNCE = 13
    HOLLOWBOX = 14
    BADGOALMULTI = 15
    DATAZONE = 16
    AGENT = 17


class RayCastParser:
    """Table of distances to kinds of objects: rows are kinds, columns rays."""

    def __init__(
        self, listOfObjects: Sequence[RayCastObjects], numberOfRays: int, *, by_angle: bool = False
    ) -> None:
        """Select the objects. `by_angle` orders the columns by angle, from left to right.

        By default they have the original's order, on which trained agents may rely. It was meant to go from
        left to right, but assumes wrongly that the outermost side rays come first: for five rays d degrees
        apart the columns are at -d, -2d, 0, +2d and +d.

        Raises InvalidValueError, a ValueError, for other objects, or a number of rays that is not whole and
        positive.
        """
        if not all(isinstance(each, RayCastObjects) for each in listOfObjects):
            raise InvalidValueError(
                f"listOfObjects: got {listOfObjects!r}, expected a list of RayCastObjects"
            )
        if isinstance(numberOfRays, bool) or not isinstance(numberOfRays, int) or numberOfRays < 1:
            raise InvalidValueError(
                f"numberOfRays: got {numberOfRays!r}, expected a whole number, 2 * raysPerSide + 1"
            )
        self.listOfObjects = list(listOfObjects)
        self.listofObjectVals = [each.value for each in self.listOfObjects]
        self.numberOfObjects = len(self.listOfObjects)
        self.numberOfRays = numberOfRays
        # Even rays are on the left, odd ones on the right, the outermost last; an even number of rays, which
        # no environment has, leaves the original's last column empty.
        sides = (numberOfRays - 1) // 2
        left = [2 * side for side in range(1, sides + 1)]
        right = [2 * side - 1 if by_angle else numberOfRays - 2 * side for side in range(1, sides + 1)]
        self._columns = [*(left[::-1] if by_angle else left), 0, *right]

    def parse(self, raycast: Mapping[str, Any] | Sequence[float] | npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return distances float64 (objects, rays) in units of 200 m.

        A distance is 0 if the ray does not show the object. `raycast` is the rays' part of an observation, or
        the dictionary of `get_obs_dict`; the number of kinds that its rays distinguish follows from its
        length. Raises InvalidTypeError, a TypeError, for anything else, and InvalidValueError, a ValueError,
        for an empty one, a length that is not a multiple of the number of rays, and objects that its rays do
        not distinguish.
        """
        if not isinstance(raycast, list | tuple | np.ndarray | Mapping):
            raise InvalidTypeError(f"raycast: got {raycast!r}, expected a list, an array or a dictionary")
        values = np.asarray(raycast.get("rays", []) if isinstance(raycast, Mapping) else raycast, np.float64)
        if values.ndim != 1 or not values.size or values.size % self.numberOfRays:
            raise InvalidValueError(
                f"raycast: got the shape {values.shape}, expected a multiple of {self.numberOfRays} values "
                f"for {self.numberOfRays} rays"
            )
        rows = values.reshape(self.numberOfRays, -1)
        self.numberDetectableObjects = rows.shape[1] - _FLAGS
        self._check_objects()
        rows = rows[self._columns]
        parsed = np.zeros((self.numberOfObjects, self.numberOfRays))
        for number, kind in enumerate(self.listofObjectVals):
            parsed[number, : len(rows)] = np.where(rows[:, kind] == 1, rows[:, -1], 0.0)
        return parsed

    def _check_objects(self) -> None:
        kinds = self.numberDetectableObjects
        if unknown := [each.name for each in self.listOfObjects if each.value >= kinds]:
            raise InvalidValueError(
                f"raycast: rays of {kinds} kinds cannot show {', '.join(unknown)}; create the environment "
                f"with rayTags={len(RayCastObjects)}"
            )

    def prettyPrint(self, raycast: Mapping[str, Any] | Sequence[float] | npt.NDArray[Any]) -> None:
        """Print one line per object."""
        for seen, row in zip(self.listOfObjects, self.parse(raycast), strict=True):
            print(seen.name, ":", row)
