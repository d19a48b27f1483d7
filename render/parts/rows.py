"""A scene as arrays for drawing: one row per part, cached while the scene's things stay the same."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arena.scene import Floats, Scene, Thing, yaw_rotation
from arena.taskfile.versions import Version
from render.looks.look import SURFACES, Look, layer_of, look_of
from render.looks.textures import linear
from render.parts.composed import drawn_parts
from render.parts.meshes import MESHES, Part, rails, surroundings

Rows = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]

ROW = 23
"""Numbers per row: position 3, rotation 9 (by columns), size 3, linear colour 3, texture layer, factors of
reflected and emitted light, and the width and height of the texture."""


class Group(NamedTuple):
    """Rows of one unit mesh."""

    mesh: str
    rows: Rows


class Batch(NamedTuple):
    """Rows in any order of meshes, each row's mesh (its place in `MESHES`) and reach.

    `reach` (n,) is the radius in metres of a ball round a row's position that holds its part.
    """

    meshes: Places
    rows: Rows
    reach: Floats

    def only(self, chosen: Places) -> "Batch":
        """The rows at these places, in their order."""
        return Batch(self.meshes.take(chosen), self.rows.take(chosen, axis=0), self.reach.take(chosen))

    def groups(self) -> list[Group]:
        """All rows, gathered by mesh; their order within a mesh stays."""
        return groups(self.meshes, self.rows.take(np.argsort(self.meshes, kind="stable"), axis=0))


def groups(meshes: Places, rows: Rows) -> list[Group]:
    """Groups of rows that are already sorted by mesh; `meshes` may be in any order."""
    found, end = [], 0
    for mesh, count in enumerate(np.bincount(meshes).tolist()):
        if count:
            found.append(Group(MESHES[mesh], rows[end : end + count]))
        end += count
    return found


def batch(parts: Sequence[tuple[Part, Look, Floats]]) -> Batch:
    """Parts given in the arena's frame, each with its look and rotation (3, 3)."""
    rows = np.zeros((len(parts), ROW), np.float32)
    for row, (part, look, rotation) in zip(rows, parts, strict=True):
        row[:3], row[3:12], row[12:15], row[15:] = part.centre, rotation.T.ravel(), part.size, _surface(look)
    return Batch(np.array([MESHES.index(part.mesh) for part, _, _ in parts], np.intp), rows, reach_of(rows))


def reach_of(rows: Rows) -> Floats:
    """Radius in metres of a ball round each row's position that holds its part."""
    return np.asarray(0.5 * np.linalg.norm(rows[:, 12:15], axis=1), float)


def joined(batches: Sequence[Batch]) -> Batch:
    """All rows of several batches, one after the other; a single one is returned itself."""
    if len(batches) == 1:
        return batches[0]
    return Batch(*(np.concatenate(columns) for columns in zip(*batches, strict=True)))


@cache
def arena_batch() -> Batch:
    """Floor and fence; do not write to it."""
    level = np.eye(3)
    still = [(part, look, level) for part, look in surroundings()]
    return batch(still + [(part, look, yaw_rotation(yaw)) for part, look, yaw in rails()])


class ThingRows:
    """The rows of one tuple of things, and after them those of floor and fence.

    `opaque` and `clear` are the visible rows as of the last update, those of translucent things apart.
    `rows`, `meshes` and `reach` are as in `Batch`, `owner` (parts,) is the index of each part's thing in
    `things`, `casts` (parts,) whether it casts a shadow and `shown` (parts,) whether it is visible; floor and
    fence have no owner. Only what has changed since the last frame is computed again.
    """

    def __init__(self, things: tuple[Thing, ...], sizes: Floats, version: str = Version.V3) -> None:
        self.things, self._version = things, version
        of_things = [look_of(thing, version) for thing in things]
        self._sizes = np.array(sizes, float)
        parts = [self._parts(i) for i in range(len(things))]
        self.owner = np.repeat(np.arange(len(things)), [len(p) for p in parts]).astype(np.intp)
        flat = [part for of_thing in parts for part in of_thing]
        level = np.eye(3)
        looks = [part.look or of_things[i] for part, i in zip(flat, self.owner, strict=True)]
        own = batch([(part, look, level) for part, look in zip(flat, looks, strict=True)])
        self._all = joined([own, arena_batch()])
        self.meshes, self.rows, self.reach = self._all
        self.casts = np.array([look.casts for look in looks], bool)
        self.shown = np.zeros(len(flat), bool)
        self._centres = np.array([part.centre for part in flat], float).reshape(-1, 3)
        self._clear = np.array([look.translucent for look in looks], bool)
        self._off_centre = np.flatnonzero(self._centres.any(axis=1))
        self._one_each = np.array_equal(self.owner, np.arange(len(things)))
        self._pose: tuple[bytes, ...] | None = None

    def update(self, scene: Scene) -> bool:
        """Read a scene's poses, sizes and visibility; returns whether anything has changed."""
        arrays = scene.visible, scene.sizes, scene.positions, scene.rotations
        before, self._pose = self._pose, tuple(array.tobytes() for array in arrays)
        if self._pose == before:
            return False
        if before is None or self._pose[0] != before[0]:
            self._show(scene.visible[self.owner])
        if before is None or self._pose[1] != before[1]:
            self._resize(scene.sizes)
        self._place(scene)
        self.opaque, self.clear = self._all.only(self._opaque), self._all.only(self._transparent)
        return True

    def _show(self, shown: Bools) -> None:
        self.shown = shown
        arena = np.arange(len(shown), len(self.rows))
        self._opaque = np.concatenate([np.flatnonzero(shown & ~self._clear), arena])
        self._transparent = np.flatnonzero(shown & self._clear)

    def _place(self, scene: Scene) -> None:
        rows, off = self.rows[: len(self.owner)], self._off_centre
        rotations, positions = scene.rotations, scene.positions
        if not self._one_each:
            rotations, positions = rotations.take(self.owner, axis=0), positions.take(self.owner, axis=0)
        rows[:, :3] = positions
        if len(off):
            rows[off, :3] = positions[off] + np.einsum("nij,nj->ni", rotations[off], self._centres[off])
        for column in range(3):  # twice as fast as one assignment
            rows[:, 3 + 3 * column : 6 + 3 * column] = rotations[:, :, column]

    def _parts(self, index: int) -> tuple[Part, ...]:
        x, y, z = self._sizes[index]
        return drawn_parts(self.things[index], (x, y, z), self._version)

    def _resize(self, sizes: Floats) -> None:
        for index in np.flatnonzero((sizes != self._sizes).any(axis=1)).tolist():
            self._sizes[index] = sizes[index]
            parts, rows = self._parts(index), np.flatnonzero(self.owner == index)
            self._centres[rows] = [part.centre for part in parts]
            self._off_centre = np.flatnonzero(self._centres.any(axis=1))
            self.rows[rows, 12:15] = [part.size for part in parts]
            self.reach[rows] = reach_of(self.rows[rows])


@cache
def _surface(look: Look) -> Floats:
    """The last numbers of a row: colour, layer, lit, emission, repeat."""
    surface = SURFACES[look.material]
    color = linear((255 * look.color[0], 255 * look.color[1], 255 * look.color[2]))
    return np.array([*color, layer_of(look.material), surface.lit, surface.emission, *surface.repeat])
