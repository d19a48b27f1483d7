"""What the rays say in a table, as in `animalai.raycastparser` (package `animalai` 4.0 to 6.2)."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.errors import ConfigError
from arena.rays.rays import FRACTION, ROW_LENGTH, TAGS


class RayCastObjects(Enum):
    """What a ray can tell apart, numbered as in `arena.rays.rays.TAGS`.

    SPAWNERBUTTON and SIGNBOARD are what 4.1 and later call 10 and 11. Kinds from 12 on have names since
    4.0.1, but no bit: the arena's own list of tags stops at 12, so no ray ever shows them.
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
    """Distances of the objects that matter, a row for each of them and a column for each ray."""

    def __init__(
        self, listOfObjects: Sequence[RayCastObjects], numberOfRays: int, *, by_angle: bool = False
    ) -> None:
        """`by_angle` puts the columns in the order of their angles, from left to right.

        Without it they have the original's order, on which trained agents may rely. The original means it to
        go from left to right, but takes the side rays for outermost first, which they are not: for five rays
        d degrees apart the columns are at -d, -2d, 0, +2d and +d.

        Raises ConfigError for other objects, or an even number of rays.
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
        self._columns = _by_angle(numberOfRays) if by_angle else _as_original(numberOfRays)

    def parse(self, raycast: Mapping[str, Any] | npt.ArrayLike) -> npt.NDArray[np.float64]:
        """float64 (objects, rays): the way to the object in units of 200 m, 0 where a ray shows none.

        `raycast` is the rays' part of an observation, or the dictionary of `get_obs_dict`. Raises ConfigError
        where it is not as long as so many rays are.
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
        """Print a line for each object."""
        for seen, row in zip(self.listOfObjects, self.parse(raycast), strict=True):
            print(seen.name, ":", row)


def _as_original(count: int) -> list[int]:
    """The rays in the columns of the original: the even ones, the middle, the odd ones from the last."""
    return [*range(2, count, 2), 0, *range(count - 2, 0, -2)]


def _by_angle(count: int) -> list[int]:
    """The rays from the leftmost (even numbers, the last is outermost) to the rightmost (odd ones)."""
    return [*range(count - 1, 0, -2), 0, *range(1, count, 2)]
