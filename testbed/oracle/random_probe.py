"""What to try if no path leads to a goal: ram something loose, or leap over an edge."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arena.scene import Floats, Scene
from testbed.oracle.cost_map import Ball, CostMap
from testbed.oracle.solids import LOOSE, Solid, solids_of
from testbed.oracle.terrain import Bools, Ints, leaps

DRAWS = 40
"""Maximum number of draws for a probe that can be started."""

RUN_UPS = (0.4, 1.0, 2.5, 5.0)
LEAP_RUN_UPS = (4.0, 7.0, 10.0, 14.0)
"""Distance from its object at which a ram starts, and from the edge at which a leap does, metres."""

LEAP_SHARE = 0.4


class StraightRun(NamedTuple):
    """Go to one of the nodes `start`, turn to `bearing` (degrees clockwise from +z), drive for `steps` steps.

    A `bold` one crosses what is forbidden, as it is meant to fly over it.
    """

    start: Ints
    bearing: float
    steps: int
    bold: bool


class RandomProbe:
    """Draws things to try from the present state."""

    def __init__(self, costs: CostMap, scene: Scene, good: Sequence[Ball], reached: Bools) -> None:
        """`reached` (n,) are the nodes that the agent can reach."""
        self._costs, self._scene, self._good = costs, scene, good
        self._reached = reached
        self._loose = [i for i, thing in enumerate(scene.things) if thing.kind in LOOSE and scene.visible[i]]

    def draw(self, rng: np.random.Generator) -> StraightRun | None:
        """Something to try; None if there is nothing."""
        edges: tuple[Ints, Ints] | None = None
        run: StraightRun | None
        for _ in range(DRAWS):
            if self._loose and (rng.random() > LEAP_SHARE or (edges is not None and not len(edges[0]))):
                run = self._ram(rng)
            else:
                edges = edges or self._edges()
                run = self._leap(rng, edges) if len(edges[0]) else None
                if run is None and not self._loose:
                    return None
            if run is not None and len(run.start):
                return run
        return None

    def _edges(self) -> tuple[Ints, Ints]:
        """Leaps from where the agent can be to where it cannot."""
        source, target, _ = leaps(self._costs.terrain)
        useful = self._reached[source] & ~self._reached[target] & np.isfinite(self._costs.price[target])
        return source[useful], target[useful]

    def _leap(self, rng: np.random.Generator, edges: tuple[Ints, Ints]) -> StraightRun:
        number = int(rng.integers(len(edges[0])))
        terrain = self._costs.terrain
        edge, target = (np.array([terrain.x[e[number]], terrain.z[e[number]]]) for e in edges)
        direction = (target - edge) / np.linalg.norm(target - edge)
        back = float(rng.choice(LEAP_RUN_UPS))
        steps = round((back + np.linalg.norm(target - edge)) / 1.0) + 4
        return StraightRun(
            self._costs.close_to(edge - direction * back, self._reached), _bearing(direction), steps, True
        )

    def _ram(self, rng: np.random.Generator) -> StraightRun:
        parts = solids_of(self._scene, int(rng.choice(self._loose)))
        part = parts[int(rng.integers(len(parts)))]
        direction = self._direction(rng, part)
        across = np.array([direction[1], -direction[0]])
        wide, deep = _extent(part, across), _extent(part, direction)
        point = np.array(part.centre) + across * rng.uniform(-0.9, 0.9) * wide
        start = point - direction * (deep + 0.5 + float(rng.choice(RUN_UPS)))
        steps = int(rng.choice([5, 8, 12, 18, 26]))
        return StraightRun(self._costs.close_to(start, self._reached), _bearing(direction), steps, False)

    def _direction(self, rng: np.random.Generator, part: Solid) -> Floats:
        """Towards a goal, along one of the sides, or any; a unit vector (x, z)."""
        choice = rng.random()
        if choice < 0.4 and self._good:
            goal = self._good[int(rng.integers(len(self._good)))]
            direction = np.array([goal.centre[0], goal.centre[2]]) - np.array(part.centre)
        elif choice < 0.85:
            side = np.array(part.across if rng.random() < 0.5 else part.along)
            direction = side if rng.random() < 0.5 else -side
        else:
            direction = rng.normal(size=2)
        return np.asarray(direction / max(float(np.linalg.norm(direction)), 1e-6))


def _extent(part: Solid, direction: Floats) -> float:
    """Half the length of a block along a direction, metres."""
    across = abs(float(direction @ np.array(part.across)))
    along = abs(float(direction @ np.array(part.along)))
    return across * part.half[0] + along * part.half[1]


def _bearing(direction: Floats) -> float:
    return math.degrees(math.atan2(direction[0], direction[1]))
