"""Textures, all generated: one layer of a texture array per material.

Every layer is (SIDE, SIDE, 4) in 0..1, linear light: a factor of the object's colour, and the opacity. Row 0
is the lower edge of a face; patterns wrap around at the edges.
"""

from functools import cache

import numpy as np
import numpy.typing as npt

from render.looks.look import BRICK_M, Material

SIDE = 1024
"""Pixels of a layer's side."""

Layer = npt.NDArray[np.float64]

_BRICK_JOINT = (0.019, 0.008)
"""Widths of upright and level joints, metres. Measured 0.5 m from a wall."""

_SLABS = (
    "68b4e0b5", "3c44914e", "dc6c4e35", "0c67d84b", "87be4304", "bfbb7c33",
    "410444bd", "d66ef01b", "8b0bc685", "4d845dfc", "735ddbdd", "c605b507",
)  # fmt: skip
"""Tones of the floor's slabs, one hexadecimal digit each, dark to light.

Courses are from the south, slabs from the west. Measured in all recorded frames, which agree within 3 of 255;
those of 4.3 show the same floor.
"""

_DARKEST, _LIGHTER = (170.3, 136.6, 83.2), (2.01, 1.96, 2.08)
"""Darkest slab's own colour, sRGB, and the increment per tone."""

_SLAB_JOINT, _SLAB_JOINT_M, _SLAB_BLUR_M, _SOUTH_M = (138.0, 98.0, 42.0), 0.022, 0.02, 0.0145
"""Colour of joints, sRGB. Their width, the change at their edges, and how far south of the grid they lie."""

_STONES_SEED = 11

_GAPS = (1.03, 1.94, 2.82, 3.77, 4.80, 5.90, 7.01, 8.10, 9.05, 10.01, 10.98, 12.02, 13.0)
"""Dark gaps between the fence's planks, in metres.

They count from the left end of a panel of 14 m as seen from inside. Measured in the recorded frames, except
for the fifth last and the last, which are interpolated.
"""

_BEHIND = (0.04, 0.039, 0.011)
"""Colour seen through a gap, linear light. In shade about (43, 47, 24) on display."""

_GAP = (0.032, 0.010)
"""Width of a gap and of the change at its edges, metres."""


@cache
def layers() -> npt.NDArray[np.uint8]:
    """Return all layers, uint8 (layers, SIDE, SIDE, 4). They are grey, colours, or colours and opacities."""
    made = {
        Material.BRICK: _bricks(),
        Material.CLOUD: 0.85 + 0.15 * _clouds(6),
        Material.PANEL: _panel(),
        Material.DEATH: _fog((0.225, 0.027, 0.027), (1.0, 1.0, 0.73, 0.55)),
        Material.HOT: _fog((0.50, 0.18, 0.056), (0.85, 0.61, 0.39, 0.37)),
        # White of opacity 0.4157.
        Material.GLASS: _pane(0.4157),
        Material.FLOOR: _slabs(),
        Material.FENCE: _planks(),
        Material.STONE: 0.65 + 0.7 * _clouds(10),
        Material.DARK_STONE: _masonry(),
        Material.EMBER: _fog((0.43, 0.16, 0.049), (0.85, 0.61, 0.39, 0.37)),
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
    """Return coordinates (SIDE, SIDE) of the pixels' middles, along and up, on a face of this size."""
    middles = (np.arange(SIDE) + 0.5) / SIDE
    x, y = np.meshgrid(middles * width, middles * height)
    return x, y


def _joint(position: Layer, period: float, width: float, blur: float) -> Layer:
    """Return lines of a width at multiples of a period. They are 1, and fade to 0 over `blur`."""
    distance = np.abs((position / period + 0.5) % 1.0 - 0.5) * period
    return np.clip((0.5 * width + 0.5 * blur - distance) / blur, 0.0, 1.0)


def _bricks() -> Layer:
    """Running bond of two bricks by four courses. The second and fourth have a joint at the left edge."""
    width, height = BRICK_M
    x, y = _grid(*Material.BRICK.repeat)
    shifted = x + 0.5 * width * (np.floor(y / height) % 2 == 0)
    upright = _joint(shifted, width, _BRICK_JOINT[0], 0.005)
    level = _joint(y, height, _BRICK_JOINT[1], 0.003)
    return np.asarray(0.98 - 0.95 * np.maximum(upright, level))


def _panel() -> Layer:
    """Return a darker square in a frame. The frame is an eighth of the face."""
    x, y = _grid(1.0, 1.0)
    return linear(np.where(np.maximum(np.abs(x - 0.5), np.abs(y - 0.5)) < 0.375, 124.0, 145.0))


def _masonry() -> Layer:
    """Return two courses of rough stones with patches of different tones."""
    x, y = _grid(1.0, 1.0)
    course = np.floor(2 * y)
    upright = _joint(x + 0.3 * course, 0.5, 0.03, 0.06)
    level = _joint(y, 0.5, 0.03, 0.06)
    stones = np.random.default_rng(_STONES_SEED).uniform(0.85, 1.15, (2, 4))
    stone = stones[course.astype(int), np.floor(2 * (x + 0.3 * course)).astype(int)]
    return np.asarray(stone * (0.65 + 0.8 * _clouds(8)) * (1 - 0.4 * np.maximum(upright, level)))


def _clouds(cells: int) -> Layer:
    """Return smooth noise in 0..1 over three octaves. The coarsest has `cells` a side."""
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


def _fog(color: tuple[float, float, float], opacities: tuple[float, ...]) -> Layer:
    """Return fog with opacities in a face's middle and outwards. They are for 0, 0.2, 0.5 and 0.7 of the
    face."""
    x, y = _grid(1.0, 1.0)
    opacity = np.interp(np.hypot(x - 0.5, y - 0.5), (0.0, 0.2, 0.5, 0.7), opacities)
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
    """Stone slabs in running bond."""
    tones = np.array([[int(tone, 16) for tone in course] for course in _SLABS])
    side = Material.FLOOR.repeat[0]
    x, y = _grid(side, side)
    high, wide = side / np.array(tones.shape)
    y += _SOUTH_M
    course = np.floor(y / high).astype(int) % len(tones)
    x -= 0.5 * wide * (course % 2)
    tone = tones[course, np.floor(x / wide).astype(int)][..., None]
    joints = (_joint(place, size, _SLAB_JOINT_M, _SLAB_BLUR_M) for place, size in ((x, wide), (y, high)))
    dark = np.maximum(*joints)[..., None]
    grain = 1 + 0.08 * (_clouds(24)[..., None] - 0.5)
    return np.asarray(linear(_DARKEST + tone * _LIGHTER) * grain * (1 - dark) + linear(_SLAB_JOINT) * dark)
