"""Where a picture is taken from."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arena.scene import Scene, Vector

Matrix = npt.NDArray[np.float32]

FIRST_PERSON_FOV_DEG = 100.0
"""Vertical field of view of the agent's camera (`AAI3Agent.prefab`)."""


@dataclass(frozen=True, slots=True)
class Camera:
    """A perspective camera.

    `position` in metres; `yaw` in degrees clockwise from +z, `pitch` in degrees, positive looks down;
    `fov` is vertical, in degrees; `near` and `far` in metres.
    """

    position: Vector
    yaw: float
    pitch: float = 0.0
    fov: float = FIRST_PERSON_FOV_DEG
    near: float = 0.01
    far: float = 70.0

    def axes(self) -> npt.NDArray[np.float64]:
        """Unit vectors right, up and forward as rows (3, 3), in the arena's frame."""
        yaw, pitch = math.radians(self.yaw), math.radians(self.pitch)
        forward = (math.sin(yaw) * math.cos(pitch), -math.sin(pitch), math.cos(yaw) * math.cos(pitch))
        up = (math.sin(yaw) * math.sin(pitch), math.cos(pitch), math.cos(yaw) * math.sin(pitch))
        return np.array([(math.cos(yaw), 0.0, -math.sin(yaw)), up, forward])

    def matrix(self, aspect: float) -> Matrix:
        """World to OpenGL clip space (4, 4), acting on columns; `aspect` is width over height.

        The picture is upside down, so that OpenGL's bottom row, which is read first, is the top one.
        """
        focal = 1 / math.tan(math.radians(self.fov) / 2)
        axes = self.axes()
        view = np.eye(4)
        view[:3, :3] = axes
        view[:3, 3] = -axes @ np.array(self.position)
        depth = self.far - self.near
        projection = np.zeros((4, 4))
        projection[0, 0] = focal / aspect
        projection[1, 1] = -focal
        projection[2, 2] = (self.far + self.near) / depth
        projection[2, 3] = -2 * self.far * self.near / depth
        projection[3, 2] = 1
        return np.asarray(projection @ view, dtype=np.float32)


def first_person(scene: Scene) -> Camera:
    """The agent's view: at its centre, level, along its heading."""
    return Camera(scene.agent_position, scene.agent_yaw)


def birds_eye() -> Camera:
    """From above the middle of the arena, north up (section 3.2 of the behaviour specification)."""
    return Camera((20.0, 50.0, 20.0), 0.0, 90.0, fov=60.0, near=0.3, far=1000.0)
