"""Which objects are stably supported, and their heights at rest, computed from their positions."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from arena.geometry.placed import Placed
from arena.geometry.shapes import FLOOR_Y
from arena.scene import Floats, yaw_rotation
from arena.taskfile.kind import Body, Shape

NEAR_FLOOR = 0.05
"""An object whose bottom is lower than this, metres, stands on the floor after falling by 0.02."""

_REACH = (-0.05, 0.03)
"""Range of heights of a supporting top relative to a bottom, metres: from the lift and the factor 0.999."""

_SIDE = np.linspace(-0.5, 0.5, 13)
_FOOTPRINT = np.array([(x, 0.0, z) for z in _SIDE for x in _SIDE])
"""The sampled points of the base of a thing of size 1."""


def resting_heights(things: Sequence[Placed]) -> dict[int, float]:
    """Height of the centre (metres) at which each stably supported thing comes to rest, by index.

    A thing is stable if it stands on the floor, or if its centre is inside the convex hull of the points at
    which stable things support it. Loads on top are ignored; balls and zones support nothing.
    """
    solid = [
        i
        for i, placed in enumerate(things)
        if not (placed.blocked or placed.kind.is_goal or placed.kind.body is Body.ZONE)
    ]
    drops: dict[int, float] = {i: 0.0 for i in solid if things[i].kind.shape is Shape.TUBE}
    for index in sorted(solid, key=lambda i: (_bottom(things[i]), i)):
        if index not in drops:
            drop = _drop(index, things, drops)
            if drop is not None:
                drops[index] = drop
    return {index: things[index].position[1] - drop for index, drop in drops.items()}


def at_rest(placed: Placed, height: float | None) -> Placed:
    """A heavy thing at the height (metres) where it comes to rest; other things unchanged."""
    if height is None or not placed.kind.is_heavy:
        return placed
    return replace(placed, position=(placed.position[0], height, placed.position[2]))


def _bottom(placed: Placed) -> float:
    return placed.position[1] - placed.size[1] / 2


def _drop(index: int, things: Sequence[Placed], drops: dict[int, float]) -> float | None:
    """Distance that a thing falls onto its supports, metres; None if it is not stable."""
    placed = things[index]
    bottom = _bottom(placed)
    if bottom <= NEAR_FLOOR:
        return bottom - FLOOR_Y
    points = _footprint(placed)
    carried = np.zeros(len(points), dtype=np.bool_)
    drop = np.inf
    for other, lowered in drops.items():
        gap = _top_under(things[other], points) - bottom
        here = (gap > _REACH[0]) & (gap < _REACH[1])
        if here.any():
            carried |= here
            drop = min(drop, lowered - float(gap[here].max()))
    offsets = points[carried] - np.array([placed.position[0], placed.position[2]])
    return drop if _surrounds(offsets) else None


def _footprint(placed: Placed) -> Floats:
    """Sampled points (n, 2), x and z in metres, of the thing's base."""
    world = _FOOTPRINT * placed.size @ yaw_rotation(placed.yaw).T + np.array(placed.position)
    return np.asarray(world[:, [0, 2]])


def _top_under(support: Placed, points: Floats) -> Floats:
    """Height (n,) of a support's upper face at points (n, 2); minus infinity beside it.

    A tunnel supports along its crest, an L, J or U block on the box of its long bar.
    """
    middle = np.array(support.position)
    away = np.column_stack([points[:, 0] - middle[0], np.zeros(len(points)), points[:, 1] - middle[2]])
    local = away @ yaw_rotation(support.yaw)
    half = np.array(support.size) / 2
    across, along = local[:, 0] / half[0], local[:, 2] / half[2]
    inside = (np.abs(across) <= 1) & (np.abs(along) <= 1)
    rise = {Shape.PRISM: -along, Shape.TUBE: np.sqrt(np.maximum(0.0, 1 - across**2))}
    return np.where(inside, middle[1] + half[1] * rise.get(support.kind.shape, 1.0), -np.inf)


def _surrounds(points: Floats) -> bool:
    """Whether the origin lies inside the convex hull of points (n, 2)."""
    if len(points) == 0:
        return False
    if (np.abs(points) < 1e-6).all(axis=1).any():
        return True
    angles = np.sort(np.arctan2(points[:, 1], points[:, 0]))
    gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi))
    return bool(gaps.max() <= np.pi + 1e-9)
