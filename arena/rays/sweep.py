"""How far a ball can be pushed in a straight line before it touches something; exact, without Bullet.

Every collider is made of convex parts: boxes (a ball is a box of no size with a rounding) and prisms over
a quadrilateral (ramps, and the wedges of a tunnel). The distance from a moving point to a convex part is a
convex function of time, so Newton's method from before the first touch never passes it and converges
quadratically; on a flat face the first step is already the answer. Rays, which ask for the nearest collider
only and at every step, have a faster way (`arena.rays.ball_casts`).
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from arena.geometry.shapes import boundary_parts
from arena.geometry.solids import box, colliders_of
from arena.rays.ray_shapes import TOUCHING
from arena.scene import Floats, Scene, Thing
from arena.taskfile.catalog import KINDS

Indices = npt.NDArray[np.intp]

_ACCURACY = 1e-7
"""A touch is found to within this distance, metres."""

_PARALLEL = 1e-12
"""Replaces a component of a direction that is smaller, so that nothing is divided by 0."""


class Colliders:
    """Everything solid of an episode, and the arena's boundary; made once, swept at every step.

    `owner` (m,) is the index of each part's thing; the boundary's is the number of things.
    """

    def __init__(self, things: tuple[Thing, ...], sizes: Floats, fitted: bool = False) -> None:
        """`sizes` (n, 3) are the present ones, metres; `fitted` as for `arena.geometry.solids.colliders_of`.

        Raises KeyError for a thing whose shape is not known here."""
        solids = [
            (index, collider, solid)
            for index, thing in enumerate(things)
            for collider, solids in enumerate(
                colliders_of(KINDS[thing.kind].shape, tuple(sizes[index]), fitted)
            )
            for solid in solids
        ]
        walls = enumerate(boundary_parts())
        solids += [(len(things), number, box(part.size, part.centre)) for number, part in walls]
        parts = [solid for _, _, solid in solids]
        self.owner: Indices = np.array([owner for owner, _, _ in solids])
        numbers = {key: number for number, key in enumerate(dict.fromkeys(s[:2] for s in solids))}
        self._collider: Indices = np.array([numbers[s[:2]] for s in solids])
        self._axes = np.array([part.axes for part in parts])
        self._centre_in_axes = np.array([part.axes @ part.centre for part in parts])
        self._half = np.array([part.half for part in parts])
        self._rounding = np.array([part.rounding for part in parts])
        nothing = np.full((4, 2), np.nan)
        self._section = np.array([nothing if part.section is None else part.section for part in parts])
        self._is_box = np.array([part.section is None for part in parts])

    def sweep(self, scene: Scene, radius: float, directions: Floats, length: float) -> Floats:
        """Distance (rays, m) that a ball travels from the agent's centre until it touches each part.

        `radius` and `length` in metres; `directions` (rays, 3) are unit vectors in the arena's frame.
        Infinite where it does not touch within `length`, for eaten things, and for colliders that it touches
        already.
        """
        axes, origin = self._posed(scene)
        ways = (axes @ directions.T).transpose(2, 0, 1)
        reach = self._rounding + radius
        enter, leave = _slab(origin, ways, self._half + reach[:, None])
        seen = np.append(scene.visible, True)[self.owner] & ~self._touched(origin, reach)
        ray, part = np.nonzero((enter <= leave) & (leave > 0) & (enter <= length) & seen)
        distance = np.full(enter.shape, np.inf)
        for boxes, gap in ((True, _from_box), (False, _from_prism)):
            chosen = self._is_box[part] == boxes
            r, p = ray[chosen], part[chosen]
            shape = (self._half[p], self._section[p])
            start = np.maximum(enter[r, p], 0.0)
            distance[r, p] = _first_touch(gap, shape, origin[p], ways[r, p], start, reach[p], length)
        return distance

    def _posed(self, scene: Scene) -> tuple[Floats, Floats]:
        """Axes of the parts (m, 3, 3) in the arena's frame, and the agent's centre (m, 3) in the parts'."""
        positions = np.concatenate([scene.positions, np.zeros((1, 3))])[self.owner]
        rotations = np.concatenate([scene.rotations, np.eye(3)[None]])[self.owner]
        axes = self._axes @ rotations.transpose(0, 2, 1)
        agent = axes @ (np.array(scene.agent_position) - positions)[:, :, None]
        return axes, agent[:, :, 0] - self._centre_in_axes

    def _touched(self, origin: Floats, reach: Floats) -> npt.NDArray[np.bool_]:
        """Which parts (m,) belong to a collider that the ball overlaps before it moves."""
        touched = np.zeros(len(origin), np.bool_)
        near = (np.abs(origin) <= (self._half + reach[:, None] + TOUCHING)).all(axis=1)
        for part in np.flatnonzero(near):
            gap = _from_box if self._is_box[part] else _from_prism
            apart = gap(origin[[part]], (self._half[[part]], self._section[[part]]))
            if np.linalg.norm(apart) <= reach[part] + TOUCHING:
                touched |= self._collider == self._collider[part]
        return touched


ShapeRows = tuple[Floats, Floats]
"""Half extents (k, 3) and sections (k, 4, 2) of k parts."""


def _slab(origin: Floats, ways: Floats, half: Floats) -> tuple[Floats, Floats]:
    """When rays enter and leave boxes: a bound before the first touch, exact for flat faces."""
    ways = np.where(np.abs(ways) < _PARALLEL, _PARALLEL, ways)
    middle, spread = -origin / ways, half / np.abs(ways)
    return (middle - spread).max(axis=2), (middle + spread).min(axis=2)


def _from_box(points: Floats, shape: ShapeRows) -> Floats:
    """Vectors (k, 3) to points from the nearest points of boxes; 0 inside."""
    half = shape[0]
    return points - np.clip(points, -half, half)


def _from_prism(points: Floats, shape: ShapeRows) -> Floats:
    """Vectors (k, 3) to points from the nearest points of prisms; 0 inside."""
    half, corners = shape
    edges = np.roll(corners, -1, axis=1) - corners
    to_point = points[:, None, :2] - corners
    along = (to_point * edges).sum(axis=2) / (edges * edges).sum(axis=2)
    away = to_point - np.clip(along, 0.0, 1.0)[..., None] * edges
    nearest = (away * away).sum(axis=2).argmin(axis=1)
    side = edges[..., 0] * to_point[..., 1] - edges[..., 1] * to_point[..., 0]
    inside = (side.min(axis=1) >= 0) | (side.max(axis=1) <= 0)
    across = np.where(inside[:, None], 0.0, away[np.arange(len(points)), nearest])
    depth = points[:, 2] - np.clip(points[:, 2], -half[:, 2], half[:, 2])
    return np.column_stack([across, depth])


def _first_touch(
    gap: Callable[[Floats, ShapeRows], Floats],
    shape: ShapeRows,
    origin: Floats,
    way: Floats,
    start: Floats,
    reach: Floats,
    length: float,
) -> Floats:
    """First time (k,) at which points from `origin` (k, 3) along `way` (k, 3) come within `reach` (k,).

    `start` (k,) is not after it. Infinite where that never happens, or only after `length`.
    """
    half, section = shape
    found = np.full(len(start), np.inf)
    live = np.arange(len(start))
    time = start
    while len(live):
        at = origin[live] + time[:, None] * way[live]
        apart = gap(at, (half[live], section[live]))
        distance = np.sqrt((apart * apart).sum(axis=1))
        left = distance - reach[live]
        touches = left <= _ACCURACY
        found[live[touches]] = time[touches]
        # The rate of change of the distance; the distance is never 0 where it is used.
        slope = (apart * way[live]).sum(axis=1) / np.maximum(distance, _ACCURACY)
        nearing = ~touches & (slope < 0)
        time = time[nearing] - left[nearing] / slope[nearing]
        live = live[nearing]
        within = time <= length
        live, time = live[within], time[within]
    return found
