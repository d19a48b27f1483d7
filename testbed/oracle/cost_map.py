"""What paths cost: the price of each place, and the cost from every place to the nearest of some targets."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import dijkstra

from arena.geometry.placed import AGENT_RADIUS
from arena.scene import Floats, Scene
from testbed.oracle.solids import LOOSE, Solid, solids_of
from testbed.oracle.terrain import COUNT, SPACING, Bools, Ints, Terrain, local

HOT = 11.0
"""A step in a hot zone costs ten steps of the clock more (`TrainingAgent.cs`)."""

RISKY = 8.0
"""Additional price near what must not be touched."""

MARGIN = 0.25
"""How near that is, metres beyond contact."""

DROP_COST, WALL_COST, PUSH_COST = 4.0, 1.0, 1.5
"""Extra cost per metre beside a drop, beside a wall, and through what has to be pushed."""

RISE = 0.3
"""Maximum height above what the slope explains at which the agent may be after a step, metres."""

MOUNT = 0.03
"""Maximum step up where the agent would lean on an edge, metres."""

_CORNERS = ((0, 0), (0, 1), (1, 0), (1, 1))
_RING = ((-1, 0), (-1, 1), (2, 0), (2, 1), (0, -1), (1, -1), (0, 2), (1, 2))
"""Offsets of the grid points that are searched for a node: first the nearest four, then those around."""


@dataclass(frozen=True)
class Ball:
    """A ball as it is now: index into the scene, centre (metres), diameter, reward per metre of diameter, and
    whether touching it always ends the episode."""

    index: int
    centre: Floats
    diameter: float
    worth: float
    ends: bool

    @property
    def reward(self) -> float:
        """Reward for touching it."""
        return self.worth * self.diameter


class CostMap:
    """Terrain with its dangers: `price` (n,) is the cost of a metre at each node, infinite if forbidden;
    `heat` (n,) that of a step of the clock, 1 outside hot zones."""

    def __init__(self, terrain: Terrain, scene: Scene, push: Sequence[Solid], careful: float) -> None:
        """`push` are solids that may be pushed; `careful` scales the extra cost of edges."""
        self.terrain = terrain
        self.heat = np.ones(len(terrain.cell))
        self.price = np.ones(len(terrain.cell))
        edges = np.where(terrain.rough == 2, DROP_COST, np.where(terrain.rough == 1, WALL_COST, 0.0))
        self.price += careful * terrain.spread(edges, 0.6, 3)
        # There the sphere leans on an edge and slides off.
        self.price[terrain.steep] += 10.0
        for solid in push:
            self.price[self.beside(solid, -0.2)] += PUSH_COST
        for index, thing in enumerate(scene.things):
            if thing.kind == "HotZone":
                (zone,) = solids_of(scene, index)
                self.price[self.beside(zone, MARGIN)] += 1.0
                inside = self.beside(zone, 0.0)
                self.price[inside] *= HOT
                self.heat[inside] = HOT
            elif thing.kind == "DeathZone":
                (zone,) = solids_of(scene, index)
                self.price[self.beside(zone, MARGIN)] += RISKY
                self.price[self.beside(zone, 0.03)] = np.inf

    def beside(self, solid: Solid, margin: float) -> Bools:
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
        """Price (n,) of a metre if these balls must not be touched either."""
        price = self.price.copy()
        for ball in balls:
            price[self.touching(ball, MARGIN)] += RISKY
            price[self.touching(ball, 0.05)] = np.inf
        return price

    def touchy(self, scene: Scene) -> Floats:
        """Additional price (n,) of a metre within 0.45 m of loose things, if they must not be pushed."""
        price = np.zeros_like(self.price)
        for index, thing in enumerate(scene.things):
            if thing.kind in LOOSE and scene.visible[index]:
                for solid in solids_of(scene, index):
                    price[self.beside(solid, 0.45)] = RISKY
        return price

    def close_to(self, point: Sequence[float] | Floats, reached: Bools) -> Ints:
        """The nodes within 0.3 m of a point (x, z), of those `reached` (n,)."""
        close = (self.terrain.x - point[0]) ** 2 + (self.terrain.z - point[1]) ** 2 < 0.3**2
        return np.flatnonzero(close & reached & np.isfinite(self.price))

    def targets(self, ball: Ball) -> Ints:
        """The nodes from which a ball is touched: the spheres overlap by 0.02 m."""
        return np.flatnonzero(self.touching(ball, -0.02))


class Located(NamedTuple):
    """For each of some points: the node under it (-1 for none) and the cost to go from there."""

    node: Ints
    cost: Floats


class CostToGo:
    """`cost` (n,): the cost of the path from each node to the nearest target, infinite if there is none.

    `bearing` (n,) is the direction in which that path starts, degrees clockwise from +z, NaN at its end.
    """

    def __init__(self, costs: CostMap, price: Floats, targets: Ints) -> None:
        terrain = costs.terrain
        self.terrain = terrain
        self.price = price
        self.heat = costs.heat
        count = len(terrain.cell)
        targets = targets[np.isfinite(price[targets])]
        if not len(targets):
            self.cost, self.bearing = np.full(count, np.inf), np.full(count, np.nan)
            return
        falls = terrain.height[terrain.source] - terrain.height[terrain.target] > terrain.length * 1.2
        graph = terrain.graph(terrain.length * terrain.edge_means(price) + 0.5 * falls)
        self.cost, after, _ = dijkstra(graph, indices=targets, min_only=True, return_predecessors=True)
        self.bearing = self._bearings(np.where(after < 0, np.arange(count), after))

    def _bearings(self, after: Ints) -> Floats:
        """Direction of the path: towards the node 8 steps on, 2 to 3 m away."""
        for _ in range(3):
            after = after[after]
        dx, dz = self.terrain.x[after] - self.terrain.x, self.terrain.z[after] - self.terrain.z
        return np.where(np.hypot(dx, dz) > 0.1, np.degrees(np.arctan2(dx, dz)), np.nan)

    def locate(self, points: Floats, height: Floats, rise: float | Floats = RISE) -> Located:
        """The nodes nearest to points (m, 2) for a sphere whose centre is at `height` (m,), or lower.

        They may be higher by `rise` (m,), unless the sphere would have to mount an edge.
        """
        found = self._around(points, height, rise, _CORNERS)
        lost = np.flatnonzero(found.node < 0)
        if len(lost):
            # At a wall all four corners may be too near to it, and points farther out not.
            rises = rise if isinstance(rise, float) else rise[lost]
            wider = self._around(points[lost], height[lost], rises, _RING)
            found.node[lost], found.cost[lost] = wider
        return found

    def _around(
        self, points: Floats, height: Floats, rise: float | Floats, offsets: tuple[tuple[int, int], ...]
    ) -> Located:
        terrain, scaled = self.terrain, points / SPACING
        base = np.floor(scaled).astype(np.intp)
        nodes, distances = [], []
        for di, dj in offsets:
            i = np.clip(base[:, 0] + di, 0, COUNT - 1)
            j = np.clip(base[:, 1] + dj, 0, COUNT - 1)
            nodes.append(terrain.highest(i * COUNT + j, height + rise, height + MOUNT))
            distances.append(SPACING * np.hypot(scaled[:, 0] - i, scaled[:, 1] - j))
        node, distance = np.array(nodes), np.array(distances)
        # A point is in its node's cell, or slightly beside it.
        node[distance > 0.29] = -1
        best = node[np.where(node < 0, np.inf, distance).argmin(axis=0), np.arange(len(points))]
        # Those on the same ground.
        level = np.abs(terrain.height[node] - terrain.height[best]) < 0.4
        level &= ~terrain.steep[node] | terrain.steep[best]
        cost = np.where((node >= 0) & level, self.cost[node] + distance, np.inf).min(axis=0)
        return Located(best, np.where(best < 0, np.inf, cost))


def node_at(costs: CostMap, x: float, y: float, z: float) -> int:
    """The node that a sphere with its centre at a place is on, -1 for none."""
    without_targets = CostToGo(costs, costs.price, np.array([], dtype=np.intp))
    return int(without_targets.locate(np.array([[x, z]]), np.array([y])).node[0])
