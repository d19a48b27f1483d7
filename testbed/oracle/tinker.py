"""What to try where no way leads to a goal: ram something loose, or dash over an edge and fly."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arena.scene import Floats, Scene
from testbed.oracle.field import Ball, Ground
from testbed.oracle.leaps import leaps
from testbed.oracle.solids import LOOSE, Solid, solids_of
from testbed.oracle.terrain import Bools, Ints

DRAWS = 40
"""So many rams or dashes are drawn until one can be begun."""

RUN_UPS = (0.4, 1.0, 2.5, 5.0)
DASH_RUN_UPS = (4.0, 7.0, 10.0, 14.0)
"""How far from its object a ram starts, and how far from the edge a dash does, metres."""

DASH_SHARE = 0.4


class Dash(NamedTuple):
    """Go to one of the nodes `start`, turn to `bearing` (degrees clockwise from +z), drive for `steps` steps.

    `bold` ones go through what is forbidden, since they mean to fly over it.
    """

    start: Ints
    bearing: float
    steps: int
    bold: bool


class Tinker:
    """Draws things to try from the present state."""

    def __init__(self, ground: Ground, scene: Scene, good: Sequence[Ball], reached: Bools) -> None:
        """`reached` (n,) are the nodes to which the agent can get."""
        self._ground, self._scene, self._good = ground, scene, good
        self._reached = reached
        self._loose = [i for i, thing in enumerate(scene.things) if thing.kind in LOOSE and scene.visible[i]]

    def draw(self, rng: np.random.Generator) -> Dash | None:
        """Something to try; None where nothing can be."""
        edges: tuple[Ints, Ints] | None = None
        dash: Dash | None
        for _ in range(DRAWS):
            if self._loose and (rng.random() > DASH_SHARE or (edges is not None and not len(edges[0]))):
                dash = self._ram(rng)
            else:
                edges = edges or self._edges()
                dash = self._fly(rng, edges) if len(edges[0]) else None
                if dash is None and not self._loose:
                    return None
            if dash is not None and len(dash.start):
                return dash
        return None

    def _edges(self) -> tuple[Ints, Ints]:
        """Leaps from where the agent can get to where it cannot."""
        source, target, _ = leaps(self._ground.terrain)
        useful = self._reached[source] & ~self._reached[target] & np.isfinite(self._ground.price[target])
        return source[useful], target[useful]

    def _fly(self, rng: np.random.Generator, edges: tuple[Ints, Ints]) -> Dash:
        number = int(rng.integers(len(edges[0])))
        terrain = self._ground.terrain
        edge, target = (np.array([terrain.x[e[number]], terrain.z[e[number]]]) for e in edges)
        way = (target - edge) / np.linalg.norm(target - edge)
        back = float(rng.choice(DASH_RUN_UPS))
        steps = round((back + np.linalg.norm(target - edge)) / 1.0) + 4
        return Dash(self._near(edge - way * back), _bearing(way), steps, True)

    def _ram(self, rng: np.random.Generator) -> Dash:
        index = int(rng.choice(self._loose))
        scene = self._scene
        parts = solids_of(
            scene.things[index], tuple(scene.sizes[index]), scene.positions[index], scene.rotations[index]
        )
        part = parts[int(rng.integers(len(parts)))]
        way = self._direction(rng, part)
        across = np.array([way[1], -way[0]])
        wide, deep = _extent(part, across), _extent(part, way)
        point = np.array(part.centre) + across * rng.uniform(-0.9, 0.9) * wide
        start = point - way * (deep + 0.5 + float(rng.choice(RUN_UPS)))
        return Dash(self._near(start), _bearing(way), int(rng.choice([5, 8, 12, 18, 26])), False)

    def _direction(self, rng: np.random.Generator, part: Solid) -> Floats:
        """Towards a goal, along one of the sides, or anywhere; a unit vector (x, z)."""
        choice = rng.random()
        if choice < 0.4 and self._good:
            goal = self._good[int(rng.integers(len(self._good)))]
            way = np.array([goal.centre[0], goal.centre[2]]) - np.array(part.centre)
        elif choice < 0.85:
            side = np.array(part.across if rng.random() < 0.5 else part.along)
            way = side if rng.random() < 0.5 else -side
        else:
            way = rng.normal(size=2)
        return np.asarray(way / max(float(np.linalg.norm(way)), 1e-6))

    def _near(self, point: Floats) -> Ints:
        """The nodes close to a point to which the agent can get."""
        terrain = self._ground.terrain
        close = (terrain.x - point[0]) ** 2 + (terrain.z - point[1]) ** 2 < 0.3**2
        return np.flatnonzero(close & self._reached & np.isfinite(self._ground.price))


def _extent(part: Solid, way: Floats) -> float:
    """Half the length of a block along a direction, metres."""
    across, along = abs(float(way @ np.array(part.across))), abs(float(way @ np.array(part.along)))
    return across * part.half[0] + along * part.half[1]


def _bearing(way: Floats) -> float:
    return math.degrees(math.atan2(way[0], way[1]))
