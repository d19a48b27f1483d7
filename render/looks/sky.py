"""The sky as a cube of pictures, and the sun. Settings are Animal-AI's."""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arena.scene import Vector
from arena.taskfile.versions import DIFFERENCES, Version
from render.looks.textures import linear

SKY_SIDE = 256
"""Pixels of a cube face's side."""

_BLUE, _HAZE = 0.0025 / np.array([0.5933, 0.5133, 0.4183]) ** 4, 0.001
"""Shares of red, green and blue scattered by air and haze. By wavelength: 0.65, 0.57 and 0.475, less 0.0567
for the tint of 0.689."""

_AIR, _SUNLIGHT, _DISC_RADIUS, _DISC_LIGHT = 0.025, 1.3 * 20.0, 0.2, 27.0
"""Depth of the air, radii of the planet. The sun's light with the exposure; radius and light of its disc."""

_LOWEST = 0.09
"""Slope of the lowest line of sight over the fence. The sky stays constant below, out of view."""

# The axes of a cube map's faces, as in OpenGL: right, down and outward, in the order +x -x +y -y +z -z.
_FACES = (
    ((0, 0, -1), (0, -1, 0), (1, 0, 0)), ((0, 0, 1), (0, -1, 0), (-1, 0, 0)),
    ((1, 0, 0), (0, 0, 1), (0, 1, 0)), ((1, 0, 0), (0, 0, -1), (0, -1, 0)),
    ((1, 0, 0), (0, -1, 0), (0, 0, 1)), ((-1, 0, 0), (0, -1, 0), (0, 0, -1)),
)  # fmt: skip


def cube() -> npt.NDArray[np.uint8]:
    """Return a cube map's six faces, uint8 (6, SKY_SIDE, SKY_SIDE, 3), sRGB."""
    middles = (2 * np.arange(SKY_SIDE) + 1) / SKY_SIDE - 1
    across, down = np.meshgrid(middles, middles)
    axes = np.array(_FACES, float)
    faces = [_colors(out + across[..., None] * right + down[..., None] * low) for right, low, out in axes]
    return np.round(faces).astype(np.uint8)


def _colors(direction: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Display colours (..., 3), 0..255, of directions (..., 3) of any length. By the model of single
    scattering that Unity's procedural sky follows (O'Neil, GPU Gems 2, chapter 16)."""
    level = np.linalg.norm(direction[..., [0, 2]], axis=-1)
    ray = np.stack([direction[..., 0], np.maximum(direction[..., 1], _LOWEST * level), direction[..., 2]], -1)
    ray /= np.linalg.norm(ray, axis=-1, keepdims=True)
    sun = TO_SUN / np.linalg.norm(TO_SUN)
    towards = (ray @ sun)[..., None]
    sky = _SUNLIGHT * _BLUE * _scattered(ray, sun) * 0.75 * (1 + towards**2)
    inside = np.clip(np.linalg.norm(ray - sun, axis=-1) / _DISC_RADIUS, 0, 1)[..., None]
    disc = _DISC_LIGHT * (1 - inside**2 * (3 - 2 * inside)) ** 2
    return np.asarray(255 * (1.055 * np.clip(sky + disc, 0, 1) ** (1 / 2.4) - 0.055))


def _scattered(ray: npt.NDArray[np.float64], sun: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return light (..., 3) scattered along a ray through air. It is from the middles of both halves."""
    up, light = ray[..., 1], np.zeros(ray.shape)
    way = np.sqrt((1 + _AIR) ** 2 - 1 + up**2) - up
    for part in (0.25, 0.75):
        point = (part * way)[..., None] * ray + (0, 1, 0)
        height = np.linalg.norm(point, axis=-1)
        density = np.exp(4 * (1 - height) / _AIR)
        air = _air(up) + density * (_air(point @ sun / height) - _air((point * ray).sum(axis=-1) / height))
        left = np.exp(-4 * np.pi * air[..., None] * (_BLUE + _HAZE))
        light += left * (density * 0.5 * way / _AIR)[..., None]
    return light


def _air(up: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the air towards space along cosines to the vertical (O'Neil 2005)."""
    x = 1 - up
    return np.asarray(0.25 * np.exp(-0.00287 + x * (0.459 + x * (3.83 + x * (-6.8 + x * 5.25)))))


TO_SUN = np.array([0.321, 0.766, -0.557])
"""Direction to the sun. Elevation 50 degrees, azimuth 150 degrees (the original's scene)."""

TEXEL_M = 0.0747
"""Side of a texel in metres, measured. In the recorded picture obs-0.0 a shadow's edge along x has steps of
0.195 m, and 1 m along x is 0.383 m across the rows of the sun's map."""

MAP_SIDE = 848
"""Texels of our map's side: it covers just the arena."""

_MEASURED_MAP = 1024
"""Side, texels, of the original's map. `TEXEL_M` and `MAP_SIDE` belong to it."""

_CENTRE = np.array([20.0, 2.0, 20.0])
_DEPTH_M = 70.0


class Sun(NamedTuple):
    """The sun of one Animal-AI version: linear colour and shadow map.

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
    """Return the sun of a version. In v3.1.3, thick things keep the stripes of the recorded pictures; in 4.2
    all light is ambient."""
    differs = DIFFERENCES[Version(version)]
    red, green, blue = (round(float(value), 3) for value in linear(np.multiply(255.0, differs.sun)))
    finer = differs.shadow_map // _MEASURED_MAP
    texel_m = TEXEL_M / finer
    color, side = (red, green, blue), MAP_SIDE * finer
    stripes_m = 2 * texel_m if finer == 1 else 1000.0
    return Sun(color, side, texel_m, stripes_m, _to_map(side), any(color))


def _to_map(side: int) -> npt.NDArray[np.float64]:
    """Return the parallel projection from arena to map. `side` is in texels."""
    forward = -TO_SUN / np.linalg.norm(TO_SUN)
    right = np.cross([0.0, 1.0, 0.0], forward)
    right /= np.linalg.norm(right)
    axes = np.array([right, np.cross(forward, right), forward])
    spans = np.array([MAP_SIDE * TEXEL_M, MAP_SIDE * TEXEL_M, _DEPTH_M])
    # Rounded, so that the last bits of a processor's library make no difference.
    scaled = np.round(axes / spans[:, None], 12) * np.array([side, side, 65535.0])[:, None]
    offsets = 0.5 * np.array([side, side, 65535.0]) - (scaled * _CENTRE).sum(axis=1)
    return np.column_stack([scaled, offsets])
