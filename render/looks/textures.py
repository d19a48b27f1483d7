"""Textures, all generated: one layer of a texture array per material.

Every layer is (SIDE, SIDE, 4) in 0..1, linear light: a factor of the object's colour, and the opacity. Row 0
is the lower edge of a face; patterns wrap around at the edges.
"""

from collections.abc import Iterator
from functools import cache

import numpy as np
import numpy.typing as npt

from render.looks.look import BRICK_M, Material

SIDE = 1024
"""Pixels of a layer's side."""

Layer = npt.NDArray[np.float64]

_BRICK_JOINT = (0.019, 0.008)
"""Widths of the upright and the level joints in metres, as measured 0.5 m from a wall."""

_SLAB_JOINT_M, _SLAB_BLUR_M = 0.02, 0.016
_JOINT = (124.0, 93.0, 43.0)
_SLABS_SEED = 11

_GAPS = (1.03, 1.94, 2.82, 3.77, 4.80, 5.90, 7.01, 8.10, 9.05, 10.01, 10.98, 12.02, 13.0)
"""Dark gaps between the fence's planks, in metres from the left end of a panel of 14 m as seen from inside;
measured in the recorded frames, except for the fifth last and the last, which are interpolated."""

_BEHIND = (0.04, 0.039, 0.011)
"""Colour seen through a gap, linear light; in shade about (43, 47, 24) on display."""

_GAP = (0.032, 0.010)
"""Width of a gap and of the change at its edges, metres."""

_STONE = (195.0, 158.0, 105.0)
"""The slabs' own colour, sRGB, fitted with the light from above to sunlit and shadowed floor in the recorded
frames."""


@cache
def layers() -> npt.NDArray[np.uint8]:
    """The whole array, uint8 (layers, SIDE, SIDE, 4), of grey, colours, or colours and opacities."""
    made = {
        Material.BRICK: _bricks(),
        Material.CLOUD: 0.85 + 0.15 * _clouds(6),
        Material.PANEL: _panel(),
        Material.DEATH: _fog((0.21, 0.016, 0.022), 0.50, 0.95),
        Material.HOT: _fog((0.60, 0.24, 0.13), 0.10, 0.65),
        # White of opacity 0.4157, the original's material.
        Material.GLASS: _pane(0.4157),
        Material.FLOOR: _slabs(),
        Material.FENCE: _planks(),
        Material.STONE: 0.65 + 0.7 * _clouds(10),
        Material.DARK_STONE: _masonry(),
        Material.EMBER: _fog((0.45, 0.17, 0.055), 0.5, 0.9),
        Material.PERSPEX: _pane(0.251),
    }
    stack = np.full((1 + max(each.layer for each in Material), SIDE, SIDE, 4), 255, np.uint8)
    for material, layer in made.items():
        texels = layer if layer.ndim == 3 else layer[..., None]
        stack[material.layer, ..., : max(3, texels.shape[2])] = np.round(255 * np.clip(texels, 0.0, 1.0))
    return stack


def linear(color: tuple[float, float, float] | Layer) -> Layer:
    """sRGB 0..255 to linear light 0..1."""
    c = np.asarray(color, float) / 255
    return np.asarray(np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4))


def _grid(width: float, height: float) -> tuple[Layer, Layer]:
    """Coordinates (SIDE, SIDE) of the pixels' middles on a face of this size: along and up."""
    middles = (np.arange(SIDE) + 0.5) / SIDE
    x, y = np.meshgrid(middles * width, middles * height)
    return x, y


def _joint(position: Layer, period: float, width: float, blur: float) -> Layer:
    """1 on lines of a width at multiples of a period, fading to 0 over `blur`."""
    distance = np.abs((position / period + 0.5) % 1.0 - 0.5) * period
    return np.clip((0.5 * width + 0.5 * blur - distance) / blur, 0.0, 1.0)


def _bricks() -> Layer:
    """Running bond of two bricks by four courses; the second and fourth have a joint at the left edge."""
    width, height = BRICK_M
    x, y = _grid(*Material.BRICK.repeat)
    shifted = x + 0.5 * width * (np.floor(y / height) % 2 == 0)
    upright = _joint(shifted, width, _BRICK_JOINT[0], 0.005)
    level = _joint(y, height, _BRICK_JOINT[1], 0.003)
    return np.asarray(0.98 - 0.95 * np.maximum(upright, level))


def _panel() -> Layer:
    """A darker square in a frame of an eighth of the face."""
    x, y = _grid(1.0, 1.0)
    inside = np.maximum(np.abs(x - 0.5), np.abs(y - 0.5)) < 0.375
    return linear(np.where(inside, 124.0, 145.0))


def _masonry() -> Layer:
    """Two courses of rough stones, the stones and the patches in them of different tones."""
    x, y = _grid(1.0, 1.0)
    course = np.floor(2 * y)
    upright = _joint(x + 0.3 * course, 0.5, 0.03, 0.06)
    level = _joint(y, 0.5, 0.03, 0.06)
    stones = np.random.default_rng(_SLABS_SEED).uniform(0.85, 1.15, (2, 4))
    stone = stones[course.astype(int), np.floor(2 * (x + 0.3 * course)).astype(int)]
    return np.asarray(stone * (0.65 + 0.8 * _clouds(8)) * (1 - 0.4 * np.maximum(upright, level)))


def _clouds(cells: int) -> Layer:
    """Smooth noise in 0..1 over three octaves, the coarsest of `cells` a side."""
    rng = np.random.default_rng(cells)
    octaves = [(0.5, cells), (0.3, 2 * cells), (0.2, 4 * cells)]
    return np.asarray(np.sum([weight * _noise(rng, n) for weight, n in octaves], axis=0))


def _noise(rng: np.random.Generator, cells: int) -> Layer:
    values = rng.random((cells, cells))
    place = np.arange(SIDE) / SIDE * cells
    low = place.astype(int)
    part = place - low
    part = part * part * (3 - 2 * part)
    high = (low + 1) % cells
    rows = values[low] * (1 - part[:, None]) + values[high] * part[:, None]
    return np.asarray(rows[:, low] * (1 - part) + rows[:, high] * part)


def _fog(color: tuple[float, float, float], thin: float, thick: float) -> Layer:
    opacity = thin + (thick - thin) * np.clip(2 * _clouds(4) - 0.5, 0.0, 1.0)
    return np.concatenate([np.broadcast_to(color, (SIDE, SIDE, 3)), opacity[..., None]], axis=2)


def _pane(opacity: float) -> Layer:
    """White of an opacity."""
    return np.broadcast_to((1.0, 1.0, 1.0, opacity), (SIDE, SIDE, 4))


def _planks() -> Layer:
    """Upright planks of uneven width, about 1 m, with thin dark gaps."""
    width = Material.FENCE.repeat[0]
    x = (np.arange(SIDE) + 0.5) * width / SIDE
    dark = np.max([_joint(x - gap, width, *_GAP) for gap in _GAPS], axis=0)
    row = linear((204, 211, 213)) * (1 - dark[:, None]) + np.multiply(_BEHIND, dark[:, None])
    return np.broadcast_to(row, (SIDE, SIDE, 3))


def _slabs() -> Layer:
    """Stone slabs of many sizes in courses of many heights, with brown joints."""
    side = Material.FLOOR.repeat[0]
    place = (np.arange(SIDE) + 0.5) * side / SIDE
    rng = np.random.default_rng(_SLABS_SEED)
    tone = np.ones((SIDE, SIDE, 3))
    edge = np.zeros((SIDE, SIDE))
    for bottom, top, left, right in _slab_edges(side, rng):
        along = (place - left) % side
        rows, columns = (place >= bottom) & (place < top), along < right - left
        up, across = np.minimum(place - bottom, top - place), np.minimum(along, right - left - along)
        block = np.ix_(rows, columns)
        bright = rng.uniform(0.86, 1.18)
        tone[block] = bright * np.array([1.0, 1.0, 0.2 + 0.8 * bright])
        edge[block] = np.minimum.outer(up[rows], across[columns])
    dark = np.clip((0.5 * _SLAB_JOINT_M + 0.5 * _SLAB_BLUR_M - edge) / _SLAB_BLUR_M, 0.0, 1.0)[..., None]
    grain = 1 + 0.08 * (_clouds(24)[..., None] - 0.5)
    return np.asarray(linear(_STONE) * tone * grain * (1 - dark) + linear(_JOINT) * dark)


def _slab_edges(side: float, rng: np.random.Generator) -> Iterator[tuple[float, float, float, float]]:
    """Bottom, top, left and right of every slab, metres; right may lie beyond the side and wraps around."""
    heights = rng.uniform(0.54, 0.8, 13)
    tops = np.cumsum(heights) * side / heights.sum()
    for top, height in zip(tops, np.diff(tops, prepend=0.0), strict=True):
        widths = rng.uniform(0.6, 1.6, 8)
        rights = np.cumsum(widths) * side / widths.sum() + rng.uniform(0.0, side)
        for right, width in zip(rights, widths * side / widths.sum(), strict=True):
            yield top - height, top, right - width, right
