"""Visible polygons per pixel and their distance, by a depth buffer. It is filled span by span."""

import math

import numpy as np
import numpy.typing as npt

from arena.kernel.compiled import compiled
from render.camera import EYE, FAR, FORWARD, HIGH, PARALLEL, RIGHT, UP, WIDE
from render.kernel.polygons import COUNT, DEPTH, ROW_NUMBER, pixel
from render.kernel.tables import RAMP, Floats, Integers, Polygons
from render.parts.rows import LABEL, Rows

Nearest = npt.NDArray[np.float32]
Shown = npt.NDArray[np.int32]

NOTHING = -1
"""Polygon number of empty pixels."""

LINE, LEFT, END, POLYGON, SPAN = range(5)
"""Span of a polygon's pixels: row, first pixel, end, polygon. The end is the pixel after the last."""


@compiled
def edges(outline: Floats, count: int, top: int, bottom: int, left: Floats, right: Floats) -> tuple[int, int]:
    """Find each row's ends, in pixels, of a convex polygon. Returns its first row and the one after the last.
    Rows are those from `top` to before `bottom` whose middles are inside."""
    low, high, area = outline[0, 1], outline[0, 1], 0.0
    # Single numbers: views of arrays are counted in and out, which would take longer than all the rest.
    for k in range(count):
        x, y = outline[k, 0], outline[k, 1]
        following = k + 1 if k + 1 < count else 0
        next_x, next_y = outline[following, 0], outline[following, 1]
        low, high, area = min(low, y), max(high, y), area + x * next_y - next_x * y
    first, last = pixel(low, top, bottom), pixel(high, top, bottom)
    if first >= last or area == 0.0:
        return 0, 0
    for k in range(count):
        x, y = outline[k, 0], outline[k, 1]
        following = k + 1 if k + 1 < count else 0
        next_x, next_y = outline[following, 0], outline[following, 1]
        # From the upper end, so that neighbours agree.
        upwards = y > next_y
        if upwards:
            x, y, next_x, next_y = next_x, next_y, x, y
        start, end = pixel(y, top, bottom), pixel(next_y, top, bottom)
        if start >= end:
            continue
        slope = (next_x - x) / (next_y - y)
        ends = left if upwards == (area > 0.0) else right
        for row in range(start, end):
            ends[row] = x + (row + 0.5 - y) * slope
    return first, last


@compiled
def show(
    polygons: Polygons, count: int, top: int, bottom: int, lens: Floats, nearest: Nearest, shown: Shown
) -> None:
    """Find the nearest of the first `count` polygons per pixel.

    Rows are those from `top` to before `bottom`. `nearest` (height, width) becomes their depth as in
    `polygons.DEPTH`, `shown` their number. Polygons beyond the far plane are out of sight.
    """
    corners, planes, _, facts = polygons
    height, width = nearest.shape
    depths, numbers = nearest.ravel(), shown.ravel()
    left, right = np.empty(height), np.empty(height)
    farthest = -lens[FAR] if lens[PARALLEL] != 0.0 else 1.0 / lens[FAR]
    for each in range(np.uint64(top * width), np.uint64(bottom * width)):
        depths[each], numbers[each] = np.float32(farthest), np.int32(NOTHING)
    for k in range(count):
        first, last = edges(corners[k], facts[k, COUNT], top, bottom, left, right)
        a, b, c = planes[k, DEPTH, 0], planes[k, DEPTH, 1], planes[k, DEPTH, 2]
        slope, number = np.float32(b), np.int32(k)
        for row in range(first, last):
            start, end = pixel(left[row], 0, width), pixel(right[row], 0, width)
            if start >= end:
                continue
            begin = np.float32(a + b * (start + 0.5) + c * (row + 0.5))
            place = np.uint64(row * width + start)
            # By selection, without branches and with unsigned numbers: so it becomes vector code.
            for x in range(np.uint64(end - start)):
                depth, before = begin + slope * RAMP[x], depths[place + x]
                nearer = depth > before
                depths[place + x] = depth if nearer else before
                numbers[place + x] = number if nearer else numbers[place + x]


@compiled
def spans_of(shown: Shown, row: int, spans: Shown, n: int) -> int:
    """Append a row's spans to a list with room; return its length."""
    width = shown.shape[1]
    numbers = shown[row]
    x = 0
    while x < width:
        start, number = x, numbers[x]
        while x < width and numbers[x] == number:
            x += 1
        spans[n, LINE], spans[n, LEFT], spans[n, END], spans[n, POLYGON] = row, start, x, number
        n += 1
    return n


@compiled
def spans_before(
    plane: Floats, polygon: int, row: int, start: int, end: int, nearest: Nearest, spans: Shown, n: int
) -> int:
    """Append the visible spans of a translucent polygon between two pixels. They are in one row."""
    a, b, c = plane
    begin, slope = np.float32(a + b * (start + 0.5) + c * (row + 0.5)), np.float32(b)
    depths = nearest[row]
    x = start
    while x < end:
        while x < end and not begin + slope * RAMP[x - start] > depths[x]:
            x += 1
        first = x
        while x < end and begin + slope * RAMP[x - start] > depths[x]:
            x += 1
        if x > first:
            spans[n, LINE], spans[n, LEFT], spans[n, END], spans[n, POLYGON] = row, first, x, polygon
            n += 1
    return n


@compiled
def label(
    shown: Shown, planes: Floats, facts: Integers, rows: Rows, lens: Floats, sky: int,
    depth: npt.NDArray[np.float32], instance: Shown,
) -> None:  # fmt: skip
    """Write distances and instances of the shown polygons.

    Distances are metres along the viewing axis; infinity and `sky` stand for no polygon. A ball's triangles
    lie inside the ball: there the ray is followed back to the ball itself.
    """
    height, width = shown.shape
    parallel = lens[PARALLEL] != 0.0
    for y in range(height):
        for x in range(width):
            k = shown[y, x]
            if k == NOTHING:
                depth[y, x], instance[y, x] = np.inf, sky
                continue
            row = rows[facts[k, ROW_NUMBER]]
            a, b, c = planes[k, DEPTH]
            key = a + b * (x + 0.5) + c * (y + 0.5)
            far = -key if parallel else 1.0 / key
            if row[LABEL + 1] > 0.0:
                right = lens[WIDE] * (2.0 * (x + 0.5) / width - 1.0)
                up = lens[HIGH] * (1.0 - 2.0 * (y + 0.5) / height)
                far = _to_ball(row, lens, right, up, far, parallel)
            depth[y, x], instance[y, x] = far, int(row[LABEL])


@compiled
def _to_ball(row: Rows, lens: Floats, right: float, up: float, far: float, parallel: bool) -> float:
    """Return the depth at which a pixel's ray entered a ball. It starts `far` along it, inside."""
    place, metre = np.empty(3), np.empty(3)
    for axis in range(3):
        aside = lens[RIGHT + axis] * right + lens[UP + axis] * up
        metre[axis] = lens[FORWARD + axis] + (0.0 if parallel else aside)
        place[axis] = lens[EYE + axis] + (aside if parallel else 0.0) + far * metre[axis] - row[axis]
    square, along, out = 0.0, 0.0, 0.0
    for axis in range(3):
        a, b, c, size = row[3 + 3 * axis], row[4 + 3 * axis], row[5 + 3 * axis], row[12 + axis]
        way = (a * metre[0] + b * metre[1] + c * metre[2]) / size
        here = (a * place[0] + b * place[1] + c * place[2]) / size
        square, along, out = square + way * way, along + way * here, out + here * here
    off = out - along * along / square
    return far - along / square - math.sqrt(max(0.0, 0.25 - off) / square)
