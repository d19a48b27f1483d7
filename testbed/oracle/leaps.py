"""Leaps: edges of the navigation graph through the air, by driving fast over the edge of something high."""

import math

import numpy as np

from arena.kernel.contacts import GRAVITY
from arena.scene import Floats
from testbed.oracle.terrain import COUNT, SPACING, Ints, Terrain

LEAP_SPEED = 18.0
"""Assumed speed of the agent at an edge, m/s: that after a run-up of some 8 m."""

FARTHEST = 7.5
"""Longest leap, metres."""

DIRECTIONS = 16
LEAP_COST = 8.0
"""Extra cost of a leap, metres: it can go wrong."""


def leaps(terrain: Terrain) -> tuple[Ints, Ints, Floats]:
    """Sources, targets and lengths (metres) of the edges through the air."""
    edge = np.flatnonzero((terrain.rough == 2) & ~terrain.steep & (terrain.height > 0.9))
    found: list[tuple[Ints, Ints, Floats]] = []
    for number in range(DIRECTIONS):
        angle = 2 * math.pi * number / DIRECTIONS
        found += _in_direction(terrain, edge, math.sin(angle), math.cos(angle))
    if not found:
        empty = np.array([], dtype=np.intp)
        return empty, empty, np.array([])
    return tuple(np.concatenate(column) for column in zip(*found, strict=True))  # type: ignore[return-value]


def _in_direction(terrain: Terrain, edge: Ints, dx: float, dz: float) -> list[tuple[Ints, Ints, Floats]]:
    """Leaps from the nodes of `edge` in one direction: each flight ends where it meets something."""
    found = []
    i, j = terrain.cell[edge] // COUNT, terrain.cell[edge] % COUNT
    alive = edge.copy()
    for distance in np.arange(SPACING, FARTHEST, SPACING):
        x, z = i + round(dx * distance / SPACING), j + round(dz * distance / SPACING)
        inside = (x >= 0) & (x < COUNT) & (z >= 0) & (z < COUNT)
        i, j, alive, x, z = i[inside], j[inside], alive[inside], x[inside], z[inside]
        time = -math.log(1 - min(1.6 * distance / LEAP_SPEED, 0.95)) / 1.6
        height = terrain.height[alive] - GRAVITY / 2 * time**2
        under = np.full(len(alive), -1)
        for nodes in terrain.at:
            here = nodes[x * COUNT + z]
            under = np.where((here >= 0) & (terrain.height[here] <= height + 0.05), here, under)
        free = (under >= 0) & (terrain.room[under] > height)
        i, j, alive, under, height = i[free], j[free], alive[free], under[free], height[free]
        if distance > 0.7:
            lands = (height - terrain.height[under] < 1.2) & ~terrain.steep[under]
            found.append((alive[lands], under[lands], np.full(int(lands.sum()), distance + LEAP_COST)))
    return found
