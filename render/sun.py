"""Where the sun stands, and the grid of its shadow map, which is fixed to the arena."""

import numpy as np
import numpy.typing as npt

TO_SUN = np.array([0.321, 0.766, -0.557])
"""Direction to the sun: elevation 50 degrees, azimuth 150 degrees (section 3.3)."""

TEXEL_M = 0.0747
"""Side of a texel in metres, measured: in the recorded picture obs-0.0 a shadow's edge along x has steps of
0.195 m, and 1 m along x leads 0.383 m across the rows of a map that the sun looks through."""

SIDE = 848
"""Texels of our map's side: enough for the arena alone."""

_CENTRE = np.array([20.0, 2.0, 20.0])
_DEPTH_M = 70.0


def sun_view() -> npt.NDArray[np.float32]:
    """World to the sun's clip space (4, 4): orthographic, around the whole arena."""
    forward = -TO_SUN / np.linalg.norm(TO_SUN)
    right = np.cross([0.0, 1.0, 0.0], forward)
    right /= np.linalg.norm(right)
    axes = np.array([right, np.cross(forward, right), forward])
    half = 0.5 * SIDE * TEXEL_M
    matrix = np.eye(4)
    matrix[:3, :3] = axes / np.array([half, half, 0.5 * _DEPTH_M])[:, None]
    matrix[:3, 3] = -matrix[:3, :3] @ _CENTRE
    return np.asarray(matrix, np.float32)
