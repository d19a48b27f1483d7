"""Which rows a camera may see, in which order and detail."""

import numpy as np

from arena.kernel.compiled import compiled
from arena.scene import Floats
from render.camera import Camera, Matrix
from render.parts.meshes import BALL_ERRORS, BALLS, MESHES
from render.parts.rows import Batch, Group, Places, Rows, groups

_BALL = MESHES.index("ball")
_BALLS = np.array([MESHES.index(name) for name in BALLS])
_LEAST_ERROR_PX = 0.3

_SIDES = np.array([[1, 0, 0, 1], [0, 1, 0, 1], [-1, 0, 0, 1], [0, -1, 0, 1]], np.float32)
"""Clip space to the four planes at the picture's edges."""

_ROUNDING = 1e-3
"""How far outside the picture, in clip space, a box still counts as inside: more than float32 rounds."""

_HALF = 0.52
"""Half an edge of a part's box as a share of its size: marks stand out of their ball by a fiftieth."""

_FLAT_M = 0.2
"""Height in metres up to which things count as flat on the floor: zones usually reach 0.1 m."""

_ORDER_M = 0.001
"""Distances of translucent things count as equal within a millimetre, so that rounding swaps none."""


def front_to_back(batch: Batch, camera: Camera, view: Matrix, height: int) -> list[Group]:
    """Rows in view, grouped by mesh, the nearest of each first.

    `view` is the camera's matrix to clip space. Balls have as few triangles as their size in a picture of
    `height` pixels allows.
    """
    seen = _in_view(batch, view)
    distance = _lengths(_away(batch.rows.take(seen, axis=0), camera))
    meshes = _with_fitting_balls(batch, seen, distance, camera, height)
    order = np.lexsort((distance + batch.reach.take(seen), meshes))
    return groups(meshes, batch.rows.take(seen.take(order), axis=0))


def back_to_front(batch: Batch, camera: Camera, view: Matrix) -> Batch:
    """Rows in view, the farthest first: by the distance of their boxes, then of their centres.

    By the centres alone, things in a large zone would cover its near side. Whatever lies flat on the floor
    comes first, so that it does not cover things on it.
    """
    if not len(batch.rows) or not len(places := _in_view(batch, view)):
        return batch.only(np.empty(0, np.intp))
    seen = batch.only(places)
    rows, away = seen.rows, _away(seen.rows, camera)
    distance = _lengths(away)
    turned_back, half = rows[:, 3:12].reshape(-1, 3, 3), rows[:, 12:15] / 2
    beyond = np.abs(np.einsum("nij,nj->ni", turned_back, away)) - half
    nearest = _lengths(np.maximum(beyond, 0.0))
    stands = rows[:, 1] + np.einsum("ni,ni->n", np.abs(turned_back[:, :, 1]), half) > _FLAT_M
    return seen.only(np.lexsort((-distance, np.rint(nearest / -_ORDER_M), stands)))


def coarse(meshes: Places) -> Places:
    """The same meshes with balls of few triangles, which suffice for the shadow map."""
    return np.where(meshes == _BALL, _BALLS[0], meshes)


def _in_view(batch: Batch, view: Matrix) -> Places:
    """Where the rows are whose boxes are not outside the picture."""
    return _inside(batch.rows, _SIDES @ view)


@compiled
def _inside(rows: Rows, planes: Matrix) -> Places:
    """Where the rows are whose boxes reach into the inside of all planes."""
    found, count = np.empty(len(rows), np.intp), 0
    for place, row in enumerate(rows):
        least = np.inf
        for x, y, z, offset in planes:
            inside = x * row[0] + y * row[1] + z * row[2] + offset
            for axis in range(3):
                along = x * row[3 + 3 * axis] + y * row[4 + 3 * axis] + z * row[5 + 3 * axis]
                inside += _HALF * row[12 + axis] * abs(along)
            least = min(least, inside)
        if least > -_ROUNDING:
            found[count] = place
            count += 1
    return found[:count]


def _with_fitting_balls(batch: Batch, seen: Places, distance: Floats, camera: Camera, height: int) -> Places:
    """The meshes of the rows seen, with balls as coarse as possible without visible corners."""
    meshes = batch.meshes.take(seen)
    balls = (meshes == _BALL).nonzero()[0]
    if len(balls):
        pixels_per_metre = 0.5 * height * camera.magnification(distance[balls])
        radius = 0.5 * batch.rows[seen[balls], 12:15].max(axis=1) * pixels_per_metre
        meshes[balls] = _BALLS[(radius[:, None] * BALL_ERRORS > _LEAST_ERROR_PX).sum(axis=1)]
    return meshes


def _away(rows: Rows, camera: Camera) -> Floats:
    """Vectors (n, 3) from the rows to the camera."""
    return np.asarray(np.array(camera.position) - rows[:, :3])


def _lengths(vectors: Floats) -> Floats:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", vectors, vectors)))
