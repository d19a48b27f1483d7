"""Path costs: prices of places, and costs to the nearest target."""

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
"""Additional cost of a step in a hot zone, in clock steps. It is ten (`TrainingAgent.cs`)."""

RISKY = 8.0
"""Additional price near things that must not be touched."""

MARGIN = 0.25
"""Distance of the additional price, metres beyond contact."""

DROP_COST, WALL_COST, PUSH_COST = 4.0, 1.0, 1.5
"""Extra cost per metre along drops, along walls, and of pushing."""

RISE = 0.3
"""Maximum unexplained height gain of a step, metres. The slope explains the rest."""

MOUNT = 0.03
"""Maximum step up where the agent would lean on an edge, metres."""

_CORNERS = ((0, 0), (0, 1), (1, 0), (1, 1))
_RING = ((-1, 0), (-1, 1), (2, 0), (2, 1), (0, -1), (1, -1), (0, 2), (1, 2))
"""Offsets of grid points searched for a node, nearest first. First the nearest four, then those around."""


@dataclass(frozen=True)
class Ball:
    """A ball at present: scene index, centre, diameter, and reward. Metres; reward per metre of diameter, and
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
    """Terrain with its dangers. `price` (n,) is the cost of a metre at each node, infinite if forbidden;
    `heat` (n,) that of a step of the clock, 1 outside hot zones."""

    def __init__(self, terrain: Terrain, scene: Scene, push: Sequence[Solid], careful: float) -> None:
        """`push` are solids that may be pushed. `careful` scales the extra cost of edges."""
        self.terrain = terrain
        self.heat = np.ones(len(terrain.cell))
        self.price = np.ones(len(terrain.cell))
        edges = np.where(terrain.rough == 2, DROP_COST, np.where(terrain.rough == 1, WALL_COST, 0.0))
        self.price += careful * terrain.spread(edges, 0.6, 3)
        # There the sphere leans on an edge and slides off.
        self.price[terrain.steep] += 10.0
        for solid in push:
            self.price[self.near(solid, -0.2)] += PUSH_COST
        for index, thing in enumerate(scene.things):
            if thing.kind == "HotZone":
                (zone,) = solids_of(scene, index)
                self.price[self.near(zone, MARGIN)] += 1.0
                inside = self.near(zone, 0.0)
                self.price[inside] *= HOT
                self.heat[inside] = HOT
            elif thing.kind == "DeathZone":
                (zone,) = solids_of(scene, index)
                self.price[self.near(zone, MARGIN)] += RISKY
                self.price[self.near(zone, 0.03)] = np.inf

    def near(self, solid: Solid, margin: float) -> Bools:
        """Mark nodes at which the sphere is within `margin` of a box."""
        terrain = self.terrain
        across, along = local(solid, terrain.cell)
        gap = np.maximum(np.abs(across) - solid.half[0], 0) ** 2
        gap += np.maximum(np.abs(along) - solid.half[1], 0) ** 2
        gap += np.maximum(terrain.height - solid.top[0], 0) ** 2
        gap += np.maximum(solid.bottom - terrain.height, 0) ** 2
        return np.asarray(gap < (AGENT_RADIUS + margin) ** 2)

    def touching(self, ball: Ball, margin: float) -> Bools:
        """Mark nodes at which the sphere is within `margin` of a ball."""
        terrain = self.terrain
        square = (terrain.x - ball.centre[0]) ** 2 + (terrain.z - ball.centre[2]) ** 2
        square += (terrain.height - ball.centre[1]) ** 2
        return np.asarray(square < (AGENT_RADIUS + ball.diameter / 2 + margin) ** 2)

    def avoiding(self, balls: Iterable[Ball]) -> Floats:
        """Return the price (n,) of a metre that also avoids these balls."""
        price = self.price.copy()
        for ball in balls:
            price[self.touching(ball, MARGIN)] += RISKY
            price[self.touching(ball, 0.05)] = np.inf
        return price

    def touchy(self, scene: Scene) -> Floats:
        """Return an additional price (n,) within 0.45 m of loose things. They must not be pushed."""
        price = np.zeros_like(self.price)
        for index, thing in enumerate(scene.things):
            if thing.kind in LOOSE and scene.visible[index]:
                for solid in solids_of(scene, index):
                    price[self.near(solid, 0.45)] = RISKY
        return price

    def close_to(self, point: Sequence[float] | Floats, reached: Bools) -> Ints:
        """Mark `reached` nodes (n,) within 0.3 m of a point (x, z)."""
        close = (self.terrain.x - point[0]) ** 2 + (self.terrain.z - point[1]) ** 2 < 0.3**2
        return np.flatnonzero(close & reached & np.isfinite(self.price))

    def targets(self, ball: Ball) -> Ints:
        """Mark the nodes from which a ball is touched. The spheres overlap by 0.02 m."""
        return np.flatnonzero(self.touching(ball, -0.02))


class Located(NamedTuple):
    """Nodes under points (-1 without one), and the costs from there."""

    node: Ints
    cost: Floats


class CostToGo:
    """Cost (n,) of the path from each node to the nearest target. `cost` is infinite if there is none.
    `bearing` (n,) is the direction in which that path starts, degrees clockwise from +z, NaN at its end."""

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
        """Return the paths' directions, towards the node 8 steps on. It is 2 to 3 m away."""
        for _ in range(3):
            after = after[after]
        dx, dz = self.terrain.x[after] - self.terrain.x, self.terrain.z[after] - self.terrain.z
        return np.where(np.hypot(dx, dz) > 0.1, np.degrees(np.arctan2(dx, dz)), np.nan)

    def locate(self, points: Floats, height: Floats, rise: float | Floats = RISE) -> Located:
        """Find the nodes nearest to points (m, 2) for spheres. Their centres are at `height` (m,), or lower.
        Nodes may be higher by `rise` (m,), unless the sphere would have to mount an edge."""
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
        # A point is in its node's cell, or slightly outside it.
        node[distance > 0.29] = -1
        best = node[np.where(node < 0, np.inf, distance).argmin(axis=0), np.arange(len(points))]
        # Of these, the points on the same ground.
        level = np.abs(terrain.height[node] - terrain.height[best]) < 0.4
        level &= ~terrain.steep[node] | terrain.steep[best]
        cost = np.where((node >= 0) & level, self.cost[node] + distance, np.inf).min(axis=0)
        return Located(best, np.where(best < 0, np.inf, cost))


def node_at(costs: CostMap, x: float, y: float, z: float) -> int:
    """Return the node under a sphere's centre, -1 for none."""
    without_targets = CostToGo(costs, costs.price, np.array([], dtype=np.intp))
    return int(without_targets.locate(np.array([[x, z]]), np.array([y])).node[0])
