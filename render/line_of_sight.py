"""Visibility of balls to the agent, computed without drawing."""

import math
from collections.abc import Sequence

import numpy as np

from arena.rays import BallCasts
from arena.scene import Floats, Scene, Thing
from arena.taskfile.catalog import KINDS
from arena.taskfile.kind import Body, Shape
from arena.taskfile.versions import DIFFERENCES, Version
from render.camera import FIRST_PERSON_FOV_DEG, first_person

_EDGE = 0.9
"""Share of a ball's radius at which its rim is tested. A visible sliver does not count."""

_SPREAD = math.tan(math.radians(FIRST_PERSON_FOV_DEG / 2))
"""Half width of the square picture at a distance of 1."""

_NEAREST = 1e-6
"""Metres; a ball nearer than this is at the camera."""


class LineOfSight:
    """Lines of sight from the agent to balls. Caches the things' shapes while these stay the same."""

    def __init__(self) -> None:
        self._things: tuple[Thing, ...] | None = None

    def in_view(self, scene: Scene, balls: Sequence[int]) -> frozenset[int]:
        """Return the balls, indices into `scene.things`, visible in the agent's picture.

        A ball is visible if its centre or its rim (left, right, top or bottom, at 0.9 of the radius) lies in
        the square field of view of 100 degrees without an opaque thing in front, and the lights are on.
        """
        if not scene.lights_on:
            return frozenset()
        return frozenset(ball for ball in balls if scene.visible[ball] and self._shows(scene, ball, True))

    def is_open(self, scene: Scene, ball: int) -> bool:
        """Return whether the line from the agent to a ball is clear. The agent's heading does not count."""
        return bool(scene.visible[ball]) and self._shows(scene, ball, False)

    def _shows(self, scene: Scene, ball: int, framed: bool) -> bool:
        eye = np.array(scene.agent_position)
        axes = first_person(scene).axes()
        points = _points(eye, scene.positions[ball], float(scene.sizes[ball][0]) / 2) - eye
        if framed:
            right, up, forward = points @ axes.T[:, [0]], points @ axes.T[:, [1]], points @ axes.T[:, [2]]
            inside = (forward > 0) & (abs(right) <= _SPREAD * forward) & (abs(up) <= _SPREAD * forward)
            points = points[inside[:, 0]]
        distances = np.linalg.norm(points, axis=1)
        if not len(points):
            return False
        if distances.min() < _NEAREST:
            return True
        self._update(scene)
        directions = points / distances[:, None]
        _, own = self._casts.nearest(scene, directions, 0.0, distances, [ball])
        surface = np.minimum(own, distances)
        _, others = self._casts.nearest(scene, directions, 0.0, surface, self._opaque - {ball})
        return bool((surface <= others).any())

    def _update(self, scene: Scene) -> None:
        if scene.things is self._things:
            return
        self._casts = BallCasts(scene.things, DIFFERENCES[Version(scene.version)].fitted_bars)
        boundary = len(scene.things)
        glass = Version(scene.version).is_4
        self._opaque = {boundary, *(i for i, thing in enumerate(scene.things) if not _is_clear(thing, glass))}
        self._things = scene.things


def _is_clear(thing: Thing, glass: bool) -> bool:
    """Return whether a thing never hides another. Such things are zones, transparent ones, and with `glass` a
    house of 4.x or its door."""
    kind = KINDS[thing.kind]
    house = kind.shape is Shape.HOUSE or kind.name == "Door"
    return kind.transparent or kind.body is Body.ZONE or (glass and house)


def _points(eye: Floats, centre: Floats, radius: float) -> Floats:
    """Return a ball's centre and rim seen from a point, (5, 3)."""
    line = centre - eye
    flat = math.hypot(line[0], line[2])
    aside = np.array([line[2], 0.0, -line[0]]) / flat if flat > _NEAREST else np.array([1.0, 0.0, 0.0])
    above = np.cross(line, aside)
    length = float(np.linalg.norm(above))
    above = above / length if length > _NEAREST else np.array([0.0, 1.0, 0.0])
    rim = _EDGE * radius * np.array([aside, -aside, above, -above])
    return np.vstack([centre, centre + rim])
