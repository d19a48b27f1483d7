"""The sky as a cube of pictures, from colours measured in frames of Animal-AI v3.1.3 (section 3.3)."""

import numpy as np
import numpy.typing as npt

from render.looks.sun import TO_SUN

SIDE = 256
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
    """The six faces of a cube map, uint8 (6, SIDE, SIDE, 3), sRGB."""
    middles = (2 * np.arange(SIDE) + 1) / SIDE - 1
    across, down = np.meshgrid(middles, middles)
    faces = []
    for right, lower, out in np.array(_FACES, float):
        faces.append(_colors(out + across[..., None] * right + down[..., None] * lower))
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
