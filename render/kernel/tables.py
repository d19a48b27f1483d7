"""Arrays that compiled code draws with: unit meshes, textures, the sky and the tones of a screen.

Making them takes seconds; they are kept in the user's cache. Colours are whole numbers and corners are
rounded, so that they are the same everywhere.
"""

import hashlib
import io
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from platformdirs import user_cache_dir

from arena.errors import EvaluationError
from arena.files import read_bytes, write_file
from render.looks import textures
from render.looks.sky import cube
from render.looks.textures import linear
from render.parts.meshes import Triangles, unit_meshes

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

RAMP = np.arange(2048, dtype=np.float32)
"""The numbers of a row's pixels."""

SIDE_BITS = 10
"""A texture has 2 to the power of this number of texels a side."""

KIND, BASE, RANGE, OPACITY, LOOK_FACTS = 0, 1, 4, 7, 8
"""Facts of a texture layer: its kind, the colour of its darkest texel (times 256), what its lightest has more
(times 65536 / 255 / 4), and its opacity."""

PLAIN, GREY, FOG, COLORED = range(4)
"""Kinds of layers: of one colour, between two, of one in several opacities, and of three channels."""

FULL, CLEAR = 8191, 255
"""Light of 1, and an opacity of 1."""


class Meshes(NamedTuple):
    """All unit meshes: corners and normals (n, 3), and faces of up to four corners.

    `own_corners` and `own_faces` (meshes, 2) are where each one's begin and how many it has. A face has the
    number of its corners and their places in the mesh (5,), and its plane: normal and offset (4,). `smooth`
    meshes are lit at their corners; `most` is the largest number of corners.
    """

    corners: Floats
    normals: Floats
    faces: Integers
    planes: Floats
    own_corners: Integers
    own_faces: Integers
    smooth: npt.NDArray[np.bool_]
    most: int


class Polygons(NamedTuple):
    """Room for n polygons.

    Each has `corners` (k, 2) in pixels, `planes` and `facts` as in `render.kernel.polygons`, `light` (6,):
    red, green and blue without the sun, and what the sun adds.
    """

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


_SOURCES = {
    "render.looks": ("textures.py", "look.py", "sky.py"),
    "render.parts": ("meshes.py", "glyphs.py"),
    "render.kernel": ("tables.py",),
    "arena.geometry": ("shapes.py",),
}
"""Sources of the tables, besides NumPy."""

_MAX_BYTES = 2**26
"""Maximum size of the file, which has 18 MB."""


@cache
def tables() -> tuple[Meshes, Looks]:
    """Meshes and looks, from the user's cache if it holds what the same sources made; do not write to them.

    The cache only saves time: without it, or with a broken file in it, they are made.
    """
    path = _path()
    with suppress(OSError, ValueError, KeyError, zlib.error):
        return _unpacked(read_bytes(path, _MAX_BYTES))
    made = meshes_of(unit_meshes().values()), _looks()
    if path.is_absolute():  # relative without a home
        with suppress(EvaluationError, OSError):
            write_file(path, _packed(*made))
    return made


def _path() -> Path:
    """The file for these sources."""
    digest = hashlib.sha256(np.__version__.encode())
    for package, names in _SOURCES.items():
        for name in names:
            digest.update((files(package) / name).read_bytes())
    folder = Path(user_cache_dir("arena-llm", appauthor=False))
    return folder / f"pictures-{digest.hexdigest()[:16]}.npz"


def _packed(meshes: Meshes, looks: Looks) -> bytes:
    buffer = io.BytesIO()
    arrays = {f"mesh_{name}": value for name, value in meshes._asdict().items()}
    np.savez(buffer, **arrays, **{f"look_{name}": value for name, value in looks._asdict().items()})
    content = buffer.getvalue()
    return hashlib.sha256(content).digest() + content


def _unpacked(packed: bytes) -> tuple[Meshes, Looks]:
    """The tables; raises ValueError or KeyError if they are not whole."""
    content = memoryview(packed)[32:]
    if hashlib.sha256(content).digest() != packed[:32]:
        raise ValueError("the file is damaged")
    with np.load(io.BytesIO(content)) as kept:
        found = {name: kept[f"mesh_{name}"] for name in Meshes._fields}
        meshes = Meshes(**found | {"most": int(found["most"])})
        return meshes, Looks(**{name: kept[f"look_{name}"] for name in Looks._fields})


def meshes_of(made: Iterable[Triangles]) -> Meshes:
    """Meshes as the kernel draws them, from triangles (n, 3, 6) of position and outward normal."""
    found = [_mesh(triangles.astype(float)) for triangles in made]
    corners, normals, faces, planes, smooth = zip(*found, strict=True)
    counts, face_counts = [len(each) for each in corners], [len(each) for each in faces]
    return Meshes(
        np.concatenate(corners),
        np.concatenate(normals),
        np.concatenate(faces),
        np.concatenate(planes),
        _own(counts),
        _own(face_counts),
        np.array(smooth, bool),
        max(counts),
    )


def _own(counts: list[int]) -> Integers:
    return np.column_stack([np.cumsum([0, *counts[:-1]]), counts]).astype(np.int64)


def _mesh(triangles: Floats) -> tuple[Floats, Floats, Integers, Floats, bool]:
    """Corners, normals, faces, planes of one mesh, and whether it is smooth: shares corners between faces."""
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
    level = np.array([_outward(corners[triangle]) for triangle in place]) if smooth else own[:, 0]
    for outline, normal in _faces(corners, place, level):
        faces.append([len(outline), *outline, *[0] * (4 - len(outline))])
        planes.append([*normal, (normal * corners[outline[0]]).sum()])
    return corners, normals, np.array(faces, np.int64), np.array(planes), smooth


def _faces(
    corners: Floats, triangles: npt.NDArray[np.intp], normals: Floats
) -> Iterator[tuple[list[int], Floats]]:
    """Outlines of the triangles; of two in one plane that make a convex face, their common one."""
    used: set[int] = set()
    for k, triangle in enumerate(triangles.tolist()):
        if k in used:
            continue
        outline = triangle
        for other in range(k + 1, min(len(triangles), k + 12)):
            if other in used or np.abs(normals[other] - normals[k]).max() > 1e-9:
                continue
            if joined := _joined(corners, triangle, triangles[other].tolist(), normals[k]):
                outline = joined
                used.add(other)
                break
        yield outline, normals[k]


def _joined(corners: Floats, one: list[int], other: list[int], normal: Floats) -> list[int]:
    """The outline of two triangles with a common edge; empty if there is none or it is not convex."""
    if len(set(one) & set(other)) != 2:
        return []
    (new,) = set(other) - set(one)
    (lone,) = (k for k in range(3) if one[k] not in other)
    outline = [one[lone], one[(lone + 1) % 3], new, one[(lone + 2) % 3]]
    sides = np.roll(corners[outline], -1, axis=0) - corners[outline]
    turns = (np.cross(sides, np.roll(sides, -1, axis=0)) * normal).sum(axis=1)
    return outline if turns.min() > 1e-9 else []


def _outward(triangle: Floats) -> Floats:
    """The unit normal of a triangle whose corners are anticlockwise seen from outside."""
    normal = np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])
    return np.asarray(normal / np.sqrt((normal * normal).sum()))


def _looks() -> Looks:
    """Textures, sky and tones."""
    grey, colored, offsets, plain, facts = _textures(textures.layers())
    edges = linear(np.arange(0.5, 255.0)) * FULL
    red, green, blue = np.moveaxis(cube().astype(np.uint32), -1, 0)
    return Looks(
        grey,
        colored,
        offsets,
        plain,
        facts,
        (red | green << 8 | blue << 16).ravel(),
        np.searchsorted(edges, np.arange(FULL + 1), side="right").astype(np.uint32),
        np.round(linear(np.arange(256.0)) * FULL).astype(np.int64),
    )


def _textures(
    layers: npt.NDArray[np.uint8],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint64], Integers, Integers, Integers]:
    """The layers in as few bytes as each needs, with levels of detail that are means of four texels."""
    offsets = np.zeros((len(layers), SIDE_BITS + 1), np.int64)
    facts, plain = np.zeros((len(layers), LOOK_FACTS), np.int64), np.full(len(layers), -1)
    grey: list[npt.NDArray[np.uint8]] = [np.zeros(1, np.uint8)]
    colored: list[npt.NDArray[np.uint64]] = [np.zeros(1, np.uint64)]
    ends = {"grey": 1, "colored": 1}
    for layer, texels in enumerate(layers.astype(np.int64)):
        first = texels[0, 0]
        if (texels == first).all():
            plain[layer] = (first << np.array([0, 8, 16, 24])).sum()
            continue
        facts[layer], channel = _reduced(texels)
        kept, chosen = ("colored", texels) if facts[layer, KIND] == COLORED else ("grey", channel)
        for level in range(SIDE_BITS + 1):
            offsets[layer, level] = ends[kept]
            ends[kept] += chosen.shape[0] ** 2
            if kept == "grey":
                grey.append(chosen.astype(np.uint8).ravel())
            else:
                lanes = chosen.astype(np.uint64)
                packed = lanes[..., 0] | lanes[..., 1] << 16 | lanes[..., 2] << 32
                colored.append(packed.astype(np.uint64).ravel())
            if level < SIDE_BITS:
                low, high = chosen[::2], chosen[1::2]
                chosen = (low[:, ::2] + high[:, ::2] + low[:, 1::2] + high[:, 1::2] + 2) >> 2
    return np.concatenate(grey), np.concatenate(colored), offsets, plain, facts


def _reduced(texels: Integers) -> tuple[Integers, Integers]:
    """A layer's facts, and its one channel of 0 to 255 if that is enough: to one and a half of 255."""
    low, high = texels.min(axis=(0, 1)), texels.max(axis=(0, 1))
    facts, span = np.zeros(LOOK_FACTS, np.int64), high - low
    facts[BASE : BASE + 3], facts[OPACITY] = low[:3] << 8, low[3]
    if not span[:3].any():
        facts[KIND] = FOG
        return facts, texels[..., 3]
    widest = int(np.argmax(span[:3]))
    channel = np.round((texels[..., widest] - low[widest]) * 255 / span[widest]).astype(np.int64)
    fitted = low[:3] + channel[..., None] * span[:3] / 255
    if span[3] or np.abs(fitted - texels[..., :3]).max() > 1.5:
        facts[KIND] = COLORED
        return facts, channel
    facts[KIND] = GREY
    facts[RANGE : RANGE + 3] = np.round(span[:3] * 65536 / 255).astype(np.int64) >> 2
    return facts, channel
