"""Rows in a camera's view, in their order and detail."""

import math

import numpy as np

from arena.kernel.compiled import compiled
from render.camera import EYE, FORWARD, HIGH, NEAR, PARALLEL, RIGHT, UP, WIDE
from render.kernel.tables import Floats
from render.parts.meshes import BALL_ERRORS, BALLS, MESHES
from render.parts.rows import MESH, Bools, Rows

_BALL = MESHES.index("ball")
_BALLS = np.array([MESHES.index(name) for name in BALLS])
_ERRORS = np.array(BALL_ERRORS)
_LEAST_ERROR_PX = 0.3

_HALF = 0.52
"""Half an edge of a part's box as a share of its size: marks stand out of their ball by a fiftieth."""

_FLAT_M = 0.2
"""Height in metres up to which things count as flat on the floor: zones usually reach 0.1 m."""

_ORDER_M = 0.001
"""Distances of translucent things count as equal within a millimetre, so that rounding swaps none."""


@compiled
def find(
    rows: Rows, shown: Bools, clear: Bools, arena: Rows, bodies: Rows, lens: Floats, height: int, found: Rows
) -> tuple[int, int]:
    """Copy the rows in view to `found`: opaque ones, then translucent ones in their order; where each end.

    Balls get as few triangles as their size in a picture of `height` pixels allows.
    """
    n = 0
    for k in range(len(rows)):
        if shown[k] and not clear[k]:
            n = _add(rows[k], lens, height, found, n)
    for row in arena:
        n = _add(row, lens, height, found, n)
    for row in bodies:
        n = _add(row, lens, height, found, n)
    opaque = n
    for k in range(len(rows)):
        if shown[k] and clear[k]:
            n = _add(rows[k], lens, height, found, n)
    if n > opaque + 1:
        _far_first(found[opaque:n], lens)
    return opaque, n


@compiled
def _add(row: Rows, lens: Floats, height: int, found: Rows, n: int) -> int:
    """Append a row if its box may be in view; returns the new number."""
    x, y, z = row[0] - lens[EYE], row[1] - lens[EYE + 1], row[2] - lens[EYE + 2]
    aside, over, ahead = _on(lens, RIGHT, x, y, z), _on(lens, UP, x, y, z), _on(lens, FORWARD, x, y, z)
    reach = _HALF * math.sqrt(row[12] ** 2 + row[13] ** 2 + row[14] ** 2)
    parallel, wide, high = lens[PARALLEL] != 0.0, lens[WIDE], lens[HIGH]
    if ahead + reach < lens[NEAR]:
        return n
    # Half the picture where the row is, and how far its ball reaches over the side planes.
    to_side, to_top = (wide, high) if parallel else (wide * ahead, high * ahead)
    side = reach if parallel else reach * math.sqrt(1.0 + wide * wide)
    top = reach if parallel else reach * math.sqrt(1.0 + high * high)
    if abs(aside) > to_side + side or abs(over) > to_top + top:
        return n
    here = found[n]
    for k in range(len(row)):
        here[k] = row[k]
    if row[MESH] == _BALL:
        distance = 1.0 if parallel else max(math.sqrt(x * x + y * y + z * z), lens[NEAR])
        radius = 0.25 * height * max(row[12], row[13], row[14]) / (high * distance)
        detail = 0
        for k in range(len(_ERRORS)):
            detail += radius * _ERRORS[k] > _LEAST_ERROR_PX
        here[MESH] = _BALLS[detail]
    return n + 1


@compiled
def _on(lens: Floats, axis: int, x: float, y: float, z: float) -> float:
    return float(lens[axis] * x + lens[axis + 1] * y + lens[axis + 2] * z)


@compiled
def _far_first(rows: Rows, lens: Floats) -> None:
    """Sort rows, the farthest first: by the distance of their boxes, then of their centres.

    By the centres alone, things in a large zone would cover its near side. Whatever lies flat on the floor
    comes first, so that it does not cover things on it. By insertion: few rows are translucent.
    """
    keys, kept, key = np.empty((len(rows), 3)), np.empty_like(rows[0]), np.empty(3)
    for i in range(len(rows)):
        _key(rows[i], lens, key)
        kept[:] = rows[i]
        k = i
        while k > 0 and _before(key, keys[k - 1]):
            keys[k], rows[k] = keys[k - 1], rows[k - 1]
            k -= 1
        keys[k], rows[k] = key, kept


@compiled
def _before(one: Floats, other: Floats) -> bool:
    for k in range(3):
        if one[k] != other[k]:
            return bool(one[k] < other[k])
    return False


@compiled
def _key(row: Rows, lens: Floats, key: Floats) -> None:
    x, y, z = lens[EYE] - row[0], lens[EYE + 1] - row[1], lens[EYE + 2] - row[2]
    top, outside = float(row[1]), 0.0
    for axis in range(3):
        a, b, c, half = row[3 + 3 * axis], row[4 + 3 * axis], row[5 + 3 * axis], 0.5 * row[12 + axis]
        outside += max(abs(a * x + b * y + c * z) - half, 0.0) ** 2
        top += abs(b) * half
    key[0], key[1] = (1.0 if top > _FLAT_M else 0.0), -np.rint(math.sqrt(outside) / _ORDER_M)
    key[2] = -math.sqrt(x * x + y * y + z * z)
