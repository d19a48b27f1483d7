"""What a way costs: how far it is from every place to the nearest of some targets."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import dijkstra

from arena.geometry.placed import AGENT_RADIUS
from arena.scene import Floats, Scene
from testbed.oracle.solids import LOOSE, Solid, solids_of
from testbed.oracle.terrain import Bools, Ints, Terrain, local

HOT = 11.0
"""A step in a hot zone costs ten steps of the clock more (section 6.1)."""

RISKY = 8.0
"""Factor on ways that come near what must not be touched."""

MARGIN = 0.25
"""How near that is, metres beyond contact."""

TOUCHY = 0.45
"""Within so many metres of contact with loose things it drives slowly, where it must not push them."""

REACH = 0.02
"""A ball is aimed at so that the spheres overlap by this much, metres."""

AHEAD = 3
"""How often the way is doubled to tell where it leads: 8 nodes, 2 to 3 m."""

LEAN_COST = 10.0
"""Extra cost per metre where the sphere leans on an edge and slides off."""

DROP_COST, WALL_COST, PUSH_COST = 4.0, 1.0, 1.5
"""Extra cost per metre beside a drop, beside a wall, and through what has to be pushed."""


@dataclass(frozen=True)
class Ball:
    """A ball as it is now: index into the scene, centre (metres), diameter, worth of a metre, and whether
    touching it always ends the episode."""

    index: int
    centre: Floats
    diameter: float
    worth: float
    ends: bool

    @property
    def reward(self) -> float:
        """What touching it brings."""
        return self.worth * self.diameter


class Ground:
    """Terrain with its dangers: `price` (n,) is the cost of a metre at each node, infinite where forbidden;
    `heat` (n,) that of a step of the clock, 1 outside hot zones."""

    def __init__(self, terrain: Terrain, scene: Scene, push: Sequence[Solid], careful: float) -> None:
        """`push` are solids that one may push; `careful` scales the extra cost of edges."""
        self.terrain = terrain
        self.heat = np.ones(len(terrain.cell))
        price = np.ones(len(terrain.cell))
        edges = np.where(terrain.rough == 2, DROP_COST, np.where(terrain.rough == 1, WALL_COST, 0.0))
        price += careful * terrain.spread(edges, 0.6, 3)
        price[terrain.steep] += LEAN_COST
        for solid in push:
            price[self._beside(solid, -0.2)] += PUSH_COST
        self._zones(scene, price)
        self.price = price

    def _zones(self, scene: Scene, price: Floats) -> None:
        for index, thing in enumerate(scene.things):
            if thing.kind not in ("HotZone", "DeathZone"):
                continue
            solid = _box(scene, index)
            if thing.kind == "HotZone":
                price[self._beside(solid, MARGIN)] += 1.0
                inside = self._beside(solid, 0.0)
                price[inside] *= HOT
                self.heat[inside] = HOT
            else:
                price[self._beside(solid, MARGIN)] += RISKY
                price[self._beside(solid, 0.03)] = np.inf

    def _beside(self, solid: Solid, margin: float) -> Bools:
        """The nodes at which the sphere is nearer to a box than `margin`."""
        terrain = self.terrain
        across, along = local(solid, terrain.cell)
        gap = np.maximum(np.abs(across) - solid.half[0], 0) ** 2
        gap += np.maximum(np.abs(along) - solid.half[1], 0) ** 2
        gap += np.maximum(terrain.height - solid.top[0], 0) ** 2
        gap += np.maximum(solid.bottom - terrain.height, 0) ** 2
        return np.asarray(gap < (AGENT_RADIUS + margin) ** 2)

    def touching(self, ball: Ball, margin: float) -> Bools:
        """The nodes at which the sphere is nearer to a ball than `margin`."""
        terrain = self.terrain
        square = (terrain.x - ball.centre[0]) ** 2 + (terrain.z - ball.centre[2]) ** 2
        square += (terrain.height - ball.centre[1]) ** 2
        return np.asarray(square < (AGENT_RADIUS + ball.diameter / 2 + margin) ** 2)

    def avoiding(self, balls: Iterable[Ball]) -> Floats:
        """Price (n,) of a metre where these balls must not be touched either."""
        price = self.price.copy()
        for ball in balls:
            price[self.touching(ball, MARGIN)] += RISKY
            price[self.touching(ball, 0.05)] = np.inf
        return price

    def touchy(self, scene: Scene) -> Floats:
        """What a metre costs more (n,) close to loose things, for one who does not want to push them."""
        price = np.zeros_like(self.price)
        for index, thing in enumerate(scene.things):
            if thing.kind in LOOSE and scene.visible[index]:
                size = tuple(scene.sizes[index])
                for solid in solids_of(thing, size, scene.positions[index], scene.rotations[index]):
                    price[self._beside(solid, TOUCHY)] = RISKY
        return price

    def targets(self, ball: Ball) -> Ints:
        """The nodes from which a ball is touched."""
        return np.flatnonzero(self.touching(ball, -REACH))


class Field:
    """`cost` (n,): the cost of the way from each node to the nearest target, infinite where there is none.

    `bearing` (n,) is where that way leads at first, degrees clockwise from +z, NaN at its end.
    """

    def __init__(self, ground: Ground, price: Floats, targets: Ints) -> None:
        terrain = ground.terrain
        self.terrain = terrain
        self.price = price
        self.heat = ground.heat
        count = len(terrain.cell)
        targets = targets[np.isfinite(price[targets])]
        if not len(targets):
            self.cost, self.bearing = np.full(count, np.inf), np.full(count, np.nan)
            return
        ends = (price[terrain.source] + price[terrain.target]) / 2
        falls = terrain.height[terrain.source] - terrain.height[terrain.target] > terrain.length * 1.2
        graph = terrain.graph(terrain.length * ends + 0.5 * falls)
        self.cost, after, _ = dijkstra(graph, indices=targets, min_only=True, return_predecessors=True)
        self.bearing = self._bearings(np.where(after < 0, np.arange(count), after))

    def _bearings(self, after: Ints) -> Floats:
        """Where the way leads, degrees clockwise from +z: towards the node some steps on; NaN at its end."""
        for _ in range(AHEAD):
            after = after[after]
        dx, dz = self.terrain.x[after] - self.terrain.x, self.terrain.z[after] - self.terrain.z
        return np.where(np.hypot(dx, dz) > 0.1, np.degrees(np.arctan2(dx, dz)), np.nan)


def _box(scene: Scene, index: int) -> Solid:
    """A zone as a solid."""
    rotation, at = scene.rotations[index], scene.positions[index]
    x, y, z = scene.sizes[index] / 2
    return Solid(
        (float(at[0]), float(at[2])),
        (float(rotation[0, 0]), float(rotation[2, 0])),
        (float(rotation[0, 2]), float(rotation[2, 2])),
        (float(x), float(z)),
        float(at[1] - y),
        (float(at[1] + y), float(at[1] + y)),
    )
