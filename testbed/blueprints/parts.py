"""Pieces that several levels build with."""

from testbed.blueprints.blueprint import Color, Object, Point
from testbed.blueprints.places import even

GREY: Color = (153, 153, 153)
BLUE: Color = (0, 0, 255)
PINK: Color = (255, 0, 255)
"""Colours of walls and of ramps: those that the 2019 battery uses for these objects."""


def agent(x: float, z: float, yaw: float, y: float = 0) -> Object:
    """The agent's start."""
    return Object("Agent", (x, y, z), yaw=yaw % 360)


def ball(kind: str, x: float, z: float, size: float, y: float = 0, yaw: float = 0) -> Object:
    """A goal whose bottom is at height y; one that rolls starts towards `yaw`."""
    return Object(kind, (x, y, z), (size, size, size), yaw)


def wall(x: float, z: float, size: Point, yaw: float = 0, color: Color = GREY, y: float = 0) -> Object:
    """An opaque wall."""
    return Object("Wall", (x, y, z), size, yaw, color)


def pane(x: float, z: float, size: Point, yaw: float = 0, y: float = 0) -> Object:
    """A transparent wall."""
    return Object("WallTransparent", (x, y, z), size, yaw)


def ramp(x: float, z: float, size: Point, yaw: float, color: Color = PINK, y: float = 0) -> Object:
    """A ramp that rises against `yaw`: with yaw 180 its top is at the end of greater z."""
    return Object("Ramp", (x, y, z), size, yaw, color)


def tunnel(kind: str, x: float, z: float, size: Point, yaw: float) -> Object:
    """A tunnel along z; the transparent kind has no colour."""
    return Object(kind, (x, 0, z), size, yaw % 360, GREY if kind == "CylinderTunnel" else None)


def block(kind: str, x: float, z: float, size: Point, yaw: float = 0, y: float = 0) -> Object:
    """Something that can be pushed."""
    return Object(kind, (x, y, z), size, yaw % 360)


DEATH, HOT = "DeathZone", "HotZone"
"""Kinds of zones."""


def zone(kind: str, x: float, z: float, width: float, depth: float, yaw: float = 0) -> Object:
    """A zone that lies on the floor."""
    return Object(kind, (x, 0, z), (width, 0, depth), yaw % 360)


FENCE_GAP = 0.04
"""Metres between a zone and the fence, which it must not touch."""


def zone_between(kind: str, x1: float, z1: float, x2: float, z2: float) -> Object:
    """A zone between two corners, metres; it keeps a small distance from the fence."""
    left, low, right, high = (even(min(max(value, FENCE_GAP), 40 - FENCE_GAP)) for value in (x1, z1, x2, z2))
    return zone(kind, (left + right) / 2, (low + high) / 2, right - left, high - low)
