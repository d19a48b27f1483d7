"""Where pictures are taken from: the agent's camera and those outside it."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from arena.geometry.shapes import ARENA_SIZE
from arena.scene import Floats, Scene, Vector, yaw_rotation
from arena.taskfile.catalog import KINDS
from arena.taskfile.kind import Body

Matrix = npt.NDArray[np.float32]
_Lens = tuple[float, float, float, float | None, float]

FIRST_PERSON_FOV_DEG = 100.0
"""Vertical field of view of the agent's camera (`AAI3Agent.prefab`)."""

_BEHIND = 0.75 * np.array([0.0, 2.0, -5.0])
_DISTANCES = (1.0, 4.0)

_DIRECTIONS = 256
"""Number of directions whose axes are kept: an agent turns in steps of 6 degrees."""


@dataclass(frozen=True, slots=True)
class Camera:
    """A perspective camera, or an orthographic one if `half_height` is given.

    `position` in metres; `yaw` in degrees clockwise from +z, `pitch` in degrees, positive looks down;
    `fov` is vertical, in degrees; `near` and `far` in metres; `half_height` is half the height in metres
    that an orthographic picture shows.
    """

    position: Vector
    yaw: float
    pitch: float = 0.0
    fov: float = FIRST_PERSON_FOV_DEG
    near: float = 0.01
    far: float = 70.0
    half_height: float | None = None

    def axes(self) -> Floats:
        """Unit vectors right, up and forward as rows (3, 3), in the arena's frame; do not write to them."""
        return _axes(self.yaw, self.pitch)

    def matrix(self, aspect: float) -> Matrix:
        """World to OpenGL clip space (4, 4), acting on columns; `aspect` is width over height.

        The picture is upside down, so that OpenGL's bottom row, which is read first, is the top one.
        """
        lens = self.fov, self.near, self.far, self.half_height, aspect
        at_origin = _at_origin(self.yaw, self.pitch, lens)
        matrix = at_origin.astype(np.float32)
        matrix[:, 3] = at_origin[:, 3] - at_origin[:, :3] @ self.position
        return matrix

    def magnification(self, distance: float) -> float:
        """Half picture heights per metre at a distance (metres) from the camera."""
        if self.half_height:
            return 1 / self.half_height
        return 1 / (max(distance, self.near) * math.tan(math.radians(self.fov) / 2))

    def rays(self, aspect: float) -> Matrix:
        """(3, 3): a point (x, y, 1) of the upside-down picture, -1 to 1, to a direction in the arena."""
        spread = 0.0 if self.half_height else math.tan(math.radians(self.fov) / 2)
        scale = np.array([[spread * aspect], [-spread], [1.0]])
        return (scale * self.axes()).T.astype(np.float32)


@lru_cache(_DIRECTIONS)
def _axes(yaw_deg: float, pitch_deg: float) -> Floats:
    yaw, pitch = math.radians(yaw_deg), math.radians(pitch_deg)
    forward = (math.sin(yaw) * math.cos(pitch), -math.sin(pitch), math.cos(yaw) * math.cos(pitch))
    up = (math.sin(yaw) * math.sin(pitch), math.cos(pitch), math.cos(yaw) * math.sin(pitch))
    return np.array([(math.cos(yaw), 0.0, -math.sin(yaw)), up, forward])


@lru_cache(_DIRECTIONS)
def _at_origin(yaw_deg: float, pitch_deg: float, lens: _Lens) -> Floats:
    """The matrix of a camera at (0, 0, 0)."""
    fov, near, far, half_height, aspect = lens
    depth, view = far - near, np.eye(4)
    view[:3, :3] = _axes(yaw_deg, pitch_deg)
    projection = np.zeros((4, 4))
    if half_height:
        focal = 1 / half_height
        projection[2, 2:] = 2 / depth, -(far + near) / depth
        projection[3, 3] = 1
    else:
        focal = 1 / math.tan(math.radians(fov) / 2)
        projection[2, 2:] = (far + near) / depth, -2 * far * near / depth
        projection[3, 2] = 1
    projection[0, 0], projection[1, 1] = focal / aspect, -focal
    return projection @ view


def first_person(scene: Scene) -> Camera:
    """The agent's view: at its centre, level, along its heading."""
    return Camera(scene.agent_position, scene.agent_yaw)


def third_person(scene: Scene) -> Camera:
    """From behind and above the agent, 10 degrees down (`CameraFollow.cs` and `CameraCollision.cs`).

    The camera stands (0, 2, -5) x 0.75 from the agent's centre, nearer if something is in between.
    """
    offset = yaw_rotation(scene.agent_yaw) @ _BEHIND
    distance = float(np.linalg.norm(offset))
    free = _free_distance(scene, offset / distance, distance)
    if free < distance:
        offset *= np.clip(0.9 * free, *_DISTANCES) / distance
    x, y, z = np.array(scene.agent_position) + offset
    return Camera((x, y, z), scene.agent_yaw, 10.0, fov=60.0, near=0.2, far=1000.0)


def _free_distance(scene: Scene, direction: Floats, most: float) -> float:
    """Metres from the agent along a direction to the arena's edge or a thing's box, at most `most`."""
    start = np.array(scene.agent_position)
    level = np.where(np.abs(direction) < 1e-9, 1e-9, direction)[[0, 2]]
    edge = (np.where(level > 0, ARENA_SIZE, 0.0) - start[[0, 2]]) / level
    solid = (
        np.array([KINDS[thing.kind].body is not Body.ZONE for thing in scene.things], bool) & scene.visible
    )
    turned = scene.rotations[solid].transpose(0, 2, 1)
    local = turned @ direction
    local = np.where(np.abs(local) < 1e-9, 1e-9, local)
    middle = np.einsum("nij,nj->ni", turned, scene.positions[solid] - start) / local
    half = 0.5 * scene.sizes[solid] / np.abs(local)
    near, far = (middle - half).max(axis=1), (middle + half).min(axis=1)
    hits = near[(near <= far) & (near > 0)]
    return float(min([most, *edge, *hits]))


def birds_eye() -> Camera:
    """From above the middle of the arena, north up (section 3.2 of the behaviour specification)."""
    return Camera((20.0, 50.0, 20.0), 0.0, 90.0, fov=60.0, near=0.3, far=1000.0)


def top_view() -> Camera:
    """The whole arena without perspective, north up: Animal-AI's screenshot camera (section 3.2)."""
    return Camera((20.0, 20.0, 20.0), 0.0, 90.0, near=-40.0, far=50.0, half_height=21.0)
