"""A scene as arrays for drawing, one row per part. They are cached while the scene's things stay the same."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from arena import cameras
from arena.kernel.compiled import compiled
from arena.scene import Floats, Scene, Thing, yaw_rotation
from arena.taskfile.versions import Version
from render.looks.look import FLOOR, Look
from render.looks.textures import linear
from render.parts.composed import Part, drawn_parts, surroundings
from render.parts.meshes import MARKS, MESHES

Rows = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]

MESH, LABEL, ROW = 23, 24, 26
"""Columns of a row's unit mesh and label, and numbers per row.

Position 3, rotation 9 (by columns), size 3, linear colour 3, texture layer, factors of reflected and emitted
light, width and height of the texture, mesh (its place in `MESHES`), instance (as in `arena.cameras`), and
whether it is a ball or lies on one.
"""

_LEVEL = np.eye(3)


def rows_of(parts: Sequence[Part], instances: npt.ArrayLike, rotations: npt.ArrayLike = _LEVEL) -> Rows:
    """Return rows of parts in the arena's frame. They have one rotation (3, 3) or one each."""
    rows = np.zeros((len(parts), ROW), np.float32)
    rows[:, 3:12], rows[:, LABEL] = np.swapaxes(rotations, -1, -2).reshape(-1, 9), instances
    for row, part in zip(rows, parts, strict=True):
        row[:3], row[12:15] = part.centre, part.size
        row[15:MESH], row[MESH] = _surface(part.look), MESHES.index(part.mesh)
        row[LABEL + 1] = part.mesh in ("ball", *MARKS)
    return rows


@cache
def arena_rows() -> Rows:
    """Floor and fence; do not write to them."""
    parts, yaws = zip(*surroundings(), strict=True)
    instances = [cameras.FLOOR if part.look is FLOOR else cameras.FENCE for part in parts]
    return rows_of(parts, instances, [yaw_rotation(yaw) for yaw in yaws])


class ThingRows:
    """The rows of one tuple of things. `shown` (parts,) says which are visible as of the last update, `clear`
    which are translucent, and `casts` which cast a shadow if they are visible."""

    def __init__(self, things: tuple[Thing, ...], sizes: Floats, version: str = Version.V3) -> None:
        self.things, self.version = things, version
        self._sizes = np.array(sizes, float)
        parts = [self._parts(i) for i in range(len(things))]
        self._owner = np.repeat(np.arange(len(things)), [len(p) for p in parts]).astype(np.int64)
        flat = [part for of_thing in parts for part in of_thing]
        self.rows = rows_of(flat, self._owner)
        self.shown = np.zeros(len(flat), bool)
        self.casts = np.array([part.look.casts for part in flat], bool)
        self.clear = np.array([part.look.translucent for part in flat], bool)
        self._centres = np.array([part.centre for part in flat], float).reshape(-1, 3)

    def update(self, scene: Scene) -> None:
        """Read a scene's poses, sizes and visibility."""
        if (scene.sizes != self._sizes).any():
            self._resize(scene.sizes)
        poses = scene.positions, scene.rotations, scene.visible
        move(self.rows, self.shown, self._owner, self._centres, *poses)

    def _parts(self, index: int) -> tuple[Part, ...]:
        x, y, z = self._sizes[index]
        return drawn_parts(self.things[index], (x, y, z), self.version)

    def _resize(self, sizes: Floats) -> None:
        for index in np.flatnonzero((sizes != self._sizes).any(axis=1)).tolist():
            self._sizes[index] = sizes[index]
            parts, rows = self._parts(index), np.flatnonzero(self._owner == index)
            self._centres[rows] = [part.centre for part in parts]
            self.rows[rows, 12:15] = [part.size for part in parts]


@compiled
def move(
    rows: Rows, shown: Bools, owner: npt.NDArray[np.int64], centres: Floats, positions: Floats,
    rotations: Floats, visible: Bools,
) -> None:  # fmt: skip
    """Move parts to their things' poses, and show the visible ones."""
    for k in range(len(rows)):
        thing, row = owner[k], rows[k]
        a, b, c = centres[k]
        for axis in range(3):
            r = rotations[thing, axis]
            row[axis] = positions[thing, axis] + r[0] * a + r[1] * b + r[2] * c
            row[3 + axis], row[6 + axis], row[9 + axis] = r
        shown[k] = visible[thing]


@cache
def _surface(look: Look) -> Floats:
    """Return the last numbers of a row: colour, layer, lit, emission, repeat."""
    surface = look.material
    color = linear((255 * look.color[0], 255 * look.color[1], 255 * look.color[2]))
    return np.array([*color, surface.layer, surface.lit, surface.emission, *surface.repeat])
