"""Antialiased lines that are drawn one by one and laid over pictures."""

import numpy as np
import numpy.typing as npt

from arena_llm.pictures.projection import Points
from render import Frame

Floats = npt.NDArray[np.float32]
Color = tuple[float, float, float]
"""sRGB in 0..1."""

CASING: Color = (0.1, 0.1, 0.12)
"""Colour of the edge that separates a line from its background."""


class Strokes:
    """A transparent layer of `width` by `height` pixels on which lines with a dark edge are drawn.

    `thickness` and `casing` (width of the edge) in pixels.
    """

    def __init__(self, width: int, height: int, thickness: float, casing: float = 1.0) -> None:
        self._radius, self._casing = thickness / 2, casing
        self._color = np.zeros((height, width, 3), np.float32)
        self._line = np.zeros((height, width), np.float32)
        self._edge = np.zeros((height, width), np.float32)

    def line(self, start: Points, end: Points, color: Color) -> None:
        """Draw a line between two points (column, row); nothing if one of them is NaN."""
        if not np.isfinite([start, end]).all():
            return
        box = self._box(np.minimum(start, end), np.maximum(start, end))
        away = distance(start, end, box)
        line = _coverage(away, self._radius)
        covered = line >= np.maximum(self._line[box], 0.01)
        self._color[box][covered] = color
        self._line[box] = np.maximum(self._line[box], line)
        self._edge[box] = np.maximum(self._edge[box], _coverage(away, self._radius + self._casing))

    def _box(self, low: Points, high: Points) -> tuple[slice, slice]:
        """Rows and columns that a line between these corners may touch."""
        reach = self._radius + self._casing + 1
        (left, top), (right, bottom) = low - reach, high + reach + 1
        rows, columns = self._line.shape
        return slice(*_within(top, bottom, rows)), slice(*_within(left, right, columns))

    def over(self, frame: Frame, free: npt.NDArray[np.float32] | None = None) -> Frame:
        """A copy of a frame, uint8 (H, W, 3), with the lines on it.

        `free` (H, W), 0..1, fades the lines: at 0 the frame is unchanged.
        """
        weight = 1.0 if free is None else free
        edge, line = (self._edge * weight)[..., None], (self._line * weight)[..., None]
        cased = frame * (1 - edge) + (255 * np.array(CASING, np.float32)) * edge
        return np.asarray(np.round(cased * (1 - line) + 255 * self._color * line), np.uint8)


def distance(start: Points, end: Points, box: tuple[slice, slice]) -> Floats:
    """Distance in pixels of the centre of each pixel of a box (rows, columns) from a line segment."""
    rows, columns = np.ogrid[box]
    across, down = end - start
    x, y = columns + 0.5 - start[0], rows + 0.5 - start[1]
    along = np.clip((x * across + y * down) / max(across**2 + down**2, 1e-12), 0.0, 1.0)
    return np.asarray(np.hypot(x - along * across, y - along * down), np.float32)


def _coverage(away: Floats, radius: float) -> Floats:
    """Share of a pixel that a line of this radius covers, at a distance from its centre."""
    return np.asarray(np.clip(radius + 0.5 - away, 0.0, 1.0), np.float32)


def _within(low: float, high: float, size: int) -> tuple[int, int]:
    first, last = np.clip([np.floor(low), np.ceil(high)], 0, size).astype(int)
    return int(first), int(last)
