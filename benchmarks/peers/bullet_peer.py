"""PyBullet's TinyRenderer on our scene."""

from functools import partial

import numpy as np
import numpy.typing as npt
import pybullet as bullet
from scipy.spatial.transform import Rotation

from arena import Scene
from arena.scene import Floats
from benchmarks.peers import Timed, Work
from benchmarks.peers.scenery import HIDDEN, Solid, mesh_of, scene_subject, solids_of
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


class TinyWorld:
    """A scene's solids as visual bodies."""

    def __init__(self, scene: Scene) -> None:
        self._client = bullet.connect(bullet.DIRECT)
        self._solids = solids_of(scene)
        self._poses = _poses_of(scene)
        for solid in self._solids:
            self._add(solid)

    def picture(self, scene: Scene, side: int, *, shadows: bool) -> npt.NDArray[np.uint8]:
        """Draw the agent's view, uint8 (side, side, 3)."""
        self._follow(scene)
        camera = first_person(scene)
        eye, forward = np.array(camera.position)[_SWAP], camera.axes()[2][_SWAP]
        view = bullet.computeViewMatrix(eye.tolist(), (eye + forward).tolist(), (0, 0, 1))
        projection = bullet.computeProjectionMatrixFOV(camera.fov, 1.0, NEAR, camera.far)
        options = {"renderer": bullet.ER_TINY_RENDERER, "flags": bullet.ER_NO_SEGMENTATION_MASK}
        options |= {"lightDirection": TO_SUN[_SWAP].tolist(), "shadow": int(shadows)}
        image = bullet.getCameraImage(side, side, view, projection, physicsClientId=self._client, **options)
        return np.asarray(image[2], np.uint8).reshape(side, side, 4)[..., :3]

    def _follow(self, scene: Scene) -> None:
        """Bring over the things that have moved since the last picture; what is eaten is hidden."""
        before, self._poses = self._poses, _poses_of(scene)
        moved = (before != self._poses).any(axis=1)
        for body, solid in enumerate(self._solids):
            thing = solid.instance
            if thing >= 0 and moved[thing]:
                rotation = scene.rotations[thing]
                centre = scene.positions[thing] + rotation @ np.array(solid.part.centre)
                centre[1] = centre[1] if scene.visible[thing] else HIDDEN
                place = _place(centre, rotation)
                bullet.resetBasePositionAndOrientation(body, *place, physicsClientId=self._client)

    def _add(self, solid: Solid) -> None:
        """Add a body; its number is the solid's place in the list."""
        corners, indices = mesh_of(solid.part.mesh)
        vertices, normals = corners.astype(float).reshape(-1, 2, 3)[..., _SWAP].transpose(1, 0, 2)
        seen = bullet.createVisualShape(
            bullet.GEOM_MESH,
            vertices=(vertices * np.array(solid.part.size)[_SWAP]).tolist(),
            indices=indices.ravel().tolist(),
            normals=normals.tolist(),
            rgbaColor=(*solid.part.look.color, 1.0),
            physicsClientId=self._client,
        )
        place = _place(solid.centre, solid.rotation)
        bullet.createMultiBody(0.0, -1, seen, *place, physicsClientId=self._client)


def _poses_of(scene: Scene) -> Floats:
    """A row for each thing, which changes when it moves or is eaten."""
    return np.hstack([scene.positions, scene.rotations.reshape(-1, 9), scene.visible[:, None]])


def _place(centre: Floats, rotation: Floats) -> tuple[list[float], list[float]]:
    """Position and quaternion in Bullet's frame."""
    turn = Rotation.from_matrix(rotation[np.ix_(_SWAP, _SWAP)])
    return centre[_SWAP].tolist(), turn.as_quat().tolist()
