"""What of a scene a camera needs to look at, and how finely."""

import numpy as np

from arena.scene import Floats
from render.camera import Camera, Matrix
from render.instances import Batch
from render.meshes import BALL_ERRORS, BALLS, MESHES

_BALL = MESHES.index("ball")
_BALLS = np.array([MESHES.index(name) for name in BALLS])
_LEAST_ERROR_PX = 0.3


def in_view(batch: Batch, view: Matrix) -> Batch:
    """The rows that may show; `view` is the camera's matrix to clip space."""
    planes = np.concatenate([view[3] + view[:2], view[3] - view[:2]])
    planes = planes / np.linalg.norm(planes[:, :3], axis=1, keepdims=True)
    reach = 0.5 * np.sqrt(np.einsum("ni,ni->n", batch.rows[:, 12:15], batch.rows[:, 12:15]))
    away = batch.rows[:, :3] @ planes[:, :3].T + planes[:, 3]
    return batch.only((away > -reach[:, None]).all(axis=1))


def nearest_first(batch: Batch, camera: Camera, height: int) -> Batch:
    """The rows by their distance, with balls as coarse as their size in the picture allows.

    `height` is the picture's, in pixels.
    """
    away = batch.rows[:, :3] - np.array(camera.position)
    distance = np.sqrt(np.einsum("ni,ni->n", away, away))
    fitting = _with_fitting_balls(batch, 0.5 * height * camera.magnification(distance))
    return fitting.only(np.argsort(distance, kind="stable"))


def coarse(batch: Batch) -> Batch:
    """The same with balls of few triangles, enough for the shadow map."""
    return batch._replace(meshes=np.where(batch.meshes == _BALL, _BALLS[1], batch.meshes))


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
