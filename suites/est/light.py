"""Light on EST's table, in compiled code: one large lamp, a bright sky, and what polished things mirror.

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

_LAMP = np.array([-0.46, 0.80, -0.385])
_WINDOW = np.array([0.816, 0.429, -0.388])
"""Directions, of length 1."""

_SOFT = 0.16
"""Half the lamp's width at a distance of 1."""

_LAMP_LIGHT, _SKY_LIGHT = 0.74, 0.54
_GLASS = np.array([0.11, 0.16, 0.23])
"""The machine's top while it is dark."""

_TONES = 8191.0


class Panel(NamedTuple):
    """A panel: a row for each thing, then the machine and the table.

    `shapes` (rows,) as above, `metal` (rows,), `colors` (rows, 3) linear, `middles` (rows, 3); `halves`
    (4, 3) are half the sizes of the shapes and of the machine, `edge` is the radius of their edges, `turn`
    cosine and sine of the cubes' angle, `glow` (3,) what the machine's top emits, `things` their number.
    """

    shapes: Integers
    metal: npt.NDArray[np.bool_]
    colors: Floats
    middles: Floats
    halves: Floats
    edge: float
    turn: tuple[float, float]
    glow: Floats
    things: int


Vector = tuple[float, float, float]


@compiled
def paint(
    shown: Shown, planes: Floats, facts: Integers, panel: Panel, eye: Floats, rays: Floats,
    encode: npt.NDArray[np.uint32], frame: npt.NDArray[np.uint8], top: int, bottom: int,
) -> None:  # fmt: skip
    """Draw rows of a picture (height, width, 3) from polygons shown at four places in each of its pixels.

    Each thing is lit once a pixel, in the middle of the places where it shows.
    """
    width = frame.shape[1]
    at, rows, weights = np.empty((4, 3)), np.empty(4, np.int64), np.empty(4)
    for y in range(top, bottom):
        for x in range(width):
            count = _rows_at(shown, planes, facts, 2 * x, 2 * y, rays, rows, weights, at)
            red = green = blue = 0.0
            for k in range(count):
                part = 1.0 / weights[k]
                place = (eye[0] + at[k, 0] * part, eye[1] + at[k, 1] * part, eye[2] + at[k, 2] * part)
                r, g, b = color(panel, rows[k], place, (eye[0], eye[1], eye[2]))
                red, green, blue = (
                    red + 0.25 * weights[k] * r,
                    green + 0.25 * weights[k] * g,
                    blue + 0.25 * weights[k] * b,
                )
            frame[y, x, 0] = encode[int(min(max(red, 0.0), 1.0) * _TONES + 0.5)]
            frame[y, x, 1] = encode[int(min(max(green, 0.0), 1.0) * _TONES + 0.5)]
            frame[y, x, 2] = encode[int(min(max(blue, 0.0), 1.0) * _TONES + 0.5)]


@compiled
def _rows_at(
    shown: Shown, planes: Floats, facts: Integers, left: int, top: int, rays: Floats,
    rows: Integers, weights: Floats, at: Floats,
) -> int:  # fmt: skip
    """The rows that show at the four places of a pixel: how often, and the sum of where, from the eye."""
    count = 0
    for y in range(top, top + 2):
        for x in range(left, left + 2):
            polygon = shown[y, x]
            if polygon == NOTHING:
                continue
            row, k = facts[polygon, ROW_NUMBER], 0
            while k < count and rows[k] != row:
                k += 1
            if k == count:
                rows[k], weights[k], at[k, 0], at[k, 1], at[k, 2] = row, 0.0, 0.0, 0.0, 0.0
                count += 1
            a, b, c = planes[polygon, DEPTH]
            far = 1.0 / (a + b * (x + 0.5) + c * (y + 0.5))
            right, down = 2.0 * (x + 0.5) / shown.shape[1] - 1.0, 2.0 * (y + 0.5) / shown.shape[0] - 1.0
            weights[k] += 1.0
            for axis in range(3):
                at[k, axis] += far * (rays[axis, 0] * right + rays[axis, 1] * down + rays[axis, 2])
    return count


@compiled
def color(panel: Panel, row: int, place: Vector, eye: Vector) -> Vector:
    """The light that comes from a place of a row to the eye."""
    shape, middle = panel.shapes[row], panel.middles[row]
    local = (place[0] - middle[0], place[1] - middle[1], place[2] - middle[2])
    n = _normal(panel, shape, local)
    lamp, sky = _light(panel, row, place, n)
    if shape == TABLE:
        return _table(panel, row, place, lamp, sky)
    if shape == MACHINE:
        return _machine(panel, row, place, local, n, lamp, sky)
    look = _unit((place[0] - eye[0], place[1] - eye[1], place[2] - eye[2]))
    return _thing(panel, row, place, local, n, look, lamp, sky)


@compiled
def _normal(panel: Panel, shape: int, local: Vector) -> Vector:
    """The normal of a body with round edges at a place on it, in its own frame and the table's."""
    if shape == TABLE:
        return (0.0, 1.0, 0.0)
    if shape == SPHERE:
        return _unit(local)
    half, edge, (cos, sin) = panel.halves[shape], panel.edge, panel.turn
    if shape == CYLINDER:
        across = math.sqrt(local[0] * local[0] + local[2] * local[2])
        out, up = across - min(across, half[0] - edge), _beyond(local[1], half[1] - edge)
        part = out / max(across, 1e-9)
        return _unit((local[0] * part, up, local[2] * part))
    if shape == MACHINE:
        cos, sin = 1.0, 0.0
    x, y, z = _turned(local, cos, sin)
    x, y, z = _beyond(x, half[0] - edge), _beyond(y, half[1] - edge), _beyond(z, half[2] - edge)
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
    """Smoothly from 0 at `low` to 1 at `high`."""
    part = min(max((value - low) / (high - low), 0.0), 1.0)
    return part * part * (3.0 - 2.0 * part)


@compiled
def _mix(one: float, other: float, part: float) -> float:
    return one + (other - one) * part


@compiled
def fading(value: float) -> float:
    """The exponential of a number up to 0, to 1e-8; below -20 it is 0."""
    if value < -20.0:
        return 0.0
    x = value / 256.0
    found = 1.0 + x * (1.0 + x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 24.0 + x / 120.0))))
    for _ in range(8):
        found *= found
    return found


@compiled
def _past(outside: float, along: float) -> float:
    """Share of the lamp seen past a body whose outline the ray passes at a signed distance."""
    width = _SOFT * along + 0.02
    return _step(-width, width, outside)


@compiled
def _past_box(start: Vector, way: Vector, half: Floats) -> float:
    """Share of the lamp seen past a box around 0, by a ray from a place into a direction."""
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
def _past_cylinder(start: Vector, half: Floats) -> float:
    enter, leave = max(0.0, (-half[1] - start[1]) / _LAMP[1]), (half[1] - start[1]) / _LAMP[1]
    if leave <= 0.0:
        return 1.0
    level = _LAMP[0] * _LAMP[0] + _LAMP[2] * _LAMP[2]
    nearest = -(start[0] * _LAMP[0] + start[2] * _LAMP[2]) / level
    along = min(max(nearest, enter), max(enter, leave))
    x, z = start[0] + along * _LAMP[0], start[2] + along * _LAMP[2]
    return _past(math.sqrt(x * x + z * z) - half[0], along)


@compiled
def _light(panel: Panel, row: int, place: Vector, n: Vector) -> tuple[float, float]:
    """Shares of the lamp and the sky that a place sees past other things, each a ball before the sky."""
    lamp = sky = 1.0
    for k in range(panel.things):
        if k == row:
            continue
        middle = panel.middles[k]
        start = (place[0] - middle[0], place[1] - middle[1], place[2] - middle[2])
        square = start[0] * start[0] + start[1] * start[1] + start[2] * start[2]
        towards = -(n[0] * start[0] + n[1] * start[1] + n[2] * start[2])
        if towards > 0.0:
            sky *= 1.0 - 0.85 * towards / math.sqrt(square) * min(1.0, 0.22 / square)
        if lamp > 0.0 and _may_shade(start, square):
            lamp *= _past_thing(panel, panel.shapes[k], start)
    height = place[1] / (2.0 * panel.halves[MACHINE, 1])
    if panel.shapes[row] == MACHINE or height > 0.98:
        return lamp, sky
    middle = panel.middles[panel.things]
    start = (place[0] - middle[0], place[1] - middle[1], place[2] - middle[2])
    lamp *= _past_box(start, (_LAMP[0], _LAMP[1], _LAMP[2]), panel.halves[MACHINE])
    sky *= 1.0 - 0.45 * fading(-2.2 * max(0.0, _from_machine(panel, place, 0.0))) * (1.0 - height)
    return lamp, sky


@compiled
def _may_shade(start: Vector, square: float) -> bool:
    """Tell whether the ray to the lamp comes near a thing, whose radius is below 0.9."""
    along = -(start[0] * _LAMP[0] + start[1] * _LAMP[1] + start[2] * _LAMP[2])
    reach = 0.92 + _SOFT * max(along + 0.9, 0.0)
    return bool(along > -0.9 and square - along * along < reach * reach)


@compiled
def _past_thing(panel: Panel, shape: int, start: Vector) -> float:
    if shape == SPHERE:
        return _past_sphere(start, panel.halves[SPHERE, 0])
    if shape == CYLINDER:
        return _past_cylinder(start, panel.halves[CYLINDER])
    cos, sin = panel.turn
    lamp = _turned((_LAMP[0], _LAMP[1], _LAMP[2]), cos, sin)
    return _past_box(_turned(start, cos, sin), lamp, panel.halves[CUBE])


@compiled
def _from_machine(panel: Panel, place: Vector, margin: float) -> float:
    """Distance on the level from the machine's outline, drawn in by a margin; negative inside."""
    middle, half = panel.middles[panel.things], panel.halves[MACHINE]
    x, z = abs(place[0] - middle[0]) - half[0] + margin, abs(place[2] - middle[2]) - half[2] + margin
    out_x, out_z = max(x, 0.0), max(z, 0.0)
    return math.sqrt(out_x * out_x + out_z * out_z) + float(min(max(x, z), 0.0))


@compiled
def _table(panel: Panel, row: int, place: Vector, lamp: float, sky: float) -> Vector:
    halo = fading(-1.6 * max(0.0, _from_machine(panel, place, 0.0))) * (0.4 + 0.6 * sky)
    lit, own, glow = _SKY_LIGHT * sky + _LAMP_LIGHT * _LAMP[1] * lamp, panel.colors[row], panel.glow
    return (
        own[0] * (lit + 0.5 * glow[0] * halo),
        own[1] * (lit + 0.5 * glow[1] * halo),
        own[2] * (lit + 0.5 * glow[2] * halo),
    )


@compiled
def _machine(
    panel: Panel, row: int, place: Vector, local: Vector, n: Vector, lamp: float, sky: float
) -> Vector:
    """The machine: a casing with a window in front, and a top of glass that may glow."""
    half = panel.halves[MACHINE]
    towards = max(0.0, n[0] * _LAMP[0] + n[1] * _LAMP[1] + n[2] * _LAMP[2])
    lit = _SKY_LIGHT * sky * (0.7 + 0.3 * n[1]) + _LAMP_LIGHT * lamp * towards
    glass = 0.0
    if n[1] > 0.9:
        glass = _step(0.02, -0.02, _from_machine(panel, place, 0.16))
    elif n[2] < -0.9:
        glass = _step(0.02, 0.0, max(abs(local[0]) - half[0] + 0.3, abs(local[1]) - 0.07))
    shine = glass * (0.75 + 0.25 * sky)
    own, glow = panel.colors[row], panel.glow
    return (
        _mix(own[0], _GLASS[0], glass) * lit + shine * glow[0],
        _mix(own[1], _GLASS[1], glass) * lit + shine * glow[1],
        _mix(own[2], _GLASS[2], glass) * lit + shine * glow[2],
    )


@compiled
def _thing(
    panel: Panel, row: int, place: Vector, local: Vector, n: Vector, look: Vector, lamp: float, sky: float
) -> Vector:
    """A thing of rubber, which is dull, or of metal, which mirrors what is around it."""
    top = 2.0 * panel.halves[MACHINE, 1]
    on_machine = panel.middles[row, 1] > top + 0.2
    height = place[1] - (top if on_machine else 0.0)
    below = 0.5 - 0.5 * n[1]
    open_sky = sky * (1.0 - 0.6 * below * fading(-4.0 * max(height, 0.0)))
    lit = _LAMP_LIGHT * max(0.0, n[0] * _LAMP[0] + n[1] * _LAMP[1] + n[2] * _LAMP[2]) * lamp
    turned = 2.0 * (look[0] * n[0] + look[1] * n[1] + look[2] * n[2])
    way = (look[0] - turned * n[0], look[1] - turned * n[1], look[2] - turned * n[2])
    rim = 1.0 - max(0.0, -0.5 * turned)
    rim *= rim * rim * rim * rim * 0.5
    gleam = (
        0.85 * _gleam(panel.shapes[row], local, n, way, look) * _mix(0.4, 1.0, lamp)
        if panel.metal[row]
        else 0.0
    )
    strength = _mix(sky, 1.0, 0.3) * _mix(0.6, 1.0, lamp)
    found = (0.0, 0.0, 0.0)
    for k in range(3):
        own = panel.colors[row, k]
        ground = 0.14 + 0.7 * panel.glow[k] if on_machine else 0.6 * panel.colors[panel.things + 1, k]
        dull = own * (open_sky * _mix(_SKY_LIGHT, ground, below) + lit)
        if panel.metal[row]:
            mirror = _mirrored(local, way, height, ground) * strength
            dull = _mix(0.3 * dull + _mix(own, 0.6, rim) * mirror, 1.0, gleam)
        found = (found[1], found[2], dull)
    return found


@compiled
def _mirrored(local: Vector, way: Vector, height: float, ground: float) -> float:
    """Mirror what is around a polished thing: a bright ceiling, a window, the ground at its foot."""
    if way[1] < 0.0:
        far = height / max(0.1, -way[1])
        x, z = local[0] + way[0] * far, local[2] + way[2] * far
        level = _mix(0.7, 1.0, _step(0.0, 0.2, -way[1]))
        return level * _mix(0.12, 1.5 * ground, _step(0.45, 1.2, math.sqrt(x * x + z * z)))
    window = _step(0.90, 0.93, way[0] * _WINDOW[0] + way[1] * _WINDOW[1] + way[2] * _WINDOW[2])
    return _mix(0.10, 0.62, _step(0.0, 0.9, way[1])) + 0.9 * window


@compiled
def _gleam(shape: int, local: Vector, n: Vector, way: Vector, look: Vector) -> float:
    """The lamp in a polished thing.

    It is a spot on a sphere and on edges, a line on a cylinder's side, a streak across what is flat.
    """
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
