"""Depth and instance of each pixel, from the polygons that it shows."""

import math

import numpy as np
import numpy.typing as npt

from arena.kernel.compiled import compiled
from render.kernel.lens import EYE, FORWARD, HIGH, PARALLEL, RIGHT, UP, WIDE
from render.kernel.polygons import DEPTH, ROW_NUMBER, Floats, Integers
from render.kernel.visible import NOTHING, Shown
from render.parts.rows import LABEL, Rows


@compiled
def label(
    shown: Shown, planes: Floats, facts: Integers, rows: Rows, lens: Floats, sky: int,
    depth: npt.NDArray[np.float32], instance: Shown,
) -> None:  # fmt: skip
    """Write metres along the viewing axis and the instances of polygons shown; infinity and `sky` for none.

    A ball's triangles lie inside the ball: there the ray is followed back to the ball itself.
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
    """The depth at which the ray through a pixel, `far` along it inside a ball, has entered that ball."""
    place, metre = np.empty(3), np.empty(3)
    for axis in range(3):
        aside = lens[RIGHT + axis] * right + lens[UP + axis] * up
        if parallel:
            metre[axis] = lens[FORWARD + axis]
            place[axis] = lens[EYE + axis] + aside + far * lens[FORWARD + axis] - row[axis]
        else:
            metre[axis] = lens[FORWARD + axis] + aside
            place[axis] = lens[EYE + axis] + far * metre[axis] - row[axis]
    square, along, out = 0.0, 0.0, 0.0
    for axis in range(3):
        a, b, c, size = row[3 + 3 * axis], row[4 + 3 * axis], row[5 + 3 * axis], row[12 + axis]
        way = (a * metre[0] + b * metre[1] + c * metre[2]) / size
        here = (a * place[0] + b * place[1] + c * place[2]) / size
        square, along, out = square + way * way, along + way * here, out + here * here
    off = out - along * along / square
    return far - along / square - math.sqrt(max(0.0, 0.25 - off) / square)
