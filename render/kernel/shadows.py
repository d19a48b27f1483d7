"""The sun's map: the depth at which its light ends, for each texel of a grid over the arena."""

import numpy as np
import numpy.typing as npt

from arena.kernel.compiled import compiled
from render.kernel.polygons import turned
from render.kernel.tables import Floats, Integers, Meshes
from render.kernel.visible import edges, pixel
from render.looks.sky import TO_SUN, Sun
from render.parts.meshes import MESHES
from render.parts.rows import MESH, Bools, Rows

SunMap = npt.NDArray[np.uint16]

DEEPEST = 65535
"""The depth of a texel whose light meets nothing."""

_BALL, _COARSE = MESHES.index("ball"), MESHES.index("ball 80")


def coarse(rows: Rows) -> Rows:
    """Rows with balls of few triangles, which suffice for the map."""
    rows = rows.copy()
    rows[rows[:, MESH] == _BALL, MESH] = _COARSE
    return rows


_BOX, _PRISM, _PRICKLES = (MESHES.index(name) for name in ("box", "prism", "prickles"))


@compiled
def cast(sun_map: SunMap, rows: Rows, which: Bools, meshes: Meshes, sun: Sun, touched: Integers) -> None:
    """Draw the shadows of some rows; `touched` (left, top, right, bottom) grows to what they cover.

    The biases are those of Unity's render pipeline: casters are pushed away from the sun by a texel, and
    shrink by another where they face away from it. Things so thin that their back would come through their
    front show it only the faces that are turned to it.
    """
    side = sun_map.shape[0]
    left, right, outline, depth = np.empty(side), np.empty(side), np.empty((4, 2)), np.empty(4)
    places, shift = np.empty((meshes.most, 3)), np.empty(3)
    for number in range(len(rows)):
        if not which[number]:
            continue
        row = rows[number]
        mesh = int(row[MESH])
        smooth = meshes.smooth[mesh]
        thin = mesh == _PRISM or (mesh == _BOX and min(row[12], row[13], row[14]) < 2 * sun.texel_m)
        # The back of what is round lies within the outline of its front.
        front = smooth or thin or mesh == _PRICKLES
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
            _darken(sun_map, outline, depth, area, corner[0], left, right, touched)


@compiled
def _darken(
    sun_map: SunMap, outline: Floats, depth: Floats, area: float, count: int, left: Floats, right: Floats,
    touched: Integers,
) -> None:  # fmt: skip
    """Draw a face into the map; `area` is twice that of its first three corners."""
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
        start, end = pixel(left[y], side), pixel(right[y], side)
        if start < end:
            touched[0], touched[2] = min(touched[0], start), max(touched[2], end)
        for x in range(start, end):
            here = a + b * (x + 0.5) + c * (y + 0.5)
            sun_map[y, x] = min(np.int64(sun_map[y, x]), np.int64(min(max(here, 0.0), float(DEEPEST))))


@compiled
def _place(row: Rows, place: Floats, to_map: Floats, shift: Floats, placed: Floats) -> None:
    """Place a caster's corner in the sun's map, shifted: across, down and depth."""
    a, b, c = place[0] * row[12], place[1] * row[13], place[2] * row[14]
    x = row[0] + row[3] * a + row[6] * b + row[9] * c
    y = row[1] + row[4] * a + row[7] * b + row[10] * c
    z = row[2] + row[5] * a + row[8] * b + row[11] * c
    for axis in range(3):
        m = to_map[axis]
        placed[axis] = m[0] * x + m[1] * y + m[2] * z + m[3] + shift[axis]


@compiled
def _push(row: Rows, normal: Floats, sun: Sun, shift: Floats) -> None:
    """Find the biases' shift in the sun's map of what has a normal."""
    x, y, z = turned(row, normal[0], normal[1], normal[2])
    away = 1.0 - min(max(x * TO_SUN[0] + y * TO_SUN[1] + z * TO_SUN[2], 0.0), 1.0)
    x, y, z = TO_SUN[0] + away * x, TO_SUN[1] + away * y, TO_SUN[2] + away * z
    for axis in range(3):
        m = sun.to_map[axis]
        shift[axis] = -sun.texel_m * (m[0] * x + m[1] * y + m[2] * z)


@compiled
def restore(sun_map: SunMap, still: SunMap, touched: Integers) -> None:
    """Copy back what was touched, and forget it."""
    for y in range(touched[1], touched[3]):
        for x in range(touched[0], touched[2]):
            sun_map[y, x] = still[y, x]
    touched[0], touched[1], touched[2], touched[3] = len(still), len(still), 0, 0


TREMBLE = 512.0
"""Poses are rounded to one part of this of a metre (and of a rotation matrix).

Things at rest tremble by less, and a shadow's texel is 0.04 m or more.
"""

REST = 16
"""Frames without change after which a thing counts as at rest, and the minimum between updates of that set.

Redrawing it takes about as long as a frame (our choice).
"""


@compiled
def update(
    rows: Rows, casts: Bools, shown: Bools, agents: Rows, casters: Rows, cast_now: Bools, rested: Integers,
    resting: Bools, since: int, empty: SunMap, still: SunMap, sun_map: SunMap, touched: Integers,
    meshes: Meshes, sun: Sun,
) -> int:  # fmt: skip
    """Draw into `sun_map` what casts a shadow: `agents`, and the rows that do so and are shown.

    Those at rest, at first all, are kept in `still`, drawn over `empty`. Returns the number of frames `since`
    they are the same, -1 before the first.
    """
    first = since < 0
    since = rest(rows, casts, shown, casters, cast_now, rested, resting, since)
    if first:
        rested[:], resting[:] = REST, True
    if since == 0:
        still[:] = empty
        cast(still, casters, cast_now & resting, meshes, sun, np.zeros(4, np.int64))
        sun_map[:] = still
    restore(sun_map, still, touched)
    cast(sun_map, casters, cast_now & ~resting, meshes, sun, touched)
    cast(sun_map, agents, np.ones(len(agents), np.bool_), meshes, sun, touched)
    return since


@compiled
def rest(
    rows: Rows, casts: Bools, shown: Bools, casters: Rows, cast_now: Bools, rested: Integers, resting: Bools,
    since: int,
) -> int:  # fmt: skip
    """Read casters from rows, poses rounded, and update which of them are at `resting`.

    `rested` counts frames without change. Returns the frames `since` that set changed: 0 if it just has.
    """
    woke = late = False
    for k in range(len(rows)):
        moved = (casts[k] and shown[k]) != cast_now[k]
        cast_now[k] = casts[k] and shown[k]
        for column in range(15):
            value = rows[k, column]
            if column < 12:
                value = np.float32(np.rint(value * np.float32(TREMBLE)) / np.float32(TREMBLE))
            if value != casters[k, column]:
                casters[k, column], moved = value, True
        rested[k] = 0 if moved else rested[k] + 1
        woke |= moved and resting[k]
        late |= rested[k] >= REST and not resting[k]
    if not woke and not (late and since + 1 >= REST):
        return since + 1
    for k in range(len(rows)):
        resting[k] = rested[k] >= REST
    return 0
