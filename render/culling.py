"""What of a scene a camera needs to look at, and how finely."""

import numpy as np

from arena.scene import Floats
from render.camera import Camera, Matrix
from render.instances import Batch
from render.meshes import BALL_ERRORS, BALLS, MESHES

_BALL = MESHES.index("ball")
_BALLS = np.array([MESHES.index(name) for name in BALLS])
_LEAST_ERROR_PX = 0.3

_FLAT_M = 0.2
"""What reaches no higher lies flat on the floor: zones usually reach to 0.1 m."""

_ORDER_DIGITS = 3
"""Distances of translucent things count as equal within a millimetre: they must not swap by rounding."""


def in_view(batch: Batch, view: Matrix) -> Batch:
    """The rows that may show; `view` is the camera's matrix to clip space."""
    planes = np.concatenate([view[3] + view[:2], view[3] - view[:2]])
    planes = planes / np.linalg.norm(planes[:, :3], axis=1, keepdims=True)
    away = batch.rows[:, :3] @ planes[:, :3].T + planes[:, 3]
    return batch.only((away > -_reach(batch)[:, None]).all(axis=1))


def front_to_back(batch: Batch, camera: Camera, height: int) -> Batch:
    """The rows by how far they reach from the camera: what may hide others first, floor and fence last.

    Balls are as coarse as their size in a picture of `height` pixels allows.
    """
    distance = _distances(batch, camera)
    fitting = _with_fitting_balls(batch, 0.5 * height * camera.magnification(distance))
    return fitting.only(np.argsort(distance + _reach(batch), kind="stable"))


def back_to_front(batch: Batch, camera: Camera) -> Batch:
    """The rows by the distance of the box round each, the farthest first; by that of its middle where equal.

    By the middles alone, what stands in a large zone would cover the zone's near side. What lies flat on the
    floor comes before all, so that it does not cover what stands on it.
    """
    rows = batch.rows.astype(float)
    turned_back, half = rows[:, 3:12].reshape(-1, 3, 3), rows[:, 12:15] / 2
    local = np.einsum("nij,nj->ni", turned_back, np.array(camera.position) - rows[:, :3])
    nearest = np.linalg.norm(np.maximum(np.abs(local) - half, 0.0), axis=1)
    stands = rows[:, 1] + (np.abs(turned_back[:, :, 1]) * half).sum(axis=1) > _FLAT_M
    order = np.lexsort((-_distances(batch, camera), -np.round(nearest, _ORDER_DIGITS), stands))
    return batch.only(order)


def coarse(batch: Batch) -> Batch:
    """The same with balls of few triangles, enough for the shadow map."""
    return batch._replace(meshes=np.where(batch.meshes == _BALL, _BALLS[0], batch.meshes))


def _with_fitting_balls(batch: Batch, pixels_per_metre: Floats) -> Batch:
    """Balls as coarse as their size in the picture allows without a visible corner."""
    balls = np.flatnonzero(batch.meshes == _BALL)
    if not len(balls):
        return batch
    radius = 0.5 * batch.rows[balls, 12:15].max(axis=1) * pixels_per_metre[balls]
    level = (radius[:, None] * BALL_ERRORS > _LEAST_ERROR_PX).sum(axis=1)
    meshes = batch.meshes.copy()
    meshes[balls] = _BALLS[level]
    return batch._replace(meshes=meshes)


def _distances(batch: Batch, camera: Camera) -> Floats:
    away = batch.rows[:, :3] - np.array(camera.position)
    return np.asarray(np.linalg.norm(away, axis=1))


def _reach(batch: Batch) -> Floats:
    """Radius of a ball round each row, metres."""
    return np.asarray(0.5 * np.linalg.norm(batch.rows[:, 12:15], axis=1), float)
