"""Cameras: the agent's own, and those outside it."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from arena.geometry.shapes import ARENA_SIZE
from arena.scene import Floats, Scene, Vector, rotated, sin_cos, yaw_rotation
from arena.taskfile.catalog import KINDS
from arena.taskfile.kind import Body

FIRST_PERSON_FOV_DEG = 100.0
"""Vertical field of view of the agent's camera (`AAI3Agent.prefab`)."""

EYE, RIGHT, UP, FORWARD = 0, 3, 6, 9
"""Indices of a camera's position and axes in its `lens`. Three numbers each, in the arena's frame."""

WIDE, HIGH, NEAR, FAR, PARALLEL = range(12, 17)
"""Indices of the lens's remaining numbers. Half the picture's width and height at a distance of 1 (without
perspective: in metres), the planes' distances in metres, and 1 for a camera without perspective."""

_BEHIND = 0.75 * np.array([0.0, 2.0, -5.0])
_DISTANCES = (1.0, 4.0)

_DIRECTIONS = 256
"""Maximum number of cached directions. An agent turns in steps of 6 degrees."""


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
        """Unit vectors right, up and forward as rows (3, 3), read-only. They are in the arena's frame."""
        return _axes(self.yaw, self.pitch)

    def lens(self, aspect: float) -> tuple[Floats, Floats]:
        """Return the camera as numbers, and its rays (3, 3). They turn a point (x, y, 1) of the picture, -1
        to 1, x right and y down, into a direction in the arena; `aspect` is width over height."""
        lens, rays = _lens(self.yaw, self.pitch, self.fov, self.near, self.far, self.half_height, aspect)
        lens = lens.copy()
        lens[:3] = self.position
        return lens, rays

    def project(self, points: npt.ArrayLike, width: int, height: int) -> Floats:
        """Project points (n, 3), metres, to pixels (n, 2), column and row.

        Points are in the arena's frame. Pixel (i, j) covers i to i + 1 and j to j + 1, so that (0, 0) is the
        upper left corner of a picture of `width` by `height` pixels. Points behind a perspective camera, and
        NaN, become NaN.
        """
        from_here = np.asarray(points, float).reshape(-1, 3) - self.position
        right, up, forward = self.axes() @ from_here.T
        high = self.half_height or self._high * np.where(forward > 0, forward, np.nan)
        across, down = right / high * height / width, -up / high
        return np.column_stack([(across + 1) / 2 * width, (down + 1) / 2 * height])

    def pixels_per_metre(self, point: npt.ArrayLike, height: int) -> float:
        """Return pixels per metre, across the line of sight, at a place. It is (3,), in the arena."""
        distance = (np.asarray(point, float) - self.position) @ self.axes()[2]
        return height / 2 / (self.half_height or self._high * max(float(distance), self.near))

    @property
    def _high(self) -> float:
        """Half the picture's height at a distance of 1."""
        sin, cos = sin_cos(self.fov / 2)
        return sin / cos


@lru_cache(_DIRECTIONS)
def _axes(yaw_deg: float, pitch_deg: float) -> Floats:
    (sin, cos), (down, level) = sin_cos(yaw_deg), sin_cos(pitch_deg)
    return np.array([(cos, 0.0, -sin), (sin * down, level, cos * down), (sin * level, -down, cos * level)])


@lru_cache(_DIRECTIONS)
def _lens(
    yaw: float, pitch: float, fov: float, near: float, far: float, half_height: float | None, aspect: float
) -> tuple[Floats, Floats]:
    """Return the numbers and rays of a camera at (0, 0, 0). Do not write to them."""
    axes, (sin, cos) = _axes(yaw, pitch), sin_cos(fov / 2)
    high = half_height or sin / cos
    parallel = half_height is not None
    lens = np.array([0.0, 0.0, 0.0, *axes.ravel(), high * aspect, high, near, far, float(parallel)])
    spread = 0.0 if parallel else high
    rays = axes * np.array([[spread * aspect], [-spread], [1.0]])
    return lens, np.ascontiguousarray(rays.T)


def first_person(scene: Scene) -> Camera:
    """Return the agent's view: at its centre, level, along its heading."""
    return Camera(scene.agent_position, scene.agent_yaw)


def third_person(scene: Scene) -> Camera:
    """From behind and above the agent, 10 degrees down (`CameraFollow.cs` and `CameraCollision.cs`). The
    camera stands (0, 2, -5) x 0.75 from the agent's centre, nearer if something is in between."""
    offset = rotated(_BEHIND, yaw_rotation(scene.agent_yaw))
    distance = math.hypot(*_BEHIND)
    free = _free_distance(scene, offset / distance, distance)
    if free < distance:
        offset *= np.clip(0.9 * free, *_DISTANCES) / distance
    x, y, z = np.array(scene.agent_position) + offset
    return Camera((x, y, z), scene.agent_yaw, 10.0, fov=60.0, near=0.2, far=1000.0)


def _free_distance(scene: Scene, direction: Floats, most: float) -> float:
    """Return the free distance in a direction from the agent, metres. It is at most `most`, and ends at the
    arena's edge or a thing's box."""
    start = np.array(scene.agent_position)
    level = np.where(np.abs(direction) < 1e-9, 1e-9, direction)[[0, 2]]
    edge = (np.where(level > 0, ARENA_SIZE, 0.0) - start[[0, 2]]) / level
    solid = scene.visible & ~np.array([KINDS[thing.kind].body is Body.ZONE for thing in scene.things], bool)
    turned = scene.rotations[solid].transpose(0, 2, 1)
    local = (turned * direction).sum(axis=2)
    local = np.where(np.abs(local) < 1e-9, 1e-9, local)
    middle = (turned * (scene.positions[solid] - start)[:, None]).sum(axis=2) / local
    half = 0.5 * scene.sizes[solid] / np.abs(local)
    near, far = (middle - half).max(axis=1), (middle + half).min(axis=1)
    return float(min([most, *edge, *near[(near <= far) & (near > 0)]]))


def birds_eye() -> Camera:
    """From above the middle of the arena, north up (`AAI3EnvironmentManager.unity`)."""
    return Camera((20.0, 50.0, 20.0), 0.0, 90.0, fov=60.0, near=0.3, far=1000.0)


def top_view() -> Camera:
    """Return the whole arena's view from above, north up: Animal-AI's screenshot camera."""
    return Camera((20.0, 20.0, 20.0), 0.0, 90.0, near=-40.0, far=50.0, half_height=21.0)
