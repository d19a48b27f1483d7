"""Text on pictures, and lines in the arena, such as agents' paths."""

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from arena.geometry.placed import AGENT_RADIUS
from render import Camera, Frame

INK = (34, 34, 34)
GREY = (110, 110, 110)
FAINT = (225, 225, 225)

Box = tuple[float, float, float, float]
Place = tuple[float, float]
Ink = tuple[int, int, int]


@cache
def font(size: float) -> ImageFont.FreeTypeFont:
    """Load Pillow's own scalable font at a size in pixels. It has Latin letters only."""
    loaded = ImageFont.load_default(size=max(size, 6.0))
    assert isinstance(loaded, ImageFont.FreeTypeFont), "Pillow was built without FreeType"
    return loaded


def write(
    image: Image.Image, at: Place, text: str, size: float, *, anchor: str = "ls", color: Ink = INK
) -> None:
    """Write a line; `anchor` is Pillow's: horizontal l, m, r and vertical a (top), m, s (baseline)."""
    ImageDraw.Draw(image).text(at, text, font=font(size), fill=color, anchor=anchor)


def text_width(text: str, size: float) -> float:
    """Measure the width of a line of text in pixels."""
    return font(size).getlength(text)


def fitted(text: str, size: float, width: float) -> str:
    """Shorten a text wider than `width`, with three dots."""
    if text_width(text, size) <= width:
        return text
    while text and text_width(text + "...", size) > width:
        text = text[:-1]
    return text.rstrip() + "..."


Points = npt.NDArray[np.float64]


Floats = npt.NDArray[np.float32]
Color = tuple[float, float, float]
"""sRGB in 0..1."""

CASING: Color = (0.1, 0.1, 0.12)
"""Colour of the edge that separates a line from its background."""


class Strokes:
    """Transparent layer of `width` by `height` pixels for lines with a dark edge.

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
        self._color[box][line >= np.maximum(self._line[box], 0.01)] = color
        self._line[box] = np.maximum(self._line[box], line)
        self._edge[box] = np.maximum(self._edge[box], _coverage(away, self._radius + self._casing))

    def _box(self, low: Points, high: Points) -> tuple[slice, slice]:
        """Bound the rows and columns of a line between these corners."""
        reach = self._radius + self._casing + 1
        (left, top), (right, bottom) = low - reach, high + reach + 1
        rows, columns = self._line.shape
        return slice(*_within(top, bottom, rows)), slice(*_within(left, right, columns))

    def over(self, frame: Frame, free: npt.NDArray[np.float32] | None = None) -> Frame:
        """Draw the lines on a copy of a frame, uint8 (H, W, 3).

        `free` (H, W), 0..1, fades the lines: at 0 the frame is unchanged.
        """
        weight = 1.0 if free is None else free
        edge, line = (self._edge * weight)[..., None], (self._line * weight)[..., None]
        cased = frame * (1 - edge) + (255 * np.array(CASING, np.float32)) * edge
        return np.asarray(np.round(cased * (1 - line) + 255 * self._color * line), np.uint8)


def distance(start: Points, end: Points, box: tuple[slice, slice]) -> Floats:
    """Measure the distance of the centre of each pixel of a box (rows, columns) from a segment, pixels."""
    rows, columns = np.ogrid[box]
    across, down = end - start
    x, y = columns + 0.5 - start[0], rows + 0.5 - start[1]
    along = np.clip((x * across + y * down) / max(across**2 + down**2, 1e-12), 0.0, 1.0)
    return np.asarray(np.hypot(x - along * across, y - along * down), np.float32)


def _coverage(away: Floats, radius: float) -> Floats:
    """Compute the share of a pixel covered by a line of this radius, at a distance from its centre."""
    return np.asarray(np.clip(radius + 0.5 - away, 0.0, 1.0), np.float32)


def _within(low: float, high: float, size: int) -> tuple[int, int]:
    first, last = np.clip([np.floor(low), np.ceil(high)], 0, size).astype(int)
    return int(first), int(last)


LEAP_M = 2.0
"""Longest possible step of 0.06 s, as drag limits the speed to 31 m/s."""

_ALONE = "0d0887 4903a0 7801a8 a31e9a c5407e e06363 f48849 fdb22f f7e425"
_SEVERAL = (
    "b7d4ea 4191c6 083c7d",
    "fdc38d f16813 8e2d04",
    "b8e3b2 40aa5d 005321",
    "cecfe5 807cba 470f84",
    "fcab8f ee3a2c 7e0610",
    "cecece 727272 0e0e0e",
)
"""Colours at equal distances in time for a single agent, and for each of several, light to dark.

They are of the map "plasma" by S. van der Walt and N. Smith, and of ColorBrewer's sequential maps.
"""


def path_color(part: float, agent: int = 0, agents: int = 1) -> Color:
    """Compute the colour of an agent's path at `part` (0..1) of its time; each agent has its own hue."""
    codes = (_ALONE if agents == 1 else _SEVERAL[agent % len(_SEVERAL)]).split()
    known = np.array([list(bytes.fromhex(code)) for code in codes]) / 255
    times = np.linspace(0, 1, len(known))
    r, g, b = (float(np.interp(part, times, channel)) for channel in known.T)
    return (r, g, b)


class Trail:
    """Path of one agent, drawn point by point over frames of `width` by `height`.

    `steps` is the number of steps of the whole path, so that a moment has the same colour in every frame;
    `agent` of `agents` chooses the hue.
    """

    def __init__(
        self, camera: Camera, width: int, height: int, *, steps: int, agent: int = 0, agents: int = 1
    ) -> None:
        self._camera, self._width, self._height = camera, width, height
        self._strokes = Strokes(width, height, max(1.5, height / 170), max(0.7, height / 512))
        self._color: Callable[[float], Color] = lambda part: path_color(part, agent, agents)
        self._steps = steps
        self._points = 0
        self._last = np.full(3, np.nan)

    def add(self, point: npt.ArrayLike) -> None:
        """Draw a line to the next point (3,), metres; NaN, or a leap over `LEAP_M`, breaks the path."""
        here = np.asarray(point, float)
        if np.linalg.norm(here - self._last) <= LEAP_M:
            start, end = self._camera.project([self._last, here], self._width, self._height)
            self._strokes.line(start, end, self._color(self._points / max(self._steps, 1)))
        self._points += 1
        self._last = here

    def over(self, frame: Frame) -> Frame:
        """Draw the path so far on a copy of a frame, uint8 (height, width, 3).

        It does not cover the agent's body, which is at the last point.
        """
        return self._strokes.over(frame, self._free())

    def _free(self) -> npt.NDArray[np.float32] | None:
        place = self._camera.project(self._last, self._width, self._height)[0]
        if not np.isfinite(place).all():
            return None
        radius = AGENT_RADIUS * self._camera.pixels_per_metre(self._last, self._height)
        away = distance(place, place, (slice(0, self._height), slice(0, self._width)))
        return np.asarray(np.clip(away - radius + 0.5, 0.0, 1.0), np.float32)
