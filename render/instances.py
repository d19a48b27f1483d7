"""What is drawn of a scene, as arrays: one row per part of a thing, kept for as long as the things stay."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arena.scene import Floats, Scene, Thing, yaw_rotation
from render.look import SURFACES, Look, Material, look_of
from render.meshes import MESHES, Part, parts_of, rails, surroundings
from render.textures import linear

Rows = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]

ROW = 23
"""Numbers per row: position 3, rotation 9 (by columns), size 3, linear colour 3, texture layer, how much it
is lit and how much it shines, and the width and height of the texture."""


_TREMBLE = 1 / 512
"""Step in metres (and of the rotation's numbers) to which the poses of heavy things are rounded for their
shadows, which depend on the pose alone and are seldom redrawn."""


class Group(NamedTuple):
    """Rows of one unit mesh."""

    mesh: str
    rows: Rows


class Batch(NamedTuple):
    """Rows in any order of meshes, each row's mesh (its place in `MESHES`), and which throw a shadow."""

    meshes: npt.NDArray[np.intp]
    rows: Rows
    casts: Bools

    def groups(self) -> list[Group]:
        """All rows, gathered by mesh; their order within a mesh stays."""
        present = np.flatnonzero(np.bincount(self.meshes))
        return [Group(MESHES[mesh], self.rows[self.meshes == mesh]) for mesh in present]

    def only(self, chosen: Bools | npt.NDArray[np.intp]) -> "Batch":
        """The chosen rows, or all in another order."""
        return Batch(self.meshes[chosen], self.rows[chosen], self.casts[chosen])


def batch(parts: Sequence[tuple[Part, Look, Floats]]) -> Batch:
    """Parts given in the arena's frame, each with its look and rotation (3, 3)."""
    rows = np.zeros((len(parts), ROW), np.float32)
    for row, (part, look, rotation) in zip(rows, parts, strict=True):
        row[:3], row[3:12], row[12:15], row[15:] = part.centre, rotation.T.ravel(), part.size, _surface(look)
    meshes = np.array([MESHES.index(part.mesh) for part, _, _ in parts])
    return Batch(meshes, rows, np.array([look.casts for _, look, _ in parts], bool))


def joined(batches: Sequence[Batch]) -> Batch:
    """All rows of several batches, one after the other."""
    return Batch(*(np.concatenate(columns) for columns in zip(*batches, strict=True)))


def arena_batch() -> Batch:
    """Floor and fence."""
    level = np.eye(3)
    still = [(part, look, level) for part, look in surroundings()]
    return batch(still + [(part, look, yaw_rotation(yaw)) for part, look, yaw in rails()])


def in_one_color(batch: Batch, color: tuple[float, float, float]) -> Batch:
    """The same rows without texture, light and shade, in one linear colour, 0..1."""
    rows = batch.rows.copy()
    rows[:, 15:18], rows[:, 18], rows[:, 19], rows[:, 20] = color, Material.FLAT, 0.0, 1.0
    return batch._replace(rows=rows)


class ThingRows:
    """The rows of one tuple of things; poses are brought up to date for every frame, all at once."""

    def __init__(self, things: tuple[Thing, ...], sizes: Floats) -> None:
        self.things = things
        looks = [look_of(thing) for thing in things]
        self._sizes = np.array(sizes, float)
        parts = [self._parts(i) for i in range(len(things))]
        self._owner = np.repeat(np.arange(len(things)), [len(p) for p in parts]).astype(int)
        flat = [part for of_thing in parts for part in of_thing]
        self._centres = np.array([part.centre for part in flat], float).reshape(-1, 3)
        self._extents = np.array([part.size for part in flat], float).reshape(-1, 3)
        own = [looks[i] for i in self._owner]
        self._meshes = np.array([MESHES.index(part.mesh) for part in flat], np.intp)
        self._casts = np.array([look.casts for look in own], bool)
        self._clear = np.array([look.translucent for look in own], bool)
        self._moves = np.array([things[i].moves for i in self._owner], bool)
        self._rows = np.zeros((len(flat), ROW), np.float32)
        self._rows[:, 15:] = np.array([_surface(look) for look in own]).reshape(-1, ROW - 15)
        self._shown = np.zeros(len(flat), bool)
        self._still: Batch | None = None

    def update(self, scene: Scene) -> bool:
        """Take over a scene's poses, sizes and visibility.

        Returns whether the shadow of what stands still has changed.
        """
        self._resize(scene.sizes)
        owner, rotations = self._owner, scene.rotations[self._owner]
        rows = self._rows
        rows[:, :3] = scene.positions[owner] + np.einsum("nij,nj->ni", rotations, self._centres)
        rows[:, 3:12] = rotations.transpose(0, 2, 1).reshape(-1, 9)
        rows[:, 12:15] = self._extents
        self._shown = scene.visible[owner]
        before, self._still = self._still, self._rounded(self._casts & ~self._moves)
        return before is None or not np.array_equal(before.rows, self._still.rows)

    @property
    def opaque(self) -> Batch:
        """What is seen and hides what is behind it."""
        return self._pick(self._shown & ~self._clear)

    @property
    def clear(self) -> Batch:
        """What is seen and lets through what is behind it."""
        return self._pick(self._shown & self._clear)

    @property
    def still_casters(self) -> Batch:
        """What throws a shadow and hardly ever moves, its pose rounded: heavy things tremble a little."""
        assert self._still is not None, "update comes first"
        return self._still

    @property
    def moving_casters(self) -> Batch:
        """What throws a shadow and may move."""
        return self._pick(self._shown & self._casts & self._moves)

    def numbered(self) -> tuple[dict[int, Batch], dict[int, Batch]]:
        """What is there, solid and clear, by place in `things`, unlit; red + 256 green is the place + 1."""
        rows = in_one_color(Batch(self._meshes, self._rows, self._casts), (0.0, 0.0, 0.0)).rows
        rows[:, 15], rows[:, 16] = ((self._owner + 1) % 256) / 255, ((self._owner + 1) // 256) / 255
        painted = Batch(self._meshes, rows, self._casts)
        solid, clear = (
            {i: painted.only(self._owner == i) for i in np.unique(self._owner[self._shown & chosen]).tolist()}
            for chosen in (~self._clear, self._clear)
        )
        return solid, clear

    def _rounded(self, chosen: Bools) -> Batch:
        batch = self._pick(self._shown & chosen)
        batch.rows[:, :12] = np.round(batch.rows[:, :12] / _TREMBLE) * _TREMBLE
        return batch

    def _pick(self, chosen: Bools) -> Batch:
        return Batch(self._meshes, self._rows, self._casts).only(chosen)

    def _parts(self, index: int) -> tuple[Part, ...]:
        x, y, z = self._sizes[index]
        return parts_of(self.things[index], (x, y, z))

    def _resize(self, sizes: Floats) -> None:
        for index in np.flatnonzero((sizes != self._sizes).any(axis=1)).tolist():
            self._sizes[index] = sizes[index]
            parts = self._parts(index)
            self._centres[self._owner == index] = [part.centre for part in parts]
            self._extents[self._owner == index] = [part.size for part in parts]


def _surface(look: Look) -> Floats:
    """The last numbers of a row: colour, layer, lit, emission, repeat."""
    surface = SURFACES[look.material]
    color = linear((255 * look.color[0], 255 * look.color[1], 255 * look.color[2]))
    return np.array([*color, look.material, surface.lit, surface.emission, *surface.repeat])
