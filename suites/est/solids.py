"""Meshes of the objects, the machine and the table: round edges, and a normal at every corner.

All are centred on the origin; lengths have one unit.
"""

import numpy as np
import numpy.typing as npt

from render.parts.meshes import Mesh

Points = npt.NDArray[np.float64]

_AROUND = 40
"""Sides of what is round."""

_ARC = 3
"""Points across a rounded edge."""


def box(size: tuple[float, float, float], edge: float, turn: float = 0.0) -> Mesh:
    """A box with edges rounded by a radius, turned about the upright axis (radians, from x towards -z)."""
    half = np.array(size) / 2
    flat = half - edge
    knots = np.hstack([np.linspace(-half, -flat, _ARC).T, np.linspace(flat, half, _ARC).T])
    sides = np.empty((6, 2 * _ARC, 2 * _ARC, 3))
    for side, points in enumerate(sides):
        axis = side // 2
        points[..., axis] = half[axis] * (-1) ** side
        points[..., axis - 2], points[..., axis - 1] = np.meshgrid(
            knots[axis - 2], knots[axis - 1], indexing="ij"
        )
    core = np.clip(sides, -flat, flat)
    normals = _unit(sides - core)
    around = np.array([[np.cos(turn), 0, -np.sin(turn)], [0, 1, 0], [np.sin(turn), 0, np.cos(turn)]])
    meshes = [_grid(p @ around, n @ around) for p, n in zip(core + edge * normals, normals, strict=True)]
    corners = len(meshes[0].vertices)
    indices = [mesh.indices + np.uint32(k * corners) for k, mesh in enumerate(meshes)]
    return Mesh(np.vstack([mesh.vertices for mesh in meshes]), np.concatenate(indices))


def cylinder(radius: float, height: float, edge: float) -> Mesh:
    """An upright cylinder with edges rounded by a radius."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, 2 * _ARC)
    out = np.column_stack([np.cos(angle), np.sin(angle)])
    core = np.array([radius - edge, height / 2 - edge]) * np.where(angle[:, None] < 0, (1, -1), 1)
    low, high = np.array([[0, -height / 2]]), np.array([[0, height / 2]])
    return _swept(np.vstack([low, core + edge * out, high]), np.vstack([[0, -1], out, [0, 1]]))


def sphere(radius: float) -> Mesh:
    """A sphere."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, _AROUND // 2)
    out = np.column_stack([np.cos(angle), np.sin(angle)])
    return _swept(radius * out, out)


def plane(half: float) -> Mesh:
    """A level square, seen from above; `half` is half its side."""
    x, z = np.meshgrid([-half, half], [-half, half], indexing="ij")
    points = np.stack([x, np.zeros_like(x), z], axis=-1)
    return _grid(points, np.broadcast_to([0.0, 1.0, 0.0], points.shape))


def _swept(profile: Points, normals: Points) -> Mesh:
    """What a profile (n, 2) of radius and height sweeps when turned about the upright axis."""
    angle = np.linspace(0, 2 * np.pi, _AROUND + 1)[:, None]
    return _grid(*(
        np.stack([np.cos(angle) * p[:, 0], p[:, 1] + 0 * angle, np.sin(angle) * p[:, 0]], axis=-1)
        for p in (profile, normals)
    ))  # fmt: skip


def _grid(points: Points, normals: Points) -> Mesh:
    """Two triangles for each cell of a grid (rows, columns, 3) of points."""
    rows, columns = points.shape[:2]
    first = (columns * np.arange(rows - 1)[:, None] + np.arange(columns - 1)).reshape(-1, 1)
    indices = first + np.array([0, 1, columns, columns, 1, columns + 1])
    vertices = np.concatenate([points, normals], axis=-1).reshape(-1, 6)
    return Mesh(vertices.astype(np.float32), indices.ravel().astype(np.uint32))


def _unit(vectors: Points) -> Points:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))
