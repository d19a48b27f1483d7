"""Conversion of rows to polygons: faces in view, with planes of quantities."""

import math

import numpy as np

from arena.kernel.compiled import compiled
from render.camera import EYE, FORWARD, HIGH, NEAR, PARALLEL, RIGHT, UP, WIDE
from render.kernel.tables import Floats, Integers, Meshes, Polygons
from render.looks.sky import TO_SUN, Sun
from render.parts.meshes import BALL_ERRORS, BALLS, MESHES
from render.parts.rows import MESH, Bools, Rows

DEPTH, W, U, V, SUN_X, SUN_Y, SUN_Z, RED, GREEN, BLUE, SUNLIGHT, PLANES = range(12)
"""Quantities of a polygon with a plane over the screen. Their value at (x, y) in pixels is a + b x + c y.

x and y are pixels. The first is larger where a surface is nearer (1/w, or minus the distance without
perspective), the second is 1/w. The others are divided by w: texture coordinates, place in the sun's map,
and, on round meshes, light and the share of sunlight.
"""

LAYER, FLAGS, COUNT, ROW_NUMBER, FACTS = range(5)
"""Facts of a polygon: texture layer, flags, corner count, drawn row's number."""

TEXTURED, SUNNY, ROUND = 1, 2, 4
"""Flags of a polygon: textured, possibly sunny, with varying light."""

MOST_CORNERS = 5
"""Maximum corners of a polygon. At most four, and one more where the near plane cuts one off."""

_AMBIENT = np.array([
    [0.476, 0.602, 0.729], [0.413, 0.525, 0.662], [0.372, 0.570, 0.913], [0.352, 0.339, 0.288],
    [0.409, 0.518, 0.627], [0.467, 0.625, 0.783], [-0.031, -0.042, -0.042],
])  # fmt: skip
"""Light of a smooth sky for seven normals.

They are right, left, up, down, front, back, and slanting. Fitted as a whole to the recorded frames: planks,
blocks and walls on the axes, the fence's round rails in between, the floor.
"""

_GRAZING, _BEFORE_TEXELS = 0.5, 1.5
"""Limit of grazing sunlight, and the shift of its shadow look-ups. Faces that the sun only grazes look up
their shadows a little before them; otherwise the map's texels would show."""

_BRIGHTEST = 2.5
"""Bound of light, so that its products fit into 32 bits."""

_BALL = MESHES.index("ball")
_BALLS = np.array([MESHES.index(name) for name in BALLS])
_ERRORS = np.array(BALL_ERRORS)
_LEAST_ERROR_PX = 0.3

_HALF = 0.52
"""Half an edge of a part's box relative to its size. Marks stand out of their ball by a fiftieth."""

_FLAT_M = 0.2
"""Height, metres, up to which things count as flat. Zones usually reach 0.1 m."""

_ORDER_M = 0.001
"""Tolerance for equal distances of translucent things, metres. It keeps rounding from swapping them."""


@compiled
def find(
    rows: Rows, shown: Bools, clear: Bools, arena: Rows, bodies: Rows, lens: Floats, height: int, found: Rows
) -> tuple[int, int]:
    """Copy the rows in view to `found`; return the ends. Opaque ones come first, then translucent ones in
    their order. Balls get as few triangles as their size in a picture of `height` pixels allows."""
    n = 0
    for k in range(len(rows)):
        if shown[k] and not clear[k]:
            n = _add(rows[k], lens, height, found, n)
    for more in (arena, bodies):
        for row in more:
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
    """Append a row if its box may be in view. Returns the new number."""
    x, y, z = row[0] - lens[EYE], row[1] - lens[EYE + 1], row[2] - lens[EYE + 2]
    aside, over, ahead = _on(lens, RIGHT, x, y, z), _on(lens, UP, x, y, z), _on(lens, FORWARD, x, y, z)
    reach = _HALF * math.sqrt(row[12] ** 2 + row[13] ** 2 + row[14] ** 2)
    parallel, wide, high = lens[PARALLEL] != 0.0, lens[WIDE], lens[HIGH]
    if ahead + reach < lens[NEAR]:
        return n
    for half, off in ((wide, aside), (high, over)):
        # Half the picture where the row is, and how far its ball reaches over the side planes.
        far, over_side = (half, 1.0) if parallel else (half * ahead, math.sqrt(1.0 + half * half))
        if abs(off) > far + reach * over_side:
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
    """Sort rows, the farthest first.

    They are sorted by the distance of their boxes, then of their centres. By the centres alone, things in a
    large zone would cover its near side. Things flat on the floor come first, so that they do not cover
    things on them. By insertion: few rows are translucent.
    """
    keys = [_key(row, lens) for row in rows]
    for i in range(1, len(rows)):
        key, kept, k = keys[i], rows[i].copy(), i
        while k > 0 and key < keys[k - 1]:
            keys[k], rows[k] = keys[k - 1], rows[k - 1]
            k -= 1
        keys[k], rows[k] = key, kept


@compiled
def _key(row: Rows, lens: Floats) -> tuple[float, float, float]:
    x, y, z = lens[EYE] - row[0], lens[EYE + 1] - row[1], lens[EYE + 2] - row[2]
    top, outside = float(row[1]), 0.0
    for axis in range(3):
        a, b, c, half = row[3 + 3 * axis], row[4 + 3 * axis], row[5 + 3 * axis], 0.5 * row[12 + axis]
        outside += max(abs(a * x + b * y + c * z) - half, 0.0) ** 2
        top += abs(b) * half
    away = np.rint(math.sqrt(outside) / _ORDER_M)
    return (1.0 if top > _FLAT_M else 0.0), -away, -math.sqrt(x * x + y * y + z * z)


@compiled
def polygons_of(
    rows: Rows, opaque: int, count: int, meshes: Meshes, plain: Integers, lens: Floats, size: tuple[int, int],
    sun: Sun, polygons: Polygons,
) -> tuple[int, int]:  # fmt: skip
    """Write the polygons of the first `count` rows; return two counts.

    They are those of the first `opaque` rows and of all. Returns -1 and the number that may be needed if
    there is not enough room. `plain` is at least 0 for layers of one colour.
    """
    corners, planes, light, facts = polygons
    most = 0
    for number in range(count):
        most += meshes.own_faces[int(rows[number, MESH]), 1]
    if most > len(facts):
        return -1, most
    width, height = size
    places = np.empty((meshes.own_corners[:, 1].max(), 7))
    parallel = lens[PARALLEL] != 0.0
    inverse, values, shift = np.empty(9), np.empty((PLANES, 3)), np.zeros(3)
    n = middle = 0
    for number in range(count):
        row = rows[number]
        mesh = int(row[MESH])
        begin, corner_count = meshes.own_corners[mesh]
        smooth = meshes.smooth[mesh]
        _place(row, meshes.corners[begin : begin + corner_count], lens, size, places)
        to_eye = _seen_from(row, lens, parallel)
        for face in range(meshes.own_faces[mesh, 0], meshes.own_faces[mesh, 0] + meshes.own_faces[mesh, 1]):
            a, b, c = meshes.planes[face, 0], meshes.planes[face, 1], meshes.planes[face, 2]
            if a * to_eye[0] + b * to_eye[1] + c * to_eye[2] <= (0.0 if parallel else meshes.planes[face, 3]):
                continue
            corner = meshes.faces[face]
            found = _outline(corner, places, width, height, lens[NEAR], parallel, corners, n)
            if found < 3 or not (_covers(corners, n, found, size) and _invert(corner, places, inverse)):
                continue
            facts[n, COUNT], facts[n, ROW_NUMBER], facts[n, LAYER] = found, number, int(row[18])
            for k in range(3):
                values[DEPTH, k] = -places[corner[1 + k], 6] if parallel else 1.0
                values[W, k] = 1.0
            _plane(planes, n, DEPTH, values, inverse)
            _plane(planes, n, W, values, inverse)
            if smooth:
                shift[:] = 0.0
                flags = _shine_round(row, corner, begin, meshes.normals, sun, values, light, n)
            else:
                flags = _shine_flat(row, meshes.planes[face], sun, light, n, shift)
                if plain[int(row[18])] < 0:
                    flags |= TEXTURED
                    _spread(row, corner, begin, meshes.corners, meshes.planes[face], values)
                    _plane(planes, n, U, values, inverse)
                    _plane(planes, n, V, values, inverse)
            if not sun.shines:
                flags &= ~SUNNY
            if flags & SUNNY:
                _under_sun(corner, places, shift, values, sun)
                for k in range(SUN_X, SUN_Z + 1):
                    _plane(planes, n, k, values, inverse)
            if flags & ROUND:
                for k in range(RED, SUNLIGHT + 1):
                    _plane(planes, n, k, values, inverse)
            facts[n, FLAGS] = flags
            n += 1
        if number < opaque:
            middle = n
    return middle, n


@compiled
def _place(row: Rows, corners: Floats, lens: Floats, size: tuple[int, int], places: Floats) -> None:
    """Place a row's corners. In the arena (0-2), on the screen times w (3, 4), w (5), distance ahead (6)."""
    half_width, half_height = 0.5 * size[0], 0.5 * size[1]
    wide, high = half_width / lens[WIDE], half_height / lens[HIGH]
    parallel = lens[PARALLEL] != 0.0
    for k in range(len(corners)):
        a, b, c = corners[k, 0] * row[12], corners[k, 1] * row[13], corners[k, 2] * row[14]
        x = row[0] + row[3] * a + row[6] * b + row[9] * c
        y = row[1] + row[4] * a + row[7] * b + row[10] * c
        z = row[2] + row[5] * a + row[8] * b + row[11] * c
        places[k, 0], places[k, 1], places[k, 2] = x, y, z
        x, y, z = x - lens[EYE], y - lens[EYE + 1], z - lens[EYE + 2]
        far = lens[FORWARD] * x + lens[FORWARD + 1] * y + lens[FORWARD + 2] * z
        w = 1.0 if parallel else far
        places[k, 3] = half_width * w + wide * (lens[RIGHT] * x + lens[RIGHT + 1] * y + lens[RIGHT + 2] * z)
        places[k, 4] = half_height * w - high * (lens[UP] * x + lens[UP + 1] * y + lens[UP + 2] * z)
        places[k, 5], places[k, 6] = w, far


@compiled
def _seen_from(row: Rows, lens: Floats, parallel: bool) -> tuple[float, float, float]:
    """Return the eye in a unit mesh's frame. Without perspective it is the direction to the camera."""
    if parallel:
        x, y, z = -lens[FORWARD], -lens[FORWARD + 1], -lens[FORWARD + 2]
    else:
        x, y, z = lens[EYE] - row[0], lens[EYE + 1] - row[1], lens[EYE + 2] - row[2]
    return (
        (row[3] * x + row[4] * y + row[5] * z) / row[12],
        (row[6] * x + row[7] * y + row[8] * z) / row[13],
        (row[9] * x + row[10] * y + row[11] * z) / row[14],
    )


@compiled
def _outline(
    corner: Integers, places: Floats, width: int, height: int, near: float, parallel: bool, corners: Floats,
    polygon: int,
) -> int:  # fmt: skip
    """Write a face's corners on the screen; return their number. 0 out of view; cut at the near plane."""
    count = corner[0]
    before = left = right = above = below = 0
    for k in range(count):
        place = corner[1 + k]
        before += places[place, 6] > near
        left += places[place, 3] < 0
        right += places[place, 3] > width * places[place, 5]
        above += places[place, 4] < 0
        below += places[place, 4] > height * places[place, 5]
    if before == 0 or count in (left, right, above, below):
        return 0
    n = 0
    for k in range(count):
        here, there = corner[1 + k], corner[1 + (k + 1 if k + 1 < count else 0)]
        if places[here, 6] > near:
            corners[polygon, n, 0] = places[here, 3] / places[here, 5]
            corners[polygon, n, 1] = places[here, 4] / places[here, 5]
            n += 1
        if (places[here, 6] > near) != (places[there, 6] > near):
            # From the inner corner to the outer one, so that neighbours agree.
            if places[there, 6] > near:
                here, there = there, here
            part = (near - places[here, 6]) / (places[there, 6] - places[here, 6])
            w = 1.0 if parallel else near
            corners[polygon, n, 0] = (places[here, 3] + part * (places[there, 3] - places[here, 3])) / w
            corners[polygon, n, 1] = (places[here, 4] + part * (places[there, 4] - places[here, 4])) / w
            n += 1
    return n


@compiled
def _covers(corners: Floats, polygon: int, count: int, size: tuple[int, int]) -> bool:
    """Return whether a polygon's screen box contains the middle of a pixel."""
    left = top = np.inf
    right = bottom = -np.inf
    for k in range(count):
        x, y = corners[polygon, k, 0], corners[polygon, k, 1]
        left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
    across = pixel(left, 0, size[0]) < pixel(right, 0, size[0])
    return across and pixel(top, 0, size[1]) < pixel(bottom, 0, size[1])


@compiled
def pixel(place: float, low: int, high: int) -> int:
    """Return the first pixel whose middle is at or after a place. It is from `low` to `high`."""
    return math.ceil(min(max(place - 0.5, float(low)), float(high)))


@compiled
def _invert(corner: Integers, places: Floats, inverse: Floats) -> bool:
    """Invert the matrix of a face's first three corners (x, y, w). False if there is no inverse."""
    x0, y0, w0 = places[corner[1], 3], places[corner[1], 4], places[corner[1], 5]
    x1, y1, w1 = places[corner[2], 3], places[corner[2], 4], places[corner[2], 5]
    x2, y2, w2 = places[corner[3], 3], places[corner[3], 4], places[corner[3], 5]
    a0, a1, a2 = y1 * w2 - y2 * w1, y2 * w0 - y0 * w2, y0 * w1 - y1 * w0
    determinant = x0 * a0 + x1 * a1 + x2 * a2
    if determinant == 0.0:
        return False
    part = 1.0 / determinant
    inverse[0], inverse[1], inverse[2] = a0 * part, a1 * part, a2 * part
    b0, b1, b2 = w1 * x2 - w2 * x1, w2 * x0 - w0 * x2, w0 * x1 - w1 * x0
    inverse[3], inverse[4], inverse[5] = b0 * part, b1 * part, b2 * part
    c0, c1, c2 = x1 * y2 - x2 * y1, x2 * y0 - x0 * y2, x0 * y1 - x1 * y0
    inverse[6], inverse[7], inverse[8] = c0 * part, c1 * part, c2 * part
    return True


@compiled
def _plane(planes: Floats, n: int, which: int, values: Floats, inverse: Floats) -> None:
    """Set the plane of a value, divided by w, from three corners."""
    a, b, c = values[which, 0], values[which, 1], values[which, 2]
    planes[n, which, 0] = a * inverse[6] + b * inverse[7] + c * inverse[8]
    planes[n, which, 1] = a * inverse[0] + b * inverse[1] + c * inverse[2]
    planes[n, which, 2] = a * inverse[3] + b * inverse[4] + c * inverse[5]


@compiled
def turned(row: Rows, a: float, b: float, c: float) -> tuple[float, float, float]:
    """Return the arena's unit normal of one in a unit mesh's frame."""
    a, b, c = a / row[12], b / row[13], c / row[14]
    part = 1.0 / math.sqrt(a * a + b * b + c * c)
    a, b, c = a * part, b * part, c * part
    return (
        row[3] * a + row[6] * b + row[9] * c,
        row[4] * a + row[7] * b + row[10] * c,
        row[5] * a + row[8] * b + row[11] * c,
    )


@compiled
def _ambient(x: float, y: float, z: float, k: int) -> float:
    right, left, up, down, front, back, slant = _AMBIENT[:, k]
    even = x * x * (right + left) + y * y * (up + down) + z * z * (front + back)
    odd = x * (right - left) + y * (up - down) + z * (front - back)
    return float(0.5 * (even + odd) + y * (z - x) * slant)


@compiled
def _shine_flat(row: Rows, plane: Floats, sun: Sun, light: Floats, n: int, shift: Floats) -> int:
    """Set a flat face's light and shadow shift; return its flags. Sky is in 0-2, sun in 3-5."""
    x, y, z = turned(row, plane[0], plane[1], plane[2])
    towards = x * TO_SUN[0] + y * TO_SUN[1] + z * TO_SUN[2]
    sunlight = row[19] * max(0.0, towards)
    flags = 0
    for k in range(3):
        light[n, k] = min(row[15 + k] * (row[19] * _ambient(x, y, z, k) + row[20]), _BRIGHTEST)
        light[n, 3 + k] = row[15 + k] * sun.color[k] * sunlight
        if light[n, 3 + k] > 0.0:
            flags = SUNNY
    grazing = min(max(1.0 - towards / _GRAZING, 0.0), 1.0)
    before = _BEFORE_TEXELS * sun.texel_m * grazing if min(row[12], row[13], row[14]) < sun.stripes_m else 0.0
    shift[0], shift[1], shift[2] = before * x, before * y, before * z
    return flags


@compiled
def _shine_round(
    row: Rows, corner: Integers, begin: int, normals: Floats, sun: Sun, values: Floats, light: Floats, n: int
) -> int:
    """Set a round mesh's light at a face's corners; return flags. There are three corners."""
    flags = 0
    for k in range(3):
        light[n, k] = min(row[15 + k] * row[20], _BRIGHTEST)
        light[n, 3 + k] = row[15 + k] * sun.color[k] * row[19]
    if row[19] == 0.0:
        return flags
    for k in range(3):
        own = begin + corner[1 + k]
        x, y, z = turned(row, normals[own, 0], normals[own, 1], normals[own, 2])
        for channel in range(3):
            shade = row[15 + channel] * (row[19] * _ambient(x, y, z, channel) + row[20])
            values[RED + channel, k] = min(shade, _BRIGHTEST)
        values[SUNLIGHT, k] = max(0.0, x * TO_SUN[0] + y * TO_SUN[1] + z * TO_SUN[2])
        if values[SUNLIGHT, k] > 0.0:
            flags = SUNNY
    return flags | ROUND


@compiled
def _spread(row: Rows, corner: Integers, begin: int, corners: Floats, plane: Floats, values: Floats) -> None:
    """Texture coordinates at three corners of a face. They are metres from its left and lower edge as seen
    from outside, divided by the face's size or by the width and height after which the texture repeats."""
    x, y, z = plane[0] / row[12], plane[1] / row[13], plane[2] / row[14]
    level = abs(y) >= abs(x) and abs(y) >= abs(z)
    along_z = not level and abs(x) > abs(z)
    across, up = (2 if along_z else 0), (2 if level else 1)
    mirrored = x <= 0 if along_z else z > 0 and not level
    wide, high = row[12 + across], row[12 + up]
    repeat_wide, repeat_high = (row[21] if row[21] > 0 else wide), (row[22] if row[22] > 0 else high)
    for k in range(3):
        place = corners[begin + corner[1 + k]]
        left = -place[across] if mirrored else place[across]
        values[U, k] = (left * wide + 0.5 * wide) / repeat_wide
        values[V, k] = (place[up] * high + 0.5 * high) / repeat_high


@compiled
def _under_sun(corner: Integers, places: Floats, shift: Floats, values: Floats, sun: Sun) -> None:
    """Place three corners of a face, shifted, in the sun's map."""
    for k in range(3):
        place = places[corner[1 + k]]
        a, b, c = place[0] + shift[0], place[1] + shift[1], place[2] + shift[2]
        for axis in range(3):
            m = sun.to_map[axis]
            values[SUN_X + axis, k] = m[0] * a + m[1] * b + m[2] * c + m[3]
