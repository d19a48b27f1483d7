"""Pieces that several levels build with: objects, barriers and rings of walls."""

import math
from collections.abc import Sequence
from itertools import pairwise

from testbed.blueprints.blueprint import GREY, PINK, Color, Object, Point
from testbed.blueprints.places import GAP, HEIGHT, JOINT, THICK, XZ, bearing_to, even, polar


def agent(x: float, z: float, yaw: float, y: float = 0) -> Object:
    """Return the agent's start."""
    return Object("Agent", (x, y, z), yaw=yaw % 360)


def ball(kind: str, x: float, z: float, size: float, y: float = 0, yaw: float = 0) -> Object:
    """Return a goal whose bottom is at height y. One that rolls starts towards `yaw`."""
    return Object(kind, (x, y, z), (size, size, size), yaw)


def wall(x: float, z: float, size: Point, yaw: float = 0, color: Color = GREY, y: float = 0) -> Object:
    """Return an opaque wall."""
    return Object("Wall", (x, y, z), size, yaw, color)


def pane(x: float, z: float, size: Point, yaw: float = 0, y: float = 0) -> Object:
    """Return a transparent wall."""
    return Object("WallTransparent", (x, y, z), size, yaw)


def ramp(x: float, z: float, size: Point, yaw: float, color: Color = PINK, y: float = 0) -> Object:
    """Return a ramp that rises against `yaw`. With yaw 180 its top is at the end of greater z."""
    return Object("Ramp", (x, y, z), size, yaw, color)


def tunnel(kind: str, x: float, z: float, size: Point, yaw: float) -> Object:
    """Return a tunnel along z; the transparent kind has no colour."""
    return Object(kind, (x, 0, z), size, yaw % 360, GREY if kind == "CylinderTunnel" else None)


def block(kind: str, x: float, z: float, size: Point, yaw: float = 0, y: float = 0) -> Object:
    """Something that can be pushed."""
    return Object(kind, (x, y, z), size, yaw % 360)


DEATH, HOT = "DeathZone", "HotZone"
"""Kinds of zones."""


def zone(kind: str, x: float, z: float, width: float, depth: float, yaw: float = 0) -> Object:
    """Return a zone that lies on the floor."""
    return Object(kind, (x, 0, z), (width, 0, depth), yaw % 360)


FENCE_GAP = 0.04
"""Metres between a zone and the fence, which it must not touch."""


def zone_between(kind: str, x1: float, z1: float, x2: float, z2: float) -> Object:
    """Return a zone between two corners, metres. It keeps a small distance from the fence."""
    left, low, right, high = (even(min(max(value, FENCE_GAP), 40 - FENCE_GAP)) for value in (x1, z1, x2, z2))
    return zone(kind, (left + right) / 2, (low + high) / 2, right - left, high - low)


def barrier(x: float, z: float, size: Point, yaw: float, transparent: bool) -> Object:
    """Return a wall, grey or transparent."""
    return pane(x, z, size, yaw) if transparent else wall(x, z, size, yaw)


def along(x: float, low: float, high: float, height: float, thick: float = THICK, y: float = 0) -> Object:
    """Return a wall along z at some x. It reaches from z = `low` to `high`."""
    return wall(x, (low + high) / 2, (thick, height, high - low), y=y)


def across(z: float, left: float, right: float, height: float, thick: float = THICK) -> Object:
    """Return a wall along x at some z. It reaches from x = `left` to `right`."""
    return wall((left + right) / 2, z, (right - left, height, thick))


def wall_between(start: XZ, end: XZ, height: float) -> Object:
    """Return a wall whose middle line leads from one place to another."""
    x, z = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    yaw = bearing_to(start, end) % 180
    # The file has yaws to a tenth of a degree and places to a centimetre.
    return wall(x, z, (THICK, height, math.dist(start, end) - 2 * GAP), yaw)


def run(points: Sequence[XZ]) -> tuple[Object, ...]:
    """One wall along several points at right angles to each other. Corners are filled."""
    found, thickness = [], 0.5
    for number, ((ax, az), (bx, bz)) in enumerate(pairwise(points)):
        bearing = bearing_to((ax, az), (bx, bz))
        start = thickness / 2 + JOINT if number else 0.0
        end = math.dist((ax, az), (bx, bz)) + (thickness / 2 if number < len(points) - 2 else 0.0)
        x, z = polar(ax, az, bearing, (start + end) / 2)
        found.append(wall(x, z, (thickness, HEIGHT, end - start), bearing))
    return tuple(found)


def fan(bearings: Sequence[float], length: float) -> tuple[Object, ...]:
    """Panes out from the arena's middle. No two of the bearings (ascending) are closer than 40 degrees."""
    thickness = 0.5
    turns = [(b - a) % 360 for a, b in zip(bearings, (*bearings[1:], bearings[0]), strict=True)]
    start = thickness / 2 / math.tan(math.radians(min(*turns, 170) / 2)) + JOINT
    return tuple(
        pane(*polar(20, 20, bearing, start + length / 2), (thickness, HEIGHT, length), bearing)
        for bearing in bearings
    )


def ring(radius: float, opening: int) -> tuple[Object, ...]:
    """Return nine of ten walls around the arena's middle. Wall 0 is at bearing 0."""
    thickness = 0.4
    width = 2 * (radius - thickness / 2) * math.tan(math.pi / 10) - JOINT
    return tuple(
        wall(*polar(20, 20, 36 * number, radius), (width, HEIGHT, thickness), 36 * number)
        for number in range(10)
        if number != opening
    )
