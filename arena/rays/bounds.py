"""Which colliders each ray may hit: fast bounds that rule out most of the others."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arena.rays.ray_shapes import Shape
from arena.scene import Floats, Scene, Vector

_FEW = 24
"""With fewer colliders, plain numbers are faster than arrays."""

_SLACK = 1e-6
"""Added to bounds, metres: more than all rounding errors, too little to admit many other colliders."""

_TREMBLE = 1e-4
"""Bounds are not updated for rotations whose components changed by less: bodies at rest tremble."""

Bearings = Sequence[tuple[float, float]]
"""Directions of rays: x and z of horizontal unit vectors."""

Candidates = list[tuple[float, int, int]]
"""Possible hits, nearest first: a lower bound of the distance (metres), the ray, the collider."""


class Collider(NamedTuple):
    """A solid part of a thing.

    Its bounding box has `centre` and `half` extents in the frame of the thing, metres; that of a ball has
    size 0. The cast ball's centre must come within `reach` of it. `order` are the axes of the thing's frame
    that are the shape's x, y and z.
    """

    centre: Vector
    order: tuple[int, int, int]
    shape: Shape
    half: Vector
    reach: float


class Bounds:
    """Bounds of an episode's colliders.

    What they cache from scene to scene only saves time; results never depend on it.
    """

    def __init__(self, colliders: Sequence[Collider], owners: Sequence[int], loose: Sequence[bool]) -> None:
        """`owners` are the colliders' things. `loose` things (n,) move and turn all the time, so their bounds
        are balls about their origins."""
        count = len(colliders)
        self._loose, self._owner = tuple(loose), np.array(owners, np.intp)
        self._firm = np.flatnonzero(~np.array(loose, np.bool_))
        self._centre, self._half = np.zeros((2, count, 3))
        self._reach = np.zeros((count, 1))
        self._balls = [(owner, 0.0) for owner in owners]
        self._seen, self._turned = b"nothing yet", np.full((len(self._firm), 3, 3), np.inf)
        self._offset, self._axes = np.zeros((count, 3)), np.zeros((3 * count, 3))
        for number, collider in enumerate(colliders):
            self.change(number, collider)

    def change(self, number: int, collider: Collider) -> None:
        """Replace a collider of the same thing."""
        (x, y, z), (a, b, c), owner = collider.centre, collider.half, self._balls[number][0]
        reach = collider.reach + _SLACK + 2 * _TREMBLE * (abs(x) + abs(y) + abs(z) + a + b + c)
        radius = math.hypot(x, y, z) + math.hypot(a, b, c) + reach
        if self._loose[owner]:
            reach = radius
        else:
            self._centre[number], self._half[number] = collider.centre, collider.half
            self._seen, self._turned = b"nothing yet", np.full_like(self._turned, np.inf)
        self._balls[number], self._reach[number] = (owner, radius), reach

    def candidates(self, scene: Scene, bearings: Bearings) -> Candidates:
        """All possible hits of the rays."""
        few = len(self._balls) < _FEW
        return sorted(self._by_balls(scene, bearings) if few else self._by_boxes(scene, bearings))

    def _by_balls(self, scene: Scene, bearings: Bearings) -> Candidates:
        """Possible hits by the bounding balls of things."""
        found = []
        agent_x, agent_y, agent_z = scene.agent_position
        positions, rays = scene.positions.tolist(), list(enumerate(bearings))
        for number, (owner, radius) in enumerate(self._balls):
            x, y, z = positions[owner]
            x, z = x - agent_x, z - agent_z
            if not -radius <= y - agent_y <= radius:
                continue
            for ray, (u, w) in rays:
                if -radius <= x * w - z * u <= radius and (along := x * u + z * w) >= -radius:
                    found.append((along - radius, ray, number))
        return found

    def _by_boxes(self, scene: Scene, bearings: Bearings) -> Candidates:
        """Possible hits by boxes, projected onto three axes: along the ray, across it, and upwards."""
        self._turn(scene.rotations)
        rays, flat = len(bearings), np.array(bearings).T
        frame = np.zeros((3, 2 * rays + 1))
        frame[::2, :rays], frame[1, -1] = flat, 1.0
        frame[0, rays:-1], frame[2, rays:-1] = flat[1], -flat[0]
        middle = (scene.positions.take(self._owner, axis=0) + self._offset - scene.agent_position) @ frame
        half = np.abs(self._axes @ frame).reshape(3, len(middle), -1).sum(axis=0) + self._reach
        meets = np.abs(middle) <= half
        meets[:, :rays] |= middle[:, :rays] > 0
        numbers, chosen = (meets[:, :rays] & meets[:, rays:-1] & meets[:, -1:]).nonzero()
        low = middle[numbers, chosen] - half[numbers, chosen]
        return list(zip(low.tolist(), chosen.tolist(), numbers.tolist(), strict=True))

    def _turn(self, rotations: Floats) -> None:
        """Update for the rotations (n, 3, 3) of the things if they changed by enough to matter."""
        if (seen := rotations.tobytes()) == self._seen:
            return
        self._seen = seen
        firm = rotations.take(self._firm, axis=0)
        if np.abs(firm - self._turned).max(initial=0.0) <= _TREMBLE:
            return
        self._turned = firm
        turns = rotations[self._owner]
        self._offset = (turns * self._centre[:, None]).sum(axis=2)
        self._axes = (turns.transpose(2, 0, 1) * self._half.T[:, :, None]).reshape(-1, 3)
