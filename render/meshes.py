"""Unit meshes that are scaled by an object's size, and the parts that a thing is drawn with."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import trimesh

from arena.catalog import KINDS, Shape
from arena.scene import Thing, Vector
from arena.shapes import ARENA_SIZE, FLOOR_Y, prism_vertices, tube_wedges
from arena.shapes import parts_of as boxes_of

Triangles = npt.NDArray[np.float32]
UNIT: Vector = (1.0, 1.0, 1.0)

MESH_OF_SHAPE = {Shape.BOX: "box", Shape.PRISM: "prism", Shape.BALL: "ball", Shape.TUBE: "tube"}


_PRISM_FACES = [(0, 1, 3), (0, 3, 2), (0, 4, 5), (0, 5, 1), (2, 3, 5), (2, 5, 4), (0, 2, 4), (1, 5, 3)]
"""Triangles over `arena.shapes.prism_vertices`, counter-clockwise seen from outside."""


class Part(NamedTuple):
    """One mesh of a thing: which unit mesh, its centre in the thing's frame, and its size in metres."""

    mesh: str
    centre: Vector
    size: Vector


def parts_of(thing: Thing) -> tuple[Part, ...]:
    """What a thing is drawn with; composed shapes have several parts."""
    shape = KINDS[thing.kind].shape
    if boxes := boxes_of(shape, thing.size):
        return tuple(Part("box", part.centre, part.size) for part in boxes)
    return (Part(MESH_OF_SHAPE[shape], (0.0, 0.0, 0.0), thing.size),)


def unit_meshes() -> dict[str, Triangles]:
    """Triangle soups (3 n, 6) of position and outward normal, one per unit mesh of size 1."""
    prism = trimesh.Trimesh(prism_vertices(UNIT), _PRISM_FACES, process=False)
    return {
        "box": _soup(trimesh.creation.box(UNIT)),
        "prism": _soup(prism),
        "ball": _soup(trimesh.creation.icosphere(subdivisions=3, radius=0.5)),
        "tube": _tube(),
    }


def _soup(mesh: trimesh.Trimesh) -> Triangles:
    normals = np.repeat(mesh.face_normals, 3, axis=0)
    return np.hstack([mesh.triangles.reshape(-1, 3), normals]).astype(np.float32)


def _tube() -> Triangles:
    """The wedges' outer, inner and end faces; the faces between two wedges are left out."""
    rows = []
    for wedge in tube_wedges(UNIT):
        for corners in ((0, 1, 5, 4), (2, 3, 7, 6), (0, 3, 2, 1), (4, 5, 6, 7)):
            a, b, c, d = wedge[list(corners)]
            normal = np.cross(b - a, c - a)
            normal /= np.linalg.norm(normal)
            rows += [np.concatenate([corner, normal]) for corner in (a, b, c, a, c, d)]
    return np.array(rows, dtype=np.float32)


def fence_parts() -> tuple[Part, ...]:
    """The visible fence as boxes in the arena's frame (`AAI3Arena.prefab`, section 3.4).

    A plank wall 0.25 thick, centred 0.5 outside the inner face, from y -0.1 to 5.96; two rails reaching
    0.125 outside the inner face; posts 1.0 x 1.2 up to 7.1 at both ends of three 14 m panels a side.
    """
    middle = ARENA_SIZE / 2
    posts = [middle + sign * offset for sign in (-1, 1) for offset in (6.4, 7.4, 20.4)]
    parts: list[Part] = []
    for along_x in (True, False):
        for inner, outward in ((0.0, -1.0), (ARENA_SIZE, 1.0)):

            def box(
                along: float,
                out: float,
                low: float,
                high: float,
                length: float,
                thick: float,
                along_x: bool = along_x,
                inner: float = inner,
                outward: float = outward,
            ) -> Part:
                across = inner + outward * out
                x, z = (along, across) if along_x else (across, along)
                sx, sz = (length, thick) if along_x else (thick, length)
                return Part("box", (x, (low + high) / 2, z), (sx, high - low, sz))

            parts.append(box(middle, 0.5, -0.1, 5.96, 42.0, 0.25))
            parts += [box(middle, 0.25, low, low + 0.3, 42.0, 0.25) for low in (0.95, 4.55)]
            parts += [box(post, 0.5, -0.1, 7.1, 1.2, 1.0) for post in posts]
    return tuple(parts)


def floor_part() -> Part:
    """The slab that the arena stands on: 42 x 42 m, its surface at `FLOOR_Y`."""
    return Part("box", (ARENA_SIZE / 2, FLOOR_Y - 0.5, ARENA_SIZE / 2), (42.0, 1.0, 42.0))
