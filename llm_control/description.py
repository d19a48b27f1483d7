"""What is in the agent's view, in words: the text-only ablation."""

import math
from functools import cache

import numpy as np

from arena.geometry.shapes import ARENA_SIZE
from arena.scene import Floats, Scene
from arena.taskfile.catalog import KINDS
from arena.taskfile.kind import Body
from render import Mask, Segmenter
from render.camera import FIRST_PERSON_FOV_DEG

_SIDE = 256
"""Pixels a side of the searched picture; one pixel is a third of a degree in the middle."""

_RAYS = 200
"""Maximum number of a thing's pixels that are measured for its distance."""


def describe(scene: Scene) -> str:
    """What the camera sees now, from left to right, one thing a line; nothing out of view or hidden.

    Bearings are in degrees from the heading, to the left or right; distances in metres from the agent's
    centre to the nearest visible point; a ball's width and other things' height are in metres.
    """
    if not scene.lights_on:
        return "It is dark. You see nothing."
    masks = _segmenter().masks(scene)
    seen = sorted((_span(mask), index) for index, mask in masks.items())
    lines = [_line(scene, index, masks[index], *span) for span, index in seen]
    return "\n".join([*(lines or ["You see nothing but the floor and the fence."]), _fence(scene, masks)])


@cache
def _segmenter() -> Segmenter:
    return Segmenter(_SIDE)


def _line(scene: Scene, index: int, mask: Mask, left: float, right: float) -> str:
    kind = KINDS[scene.things[index].kind]
    distance = _distance(scene, index, mask)
    if kind.is_goal:
        where, extent = side((left + right) / 2), f"{scene.sizes[index][0]:.1f} m across"
    else:
        where = f"from {side(left)} to {side(right)}"
        extent = f"{scene.sizes[index][1]:.1f} m high"
    away = f"{distance:.1f} m away" if distance else "around you"
    extent = "" if kind.body is Body.ZONE else f", {extent}"
    return f"- {kind.words}: {where}, {away}{extent}"


def side(bearing: float) -> str:
    """A bearing in degrees, positive to the right, in words."""
    if abs(bearing) < 0.5:
        return "straight ahead"
    return f"{abs(bearing):.0f} degrees to the {'right' if bearing > 0 else 'left'}"


def _span(mask: Mask) -> tuple[float, float]:
    """Bearings in degrees of the leftmost and the rightmost edge of a mask."""
    columns = np.flatnonzero(mask.any(axis=0))
    focal = 1 / math.tan(math.radians(FIRST_PERSON_FOV_DEG) / 2)
    left, right = (2 * edge / _SIDE - 1 for edge in (columns[0], columns[-1] + 1))
    return math.degrees(math.atan(left / focal)), math.degrees(math.atan(right / focal))


def _rays(scene: Scene, mask: Mask) -> Floats:
    """Unit vectors (n, 3) through the middles of a mask's pixels, in the arena's frame."""
    rows, columns = np.nonzero(mask)
    step = math.ceil(len(rows) / _RAYS)
    spread = math.tan(math.radians(FIRST_PERSON_FOV_DEG) / 2)
    across = spread * (2 * (columns[::step] + 0.5) / _SIDE - 1)
    up = spread * (1 - 2 * (rows[::step] + 0.5) / _SIDE)
    yaw = math.radians(scene.agent_yaw)
    right, ahead = (
        np.array([math.cos(yaw), 0.0, -math.sin(yaw)]),
        np.array([math.sin(yaw), 0.0, math.cos(yaw)]),
    )
    ways = across[:, None] * right + up[:, None] * np.array([0.0, 1.0, 0.0]) + ahead
    return np.asarray(ways / np.linalg.norm(ways, axis=1, keepdims=True))


def _distance(scene: Scene, index: int, mask: Mask) -> float:
    """Metres to the nearest visible point of a thing, by the box around it; 0 inside that box."""
    turned = scene.rotations[index].T
    between = turned @ (scene.positions[index] - np.array(scene.agent_position))
    if KINDS[scene.things[index].kind].is_goal:
        return float(max(0.0, np.linalg.norm(between) - scene.sizes[index][0] / 2))
    ways = _rays(scene, mask) @ turned.T
    ways = np.where(np.abs(ways) < 1e-9, 1e-9, ways)
    near = (between / ways - 0.5 * scene.sizes[index] / np.abs(ways)).max(axis=1)
    far = (between / ways + 0.5 * scene.sizes[index] / np.abs(ways)).min(axis=1)
    # A pixel's middle may just miss a thing that its edge shows.
    met = near[near <= far]
    return float(max(0.0, met.min() if len(met) else np.linalg.norm(between)))


def _fence(scene: Scene, masks: dict[int, Mask]) -> str:
    """How far the fence is straight ahead, if nothing solid is before it."""
    middle = _SIDE // 2
    if any(mask[middle - 1 : middle + 1, middle - 1 : middle + 1].any() for mask in masks.values()):
        return "- fence: all around the arena, hidden straight ahead"
    yaw = math.radians(scene.agent_yaw)
    x, _, z = scene.agent_position
    ways = [
        ((ARENA_SIZE if direction > 0 else 0.0) - place) / direction
        for place, direction in ((x, math.sin(yaw)), (z, math.cos(yaw)))
        if abs(direction) > 1e-9
    ]
    return f"- fence: all around the arena, {max(0.0, min(ways)):.1f} m away straight ahead"
