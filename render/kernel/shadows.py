"""The sun's map: depth of its light per texel over the arena."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arena.kernel.compiled import compiled
from render.kernel.polygons import pixel, turned
from render.kernel.tables import Floats, Integers, Meshes
from render.kernel.visible import edges
from render.looks.sky import TO_SUN, Sun
from render.parts.meshes import MESHES
from render.parts.rows import MESH, Bools, Rows

SunMap = npt.NDArray[np.uint16]

DEEPEST = 65535
"""Depth of a texel whose light hits no thing."""

_BALL, _BOX, _PRISM, _PRICKLES = (MESHES.index(name) for name in ("ball", "box", "prism", "prickles"))


@compiled
def cast(sun_map: SunMap, rows: Rows, which: Bools, meshes: Meshes, sun: Sun, touched: Integers) -> None:
    """Draw the shadows of some rows. Each grows its box in `touched`: left, top, right and bottom.

    If there are more rows than boxes, they share the last one.

    The biases are those of Unity's render pipeline: casters are pushed away from the sun by a texel, and
    shrink by another where they face away from it. Things so thin that their back would come through their
    front show it only the faces that are turned to it.
    """
    side = sun_map.shape[0]
    left, right, outline, depth = np.empty(side), np.empty(side), np.empty((4, 2)), np.empty(4)
    places, shift = np.empty((meshes.own_corners[:, 1].max(), 3)), np.empty(3)
    for number in range(len(rows)):
        if not which[number]:
            continue
        row, box = rows[number], touched[min(number, len(touched) - 1)]
        mesh = int(row[MESH])
        if mesh in (_BALL, _PRICKLES):
            _cast_ball(sun_map, row, sun, box)
            continue
        smooth = meshes.smooth[mesh]
        thin = mesh == _PRISM or (mesh == _BOX and min(row[12], row[13], row[14]) < 2 * sun.texel_m)
        # The back of what is round lies within the outline of its front.
        front = smooth or thin
        begin, count = meshes.own_corners[mesh]
        for k in range(count):
            shift[:] = 0.0
            if smooth:
                _push(row, meshes.normals[begin + k], sun, shift)
            _place(row, meshes.corners[begin + k], sun.to_map, shift, places[k])
        shift[:] = 0.0
        for face in range(meshes.own_faces[mesh, 0], meshes.own_faces[mesh, 0] + meshes.own_faces[mesh, 1]):
            corner = meshes.faces[face]
            one, two, three = places[corner[1]], places[corner[2]], places[corner[3]]
            area = (two[0] - one[0]) * (three[1] - one[1]) - (three[0] - one[0]) * (two[1] - one[1])
            if area == 0.0 or (front and area > 0.0):
                continue
            if not smooth:
                _push(row, meshes.planes[face], sun, shift)
            for k in range(corner[0]):
                place = places[corner[1 + k]]
                outline[k, 0], outline[k, 1] = place[0] + shift[0], place[1] + shift[1]
                depth[k] = place[2] + shift[2]
            _darken(sun_map, outline, depth, area, corner[0], left, right, box)


@compiled
def _darken(
    sun_map: SunMap, outline: Floats, depth: Floats, area: float, count: int, left: Floats, right: Floats,
    touched: Integers,
) -> None:  # fmt: skip
    """Draw a face into the map. `area` is twice that of its first three corners."""
    side = len(sun_map)
    across, down = outline[1, 0] - outline[0, 0], outline[1, 1] - outline[0, 1]
    to_right, to_low = outline[2, 0] - outline[0, 0], outline[2, 1] - outline[0, 1]
    b = ((depth[1] - depth[0]) * to_low - (depth[2] - depth[0]) * down) / area
    c = ((depth[2] - depth[0]) * across - (depth[1] - depth[0]) * to_right) / area
    a = depth[0] - b * outline[0, 0] - c * outline[0, 1]
    top, bottom = edges(outline, count, 0, side, left, right)
    if top < bottom:
        touched[1], touched[3] = min(touched[1], top), max(touched[3], bottom)
    for y in range(top, bottom):
        start, end = pixel(left[y], 0, side), pixel(right[y], 0, side)
        if start < end:
            touched[0], touched[2] = min(touched[0], start), max(touched[2], end)
        for x in range(start, end):
            here = a + b * (x + 0.5) + c * (y + 0.5)
            _darken_texel(sun_map, y, x, here)


@compiled
def _cast_ball(sun_map: SunMap, row: Rows, sun: Sun, touched: Integers) -> None:
    """Draw a ball's shadow: an ellipse with the sunny side's depth. Where the ball faces away from the sun,
    at its outline, the ellipse shrinks by a texel."""
    axes, middle, side = np.zeros((3, 3)), np.zeros(3), sun_map.shape[0]
    for of_map in range(3):
        m = sun.to_map[of_map]
        middle[of_map] = m[3]
        for k in range(3):
            middle[of_map] += m[k] * (row[k] - sun.texel_m * TO_SUN[k])
            half = 0.5 * row[12 + k] - sun.texel_m
            if half <= 0.0:
                return
            axes[of_map, k] = half * (m[0] * row[3 + 3 * k] + m[1] * row[4 + 3 * k] + m[2] * row[5 + 3 * k])
    # A place (x, y) from the middle is inside where a x x + 2 b x y + c y y <= 1.
    xx, xy, yy = _product(axes, 0, 0), _product(axes, 0, 1), _product(axes, 1, 1)
    xz, yz, zz = _product(axes, 0, 2), _product(axes, 1, 2), _product(axes, 2, 2)
    area = xx * yy - xy * xy
    a, b, c = yy / area, -xy / area, xx / area
    along_x, along_y = a * xz + b * yz, b * xz + c * yz
    deep = math.sqrt(max(zz - xz * along_x - yz * along_y, 0.0))
    reach = math.sqrt(yy)
    for row_y in range(pixel(middle[1] - reach, 0, side), pixel(middle[1] + reach, 0, side)):
        y = row_y + 0.5 - middle[1]
        half = math.sqrt(max(b * b * y * y - a * (c * y * y - 1.0), 0.0)) / a
        centre = middle[0] - b * y / a
        start, end = pixel(centre - half, 0, side), pixel(centre + half, 0, side)
        if start < end:
            touched[0], touched[2] = min(touched[0], start), max(touched[2], end)
            touched[1], touched[3] = min(touched[1], row_y), max(touched[3], row_y + 1)
        for column in range(start, end):
            x = column + 0.5 - middle[0]
            inside = max(1.0 - a * x * x - 2.0 * b * x * y - c * y * y, 0.0)
            here = middle[2] + along_x * x + along_y * y - deep * math.sqrt(inside)
            _darken_texel(sun_map, row_y, column, here)


@compiled
def _product(rows: Floats, one: int, other: int) -> float:
    return float(
        rows[one, 0] * rows[other, 0] + rows[one, 1] * rows[other, 1] + rows[one, 2] * rows[other, 2]
    )


@compiled
def _darken_texel(sun_map: SunMap, y: int, x: int, depth: float) -> None:
    sun_map[y, x] = min(np.int64(sun_map[y, x]), np.int64(min(max(depth, 0.0), float(DEEPEST))))


@compiled
def _place(row: Rows, place: Floats, to_map: Floats, shift: Floats, placed: Floats) -> None:
    """Place a caster's corner in the sun's map, shifted. Across, down and depth."""
    a, b, c = place[0] * row[12], place[1] * row[13], place[2] * row[14]
    x = row[0] + row[3] * a + row[6] * b + row[9] * c
    y = row[1] + row[4] * a + row[7] * b + row[10] * c
    z = row[2] + row[5] * a + row[8] * b + row[11] * c
    for axis in range(3):
        m = to_map[axis]
        placed[axis] = m[0] * x + m[1] * y + m[2] * z + m[3] + shift[axis]


@compiled
def _push(row: Rows, normal: Floats, sun: Sun, shift: Floats) -> None:
    """Find the shift of biases in the sun's map for a normal."""
    x, y, z = turned(row, normal[0], normal[1], normal[2])
    away = 1.0 - min(max(x * TO_SUN[0] + y * TO_SUN[1] + z * TO_SUN[2], 0.0), 1.0)
    x, y, z = TO_SUN[0] + away * x, TO_SUN[1] + away * y, TO_SUN[2] + away * z
    for axis in range(3):
        m = sun.to_map[axis]
        shift[axis] = -sun.texel_m * (m[0] * x + m[1] * y + m[2] * z)


TREMBLE = 512.0
"""Steps per metre (and rotation entry) to which poses are rounded. Things at rest tremble by less, and a
shadow's texel is 0.04 m or more."""

REST = 16
"""Unchanged frames after which a thing is at rest. It is also the minimum between updates of that set.
Redrawing it takes about as long as a frame (our choice)."""


class Kept(NamedTuple):
    """Shadow data kept from picture to picture of one arena.

    `casters` are its rows as last drawn, with `cast` those that cast a shadow now; `rested` counts frames
    without change, `resting` are those at rest, which `still` shows over `empty`, and `map` has all of them.
    `touched` are the boxes of texels in which `map` differs from `still`: one for each row, and more for the
    agents. `since` (1,) are the frames since that set changed, -1 at first.
    """

    casters: Rows
    cast: Bools
    rested: Integers
    resting: Bools
    empty: SunMap
    still: SunMap
    map: SunMap
    touched: Integers
    since: Integers


@compiled
def update(
    rows: Rows, casts: Bools, shown: Bools, agents: Rows, kept: Kept, meshes: Meshes, sun: Sun
) -> None:
    """Draw the shadows of `agents` and of visible casters into the map. Those at rest, at first all, are
    drawn once, over `empty`."""
    first = kept.since[0] < 0
    rest(rows, casts, shown, kept)
    if first:
        kept.rested[:], kept.resting[:] = REST, True
    if kept.since[0] == 0:
        kept.still[:] = kept.empty
        cast(kept.still, kept.casters, kept.cast & kept.resting, meshes, sun, np.zeros((1, 4), np.int64))
        kept.map[:] = kept.still
    for left, top, right, bottom in kept.touched:
        for y in range(top, bottom):
            for x in range(left, right):
                kept.map[y, x] = kept.still[y, x]
    kept.touched[:, :2], kept.touched[:, 2:] = len(kept.map), 0
    own, others = kept.touched[: len(rows)], kept.touched[len(rows) :]
    cast(kept.map, kept.casters, kept.cast & ~kept.resting, meshes, sun, own)
    cast(kept.map, agents, np.ones(len(agents), np.bool_), meshes, sun, others)


@compiled
def rest(rows: Rows, casts: Bools, shown: Bools, kept: Kept) -> None:
    """Read casters from rows, and update which are at rest. Poses are rounded. `kept.since` counts frames on,
    from 0 if that set has changed."""
    casters, woke, late = kept.casters, False, False
    for k in range(len(rows)):
        moved = (casts[k] and shown[k]) != kept.cast[k]
        kept.cast[k] = casts[k] and shown[k]
        for column in range(15):
            value = rows[k, column]
            if column < 12:
                value = np.float32(np.rint(value * np.float32(TREMBLE)) / np.float32(TREMBLE))
            if value != casters[k, column]:
                casters[k, column], moved = value, True
        kept.rested[k] = 0 if moved else kept.rested[k] + 1
        woke |= moved and kept.resting[k]
        late |= kept.rested[k] >= REST and not kept.resting[k]
    kept.since[0] += 1
    if woke or (late and kept.since[0] >= REST):
        kept.since[0] = 0
        for k in range(len(rows)):
            kept.resting[k] = kept.rested[k] >= REST
