"""Compiled lighting of EST's table: lamp, bright sky, and reflections.

Everything is in linear light. Only exact operations are used, so that pictures have the same bytes
everywhere. Vectors are tuples (x, y, z), y up; lengths have the unit of `suites.est.picture`.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arena.kernel.compiled import compiled
from render.kernel.polygons import DEPTH, ROW_NUMBER
from render.kernel.tables import Floats, Integers
from render.kernel.visible import NOTHING, Shown

CUBE, SPHERE, CYLINDER, MACHINE, TABLE = range(5)
"""Kinds of rows: things of three shapes, the machine and the table."""

SIZES = (0.82, 0.82, 0.82), (1.0, 1.0, 1.0), (0.84, 0.98, 0.84), (4.5, 0.5, 5.3)
"""Width, height and depth of the things' shapes and of the machine."""

EDGE = 0.07
"""Radius of the round edges."""

TURN = math.radians(28)
"""Angle of all cubes, which shows two sides and the top."""

_COS, _SIN = round(math.cos(TURN), 12), round(math.sin(TURN), 12)
_CUBE, _SPHERE, _CYLINDER, _MACHINE = ((x / 2, y / 2, z / 2) for x, y, z in SIZES)
"""Half of the sizes."""

_LAMP = (-0.46, 0.80, -0.385)
_WINDOW = (0.816, 0.429, -0.388)
"""Directions, of length 1."""

_SOFT = 0.16
"""Half the lamp's width at a distance of 1."""

_LAMP_LIGHT, _SKY_LIGHT = 0.74, 0.54
_GLASS = (0.11, 0.16, 0.23)
"""Colour of the machine's top while dark."""


Vector = tuple[float, float, float]


class Panel(NamedTuple):
    """Panel with a row for each thing, then machine and table.

    `shapes` (rows,) as above, `metal` (rows,), `colors` (3, rows) linear, `middles` (3, rows); `glow` is
    emitted by the machine's top, `things` their number.
    """

    shapes: Integers
    metal: npt.NDArray[np.bool_]
    colors: Floats
    middles: Floats
    glow: Vector
    things: int


X, Y, Z, NORMAL, _, _, WEIGHT, LAMP, SKY, HALO, INSIDE, SPOT = range(12)
"""Rows of `spots` (SPOT, spots). A spot is a pixel's part of one row.

Its place and normal, at how many of its pixel's four places it shows, its shares of the lamp, of the sky and,
on the table, of the machine's glow, and a number above 0 where the thing at hand may shade it.
"""


@compiled
def paint(
    shown: Shown, planes: Floats, facts: Integers, panel: Panel, eye: Vector, rays: Floats,
    encode: npt.NDArray[np.uint32], frame: npt.NDArray[np.uint8], top: int, bottom: int,
) -> None:  # fmt: skip
    """Draw rows of a picture (height, width, 3) from polygons, four samples a pixel. Each thing is lit once a
    pixel, in the middle of the places where it shows."""
    width, glow, table = frame.shape[1], panel.glow, _vector(panel.colors, 0, panel.things + 1)
    rows, ends, spots = np.empty(4 * width, np.int64), np.empty(width, np.int64), np.empty((SPOT, 4 * width))
    across = 2.0 * (np.arange(2 * width) + 0.5) / shown.shape[1] - 1.0
    for y in range(top, bottom):
        count = _find(shown, planes, facts, y, rays, across, rows, ends, spots)
        for i in range(count):
            _place(panel.shapes[rows[i]], _vector(panel.middles, 0, rows[i]), eye, spots, i)
        _light(panel, rows, spots, count)
        i = 0
        for x in range(width):
            red = green = blue = 0.0
            while i < ends[x]:
                row, part = rows[i], 0.25 * spots[WEIGHT, i]
                # Vectors instead of the panel, whose arrays would be counted in and out for each spot.
                own, middle = _vector(panel.colors, 0, row), _vector(panel.middles, 0, row)
                r, g, b = _color(panel.shapes[row], panel.metal[row], own, glow, table, middle, eye, spots, i)
                red, green, blue, i = red + part * r, green + part * g, blue + part * b, i + 1
            for channel, light in enumerate((red, green, blue)):
                frame[y, x, channel] = encode[int(min(max(light, 0.0), 1.0) * 8191.0 + 0.5)]


@compiled
def _find(
    shown: Shown, planes: Floats, facts: Integers, line: int, rays: Floats, across: Floats, rows: Integers,
    ends: Integers, spots: Floats,
) -> int:  # fmt: skip
    """Write a line's spots and each pixel's end. A spot is the sum of its visible places, from the eye."""
    count = 0
    for pixel in range(len(ends)):
        first = count
        for y in range(2 * line, 2 * line + 2):
            down = 2.0 * (y + 0.5) / shown.shape[0] - 1.0
            for x in range(2 * pixel, 2 * pixel + 2):
                polygon = shown[y, x]
                if polygon == NOTHING:
                    continue
                row, k = facts[polygon, ROW_NUMBER], first
                while k < count and rows[k] != row:
                    k += 1
                if k == count:
                    rows[k], spots[WEIGHT, k], spots[X, k], spots[Y, k], spots[Z, k] = row, 0.0, 0.0, 0.0, 0.0
                    count += 1
                a, b, c = planes[polygon, DEPTH, 0], planes[polygon, DEPTH, 1], planes[polygon, DEPTH, 2]
                far = 1.0 / (a + b * (x + 0.5) + c * (y + 0.5))
                spots[WEIGHT, k] += 1.0
                for axis in range(3):
                    spots[axis, k] += far * (rays[axis, 0] * across[x] + rays[axis, 1] * down + rays[axis, 2])
        ends[pixel] = count
    return count


@compiled
def _place(shape: int, middle: Vector, eye: Vector, spots: Floats, i: int) -> None:
    """Write a spot's place and normal, from the sum of its visible places."""
    part = 1.0 / spots[WEIGHT, i]
    x, y, z = eye[0] + spots[X, i] * part, eye[1] + spots[Y, i] * part, eye[2] + spots[Z, i] * part
    spots[X, i], spots[Y, i], spots[Z, i] = x, y, z
    x, y, z = _normal(shape, _from(middle, (x, y, z)))
    spots[NORMAL, i], spots[NORMAL + 1, i], spots[NORMAL + 2, i] = x, y, z


@compiled
def _color(
    shape: int, metal: bool, own: Vector, glow: Vector, table: Vector, middle: Vector, eye: Vector,
    spots: Floats, i: int,
) -> Vector:  # fmt: skip
    """Compute the light from a spot to the eye."""
    place, n, lamp, sky = _vector(spots, X, i), _vector(spots, NORMAL, i), spots[LAMP, i], spots[SKY, i]
    if shape == TABLE:
        return _table(own, glow, spots[HALO, i], lamp, sky)
    local = _from(middle, place)
    if shape == MACHINE:
        return _machine(own, glow, local, n, lamp, sky)
    return _thing(shape, metal, own, glow, table, place, local, n, _unit(_from(eye, place)), lamp, sky)


@compiled
def _vector(values: Floats, first: int, k: int) -> Vector:
    return (values[first, k], values[first + 1, k], values[first + 2, k])


@compiled
def _from(start: Vector, end: Vector) -> Vector:
    return (end[0] - start[0], end[1] - start[1], end[2] - start[2])


@compiled
def _normal(shape: int, local: Vector) -> Vector:
    """Compute the normal of a round-edged body at a place on it."""
    if shape == TABLE:
        return (0.0, 1.0, 0.0)
    if shape == SPHERE:
        return _unit(local)
    if shape == CYLINDER:
        across = math.sqrt(local[0] * local[0] + local[2] * local[2])
        out, up = across - min(across, _CYLINDER[0] - EDGE), _beyond(local[1], _CYLINDER[1] - EDGE)
        part = out / max(across, 1e-9)
        return _unit((local[0] * part, up, local[2] * part))
    half, cos, sin = (_MACHINE, 1.0, 0.0) if shape == MACHINE else (_CUBE, _COS, _SIN)
    x, y, z = _turned(local, cos, sin)
    x, y, z = _beyond(x, half[0] - EDGE), _beyond(y, half[1] - EDGE), _beyond(z, half[2] - EDGE)
    return _unit(_turned((x, y, z), cos, -sin))


@compiled
def _beyond(value: float, most: float) -> float:
    """Excess of a value over plus or minus a bound."""
    return value - min(max(value, -most), most)


@compiled
def _turned(vector: Vector, cos: float, sin: float) -> Vector:
    return (cos * vector[0] - sin * vector[2], vector[1], cos * vector[2] + sin * vector[0])


@compiled
def _unit(vector: Vector) -> Vector:
    part = 1.0 / math.sqrt(max(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2], 1e-18))
    return (vector[0] * part, vector[1] * part, vector[2] * part)


@compiled
def _step(low: float, high: float, value: float) -> float:
    """Interpolate smoothly from 0 at `low` to 1 at `high`."""
    part = min(max((value - low) / (high - low), 0.0), 1.0)
    return part * part * (3.0 - 2.0 * part)


@compiled
def _mix(one: float, other: float, part: float) -> float:
    return one + (other - one) * part


@compiled
def fading(value: float) -> float:
    """Exponential of a number up to 0, to 1e-8; 0 below -20."""
    if value < -20.0:
        return 0.0
    x = value / 256.0
    found = 1.0 + x * (1.0 + x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 24.0 + x / 120.0))))
    for _ in range(8):
        found *= found
    return found


@compiled
def _past(outside: float, along: float) -> float:
    """Lamp's share past a body whose outline is at a signed distance."""
    width = _SOFT * along + 0.02
    return _step(-width, width, outside)


@compiled
def _past_box(start: Vector, way: Vector, half: Vector) -> float:
    """Lamp's share past a box around 0, along a ray."""
    enter, leave, top = 0.0, 1e9, 1e9
    for axis in range(3):
        one, other = (-half[axis] - start[axis]) / way[axis], (half[axis] - start[axis]) / way[axis]
        enter, leave = max(enter, min(one, other)), min(leave, max(one, other))
        if axis == 1:
            top = max(one, other)
    return 1.0 if top <= 0.0 else _past(0.5 * (enter - leave), min(enter, top))


@compiled
def _past_sphere(start: Vector, radius: float) -> float:
    along = -(start[0] * _LAMP[0] + start[1] * _LAMP[1] + start[2] * _LAMP[2])
    if along <= 0.0:
        return 1.0
    x, y, z = start[0] + along * _LAMP[0], start[1] + along * _LAMP[1], start[2] + along * _LAMP[2]
    return _past(math.sqrt(x * x + y * y + z * z) - radius, along)


@compiled
def _past_cylinder(start: Vector, half: Vector) -> float:
    enter, leave = max(0.0, (-half[1] - start[1]) / _LAMP[1]), (half[1] - start[1]) / _LAMP[1]
    if leave <= 0.0:
        return 1.0
    level = _LAMP[0] * _LAMP[0] + _LAMP[2] * _LAMP[2]
    nearest = -(start[0] * _LAMP[0] + start[2] * _LAMP[2]) / level
    along = min(max(nearest, enter), max(enter, leave))
    x, z = start[0] + along * _LAMP[0], start[2] + along * _LAMP[2]
    return _past(math.sqrt(x * x + z * z) - half[0], along)


@compiled
def _light(panel: Panel, rows: Integers, spots: Floats, count: int) -> None:
    """Write the spots' shares of lamp and sky past spherical things."""
    spots[LAMP : SKY + 1] = 1.0
    for k in range(panel.things):
        middle, shape = _vector(panel.middles, 0, k), panel.shapes[k]
        _dim(middle, spots, count)
        for i in range(count):
            if spots[INSIDE, i] > 0.0 and spots[LAMP, i] > 0.0 and rows[i] != k:
                spots[LAMP, i] *= _past_thing(shape, _from(middle, _vector(spots, X, i)))
    _beside_machine(panel, rows, spots, count)


@compiled
def _dim(middle: Vector, spots: Floats, count: int) -> None:
    """Dim the sky by a thing, and find the ray's approach to it. The ray goes to the lamp; the thing's radius
    is below 0.9."""
    # Nothing dims itself, as its middle is behind its surface. By selection: so it becomes vector code.
    xs, ys, zs, sky, inside = spots[X], spots[Y], spots[Z], spots[SKY], spots[INSIDE]
    across, up, ahead = spots[NORMAL], spots[NORMAL + 1], spots[NORMAL + 2]
    for i in range(np.uint64(count)):
        x, y, z = xs[i] - middle[0], ys[i] - middle[1], zs[i] - middle[2]
        square, towards = x * x + y * y + z * z, -(across[i] * x + up[i] * y + ahead[i] * z)
        share, towards = 0.22 / square, towards if towards > 0.0 else 0.0
        sky[i] *= 1.0 - 0.85 * towards / math.sqrt(square) * (share if share < 1.0 else 1.0)
        along = -(x * _LAMP[0] + y * _LAMP[1] + z * _LAMP[2])
        reach = 0.92 + _SOFT * (along + 0.9)
        inside[i] = reach * reach - (square - along * along) if along > -0.9 else -1.0


@compiled
def _beside_machine(panel: Panel, rows: Integers, spots: Floats, count: int) -> None:
    """Shade things next to the machine, and write its glow there."""
    middle = _vector(panel.middles, 0, panel.things)
    for i in range(count):
        height = spots[Y, i] / SIZES[MACHINE][1]
        if rows[i] == panel.things or height > 0.98:
            continue
        local = _from(middle, _vector(spots, X, i))
        far = max(0.0, _from_machine(local, 0.0))
        spots[LAMP, i] *= _past_box(local, _LAMP, _MACHINE)
        spots[SKY, i] *= 1.0 - 0.45 * fading(-2.2 * far) * (1.0 - height)
        spots[HALO, i] = fading(-1.6 * far) * (0.4 + 0.6 * spots[SKY, i])


@compiled
def _past_thing(shape: int, start: Vector) -> float:
    if shape == SPHERE:
        return _past_sphere(start, _SPHERE[0])
    if shape == CYLINDER:
        return _past_cylinder(start, _CYLINDER)
    return _past_box(_turned(start, _COS, _SIN), _turned(_LAMP, _COS, _SIN), _CUBE)


@compiled
def _from_machine(local: Vector, margin: float) -> float:
    """Level distance from the machine's outline, inset by a margin; negative inside."""
    x, z = abs(local[0]) - _MACHINE[0] + margin, abs(local[2]) - _MACHINE[2] + margin
    out_x, out_z = max(x, 0.0), max(z, 0.0)
    return math.sqrt(out_x * out_x + out_z * out_z) + float(min(max(x, z), 0.0))


@compiled
def _table(own: Vector, glow: Vector, halo: float, lamp: float, sky: float) -> Vector:
    lit = _SKY_LIGHT * sky + _LAMP_LIGHT * _LAMP[1] * lamp
    return (
        own[0] * (lit + 0.5 * glow[0] * halo),
        own[1] * (lit + 0.5 * glow[1] * halo),
        own[2] * (lit + 0.5 * glow[2] * halo),
    )


@compiled
def _machine(own: Vector, glow: Vector, local: Vector, n: Vector, lamp: float, sky: float) -> Vector:
    """Colour the machine: a casing with a window, and a glass top. The top may glow."""
    towards = max(0.0, n[0] * _LAMP[0] + n[1] * _LAMP[1] + n[2] * _LAMP[2])
    lit = _SKY_LIGHT * sky * (0.7 + 0.3 * n[1]) + _LAMP_LIGHT * lamp * towards
    glass = 0.0
    if n[1] > 0.9:
        glass = _step(0.02, -0.02, _from_machine(local, 0.16))
    elif n[2] < -0.9:
        glass = _step(0.02, 0.0, max(abs(local[0]) - _MACHINE[0] + 0.3, abs(local[1]) - 0.07))
    shine = glass * (0.75 + 0.25 * sky)
    return (
        _mix(own[0], _GLASS[0], glass) * lit + shine * glow[0],
        _mix(own[1], _GLASS[1], glass) * lit + shine * glow[1],
        _mix(own[2], _GLASS[2], glass) * lit + shine * glow[2],
    )


@compiled
def _thing(
    shape: int, metal: bool, own: Vector, glow: Vector, table: Vector, place: Vector, local: Vector,
    n: Vector, look: Vector, lamp: float, sky: float,
) -> Vector:  # fmt: skip
    """Colour a thing of dull rubber, or of reflecting metal."""
    top = SIZES[MACHINE][1]
    on_machine = place[1] - local[1] > top + 0.2
    height = place[1] - (top if on_machine else 0.0)
    below = 0.5 - 0.5 * n[1]
    open_sky = sky * (1.0 - 0.6 * below * fading(-4.0 * max(height, 0.0)))
    lit = _LAMP_LIGHT * max(0.0, n[0] * _LAMP[0] + n[1] * _LAMP[1] + n[2] * _LAMP[2]) * lamp
    turned = 2.0 * (look[0] * n[0] + look[1] * n[1] + look[2] * n[2])
    way = (look[0] - turned * n[0], look[1] - turned * n[1], look[2] - turned * n[2])
    rim = 1.0 - max(0.0, -0.5 * turned)
    rim *= rim * rim * rim * rim * 0.5
    gleam = 0.85 * _gleam(shape, local, n, way, look) * _mix(0.4, 1.0, lamp) if metal else 0.0
    strength = _mix(sky, 1.0, 0.3) * _mix(0.6, 1.0, lamp)
    found = (0.0, 0.0, 0.0)
    for k in range(3):
        ground = 0.14 + 0.7 * glow[k] if on_machine else 0.6 * table[k]
        dull = own[k] * (open_sky * _mix(_SKY_LIGHT, ground, below) + lit)
        if metal:
            mirror = _mirrored(local, way, height, ground) * strength
            dull = _mix(0.3 * dull + _mix(own[k], 0.6, rim) * mirror, 1.0, gleam)
        found = (found[1], found[2], dull)
    return found


@compiled
def _mirrored(local: Vector, way: Vector, height: float, ground: float) -> float:
    """Reflect surroundings: a bright ceiling, a window, the ground at its foot."""
    if way[1] < 0.0:
        far = height / max(0.1, -way[1])
        x, z = local[0] + way[0] * far, local[2] + way[2] * far
        level = _mix(0.7, 1.0, _step(0.0, 0.2, -way[1]))
        return level * _mix(0.12, 1.5 * ground, _step(0.45, 1.2, math.sqrt(x * x + z * z)))
    window = _step(0.90, 0.93, way[0] * _WINDOW[0] + way[1] * _WINDOW[1] + way[2] * _WINDOW[2])
    return _mix(0.10, 0.62, _step(0.0, 0.9, way[1])) + 0.9 * window


@compiled
def _gleam(shape: int, local: Vector, n: Vector, way: Vector, look: Vector) -> float:
    """Reflect the lamp in a polished thing. It is a spot on a sphere and on edges, a line on a cylinder's
    side, a streak across a flat side."""
    spot = way[0] * _LAMP[0] + way[1] * _LAMP[1] + way[2] * _LAMP[2]
    if shape == SPHERE:
        return _step(0.955, 0.985, spot)
    top, off = _step(0.95, 0.99, n[1]), (0.87 * local[0] + 0.5 * local[2]) / 0.13
    streak = 0.62 * top * fading(-off * off)
    if shape == CYLINDER:
        x, z = _LAMP[0] - look[0], _LAMP[2] - look[2]
        lengths = math.sqrt(max((n[0] * n[0] + n[2] * n[2]) * (x * x + z * z), 1e-18))
        across = (n[0] * x + n[2] * z) / lengths
        line = 0.7 * (1.0 - top) * fading(50.0 * (min(across, 1.0) - 1.0))
        return max(max(0.8 * _step(0.955, 0.985, spot), streak), line)
    off = (0.87 * local[0] + 0.6 * local[1] + 0.5 * local[2] + 0.086) / 0.11
    band = 0.3 * (1.0 - top) * fading(-off * off)
    return max(max(0.6 * _step(0.86, 0.98, spot), streak), band)
