"""The preset symbols of sign boards as convex polygons in a square.

A point is (right, up) as the viewer sees it, both -0.5 to 0.5; polygons are anticlockwise. The drawings are
ours: details of the original's symbols are not documented.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]
Polygons = Sequence[npt.ArrayLike]

STROKE = 0.13
"""Thickness of lines."""


def _line(start: tuple[float, float], end: tuple[float, float]) -> Points:
    """Return a straight stroke, extended by half its thickness at both ends."""
    a, b = np.array(start), np.array(end)
    along = 0.5 * STROKE * (b - a) / np.linalg.norm(b - a)
    across = np.array([-along[1], along[0]])
    return np.array([a - along - across, b + along - across, b + along + across, a - along + across])


def _path(*points: tuple[float, float]) -> Polygons:
    return [_line(a, b) for a, b in pairwise(points)]


def _arc(middle: tuple[float, float], radius: float, start_deg: float, end_deg: float) -> Polygons:
    """Return a round stroke, angles from the right and anticlockwise."""
    angles = np.radians(np.linspace(start_deg, end_deg, round((end_deg - start_deg) / 7.5)))
    out = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    inner, outer = (np.array(middle) + (radius + side * STROKE / 2) * out for side in (-1, 1))
    return [np.array(corners) for corners in zip(outer, outer[1:], inner[1:], inner, strict=False)]


def _turned(polygons: Polygons, quarters: int) -> Polygons:
    """Return a glyph turned anticlockwise by quarters of a turn."""
    turn = np.linalg.matrix_power(np.array([[0.0, 1.0], [-1.0, 0.0]]), quarters)
    return [np.asarray(polygon) @ turn for polygon in polygons]


def _ring(corners: int, radius: float, first_deg: float = 90.0) -> Points:
    angles = np.radians(first_deg + 360 * np.arange(corners) / corners)
    return radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _star() -> Polygons:
    """Five kites around the centre."""
    tips, notches = _ring(5, 0.48), _ring(5, 0.19, 126.0)
    return [np.array([[0.0, 0.0], notches[k - 1], tips[k], notches[k]]) for k in range(5)]


_ARROW = [
    ((-0.45, -0.1), (0.05, -0.1), (0.05, 0.1), (-0.45, 0.1)),
    ((0.05, -0.32), (0.45, 0.0), (0.05, 0.32)),
]
_U_TURN = [
    *_path((0.22, -0.36), (0.22, 0.12)),
    *_arc((0.0, 0.12), 0.22, 0.0, 180.0),
    *_path((-0.22, 0.12), (-0.22, -0.1)),
    ((-0.44, -0.1), (-0.22, -0.42), (0.0, -0.1)),
]

GLYPHS: dict[str, Polygons] = {
    "pixel": [((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))],
    **{f"{way}-arrow": _turned(_ARROW, k) for k, way in enumerate(("right", "up", "left", "down"))},
    "u-turn-arrow": _U_TURN,
    "letter-a": [*_path((-0.28, -0.38), (0.0, 0.38), (0.28, -0.38)), *_path((-0.17, -0.12), (0.17, -0.12))],
    "letter-b": [
        *_path((-0.22, -0.38), (-0.22, 0.38)),
        *(_line((-0.22, up), (0.02, up)) for up in (0.38, 0.0, -0.38)),
        *_arc((0.04, 0.19), 0.19, -90.0, 90.0),
        *_arc((0.04, -0.19), 0.19, -90.0, 90.0),
    ],
    "letter-c": _arc((0.0, 0.0), 0.37, 45.0, 315.0),
    "square": [_ring(4, 0.53, 45.0)],
    "triangle": [((-0.45, -0.38), (0.45, -0.38), (0.0, 0.4))],
    "circle": [_ring(48, 0.42)],
    "star": _star(),
    "tick": _path((-0.34, 0.0), (-0.1, -0.27), (0.34, 0.3)),
    "cross": [_line((-0.3, -0.3), (0.3, 0.3)), _line((-0.3, 0.3), (0.3, -0.3))],
}
"""Polygons of a grid's cell, and of every non-default preset. The default is an empty board (our choice)."""


def fans(polygons: Polygons) -> Points:
    """Convex polygons as triangles (n, 3, 2)."""
    corners = map(np.asarray, polygons)
    return np.array([polygon[[0, k, k + 1]] for polygon in corners for k in range(1, len(polygon) - 1)])
