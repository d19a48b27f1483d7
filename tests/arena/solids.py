"""The convex parts of colliders by definition, for the plain rules: boxes, balls and prisms."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from arena.geometry.shapes import parts_of, prism_vertices, tube_wedges
from arena.scene import Floats, Vector
from arena.taskfile.kind import Shape

_SWAP_XZ = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
"""Swaps x and z: a ramp's triangle is in y and z, a prism's section in x and y."""


class Solid(NamedTuple):
    """A convex part in the frame of its thing.

    `centre` (3,) is in metres; the rows of `axes` (3, 3) are the part's own axes, `half` (3,) the half
    extents along them; `rounding` is the radius added on all sides; `section` (4, 2) is a convex
    quadrilateral in the part's x and y about its centre, or None for a box.
    """

    centre: Floats
    axes: Floats
    half: Floats
    rounding: float = 0.0
    section: Floats | None = None


def box(size: Vector, centre: Vector = (0.0, 0.0, 0.0)) -> Solid:
    """A box with a size (metres) and a centre, along its thing's axes."""
    return Solid(np.array(centre), np.eye(3), np.array(size) / 2)


def _prism(section: Floats, length: float, axes: Floats) -> Solid:
    """A prism of `length` over a section (k, 2); the part is centred on its bounding box."""
    low, high = section.min(axis=0), section.max(axis=0)
    middle = (low + high) / 2
    return Solid(
        axes.T @ np.array([*middle, 0.0]),
        axes,
        np.array([*(high - low) / 2, length / 2]),
        section=section - middle,
    )


def _ramp(size: Vector) -> list[Solid]:
    foot, toe, top = prism_vertices(size)[[0, 2, 4]][:, [2, 1]]
    return [_prism(np.array([foot, toe, (toe + top) / 2, top]), size[0], _SWAP_XZ)]


def colliders_of(shape: Shape, size: Vector, fitted: bool = False) -> list[list[Solid]]:
    """The convex parts of each collider of a shape; the bars of a block are separate colliders.

    `fitted` blocks and buttons are those of version 4 (`arena.taskfile.catalog.Kind`).
    """
    if parts := parts_of(shape, size, fitted):
        return [[box(part.size, part.centre)] for part in parts]
    return [_SOLIDS[shape](size)]


_SOLIDS: dict[Shape, Callable[[Vector], list[Solid]]] = {
    Shape.BOX: lambda size: [box(size)],
    Shape.BALL: lambda size: [box((0.0, 0.0, 0.0))._replace(rounding=size[0] / 2)],
    Shape.PRISM: _ramp,
    Shape.TUBE: lambda size: [_prism(wedge[:4, :2], size[2], np.eye(3)) for wedge in tube_wedges(size)],
}
"""Convex parts of shapes with a single collider, by size in metres."""
