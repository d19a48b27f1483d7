"""The rays as a table, as in `animalai.raycastparser` (package `animalai` 4.0 to 6.2)."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.errors import ConfigError
from arena.rays.rays import FRACTION, ROW_LENGTH, TAGS


class RayCastObjects(Enum):
    """What a ray can distinguish, numbered as in `arena.rays.rays.TAGS`.

    SPAWNERBUTTON and SIGNBOARD are the names of 10 and 11 in 4.1 and later. Kinds from 12 on have names since
    4.0.1 but no bit: the arena's list has 12 tags, so no ray ever shows them.
    """

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
    PILLARBUTTON = 10
    SIGNPOSTER = 11
    SPAWNERBUTTON = 10
    SIGNBOARD = 11
    DECOYGOAL = 12
    DECOYGOALBOUNCE = 13
    HOLLOWBOX = 14
    BADGOALMULTI = 15
    DATAZONE = 16


class RayCastParser:
    """Distances to some kinds of objects: a row for each kind and a column for each ray."""

    def __init__(
        self, listOfObjects: Sequence[RayCastObjects], numberOfRays: int, *, by_angle: bool = False
    ) -> None:
        """`by_angle` orders the columns by angle, from left to right.

        By default they have the original's order, on which trained agents may rely. It was meant to go from
        left to right, but assumes wrongly that the outermost side rays come first: for five rays d degrees
        apart the columns are at -d, -2d, 0, +2d and +d.

        Raises ConfigError for other objects or an even number of rays.
        """
        if not all(isinstance(each, RayCastObjects) for each in listOfObjects):
            raise ConfigError(f"listOfObjects: got {listOfObjects!r}, expected a list of RayCastObjects")
        if isinstance(numberOfRays, bool) or not isinstance(numberOfRays, int) or numberOfRays % 2 != 1:
            raise ConfigError(
                f"numberOfRays: got {numberOfRays!r}, expected an odd whole number, 2 * raysPerSide + 1"
            )
        self.listOfObjects = list(listOfObjects)
        self.numberOfObjects = len(self.listOfObjects)
        self.numberOfRays = numberOfRays
        # Even rays are on the left, odd ones on the right, the outermost last.
        left, right = range(2, numberOfRays, 2), range(1, numberOfRays, 2)
        self._columns = [*left[::-1], 0, *right] if by_angle else [*left, 0, *right[::-1]]

    def parse(self, raycast: Mapping[str, Any] | npt.ArrayLike) -> npt.NDArray[np.float64]:
        """float64 (objects, rays): distance to the object in units of 200 m, 0 if the ray does not show it.

        `raycast` is the rays' part of an observation, or the dictionary of `get_obs_dict`. Raises ConfigError
        for another number of rays.
        """
        values = np.asarray(raycast["rays"] if isinstance(raycast, Mapping) else raycast, np.float64)
        if values.shape != (self.numberOfRays * ROW_LENGTH,):
            raise ConfigError(
                f"raycast: got the shape {values.shape}, expected ({self.numberOfRays * ROW_LENGTH},) for "
                f"{self.numberOfRays} rays"
            )
        rows = values.reshape(self.numberOfRays, ROW_LENGTH)[self._columns]
        parsed = np.zeros((self.numberOfObjects, self.numberOfRays))
        for number, seen in enumerate(self.listOfObjects):
            if seen.value < len(TAGS):
                parsed[number] = np.where(rows[:, seen.value] == 1, rows[:, FRACTION], 0.0)
        return parsed

    def prettyPrint(self, raycast: Mapping[str, Any] | npt.ArrayLike) -> None:
        """Print one line per object."""
        for seen, row in zip(self.listOfObjects, self.parse(raycast), strict=True):
            print(seen.name, ":", row)
