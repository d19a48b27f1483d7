"""Shading of spans: texture, shadow and light of each visible pixel.

Each is computed once. Colours are whole numbers: a texture's from 0 to 65280 (255 x 256), light from 0 to
8191 and beyond, their product from 0 to 8191, which a table turns into sRGB. Loops over unsigned numbers
become vector code.
"""

import numpy as np
import numpy.typing as npt

from arena.kernel.compiled import compiled
from render.kernel.polygons import FLAGS, LAYER, RED, ROUND, SUN_X, SUNLIGHT, SUNNY, TEXTURED, U, V, W
from render.kernel.tables import (
    BASE,
    CLEAR,
    COLORED,
    FOG,
    FULL,
    KIND,
    OPACITY,
    RAMP,
    RANGE,
    SIDE_BITS,
    Floats,
    Integers,
    Looks,
    Polygons,
)
from render.kernel.visible import END, LEFT, LINE, NOTHING, POLYGON, Shown
from render.looks.sky import SKY_SIDE

Pixels = npt.NDArray[np.uint32]
Line = npt.NDArray[np.int32]
Values = npt.NDArray[np.float32]
SunMap = npt.NDArray[np.uint16]

_LIGHT, _COLOR, _OPACITY, _SUN, _ACROSS, _UP, _DEEP, _T00, _T10, _T01, _T11, _LINES = 0, 3, *range(6, 16)
"""Whole numbers of each pixel of a span. Its light and colour (three each), opacity, share of sun, a place in
a texture or the sun's map, and four texels around it."""

_DISTANCE, _STEP, _FACTOR = range(3)
_REALS = 3
"""Fractions of each pixel. These are w, the texels' distance, and factors from coordinates to texels."""

_SCALE = 8224.0
"""Light of 1. 65280 times it, divided by 65536, is just below 8192."""

_LEAST_W, _LARGEST = np.float32(1e-4), np.float32(1e9)
"""Bounds that keep every number within the range of its integer."""

_DIAGONAL = np.float32(1024.0 * 1.41421354)
"""Root of two, by which texels per pixel choose a texture's level. It is the one below them, along x or y."""

_EXPONENT, _EXPONENT_BITS = np.int32(0x7F800000), 23
_TEXEL = (127 + 127 + 18) << 23
"""Bits of a float's exponent. Less a level's, those of the factor to 1/256 of that level's texels."""

_LOW, _16, _32 = np.uint64(0xFFFF), np.uint64(16), np.uint64(32)
_1, _8, _255, _ONE = np.int32(1), np.int32(8), np.int32(255), np.uint32(1)

_FINER = np.int32(4 ** (SIDE_BITS + 1) // 3)
"""Texels of a layer's levels together, less those of its last. Shifted by two bits for each level."""


@compiled
def shade(
    spans: Shown, count: int, polygons: Polygons, opaque: int, looks: Looks, sun_map: SunMap, rays: Floats,
    pixels: Pixels,
) -> None:  # fmt: skip
    """Draw the first spans of a list into pixels (height, width, 3). They are drawn in their order. Polygons
    from number `opaque` on are blended with the pixels behind them."""
    _, planes, light, facts = polygons
    height, width = pixels.shape
    flat, shadows = pixels.ravel(), sun_map.ravel()
    line, real = np.empty((_LINES, width), np.int32), np.empty((_REALS, width), np.float32)
    bits = real.view(np.int32)
    for each in range(count):
        row, start, k = int(spans[each, LINE]), int(spans[each, LEFT]), int(spans[each, POLYGON])
        n, blended = np.uint64(spans[each, END] - start), k >= opaque
        base = np.uint64(row * width + start)
        if k == NOTHING:
            _sky(looks.sky, rays, row, start, n, height, width, line, flat, base)
            continue
        flags, layer = facts[k, FLAGS], facts[k, LAYER]
        x, y, plain = start + 0.5, row + 0.5, looks.plain[layer]
        if flags == 0 and plain >= 0 and not blended:
            _fill(flat, base, n, plain, light, k, looks.encode)
            continue
        if flags:
            begin, slope = _along(planes, k, W, x, y)
            for i in range(n):
                real[_DISTANCE, i] = np.float32(1.0) / max(begin + slope * RAMP[i], _LEAST_W)
        if flags & TEXTURED:
            _levels(planes, k, x, y, n, line, real, bits)
            _around(looks.offsets[layer, 0], n, line, bits)
            if looks.facts[layer, KIND] == COLORED:
                _colored(looks.colored, n, line)
            else:
                _grey(looks.grey, looks.facts, layer, n, line)
        else:
            for channel in range(4):
                texel = np.int32(((plain >> (8 * channel)) & 255) << (8 if channel < 3 else 0))
                for i in range(n):
                    line[_COLOR + channel, i] = texel
        if flags & SUNNY:
            _shadow(planes, k, x, y, n, shadows, sun_map.shape[1], line, real)
        else:
            for i in range(n):
                line[_SUN, i] = 0
        if flags & ROUND:
            _round(planes, k, x, y, n, light, line, real)
        else:
            _flat(light, k, n, line)
        _store(flat, base, n, looks.encode, looks.decode, blended, line)


@compiled
def _along(planes: Floats, k: int, which: int, x: float, y: float) -> tuple[np.float32, np.float32]:
    """Return a value at a pixel's place, and its step per pixel."""
    plane = planes[k, which, 0] + planes[k, which, 1] * x + planes[k, which, 2] * y
    return np.float32(plane), np.float32(planes[k, which, 1])


@compiled
def _fill(
    flat: Pixels, base: np.uint64, n: np.uint64, plain: int, light: Floats, k: int, encode: Pixels
) -> None:
    """Pixels of one colour, without texture and sun."""
    color = np.uint32(0)
    for channel in range(3):
        texel = ((plain >> (8 * channel)) & 255) << 8
        value = min((texel * int(light[k, channel] * _SCALE)) >> 16, FULL)
        color |= np.uint32(encode[value]) << np.uint32(8 * channel)
    for i in range(n):
        flat[base + i] = color


@compiled
def _levels(
    planes: Floats, k: int, x: float, y: float, n: np.uint64, line: Line, real: Values, bits: Line
) -> None:
    """Find the texels' distance along a span, and their level's places. Places are in 1/256 texels."""
    u, du = _along(planes, k, U, x, y)
    v, dv = _along(planes, k, V, x, y)
    dw, ew = np.float32(planes[k, W, 1]), np.float32(planes[k, W, 2])
    eu, ev = np.float32(planes[k, U, 2]), np.float32(planes[k, V, 2])
    for i in range(n):
        w = real[_DISTANCE, i]
        here, there = (u + du * RAMP[i]) * w, (v + dv * RAMP[i]) * w
        along = max(abs(du - here * dw), abs(dv - there * dw))
        widest = max(along, max(abs(eu - here * ew), abs(ev - there * ew)))
        real[_STEP, i] = min(max(widest * w * _DIAGONAL, np.float32(1.0)), np.float32(1500.0))
    for i in range(n):
        bits[_FACTOR, i] = _TEXEL - (bits[_STEP, i] & _EXPONENT)
    for i in range(n):
        part = real[_DISTANCE, i] * real[_FACTOR, i]
        here, there = (u + du * RAMP[i]) * part, (v + dv * RAMP[i]) * part
        line[_ACROSS, i] = np.int32(min(max(here, -_LARGEST), _LARGEST)) - np.int32(128)
        line[_UP, i] = np.int32(min(max(there, -_LARGEST), _LARGEST)) - np.int32(128)


@compiled
def _around(start: int, n: np.uint64, line: Line, bits: Line) -> None:
    """Find the four texels around each place, and the fractions. A fraction is the distance from the first;
    coordinates wrap. `start` is the number of the layer's first texel."""
    first_of_layer = np.int32(start)
    for i in range(n):
        level = (bits[_STEP, i] >> _EXPONENT_BITS) - np.int32(127)
        up, mask = np.int32(SIDE_BITS) - level, np.int32((1 << SIDE_BITS) - 1) >> level
        first = first_of_layer + _FINER - (_FINER >> (level + level))
        x, y = line[_ACROSS, i], line[_UP, i]
        column, row = x >> _8, y >> _8
        left, right = column & mask, (column + _1) & mask
        low, high = first + ((row & mask) << up), first + (((row + _1) & mask) << up)
        line[_T00, i], line[_T10, i] = low + left, low + right
        line[_T01, i], line[_T11, i] = high + left, high + right
        line[_ACROSS, i], line[_UP, i] = x & _255, y & _255


@compiled
def _grey(texels: npt.NDArray[np.uint8], facts: Integers, layer: int, n: np.uint64, line: Line) -> None:
    """Find colours between two, or opacities, by the mean of four texels."""
    for i in range(n):
        for corner in range(_T00, _T11 + 1):
            line[corner, i] = texels[np.uint32(line[corner, i])]
    for i in range(n):
        x, y = line[_ACROSS, i], line[_UP, i]
        lower = (line[_T00, i] << _8) + (line[_T10, i] - line[_T00, i]) * x
        upper = (line[_T01, i] << _8) + (line[_T11, i] - line[_T01, i]) * x
        line[_OPACITY, i] = ((lower << _8) + (upper - lower) * y) >> _8
    for channel in range(3):
        darkest, more = np.int32(facts[layer, BASE + channel]), np.int32(facts[layer, RANGE + channel])
        for i in range(n):
            line[_COLOR + channel, i] = darkest + (np.int32((line[_OPACITY, i] >> 1) * more) >> 13)
    fog, opacity = facts[layer, KIND] == FOG, np.int32(facts[layer, OPACITY])
    for i in range(n):
        line[_OPACITY, i] = line[_OPACITY, i] >> 8 if fog else opacity


@compiled
def _colored(texels: npt.NDArray[np.uint64], n: np.uint64, line: Line) -> None:
    """Find colours of three channels in lanes of 16 bits. One product weighs all."""
    for i in range(n):
        x, y = np.int64(line[_ACROSS, i]), np.int64(line[_UP, i])
        both = (x * y + 128) >> 8
        mixed = texels[np.uint32(line[_T00, i])] * np.uint64(256 - x - y + both)
        mixed += texels[np.uint32(line[_T10, i])] * np.uint64(x - both)
        mixed += texels[np.uint32(line[_T01, i])] * np.uint64(y - both)
        mixed += texels[np.uint32(line[_T11, i])] * np.uint64(both)
        line[_COLOR, i], line[_COLOR + 1, i] = np.int32(mixed & _LOW), np.int32((mixed >> _16) & _LOW)
        line[_COLOR + 2, i], line[_OPACITY, i] = np.int32((mixed >> _32) & _LOW), CLEAR


@compiled
def _shadow(
    planes: Floats, k: int, x: float, y: float, n: np.uint64, texels: SunMap, side: int,
    line: Line, real: Values,
) -> None:  # fmt: skip
    """Find sunlight on the pixels of a span, 0 to 256. Four texels of its map are compared and blended."""
    for axis in range(3):
        begin, slope = _along(planes, k, SUN_X + axis, x, y)
        part = np.float32(256.0 if axis < 2 else 1.0)
        for i in range(n):
            place = (begin + slope * RAMP[i]) * real[_DISTANCE, i] * part
            line[_ACROSS + axis, i] = np.int32(min(max(place, -_LARGEST), _LARGEST))
    zero, last, wide = np.int32(0), np.int32(side - 2), np.int32(side)
    for i in range(n):
        right, low = line[_ACROSS, i] - np.int32(128), line[_UP, i] - np.int32(128)
        line[_T00, i] = min(max(low >> _8, zero), last) * wide + min(max(right >> _8, zero), last)
        line[_ACROSS, i], line[_UP, i] = right & _255, low & _255
    for i in range(n):
        first, below = np.uint32(line[_T00, i]), np.uint32(line[_T00, i] + wide)
        line[_T00, i], line[_T10, i] = texels[first], texels[first + _ONE]
        line[_T01, i], line[_T11, i] = texels[below], texels[below + _ONE]
    for i in range(n):
        right, low, far = line[_ACROSS, i], line[_UP, i], line[_DEEP, i]
        both = (np.int32(right * low) + np.int32(128)) >> _8
        seen = np.int32(256) - right - low + both if far <= line[_T00, i] else zero
        seen += right - both if far <= line[_T10, i] else zero
        seen += low - both if far <= line[_T01, i] else zero
        line[_SUN, i] = seen + (both if far <= line[_T11, i] else zero)


@compiled
def _flat(light: Floats, k: int, n: np.uint64, line: Line) -> None:
    """Find the light of a face with constant light except the sun's."""
    for channel in range(3):
        own, of_sun = np.int32(light[k, channel] * _SCALE), np.int32(light[k, 3 + channel] * _SCALE)
        for i in range(n):
            line[_LIGHT + channel, i] = own + (np.int32(of_sun * line[_SUN, i]) >> 8)


@compiled
def _round(
    planes: Floats, k: int, x: float, y: float, n: np.uint64, light: Floats, line: Line, real: Values
) -> None:
    """Light that varies over a face."""
    s, ds = _along(planes, k, SUNLIGHT, x, y)
    scale, part, zero = np.float32(_SCALE), np.float32(1 / 256), np.float32(0.0)
    for channel in range(3):
        own, slope = _along(planes, k, RED + channel, x, y)
        of_sun = np.float32(light[k, 3 + channel])
        for i in range(n):
            sun = (s + ds * RAMP[i]) * part * np.float32(line[_SUN, i])
            value = (own + slope * RAMP[i] + sun * of_sun) * (real[_DISTANCE, i] * scale)
            line[_LIGHT + channel, i] = np.int32(max(value, zero))


@compiled
def _store(
    flat: Pixels, base: np.uint64, n: np.uint64, encode: Pixels, decode: Integers, blended: bool, line: Line
) -> None:
    """Write lit texels as pixels. Translucent ones are blended with those behind in linear light."""
    full = np.int32(FULL)
    for channel in range(3):
        for i in range(n):
            value = np.int32(line[_COLOR + channel, i] * line[_LIGHT + channel, i])
            line[_LIGHT + channel, i] = min(np.int32(value >> 16), full)
        if blended:
            for i in range(n):
                own, behind = np.int64(line[_OPACITY, i]), (np.int64(flat[base + i]) >> (8 * channel)) & 255
                value = line[_LIGHT + channel, i] * own + decode[behind] * (CLEAR - own) + 127
                line[_LIGHT + channel, i] = value // CLEAR
    for i in range(n):
        r, g = encode[np.uint32(line[_LIGHT, i])], encode[np.uint32(line[_LIGHT + 1, i])]
        b = encode[np.uint32(line[_LIGHT + 2, i])]
        flat[base + i] = np.uint32(r | (g << np.uint32(8)) | (b << np.uint32(16)))


@compiled
def _sky(
    sky: Pixels, rays: Floats, row: int, start: int, n: np.uint64, height: int, width: int,
    line: Line, flat: Pixels, base: np.uint64,
) -> None:  # fmt: skip
    """Draw the sky along a span, from a cube's nearest pixel. It is chosen by selection."""
    down, right, step = (row + 0.5) * 2.0 / height - 1.0, (start + 0.5) * 2.0 / width - 1.0, 2.0 / width
    a = np.float32(rays[0, 0] * right + rays[0, 1] * down + rays[0, 2])
    b = np.float32(rays[1, 0] * right + rays[1, 1] * down + rays[1, 2])
    c = np.float32(rays[2, 0] * right + rays[2, 1] * down + rays[2, 2])
    da, db, dc = np.float32(rays[0, 0] * step), np.float32(rays[1, 0] * step), np.float32(rays[2, 0] * step)
    half, zero, last = np.float32(SKY_SIDE / 2), np.float32(0.0), np.int32(SKY_SIDE - 1)
    for i in range(n):
        x, y, z = a + da * RAMP[i], b + db * RAMP[i], c + dc * RAMP[i]
        far_x, far_y, far_z = abs(x), abs(y), abs(z)
        is_x, is_y = (far_x >= far_y) & (far_x >= far_z), far_y >= far_z
        across = (-z if x > zero else z) if is_x else (x if is_y else (x if z > zero else -x))
        up = -y if (is_x or not is_y) else (z if y > zero else -z)
        part = half / (far_x if is_x else (far_y if is_y else far_z))
        sides = np.int32(0 if x > zero else 1), np.int32(2 if y > zero else 3), np.int32(4 if z > zero else 5)
        face = sides[0] if is_x else (sides[1] if is_y else sides[2])
        column, lower = min(np.int32(across * part + half), last), min(np.int32(up * part + half), last)
        line[_ACROSS, i] = (face * np.int32(SKY_SIDE) + lower) * np.int32(SKY_SIDE) + column
    for i in range(n):
        flat[base + i] = sky[np.uint64(np.uint32(line[_ACROSS, i]))]
