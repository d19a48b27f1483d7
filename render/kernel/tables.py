"""Arrays for compiled drawing: unit meshes, textures, sky and screen tones.

Making them takes seconds; they are kept in the user's cache. Colours are whole numbers and corners are
rounded, so that they are the same everywhere.
"""

import inspect
import io
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.lib.format import open_memmap
from platformdirs import user_cache_dir

from arena.errors import EvaluationError
from arena.files import write_file
from arena.geometry import shapes
from render.looks import look, sky, textures
from render.looks.textures import linear
from render.parts import glyphs, meshes

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

RAMP = np.arange(2048, dtype=np.float32)
"""The numbers of a row's pixels."""

SIDE_BITS = 10
"""Binary logarithm of a texture's texels a side."""

KIND, BASE, RANGE, OPACITY, LOOK_FACTS = 0, 1, 4, 7, 8
"""Facts of a texture layer: kind, base colour, range and opacity. The base is the colour of its darkest texel
(times 256), the range the difference of its lightest (times 65536 / 255 / 4)."""

PLAIN, GREY, FOG, COLORED = range(4)
"""Kinds of layers: one colour, two colours, varying opacity, and three channels."""

FULL, CLEAR = 8191, 255
"""Light of 1, and an opacity of 1."""


class Meshes(NamedTuple):
    """All unit meshes: corners, normals (n, 3), and faces.

    `own_corners` and `own_faces` (meshes, 2) are where each one's begin and how many it has. A face has the
    number of its corners, up to four, and their places in the mesh (5,), and its plane: normal and offset
    (4,). `smooth` meshes are lit at their corners.
    """

    corners: Floats
    normals: Floats
    faces: Integers
    planes: Floats
    own_corners: Integers
    own_faces: Integers
    smooth: npt.NDArray[np.bool_]


class Polygons(NamedTuple):
    """Room for n polygons. Each has `corners` (k, 2) in pixels, `planes` and `facts` as in
    `render.kernel.polygons`, `light` (6,): red, green and blue without the sun, and the sun's share."""

    corners: Floats
    planes: Floats
    light: Floats
    facts: Integers


class Looks(NamedTuple):
    """Textures, sky and tones.

    `plain` (layers,) is the colour, red first and opacity last in four bytes, of layers that have one alone,
    else -1. The others are in `grey` or `colored`, each level of detail from its place in `offsets` (layers,
    levels) on, with `facts` as below. `sky` is a cube of pixels. `encode` turns linear light, 0 to 8191, into
    sRGB bytes; `decode` does the reverse.
    """

    grey: npt.NDArray[np.uint8]
    colored: npt.NDArray[np.uint64]
    offsets: Integers
    plain: Integers
    facts: Integers
    sky: npt.NDArray[np.uint32]
    encode: npt.NDArray[np.uint32]
    decode: Integers


_SOURCES = (textures, look, sky, meshes, glyphs, shapes, sys.modules[__name__])
"""Sources of the tables, besides NumPy."""

_SUM_BYTES = 4


@cache
def tables() -> tuple[Meshes, Looks]:
    """Return meshes and looks, cached by their sources; read-only. The user's cache only saves time: without
    it, or with a broken file in it, they are made."""
    digest = sha256(np.__version__.encode())
    for module in _SOURCES:
        digest.update(inspect.getsource(module).encode())
    path = Path(user_cache_dir("arena-llm", appauthor=False), f"pictures-{digest.hexdigest()[:16]}.npy")
    with suppress(OSError, ValueError):
        return _of_file(path)
    made = meshes_of(meshes.unit_meshes().values()), _looks()
    if path.is_absolute():  # relative without a home
        with suppress(EvaluationError, OSError):
            write_file(path, _as_file(*made))
    return made


def _as_file(meshes: Meshes, looks: Looks) -> bytes:
    """Return the tables as a NumPy file of one record, with checksum."""
    arrays = meshes._asdict() | looks._asdict()
    kinds = np.dtype([(name, each.dtype, each.shape) for name, each in arrays.items()], align=True)
    buffer = io.BytesIO()
    np.save(buffer, np.array([tuple(arrays.values())], kinds))
    return buffer.getvalue() + zlib.crc32(buffer.getbuffer()).to_bytes(_SUM_BYTES)


def _of_file(path: Path) -> tuple[Meshes, Looks]:
    """Return the tables, in memory that processes share. Raises ValueError if they are not whole."""
    whole = np.memmap(path, np.uint8, "r")
    if zlib.crc32(whole[:-_SUM_BYTES].data) != int.from_bytes(whole[-_SUM_BYTES:]):
        raise ValueError("the file is damaged")
    record = np.asarray(open_memmap(path, "c"))
    of_meshes, of_looks = ([record[name][0] for name in each._fields] for each in (Meshes, Looks))
    return Meshes(*of_meshes), Looks(*of_looks)


def meshes_of(made: Iterable[meshes.Triangles]) -> Meshes:
    """Return drawable meshes of triangles (n, 3, 6): positions and outward normals."""
    found = [_mesh(triangles.astype(float)) for triangles in made]
    *arrays, smooth = zip(*found, strict=True)
    counts = (np.array([len(each) for each in arrays[k]]) for k in (0, 2))
    own = (np.column_stack([np.cumsum(each) - each, each]) for each in counts)
    return Meshes._make([*map(np.concatenate, arrays), *own, np.array(smooth, bool)])


def _mesh(triangles: Floats) -> tuple[Floats, Floats, Integers, Floats, bool]:
    """Return corners, normals, faces, planes and smoothness of a mesh. Smooth faces share corners."""
    corners, place = np.unique(triangles[..., :3].reshape(-1, 3), axis=0, return_inverse=True)
    place = place.reshape(-1, 3)
    one, two, three = corners[place].transpose(1, 0, 2)
    outwards = (np.cross(two - one, three - one) * triangles[..., 3:].sum(axis=1)).sum(axis=1)
    turned, kept = outwards[:, None, None] < 0, np.abs(outwards) > 1e-12
    own = np.where(turned, triangles[:, ::-1], triangles)[kept, :, 3:]
    place = np.where(turned[..., 0], place[:, ::-1], place)[kept]
    normals = np.zeros_like(corners)
    normals[place] = own
    smooth = bool((own != own[:, :1]).any())
    faces, planes = [], []
    level = own[:, 0]
    if smooth:
        one, two, three = corners[place].transpose(1, 0, 2)
        level = np.cross(two - one, three - one)
        level /= np.sqrt((level * level).sum(axis=1, keepdims=True))
    for outline, normal in _faces(corners, place, level):
        faces.append([len(outline), *outline, *[0] * (4 - len(outline))])
        planes.append([*normal, (normal * corners[outline[0]]).sum()])
    return corners, normals, np.array(faces, np.int64), np.array(planes), smooth


def _faces(
    corners: Floats, triangles: npt.NDArray[np.intp], normals: Floats
) -> Iterator[tuple[list[int], Floats]]:
    """Outlines of the triangles. Of two in a row that make a flat, convex face, their common one."""
    k = 0
    while k < len(triangles):
        joined = _joined(corners, triangles[k : k + 2].tolist(), normals[k : k + 2])
        yield joined or triangles[k].tolist(), normals[k]
        k += 2 if joined else 1


def _joined(corners: Floats, pair: list[list[int]], normals: Floats) -> list[int]:
    """Return two triangles' outline. Empty without a common edge, or if not flat and convex."""
    if np.ptp(normals, axis=0).max() > 1e-9 or len(set(pair[0]) & set(pair[-1])) != 2:
        return []
    one, other = pair
    (new,) = set(other) - set(one)
    (lone,) = (k for k in range(3) if one[k] not in other)
    outline = [one[lone], one[(lone + 1) % 3], new, one[(lone + 2) % 3]]
    sides = np.roll(corners[outline], -1, axis=0) - corners[outline]
    turns = (np.cross(sides, np.roll(sides, -1, axis=0)) * normals[0]).sum(axis=1)
    return outline if turns.min() > 1e-9 else []


def _looks() -> Looks:
    """Textures, sky and tones."""
    edges = linear(np.arange(0.5, 255.0)) * FULL
    return Looks(
        *_textures(textures.layers()),
        _packed(sky.cube().astype(np.int64), 8).astype(np.uint32).ravel(),
        np.searchsorted(edges, np.arange(FULL + 1), side="right").astype(np.uint32),
        np.round(linear(np.arange(256.0)) * FULL).astype(np.int64),
    )


def _packed(channels: Integers, bits: int) -> Integers:
    """Channels (..., n) in one number, the first in its lowest bits."""
    return np.asarray((channels << bits * np.arange(channels.shape[-1])).sum(axis=-1))


def _textures(
    layers: npt.NDArray[np.uint8],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint64], Integers, Integers, Integers]:
    """Return the layers, each in as few bytes as it needs. Levels of detail are means of four texels."""
    offsets = np.zeros((len(layers), SIDE_BITS + 1), np.int64)
    facts, plain = np.zeros((len(layers), LOOK_FACTS), np.int64), np.full(len(layers), -1)
    grey, colored = [np.zeros(1, np.int64)], [np.zeros(1, np.int64)]
    for layer, texels in enumerate(layers.astype(np.int64)):
        if (texels == texels[0, 0]).all():
            plain[layer] = _packed(texels[0, 0], 8)
            continue
        facts[layer], chosen = _reduced(texels)
        kept = colored if facts[layer, KIND] == COLORED else grey
        for level in range(SIDE_BITS + 1):
            offsets[layer, level] = sum(map(len, kept))
            kept.append(_packed(chosen, 16).ravel())
            half = len(chosen) // 2
            if half:
                chosen = (chosen.reshape(half, 2, half, 2, -1).sum(axis=(1, 3)) + 2) >> 2
    whole = np.concatenate(grey).astype(np.uint8), np.concatenate(colored).astype(np.uint64)
    return *whole, offsets, plain, facts


def _reduced(texels: Integers) -> tuple[Integers, Integers]:
    """Return a layer's facts and its texels. Texels are one channel of 0 to 255 if that is enough, one and a
    half, or all three."""
    low, high = texels.min(axis=(0, 1)), texels.max(axis=(0, 1))
    facts, span = np.zeros(LOOK_FACTS, np.int64), high - low
    facts[BASE : BASE + 3], facts[OPACITY] = low[:3] << 8, low[3]
    if not span[:3].any():
        facts[KIND] = FOG
        return facts, texels[..., 3:]
    widest = int(np.argmax(span[:3]))
    channel = np.round((texels[..., widest] - low[widest]) * 255 / span[widest]).astype(np.int64)
    fitted = low[:3] + channel[..., None] * span[:3] / 255
    if span[3] or np.abs(fitted - texels[..., :3]).max() > 1.5:
        facts[KIND] = COLORED
        return facts, texels[..., :3]
    facts[KIND] = GREY
    facts[RANGE : RANGE + 3] = np.round(span[:3] * 65536 / 255).astype(np.int64) >> 2
    return facts, channel[..., None]
