"""Projection of points of the arena to pixels."""

import numpy as np
import numpy.typing as npt

from render import Camera

Points = npt.NDArray[np.float64]


def project(camera: Camera, points: npt.ArrayLike, width: int, height: int) -> Points:
    """Project points (n, 3), metres in the arena's frame, to pixels (n, 2) as column and row.

    Pixel (i, j) covers i to i + 1 and j to j + 1, so that (0, 0) is the upper left corner of a picture of
    `width` by `height` pixels. Points behind a perspective camera, and NaN, become NaN.
    """
    places = np.asarray(points, float).reshape(-1, 3)
    clip = np.column_stack([places, np.ones(len(places))]) @ camera.matrix(width / height).T.astype(float)
    depth = np.where(clip[:, 3] > 0, clip[:, 3], np.nan)
    # The matrix is that of an upside-down picture, so rows grow with the vertical coordinate.
    return np.asarray((clip[:, :2] / depth[:, None] + 1) / 2 * (width, height))


def pixels_per_metre(camera: Camera, point: npt.ArrayLike, height: int) -> float:
    """Pixels per metre, across the line of sight, at a point (3,) of the arena."""
    distance = (np.asarray(point, float) - camera.position) @ camera.axes()[2]
    return camera.magnification(float(distance)) * height / 2
