"""Random places, bearings, and measures of walls kept clear of each other."""

import math
from collections.abc import Sequence

from testbed.blueprints.blueprint import Rng

HEIGHT = 3.0
"""Height of walls that the agent cannot look over, metres. Not even from a platform of 1 m."""

THICK = 0.4
"""Thickness of walls, metres."""

GAP = 0.04
"""Gap between neighbouring things, metres. Rounding does not let them overlap."""

JOINT = 0.03
"""Gap between joining walls, metres. Files hold two decimals, and walls that overlap are not placed."""

EDGE = 0.02
"""Metres from a wall's end to the fence."""

MARGIN = 2.0
"""Distance of random places from the fence, metres. The agent can get around them."""

XZ = tuple[float, float]
"""x and z of a place, metres."""

Area = tuple[float, float, float, float]
"""Bounds of a rectangle, metres. Least x, least z, greatest x, greatest z."""

FREE: Area = (MARGIN, MARGIN, 40 - MARGIN, 40 - MARGIN)
"""The floor but for these margins."""


def polar(x: float, z: float, bearing: float, distance: float) -> XZ:
    """Return the place `distance` metres away from x, z. `bearing` in degrees, clockwise from +z."""
    angle = math.radians(bearing)
    return x + distance * math.sin(angle), z + distance * math.cos(angle)


def bearing_to(start: XZ, end: XZ) -> float:
    """Return the bearing of one place from another, -180 to 180 degrees. It is clockwise from +z."""
    return math.degrees(math.atan2(end[0] - start[0], end[1] - start[1]))


def inside(x: float, z: float, margin: float = MARGIN) -> bool:
    """Return whether a place is at least `margin` metres from the fence."""
    return margin <= min(x, z) and max(x, z) <= 40 - margin


def side(rng: Rng) -> int:
    """Left (-1) or right (1)."""
    return int(rng.choice([-1, 1]))


def near(rng: Rng, value: float, spread: float) -> float:
    """A number about `value`, at most `spread` off, rounded to a centimetre."""
    return round(float(rng.uniform(value - spread, value + spread)), 2)


def even(value: float) -> float:
    """Round to an even centimetre. Between two such edges, the middle is a whole centimetre."""
    return 0.02 * round(value / 0.02)


def scattered(
    rng: Rng, count: int, apart: float, taken: Sequence[XZ] = (), within: Area = FREE
) -> tuple[XZ, ...]:
    """Return random places at least `apart` metres from each other. They are also as far from `taken`. Raises
    ValueError if none are left."""
    found: list[XZ] = []
    for _ in range(1000 * count):
        if len(found) == count:
            break
        spot = (
            near(rng, (within[0] + within[2]) / 2, (within[2] - within[0]) / 2),
            near(rng, (within[1] + within[3]) / 2, (within[3] - within[1]) / 2),
        )
        if all(math.dist(spot, other) >= apart for other in (*found, *taken)):
            found.append(spot)
    if len(found) < count:
        raise ValueError(f"{count} places {apart} m apart do not fit into {within}")
    return tuple(found)
