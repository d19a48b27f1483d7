"""Which rows a camera may see, in which order and detail."""

import math

import numpy as np

from arena.kernel.compiled import compiled
from arena.scene import Floats
from render.camera import Camera, Matrix
from render.parts.meshes import BALL_ERRORS, BALLS, MESHES
from render.parts.rows import MESH, Rows

_BALL = MESHES.index("ball")
_BALLS = np.array([MESHES.index(name) for name in BALLS])
_ERRORS = np.array(BALL_ERRORS)
_LEAST_ERROR_PX = 0.3

_SIDES = np.array([[1, 0, 0, 1], [0, 1, 0, 1], [-1, 0, 0, 1], [0, -1, 0, 1]], np.float32)
"""Clip space to the four planes at the picture's edges."""

_ROUNDING = 1e-3
"""How far outside the picture, in clip space, a box still counts as inside: more than float32 rounds."""

_HALF = 0.52
"""Half an edge of a part's box as a share of its size: marks stand out of their ball by a fiftieth."""

_FLAT_M = 0.2
"""Height in metres up to which things count as flat on the floor: zones usually reach 0.1 m."""

_ORDER_M = 0.001
"""Distances of translucent things count as equal within a millimetre, so that rounding swaps none."""


def front_to_back(rows: Rows, camera: Camera, view: Matrix, height: int) -> Rows:
    """Rows in view, those of one mesh together, the nearest of each first.

    `view` is the camera's matrix to clip space. Balls have as few triangles as their size in a picture of
    `height` pixels allows.
    """
    nearest = camera.near if camera.half_height is None else 0.0
    pixels = 0.5 * height * camera.magnification(nearest)
    return _front_to_back(rows, _SIDES @ view, np.array(camera.position), pixels, nearest)


def back_to_front(rows: Rows, camera: Camera, view: Matrix) -> Rows:
    """Rows in view, the farthest first: by the distance of their boxes, then of their centres.

    By the centres alone, things in a large zone would cover its near side. Whatever lies flat on the floor
    comes first, so that it does not cover things on it.
    """
    return _back_to_front(rows, _SIDES @ view, np.array(camera.position))


def coarse(rows: Rows) -> Rows:
    """The same rows with balls of few triangles, which suffice for the shadow map."""
    rows = rows.copy()
    rows[rows[:, MESH] == _BALL, MESH] = _BALLS[0]
    return rows


@compiled
def _front_to_back(rows: Rows, planes: Matrix, eye: Floats, pixels: float, nearest: float) -> Rows:
    """`pixels` per metre at the distance `nearest`, or everywhere if that is 0."""
    seen = in_view(rows, planes)
    keys = np.zeros((len(seen), 3))
    for row, key in zip(seen, keys):  # noqa: B905
        distance = math.sqrt((eye[0] - row[0]) ** 2 + (eye[1] - row[1]) ** 2 + (eye[2] - row[2]) ** 2)
        if row[MESH] == _BALL:
            radius = 0.5 * max(row[12], row[13], row[14]) * pixels
            radius *= nearest / max(distance, nearest) if nearest else 1.0
            row[MESH] = _BALLS[(radius * _ERRORS > _LEAST_ERROR_PX).sum()]
        reach = 0.5 * math.sqrt(row[12] ** 2 + row[13] ** 2 + row[14] ** 2)
        key[0], key[1] = row[MESH], distance + reach
    return _sorted(seen, keys)


@compiled
def _back_to_front(rows: Rows, planes: Matrix, eye: Floats) -> Rows:
    seen = in_view(rows, planes)
    keys = np.zeros((len(seen), 3))
    for row, key in zip(seen, keys):  # noqa: B905
        x, y, z = eye[0] - row[0], eye[1] - row[1], eye[2] - row[2]
        top, outside = float(row[1]), 0.0
        for axis in range(3):
            a, b, c, half = row[3 + 3 * axis], row[4 + 3 * axis], row[5 + 3 * axis], 0.5 * row[12 + axis]
            outside += max(abs(a * x + b * y + c * z) - half, 0.0) ** 2
            top += abs(b) * half
        key[0], key[1] = top > _FLAT_M, -np.rint(math.sqrt(outside) / _ORDER_M)
        key[2] = -math.sqrt(x * x + y * y + z * z)
    return _sorted(seen, keys)


@compiled
def in_view(rows: Rows, planes: Matrix) -> Rows:
    """The rows whose boxes reach into the inside of all planes."""
    found, count = np.empty_like(rows), 0
    for row in rows:
        least = np.inf
        for x, y, z, offset in planes:
            inside = x * row[0] + y * row[1] + z * row[2] + offset
            for axis in range(3):
                along = x * row[3 + 3 * axis] + y * row[4 + 3 * axis] + z * row[5 + 3 * axis]
                inside += _HALF * row[12 + axis] * abs(along)
            least = min(least, inside)
        if least > -_ROUNDING:
            found[count] = row
            count += 1
    return found[:count]


@compiled
def _sorted(rows: Rows, keys: Floats) -> Rows:
    """The rows in the order of their keys (n, 3), the first of which counts most; equal ones keep theirs.

    By insertion: few rows are in view.
    """
    order = np.arange(len(rows))
    for i in range(1, len(rows)):
        k = i
        while k > 0:
            a, b = keys[i], keys[order[k - 1]]
            if a[0] != b[0]:
                before = a[0] < b[0]
            elif a[1] != b[1]:
                before = a[1] < b[1]
            else:
                before = a[2] < b[2]
            if not before:
                break
            order[k] = order[k - 1]
            k -= 1
        order[k] = i
    return rows[order]
