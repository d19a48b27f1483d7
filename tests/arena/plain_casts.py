"""What a pushed ball meets, by definition: the distance to each part all along the way.

The distance from a moving point to a convex part has one valley. Its floor is found by thirds, and the
first touch between the start and there by halves. Slow; shares nothing with `arena.rays` but the
parts.
"""

from typing import NamedTuple

import numpy as np

from arena.geometry.shapes import boundary_parts
from arena.scene import Floats, Scene
from arena.taskfile.catalog import KINDS
from arena.taskfile.versions import DIFFERENCES, Version
from tests.arena.solids import Solid, box, colliders_of

TOUCHING = 0.001


class Casts(NamedTuple):
    """Per ray (rows) and collider (columns), the way in metres, infinite for a miss; and whose it is."""

    ways: Floats
    owners: list[int]


def distances(solid: Solid, points: Floats) -> Floats:
    """Distances (...) of points (..., 3), in the frame of its thing, from a part; 0 inside."""
    local = (points - solid.centre) @ solid.axes.T
    if solid.section is None:
        outside = np.maximum(np.abs(local) - solid.half, 0.0)
        return np.maximum(np.linalg.norm(outside, axis=-1) - solid.rounding, 0.0)
    depth = np.maximum(np.abs(local[..., 2]) - solid.half[2], 0.0)
    return np.hypot(depth, section_distances(solid.section, local[..., :2]))


def section_distances(section: Floats, points: Floats) -> Floats:
    """Distances of points (..., 2) from a convex polygon (k, 2); 0 inside."""
    left, nearest = [], []
    for start, end in zip(section, np.roll(section, -1, axis=0), strict=True):
        edge, arm = end - start, points - start
        left.append(edge[0] * arm[..., 1] - edge[1] * arm[..., 0])
        share = np.clip(arm @ edge / (edge @ edge), 0, 1)
        nearest.append(np.linalg.norm(arm - share[..., None] * edge, axis=-1))
    return np.where((np.min(left, axis=0) >= 0) | (np.max(left, axis=0) <= 0), 0.0, np.min(nearest, axis=0))


def first_touches(solid: Solid, start: Floats, directions: Floats, radius: float, length: float) -> Floats:
    """Ways (rays,) of a ball from `start` (3,) along `directions` (rays, 3), in the frame of its thing."""
    ways = np.full(len(directions), np.inf)
    # Only a ball that meets the ball round a part may meet the part.
    along = np.maximum(directions @ (solid.centre - start), 0.0)
    aside = np.linalg.norm(start + along[:, None] * directions - solid.centre, axis=1)
    near = aside <= np.linalg.norm(solid.half) + solid.rounding + radius + 0.01
    if near.any():
        ways[near] = _first_touches(solid, start, directions[near], radius, length)
    return ways


def _first_touches(solid: Solid, start: Floats, directions: Floats, radius: float, length: float) -> Floats:
    def gap(times: Floats) -> Floats:
        return distances(solid, start + times[:, None] * directions) - radius

    low, high = np.zeros(len(directions)), np.full(len(directions), length)
    for _ in range(60):
        first, second = low + (high - low) / 3, high - (high - low) / 3
        falls = gap(first) > gap(second)
        low, high = np.where(falls, first, low), np.where(falls, high, second)
    floor, low = high, np.zeros(len(directions))
    met = gap(floor) <= 0
    for _ in range(42):
        middle = (low + high) / 2
        free = gap(middle) > 0
        low, high = np.where(free, middle, low), np.where(free, high, middle)
    return np.where(met, high, np.inf)


def casts(scene: Scene, directions: Floats, radius: float, length: float) -> Casts:
    """All casts from the agent's centre along `directions` (rays, 3); the index of the boundary is the
    number of things. Colliders that the ball touches already are missed."""
    fitted = DIFFERENCES[Version(scene.version)].fitted_bars
    colliders = [
        (index, solids)
        for index, thing in enumerate(scene.things)
        if scene.visible[index]
        for solids in colliders_of(KINDS[thing.kind].shape, tuple(scene.sizes[index]), fitted)
    ]
    colliders += [(len(scene.things), [box(part.size, part.centre)]) for part in boundary_parts()]
    ways = []
    for index, solids in colliders:
        thing = index < len(scene.things)
        turn = scene.rotations[index] if thing else np.eye(3)
        start = turn.T @ (np.array(scene.agent_position) - (scene.positions[index] if thing else 0.0))
        if min(float(distances(solid, start)) for solid in solids) <= radius + TOUCHING:
            ways.append(np.full(len(directions), np.inf))
            continue
        local = directions @ turn
        ways.append(np.min([first_touches(s, start, local, radius, length) for s in solids], axis=0))
    return Casts(np.array(ways).T, [index for index, _ in colliders])
