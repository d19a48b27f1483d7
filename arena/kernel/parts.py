"""The tables of parts: those of a thing's shape in its own frame, and where they are in the arena."""

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.recfunctions import unstructured_to_structured

from arena.geometry.shapes import boundary_parts, parts_of, prism_vertices, tube_wedges
from arena.kernel.compiled import compiled
from arena.kernel.tables import EDGE, PART, Role
from arena.scene import Floats, Vector
from arena.taskfile.kind import Shape

Parts = npt.NDArray[Any]
"""An array of `arena.kernel.tables.PART`."""

_BYTES = np.dtype((np.void, PART.itemsize))

_SWAP_XZ = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
"""Swaps x and z: a ramp's triangle is in y and z, a prism's section in x and y."""


@cache
def _boundary() -> Parts:
    """The parts of the four walls around the arena, in its frame; one collider each."""
    rows = _boxes(boundary_parts())
    rows["role"] = Role.BOUNDARY
    return rows


@lru_cache(maxsize=1024)
def shape_parts(shape: Shape, size: Vector, fitted: bool = False) -> Parts:
    """The parts of a shape of some size (metres) in its own frame, read-only; `fitted` L, J and U blocks are
    those of version 4 (`arena.taskfile.catalog.Kind`)."""
    if parts := parts_of(shape, size, fitted):
        rows = _boxes(parts)
    elif shape is Shape.PRISM:
        foot, toe, top = prism_vertices(size)[[0, 2, 4]][:, [2, 1]]
        rows = _prisms(np.array([[foot, toe, (toe + top) / 2, top]]), size[0], _SWAP_XZ)
    elif shape is Shape.TUBE:
        rows = _prisms(np.array(tube_wedges(size))[:, :4, :2], size[2], np.eye(3))
    elif shape is Shape.BALL:
        rows = _boxes([((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))])
        rows["rounding"] = rows["radius"] = size[0] / 2
    else:
        rows = _boxes([((0.0, 0.0, 0.0), size)])
    rows.setflags(write=False)
    return rows


def one_table(tables: Sequence[Parts]) -> Parts:
    """A copy of several tables in one."""
    # As bytes: NumPy compares the fields of all tables first.
    return np.concatenate([np.empty(0, _BYTES), *(table.view(_BYTES) for table in tables)]).view(PART)


def arena_parts(things: Sequence[Parts], owners: Iterable[int], boundary: int) -> Parts:
    """The table of an arena: the parts of several things, each with its owner, then those of the boundary.

    `boundary` is the boundary's owner. Colliders are numbered through.
    """
    parts = [*things, _boundary()]
    table, counts = one_table(parts), [len(each) for each in parts]
    table["owner"] = np.repeat([*owners, boundary], counts)
    # No thing has more colliders than parts.
    table["collider"] += np.repeat(np.cumsum([0, *counts[:-1]]), counts)
    return table


def _boxes(boxes: Sequence[tuple[Vector, Vector]]) -> Parts:
    """Boxes with their centres and sizes; each is a collider."""
    rows = np.zeros(len(boxes), PART)
    rows["centre"], rows["axes"] = [centre for centre, _ in boxes], np.eye(3)
    rows["half"] = np.array([size for _, size in boxes]) / 2
    rows["radius"] = np.linalg.norm(rows["half"], axis=1)
    rows["collider"] = np.arange(len(boxes))
    return rows


def _prisms(sections: Floats, length: float, axes: Floats) -> Parts:
    """Prisms of a length over convex sections (k, 4, 2), about their bounding boxes; together a collider.

    The rows of `axes` (3, 3) are their own.
    """
    low, high = sections.min(axis=1), sections.max(axis=1)
    middle, lengths = (low + high) / 2, np.full(len(sections), length)
    rows = np.zeros(len(sections), PART)
    rows["axes"], rows["is_prism"] = axes, True
    rows["centre"] = np.column_stack([middle, np.zeros(len(sections))]) @ axes
    rows["half"] = np.column_stack([high - low, lengths]) / 2
    rows["radius"] = np.linalg.norm(rows["half"], axis=1)
    rows["edges"] = _edges(sections - middle[:, None])
    return rows


def _edges(sections: Floats) -> npt.NDArray[Any]:
    """The sides (k, 4) of convex sections (k, 4, 2) about the origin."""
    along = np.roll(sections, -1, axis=1) - sections
    length = np.hypot(along[..., 0], along[..., 1])[..., None]
    along = along / length
    normal = np.stack([along[..., 1], -along[..., 0]], axis=-1)
    normal *= np.sign((normal * sections).sum(axis=(1, 2)))[:, None, None]
    offset = (normal * sections).sum(axis=-1, keepdims=True)
    rows = np.concatenate([sections, along, length, normal, offset], axis=-1)
    return unstructured_to_structured(rows, EDGE)


@compiled
def place(parts: Any, positions: Any, rotations: Any, placed: Any) -> None:
    """Write centres and axes of `placed`, a copy of `parts`, for the poses of their things: positions (n, 3)
    and rotations (n, 3, 3). Parts whose owner is not among the n stay."""
    for number in range(len(parts)):
        part, now = parts[number], placed[number]
        if part.owner >= len(positions):
            continue
        turn, centre = rotations[part.owner], part.centre
        for k in range(3):
            x, y, z = part.axes[k, 0], part.axes[k, 1], part.axes[k, 2]
            for j in range(3):
                now.axes[k, j] = x * turn[j, 0] + y * turn[j, 1] + z * turn[j, 2]
            offset = turn[k, 0] * centre[0] + turn[k, 1] * centre[1] + turn[k, 2] * centre[2]
            now.centre[k] = positions[part.owner, k] + offset


@compiled
def write_poses(read: Any, rows: Any, positions: Any, rotations: Any) -> None:
    """Write positions (n, 3) and rotations (n, 3, 3) in some rows (k,), given Bullet's poses (k, 7): position
    and quaternion in its frame, in which y and z are exchanged."""
    for number in range(len(rows)):
        row, pose = rows[number], read[number]
        positions[row, 0], positions[row, 1], positions[row, 2] = pose[0], pose[2], pose[1]
        x, y, z, w = pose[3], pose[4], pose[5], pose[6]
        scale = 2.0 / (x * x + y * y + z * z + w * w)
        xs, ys, zs = x * scale, y * scale, z * scale
        turn = rotations[row]
        turn[0, 0], turn[0, 2], turn[0, 1] = 1.0 - (y * ys + z * zs), x * ys - w * zs, x * zs + w * ys
        turn[2, 0], turn[2, 2], turn[2, 1] = x * ys + w * zs, 1.0 - (x * xs + z * zs), y * zs - w * xs
        turn[1, 0], turn[1, 2], turn[1, 1] = x * zs - w * ys, y * zs + w * xs, 1.0 - (x * xs + y * ys)
