"""The marks on decay and ripen balls of 4.x: six black rings, each with four arrows that point in or out.

They are drawn here, on a ball of radius 0.5, by their proportions in pictures of 4.3.
"""

from itertools import pairwise, product

import numpy as np
import numpy.typing as npt

from render.parts.glyphs import Polygons

_RADII = (0.505, 0.51)
"""Radii of rings and arrows: so far outside the ball of 0.5, and apart, that they show from afar."""

_RING = (0.18, 0.425)
"""Inner and outer radius of a ring, radii of the ball."""

_INWARD, _OUTWARD = (0.1, 0.53), (0.62, 0.2)
"""Distances of an arrow's tip and tail from the middle of its ring, radii of the ball."""

_SHAFT, _HEAD = 0.07, 0.2
"""Half width of an arrow's shaft; length and half width of its head."""

_LARGEST_EDGE = 0.12
"""Longest edge of a triangle: they bend with the ball."""

_SIDES = [np.roll(np.eye(3), turn, axis=0) * sign for turn, sign in product(range(3), (1, -1))]
"""Axes of the six marks, as rows: right, up and outward."""


def rings() -> npt.NDArray[np.float64]:
    """Triangles (n, 3, 3) of the rings."""
    inner, outer = _RING
    angles = np.radians(np.arange(0, 361, 15))
    out = np.column_stack([np.cos(angles), np.sin(angles)])
    return _on_ball(
        [np.array([inner * a, outer * a, outer * b, inner * b]) for a, b in pairwise(out)],
        _RADII[0],
    )


def arrows(inward: bool) -> npt.NDArray[np.float64]:
    """Triangles (n, 3, 3) of the arrows."""
    tip, tail = _INWARD if inward else _OUTWARD
    neck = tip + _HEAD if inward else tip - _HEAD
    shaft = np.array([(tail, -_SHAFT), (neck, -_SHAFT), (neck, _SHAFT), (tail, _SHAFT)])
    head = np.array([(neck, -_HEAD), (tip, 0.0), (neck, _HEAD)])
    turned = []
    for quarter in range(4):
        angle = np.radians(45 + 90 * quarter)
        axes = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        turned += [shaft @ axes, head @ axes]
    return _on_ball(turned, _RADII[1])


def _on_ball(flat: Polygons, radius: float) -> npt.NDArray[np.float64]:
    """Convex polygons around a mark's middle as triangles on the ball, for each side, facing outwards."""
    import trimesh

    fans = np.array([polygon[[0, k, k + 1]] for polygon in flat for k in range(1, len(polygon) - 1)])
    points, faces = trimesh.remesh.subdivide_to_size(  # type: ignore[no-untyped-call]
        np.concatenate([fans.reshape(-1, 2), np.zeros((3 * len(fans), 1))], axis=1),
        np.arange(3 * len(fans)).reshape(-1, 3),
        _LARGEST_EDGE,
    )
    points[:, 2] = np.sqrt(1 - (points[:, :2] ** 2).sum(axis=1))
    corners = np.concatenate([(points @ axes)[faces] for axes in _SIDES]) * radius
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inside_out = (normals * corners.mean(axis=1)).sum(axis=1) < 0
    corners[inside_out] = corners[inside_out, ::-1]
    return np.asarray(corners)
