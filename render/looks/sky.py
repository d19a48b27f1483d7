"""The sky as a cube of pictures, and the sun, measured in frames of Animal-AI v3.1.3."""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arena.scene import Vector
from arena.taskfile.versions import DIFFERENCES, Version
from render.looks.textures import linear

SKY_SIDE = 256
"""Pixels of a cube face's side."""

_UP_DEG = (10.0, 13.0, 17.0, 22.0, 28.0, 36.0, 42.0, 50.0)
_AWAY = ((169, 201, 229), (152, 185, 216), (136, 168, 207), (124, 153, 193),
         (111, 139, 179), (98, 126, 165), (94, 119, 159), (90, 115, 155))  # fmt: skip
_NEAR = ((180, 211, 244), (174, 207, 243), (163, 198, 236), (151, 186, 230),
         (140, 174, 222), (132, 164, 213), (128, 160, 210), (124, 156, 207))  # fmt: skip

# The axes of a cube map's faces, as in OpenGL: right, down and outward, in the order +x -x +y -y +z -z.
_FACES = (
    ((0, 0, -1), (0, -1, 0), (1, 0, 0)), ((0, 0, 1), (0, -1, 0), (-1, 0, 0)),
    ((1, 0, 0), (0, 0, 1), (0, 1, 0)), ((1, 0, 0), (0, 0, -1), (0, -1, 0)),
    ((1, 0, 0), (0, -1, 0), (0, 0, 1)), ((-1, 0, 0), (0, -1, 0), (0, 0, -1)),
)  # fmt: skip

_DISC_DEG = (8.0, 10.7)
"""Distances from the sun's centre between which its white fades into the sky, measured in the recorded frames
8.15, 16.15 and 19.15: white up to 8 degrees, half at 9.2, none at 10.7."""


def cube() -> npt.NDArray[np.uint8]:
    """The six faces of a cube map, uint8 (6, SKY_SIDE, SKY_SIDE, 3), sRGB."""
    middles = (2 * np.arange(SKY_SIDE) + 1) / SKY_SIDE - 1
    across, down = np.meshgrid(middles, middles)
    axes = np.array(_FACES, float)
    faces = [_colors(out + across[..., None] * right + down[..., None] * low) for right, low, out in axes]
    return np.round(faces).astype(np.uint8)


def _colors(direction: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Display colours (..., 3), 0..255, of directions (..., 3) of any length."""
    ray = direction / np.linalg.norm(direction, axis=-1, keepdims=True)
    up = np.degrees(np.arcsin(np.clip(ray[..., 1], -1, 1)))
    level = np.linalg.norm(ray[..., [0, 2]], axis=-1) + 1e-6
    towards = ray[..., [0, 2]] @ (TO_SUN[[0, 2]] / np.linalg.norm(TO_SUN[[0, 2]])) / level
    sunny = _smoothstep(0.2, 0.9, 0.5 + 0.5 * towards)[..., None]
    sky = (1 - sunny) * _gradient(up, _AWAY) + sunny * _gradient(up, _NEAR)
    from_sun = np.degrees(np.arccos(np.clip(ray @ (TO_SUN / np.linalg.norm(TO_SUN)), -1, 1)))
    disc = (1 - _smoothstep(*_DISC_DEG, from_sun))[..., None]
    return np.asarray((1 - disc) * sky + disc * 255.0)


def _gradient(
    up: npt.NDArray[np.float64], table: tuple[tuple[int, int, int], ...]
) -> npt.NDArray[np.float64]:
    return np.stack([np.interp(up, _UP_DEG, channel) for channel in zip(*table, strict=True)], axis=-1)


def _smoothstep(low: float, high: float, value: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    part = np.clip((value - low) / (high - low), 0, 1)
    return np.asarray(part * part * (3 - 2 * part))


TO_SUN = np.array([0.321, 0.766, -0.557])
"""Direction to the sun: elevation 50 degrees, azimuth 150 degrees (the original's scene)."""

TEXEL_M = 0.0747
"""Side of a texel in metres, measured: in the recorded picture obs-0.0 a shadow's edge along x has steps of
0.195 m, and 1 m along x is 0.383 m across the rows of the sun's map."""

MAP_SIDE = 848
"""Texels of our map's side: it covers just the arena."""

_MEASURED_MAP = 1024
"""Texels of the side of the original's map, to which `TEXEL_M` and `MAP_SIDE` belong."""

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
    color, side = (red, green, blue), MAP_SIDE * finer
    stripes_m = 2 * texel_m if finer == 1 else 1000.0
    return Sun(color, side, texel_m, stripes_m, _to_map(side), any(color))


def _to_map(side: int) -> npt.NDArray[np.float64]:
    """From the arena to a map of `side` texels, without perspective, around the whole arena."""
    forward = -TO_SUN / np.linalg.norm(TO_SUN)
    right = np.cross([0.0, 1.0, 0.0], forward)
    right /= np.linalg.norm(right)
    axes = np.array([right, np.cross(forward, right), forward])
    spans = np.array([MAP_SIDE * TEXEL_M, MAP_SIDE * TEXEL_M, _DEPTH_M])
    # Rounded, so that the last bits of a processor's library make no difference.
    scaled = np.round(axes / spans[:, None], 12) * np.array([side, side, 65535.0])[:, None]
    offsets = 0.5 * np.array([side, side, 65535.0]) - (scaled * _CENTRE).sum(axis=1)
    return np.column_stack([scaled, offsets])
