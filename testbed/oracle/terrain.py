"""Navigation graph of the agent's sphere: standing places and moves.

The arena is a grid of points in plan. The nodes over a point are the heights at which the centre of a sphere
of the agent's radius rests on something and collides with nothing: floor, wall tops, ramps, the floor of a
tunnel. Edges lead to neighbouring points, up no steeper than the agent climbs, down as far as it falls.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from arena.geometry.placed import AGENT_RADIUS
from arena.geometry.shapes import ARENA_SIZE, FLOOR_Y
from arena.scene import Floats
from arena.taskfile.kind import GRAVITY
from testbed.oracle.solids import Solid

SPACING = 0.2
"""Distance between the grid's points, metres."""

COUNT = round(ARENA_SIZE / SPACING) + 1
CELLS = COUNT * COUNT

CLIMB = 1.08
"""Steepest climb of the agent, rise over run. It is 47 degrees, by its drive and friction."""

STEEP = 0.134
"""Squared distance (m2) from an edge beyond which mounting is impossible. The sphere leans on it too steeply:
a step of 0.16 m can just be mounted."""

CEILING = 1000.0
MOST_LEVELS = 6

_TOUCH = 0.002
_MANY = 10_000.0
_OFFSETS = ((1, 0), (0, 1), (1, 1), (1, -1))
_FAR_OFFSETS = ((1, 2), (2, 1), (1, -2), (2, -1))

Ints = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]


class Contacts(NamedTuple):
    """Heights, metres, between which spheres near a solid are inside it. They are those of the centres."""

    cell: Ints
    low: Floats
    high: Floats
    steep: Bools


class Terrain:
    """Navigation graph.

    `cell` (n,) is a node's point, `height` (n,) the height of the sphere's centre, `at` (levels, CELLS) the
    nodes over each point from low to high, -1 for none. `source`, `target`, `length` are the edges; `rough`
    (n,) is 2 next to a drop, 1 next to a wall, 0 elsewhere.
    """

    def __init__(self, solids: Sequence[Solid]) -> None:
        parts = [_floor(), *(contacts(solid) for solid in solids)]
        cell, low, high, steep = (np.concatenate([part[i] for part in parts]) for i in range(4))
        self.cell, self.height, self.room, self.steep = _gaps(cell, low, high, steep)
        self.x, self.z = xz(self.cell)
        self._index()
        self._connect()

    def _index(self) -> None:
        """Number the nodes over each point from low to high."""
        count = len(self.cell)
        first = np.r_[True, self.cell[1:] != self.cell[:-1]]
        start = np.maximum.accumulate(np.where(first, np.arange(count), 0))
        level = np.arange(count) - start
        keep = level < MOST_LEVELS
        self.at = np.full((int(level[keep].max()) + 1, CELLS), -1)
        self.at[level[keep], self.cell[keep]] = np.arange(count)[keep]

    def _connect(self) -> None:
        sources, targets, lengths = [], [], []
        two_way = np.zeros(len(self.cell))
        drops = np.zeros(len(self.cell), bool)
        grid = self.at.reshape(-1, COUNT, COUNT)
        for di, dj in _OFFSETS:
            here, there = _shifted(grid, di, dj)
            length = SPACING * math.hypot(di, dj)
            for a in here:
                for b in there:
                    pair = (a >= 0) & (b >= 0)
                    one, other = a[pair], b[pair]
                    forth, back = self._moves(one, other, length), self._moves(other, one, length)
                    sources += [one[forth], other[back]]
                    targets += [other[forth], one[back]]
                    both = forth & back
                    two_way[one[both]] += 1
                    two_way[other[both]] += 1
                    drops[one[forth & ~back]] = True
                    drops[other[back & ~forth]] = True
                    lengths += [np.full(int(moves.sum()), length) for moves in (forth, back)]
        self.rough = np.where(drops, 2, np.where(two_way < 8, 1, 0))
        for one, other, length in self._long_edges(grid):
            sources += [one, other]
            targets += [other, one]
            lengths += [np.full(2 * len(one), length)]
        self._sort(np.concatenate(sources), np.concatenate(targets), np.concatenate(lengths))

    def _sort(self, source: Ints, target: Ints, length: Floats) -> None:
        """Sort the edges as a compressed matrix whose rows are their targets."""
        # SciPy's search for strong components never ends if an edge is given twice.
        _, order = np.unique(target * len(self.cell) + source, return_index=True)
        self.source, self.target, self.length = source[order], target[order], length[order]
        counts = np.bincount(self.target, minlength=len(self.cell))
        self._rows = np.r_[0, np.cumsum(counts)]

    def add(self, source: Ints, target: Ints, length: Floats) -> None:
        """Further edges, of lengths in metres."""
        self._sort(np.r_[self.source, source], np.r_[self.target, target], np.r_[self.length, length])

    def _long_edges(self, grid: npt.NDArray[np.intp]) -> Iterator[tuple[Ints, Ints, float]]:
        """Return longer edges on open ground. Paths in sixteen directions then have their true lengths."""
        for di, dj in _FAR_OFFSETS:
            for a, b in zip(*_shifted(grid, di, dj), strict=True):
                pair = (a >= 0) & (b >= 0)
                one, other = a[pair], b[pair]
                flat = np.abs(self.height[one] - self.height[other]) <= CLIMB * SPACING
                open_ = flat & (self.rough[one] == 0) & (self.rough[other] == 0)
                yield one[open_], other[open_], SPACING * math.hypot(di, dj)

    def _moves(self, one: Ints, other: Ints, length: float) -> Bools:
        """Return whether the agent gets from `one` nodes to `other` nodes."""
        rise = self.height[other] - self.height[one]
        leaning = self.steep[one] | self.steep[other]
        up = (rise >= -1e-9) & (rise <= CLIMB * length) & (~leaning | (rise < 0.01))
        down = (rise < 0) & (self.room[other] > self.height[one])
        return (up & (self.height[other] < self.room[one])) | down

    def edge_means(self, values: Floats) -> Floats:
        """Mean of the values (n,) at both ends of each edge."""
        return np.asarray((values[self.source] + values[self.target]) / 2)

    def graph(self, weights: Floats) -> csr_matrix:
        """Return the edges, target to source, with weights (edges,), without infinite ones."""
        count = len(self.cell)
        good = np.isfinite(weights)
        rows = np.r_[0, np.cumsum(good)][self._rows]
        return csr_matrix((weights[good], self.source[good], rows), shape=(count, count))

    def highest(self, cell: Ints, limit: Floats, mounted: Floats) -> Ints:
        """Return each point's highest node up to `limit`. If it leans on an edge, up to `mounted`."""
        found = np.full(len(cell), -1)
        for nodes in self.at:
            here = nodes[cell]
            allowed = np.where(self.steep[here], mounted, limit)
            found = np.where((here >= 0) & (self.height[here] <= allowed), here, found)
        return found

    def spread(self, values: Floats, fall: float, times: int) -> Floats:
        """Spread values to neighbours over `times` edges. They are reduced by the factor `fall` per edge."""
        values = values.copy()
        for _ in range(times):
            near = values.copy()
            np.maximum.at(near, self.source, values[self.target] * fall)
            values = near
        return values


def xz(cell: Ints) -> tuple[Floats, Floats]:
    """Coordinates of points, metres."""
    return (cell // COUNT).astype(np.float64) * SPACING, (cell % COUNT).astype(np.float64) * SPACING


def _shifted(grid: npt.NDArray[np.intp], di: int, dj: int) -> tuple[npt.NDArray[np.intp], ...]:
    """Return the grid points with a neighbour at offset (di, dj). Also returns these neighbours."""
    low, high = max(-dj, 0), COUNT - max(dj, 0)
    here = grid[:, : COUNT - di, low:high].reshape(len(grid), -1)
    there = grid[:, di:, low + dj : high + dj].reshape(len(grid), -1)
    return here, there


def _floor() -> Contacts:
    """Return the floor under every point, and the boundary near the edge."""
    cell = np.arange(CELLS)
    x, z = xz(cell)
    edge = AGENT_RADIUS - 0.01
    outside = (np.minimum(x, z) < edge) | (np.maximum(x, z) > ARENA_SIZE - edge)
    high = np.where(outside, CEILING - 1, FLOOR_Y + AGENT_RADIUS)
    return Contacts(cell, np.full(CELLS, -CEILING), high, np.zeros(CELLS, bool))


def window(centre: tuple[float, float], reach: float) -> Ints:
    """Return the points within half side `reach` (metres) of a centre. They form a square."""
    spans = []
    for middle in centre:
        low = max(math.ceil((middle - reach) / SPACING), 0)
        high = min(math.floor((middle + reach) / SPACING), COUNT - 1)
        spans.append(np.arange(low, high + 1))
    return np.asarray((spans[0][:, None] * COUNT + spans[1][None, :]).ravel())


def local(solid: Solid, cell: Ints) -> tuple[Floats, Floats]:
    """Coordinates of points across and along a solid, from its centre, metres."""
    x, z = xz(cell)
    dx, dz = x - solid.centre[0], z - solid.centre[1]
    return dx * solid.across[0] + dz * solid.across[1], dx * solid.along[0] + dz * solid.along[1]


def contacts(solid: Solid) -> Contacts:
    """Heights at which a sphere would be inside a solid."""
    cell = window(solid.centre, math.hypot(*solid.half) + AGENT_RADIUS)
    across, along = local(solid, cell)
    aside = np.maximum(np.abs(across) - solid.half[0], 0.0)
    beyond = np.maximum(np.abs(along) - solid.half[1], 0.0)
    square = aside**2 + beyond**2
    near = square < AGENT_RADIUS**2 - _TOUCH
    cell, aside, along, square = cell[near], aside[near], along[near], square[near]
    lift = np.sqrt(AGENT_RADIUS**2 - square)
    low = solid.bottom - lift
    if solid.top[0] == solid.top[1]:
        return Contacts(cell, low, solid.top[0] + lift, square > STEEP)
    high, steep = _on_slope(solid, aside, along)
    return Contacts(cell, low, high, steep)


def _on_slope(solid: Solid, aside: Floats, along: Floats) -> tuple[Floats, Bools]:
    """Return the centre height of a sphere on a sloping top. Also returns whether it leans on an edge."""
    offsets = np.linspace(-AGENT_RADIUS, AGENT_RADIUS, 21)[:, None]
    touched = np.clip(along + offsets, -solid.half[1], solid.half[1])
    square = aside**2 + (touched - along) ** 2
    share = (touched + solid.half[1]) / (2 * solid.half[1])
    surface = solid.top[0] + share * (solid.top[1] - solid.top[0])
    reached = np.where(
        square < AGENT_RADIUS**2, surface + np.sqrt(np.maximum(AGENT_RADIUS**2 - square, 0)), -CEILING
    )
    best = reached.argmax(axis=0)
    columns = np.arange(len(along))
    leaning = (aside > 0) | (np.abs(along) > solid.half[1])
    return reached[best, columns], leaning & (square[best, columns] > STEEP)


def _gaps(cell: Ints, low: Floats, high: Floats, steep: Bools) -> tuple[Ints, Floats, Floats, Bools]:
    """Return standing places: lower ends of gaps between blocked heights. They are over a point."""
    order = np.lexsort((low, cell))
    cell, low, high, steep = cell[order], low[order], high[order], steep[order]
    # Heights of one point after those of another, so that one running maximum serves all.
    shifted = high + cell * _MANY
    running = np.maximum.accumulate(shifted)
    owner = np.maximum.accumulate(np.where(shifted >= running, np.arange(len(cell)), 0))
    stand = running - cell * _MANY
    above = np.where(np.r_[cell[1:] != cell[:-1], True], CEILING, np.r_[low[1:], CEILING])
    free = (above > stand + 0.005) & (stand < CEILING / 2)
    return cell[free], stand[free], above[free], steep[owner][free]


def leaps(terrain: Terrain) -> tuple[Ints, Ints, Floats]:
    """Return edges through the air: sources, targets and lengths (metres). There are 16 directions."""
    edge = np.flatnonzero((terrain.rough == 2) & ~terrain.steep & (terrain.height > 0.9))
    found: list[tuple[Ints, Ints, Floats]] = []
    for number in range(16):
        angle = 2 * math.pi * number / 16
        found += _in_direction(terrain, edge, math.sin(angle), math.cos(angle))
    if not found:
        empty = np.array([], dtype=np.intp)
        return empty, empty, np.array([])
    return tuple(np.concatenate(column) for column in zip(*found, strict=True))  # type: ignore[return-value]


def _in_direction(terrain: Terrain, edge: Ints, dx: float, dz: float) -> list[tuple[Ints, Ints, Floats]]:
    """Return leaps from the nodes of `edge` in one direction.

    Each flight ends where it meets something. They are up to 7.5 m long, at a speed of 18 m/s, as after a
    run-up of some 8 m, and cost 8 m more: a leap can go wrong.
    """
    found = []
    i, j = terrain.cell[edge] // COUNT, terrain.cell[edge] % COUNT
    alive = edge.copy()
    for distance in np.arange(SPACING, 7.5, SPACING):
        x, z = i + round(dx * distance / SPACING), j + round(dz * distance / SPACING)
        inside = (x >= 0) & (x < COUNT) & (z >= 0) & (z < COUNT)
        i, j, alive, x, z = i[inside], j[inside], alive[inside], x[inside], z[inside]
        time = -math.log(1 - min(1.6 * distance / 18.0, 0.95)) / 1.6
        height = terrain.height[alive] - GRAVITY / 2 * time**2
        under = np.full(len(alive), -1)
        for nodes in terrain.at:
            here = nodes[x * COUNT + z]
            under = np.where((here >= 0) & (terrain.height[here] <= height + 0.05), here, under)
        free = (under >= 0) & (terrain.room[under] > height)
        i, j, alive, under, height = i[free], j[free], alive[free], under[free], height[free]
        if distance > 0.7:
            lands = (height - terrain.height[under] < 1.2) & ~terrain.steep[under]
            found.append((alive[lands], under[lands], np.full(int(lands.sum()), distance + 8.0)))
    return found
