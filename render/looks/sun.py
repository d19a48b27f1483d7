"""The sun's direction and light, and the grid of its shadow map, which is fixed to the arena."""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arena.scene import Vector
from arena.taskfile.versions import DIFFERENCES, Version
from render.looks.textures import linear

TO_SUN = np.array([0.321, 0.766, -0.557])
"""Direction to the sun: elevation 50 degrees, azimuth 150 degrees (section 3.3)."""

TEXEL_M = 0.0747
"""Side of a texel in metres, measured: in the recorded picture obs-0.0 a shadow's edge along x has steps of
0.195 m, and 1 m along x is 0.383 m across the rows of the sun's map."""

SIDE = 848
"""Texels of our map's side: it covers just the arena."""

_MEASURED_MAP = 1024
"""Texels of the side of the original's map, to which `TEXEL_M` and `SIDE` belong."""

_CENTRE = np.array([20.0, 2.0, 20.0])
_DEPTH_M = 70.0


class Sun(NamedTuple):
    """The sun of one version of Animal-AI: its linear colour, and its map of shadows.

    `side` in texels, `texel_m` in metres. `stripes_m`: at grazing light, the shadow on things thinner than
    this (metres) is looked up in front of the face, so that texels do not show as stripes. `to_map` (3, 4)
    leads from the arena to texels across and down, and depth from 0 to 65535. Without `shines` there are no
    shadows.
    """

    color: Vector
    side: int
    texel_m: float
    stripes_m: float
    to_map: npt.NDArray[np.float64]
    shines: bool


@cache
def sun_of(version: str) -> Sun:
    """The sun of a version.

    In v3.1.3, thick things keep the stripes of the recorded pictures; in 4.2 all light is ambient.
    """
    differs = DIFFERENCES[Version(version)]
    red, green, blue = (round(float(value), 3) for value in linear(np.multiply(255.0, differs.sun)))
    finer = differs.shadow_map // _MEASURED_MAP
    texel_m = TEXEL_M / finer
    color, side = (red, green, blue), SIDE * finer
    stripes_m = 2 * texel_m if finer == 1 else 1000.0
    return Sun(color, side, texel_m, stripes_m, _to_map(side), any(color))


def _to_map(side: int) -> npt.NDArray[np.float64]:
    """From the arena to a map of `side` texels, without perspective, around the whole arena."""
    forward = -TO_SUN / _length(TO_SUN)
    right = np.cross([0.0, 1.0, 0.0], forward)
    right /= _length(right)
    axes = np.array([right, np.cross(forward, right), forward])
    spans = np.array([SIDE * TEXEL_M, SIDE * TEXEL_M, _DEPTH_M])
    # Rounded, so that the last bits of a processor's library make no difference.
    scaled = np.round(axes / spans[:, None], 12) * np.array([side, side, 65535.0])[:, None]
    offsets = 0.5 * np.array([side, side, 65535.0]) - (scaled * _CENTRE).sum(axis=1)
    return np.column_stack([scaled, offsets])


def _length(vector: npt.NDArray[np.float64]) -> float:
    return float(np.sqrt((vector * vector).sum()))
