"""PyBullet's TinyRenderer on our scene."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pybullet as bullet
from scipy.spatial.transform import Rotation

from arena import Scene
from benchmarks.peers import Timed, Work
from benchmarks.peers.scenery import Changes, Solid, mesh_of, place_of, scene_subject, solids_of
from render.camera import first_person
from render.looks.sky import TO_SUN

NEAR = 0.1
"""Near plane of TinyRenderer's cameras, metres; with our camera's 0.01 its depth is too coarse."""

_SWAP = [0, 2, 1]
"""Exchanging y and z turns the arena's left-handed frame into Bullet's."""


def about() -> dict[str, str]:
    """Bullet's version."""
    return {"bullet": str(bullet.getAPIVersion())}


def opened(work: Work, side: int, seed: int, *, shadows: bool = False) -> Timed:
    """Pictures of the played scene."""
    assert work is Work.FRAMES
    subject = scene_subject(seed)
    draw = partial(TinyWorld(subject.episode.scene()).picture, side=side, shadows=shadows)
    return lambda count: subject.timed_between(count, draw)


def tiny_picture(
    client: int,
    side: int,
    eye: Sequence[float],
    forward: Sequence[float],
    lens: Sequence[float],
    **options: Any,
) -> npt.NDArray[np.uint8]:
    """A picture by PyBullet's TinyRenderer, uint8 (side, side, 3), in Bullet's frame.

    `lens` is vertical field of view (degrees), aspect, near and far plane (metres); `options` are those of
    `getCameraImage`.
    """
    target = [start + step for start, step in zip(eye, forward, strict=True)]
    view = bullet.computeViewMatrix(eye, target, (0, 0, 1))
    projection = bullet.computeProjectionMatrixFOV(*lens)
    options |= {"renderer": bullet.ER_TINY_RENDERER, "flags": bullet.ER_NO_SEGMENTATION_MASK}
    image = bullet.getCameraImage(side, side, view, projection, physicsClientId=client, **options)
    return np.asarray(image[2], np.uint8).reshape(side, side, 4)[..., :3]


class TinyWorld:
    """A scene's solids as visual bodies."""

    def __init__(self, scene: Scene) -> None:
        self._client = bullet.connect(bullet.DIRECT)
        self._items = solids_of(scene)
        self._changes = Changes(self._items)
        self._bodies = [self._body(item) for item in self._items]

    def picture(self, scene: Scene, side: int, *, shadows: bool) -> npt.NDArray[np.uint8]:
        """What the agent sees, uint8 (side, side, 3)."""
        for number in self._changes.of(scene):
            centre, rotation = place_of(self._items[number], scene)
            bullet.resetBasePositionAndOrientation(
                self._bodies[number],
                centre[_SWAP].tolist(),
                Rotation.from_matrix(rotation[np.ix_(_SWAP, _SWAP)]).as_quat().tolist(),
                physicsClientId=self._client,
            )
        camera = first_person(scene)
        eye, forward = np.array(camera.position)[_SWAP].tolist(), camera.axes()[2][_SWAP].tolist()
        lens, sun = (camera.fov, 1.0, NEAR, camera.far), TO_SUN[_SWAP].tolist()
        return tiny_picture(self._client, side, eye, forward, lens, lightDirection=sun, shadow=int(shadows))

    def _body(self, item: Solid) -> int:
        corners, indices = mesh_of(item.part.mesh)
        vertices, normals = corners.astype(float).reshape(-1, 2, 3)[..., _SWAP].transpose(1, 0, 2)
        seen = bullet.createVisualShape(
            bullet.GEOM_MESH,
            vertices=(vertices * np.array(item.part.size)[_SWAP]).tolist(),
            indices=indices.ravel().tolist(),
            normals=normals.tolist(),
            rgbaColor=(*item.part.look.color, 1.0),
            physicsClientId=self._client,
        )
        return int(bullet.createMultiBody(0.0, -1, seen, physicsClientId=self._client))
