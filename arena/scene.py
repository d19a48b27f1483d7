"""Scenes: the state of an arena as cameras receive it.

Frame of reference everywhere: Animal-AI's left-handed coordinates in metres, x right (east), y up, z forward
(north), origin at the arena's floor corner. Yaw is in degrees, clockwise seen from above, 0 looks along +z.
"""

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Vector = tuple[float, float, float]
Floats = npt.NDArray[np.float64]

_DEGREE = math.pi / 180


@dataclass(frozen=True, slots=True)
class Thing:
    """Constant properties of an object in an episode.

    `kind` is a name of `arena.taskfile.catalog.KINDS`; `size` is the built size in metres along the object's
    own x, y, z (already clipped and times 0.999); `color` is sRGB in 0..1, or None for the kind's own
    appearance; `moves` is False for a body that hardly ever changes its pose (renderers must check for it,
    but may handle the rare change slowly). `symbol` is the symbol of a sign board, drawn in `color`: a preset
    of `arena.taskfile.symbols` or rows of 0 and 1.
    """

    kind: str
    size: Vector
    color: Vector | None
    moves: bool
    symbol: str = ""


SKINS = ("panda", "pig", "hedgehog")
"""The agent's skins, visible in third person and to other agents (`AnimalSkinManager.cs`)."""


@dataclass(frozen=True, slots=True)
class Animal:
    """Another agent: centre (metres), yaw (degrees) and skin, one of `SKINS`."""

    position: Vector
    yaw: float
    skin: str = SKINS[0]


@dataclass(frozen=True, slots=True)
class Scene:
    """Instantaneous state of an arena, as a camera needs it.

    `things` is the same tuple object while nothing is added, so a renderer may keep uploaded data as long as
    `scene.things is previous.things`; new things are only appended. `positions` (n, 3) and `rotations` (n, 3,
    3) are the poses of the things' origins: a point p of a shape is at `positions[i] + rotations[i] @ p`.
    `sizes` (n, 3) are the current sizes in metres: balls can grow, doors shrink. `visible` (n,) is False for
    removed or invisible things. The agent whose view this is has `agent_position` (centre), `agent_yaw` and
    `skin`; `others` are the other agents. `lights_on` False means a black first-person frame. `version` is
    the `arena.taskfile.versions.Version` whose appearance it has. `unseen` are the indices of things that are
    there but not drawn, invisible data zones: rays meet them.
    """

    things: tuple[Thing, ...]
    positions: Floats
    rotations: Floats
    sizes: Floats
    visible: npt.NDArray[np.bool_]
    agent_position: Vector
    agent_yaw: float
    skin: str = SKINS[0]
    others: tuple[Animal, ...] = ()
    lights_on: bool = True
    version: str = "3.1.3"
    unseen: frozenset[int] = frozenset()


def local(vector: Vector, yaw_deg: float) -> Vector:
    """Convert a vector to a yaw's frame: right, up, forward."""
    x, y, z = vector
    sin, cos = sin_cos(yaw_deg)
    return (x * cos - z * sin, y, x * sin + z * cos)


def sin_cos(angle_deg: float) -> tuple[float, float]:
    """Return sine and cosine of degrees, bit-identical on every processor.

    They are exact at quarter turns. C libraries differ in the last bits; these are Taylor series up to 45
    degrees, whose next terms are below half of the last bit.
    """
    quarter = math.floor(angle_deg / 90.0 + 0.5)
    x = (angle_deg - 90.0 * quarter) * _DEGREE
    y = x * x
    sin = cos = 1.0
    for k in range(16, 1, -2):
        sin = 1.0 - sin * y / (k * (k + 1))
        cos = 1.0 - cos * y / (k * (k - 1))
    sin *= x
    turn = quarter % 4
    if turn == 0:
        return sin, cos
    if turn == 1:
        return cos, -sin
    return (-sin, -cos) if turn == 2 else (-cos, sin)


def yaw_rotation(yaw_deg: float) -> Floats:
    """Return a yaw's rotation matrix (3, 3). Local z is (sin, 0, cos), local x is (cos, 0, -sin)."""
    sin, cos = sin_cos(yaw_deg)
    return np.array([[cos, 0.0, sin], [0.0, 1.0, 0.0], [-sin, 0.0, cos]])


def rotated(points: npt.ArrayLike, rotation: Floats) -> Floats:
    """Rotate points (..., 3) by a rotation matrix (3, 3). This is not `@`, whose library fuses products and
    sums on some processors and not on others."""
    p = np.asarray(points)
    x, y, z = rotation.T
    return np.asarray(p[..., :1] * x + p[..., 1:2] * y + p[..., 2:] * z)


Angle = TypeVar("Angle", float, Floats)


def wrap_deg(angle: Angle) -> Angle:
    """Wrap an angle to at least -180 and below 180. Takes a number or an array."""
    return (angle + 180) % 360 - 180
