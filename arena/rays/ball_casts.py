"""Casts of a ball (or a point) from the agent in several directions; exact, without Bullet.

Most colliders are nowhere near a ray, and a few array operations rule them all out. The others are tested one
by one, nearest first, in plain numbers (`arena.rays.ray_shapes`).
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from arena.geometry.shapes import ARENA_SIZE, boundary_parts
from arena.geometry.solids import Solid, box, colliders_of
from arena.rays.bounds import Bearings, Bounds, Collider
from arena.rays.ray_shapes import TOUCHING, BallShape, BoxShape, PrismShape, Shape
from arena.rays.tunnel_cast import TunnelShape
from arena.scene import Floats, Scene, Thing, Vector
from arena.taskfile.catalog import KINDS

_WALL_TOP, _WALL_THICK = 200.0, 1.0
"""Height and thickness of the boundary's walls, metres (`arena.geometry.shapes.boundary_parts`)."""

_MIDDLE = ARENA_SIZE / 2

Nearest = list[tuple[float, int]]
"""Distance (metres, infinite for a miss) and index of the thing that is hit, for each ray."""


class LocalBall(NamedTuple):
    """The ball in a collider's frame: its centre, and the arena's axes."""

    origin: Vector
    x: Vector
    y: Vector
    z: Vector


class BallCasts:
    """All colliders of an episode and the arena's boundary; built once, used at every step.

    What it caches from scene to scene only saves time; results never depend on it.
    """

    def __init__(self, things: tuple[Thing, ...], sizes: Floats, radius: float, fitted: bool = False) -> None:
        """`sizes` (n, 3) are the current sizes, `radius` is the ball's (0 casts a point), both in metres;
        `fitted` is as for `arena.geometry.solids.colliders_of`.

        Raises KeyError for a thing of unknown shape."""
        self._things, self._radius, self._fitted = things, radius, fitted
        self._sizes = sizes.copy()
        made = [
            _colliders(thing.kind, tuple(size), radius, fitted)
            for thing, size in zip(things, sizes.tolist(), strict=True)
        ]
        self._first = [0, *accumulate(len(group) for group in made)]
        self._colliders = [collider for group in made for collider in group]
        self._owners = [index for index, group in enumerate(made) for _ in group]
        self._bounds = Bounds(self._colliders, self._owners, [thing.moves for thing in things])
        self._walls = [_collider([box(part.size, part.centre)], radius) for part in boundary_parts()]

    def resize(self, sizes: Floats) -> None:
        """Update the sizes (n, 3) of the things, metres."""
        for index in np.flatnonzero((sizes != self._sizes).any(axis=1)).tolist():
            first, end = self._first[index : index + 2]
            kind, size = self._things[index].kind, tuple(sizes[index].tolist())
            made = _colliders(kind, size, self._radius, self._fitted)
            self._colliders[first:end] = made
            for number, collider in enumerate(made, start=first):
                self._bounds.change(number, collider)
        self._sizes = sizes.copy()

    def nearest(self, scene: Scene, bearings: Bearings, length: float) -> Nearest:
        """What the ball hits first on each ray; the boundary's index is the number of things.

        It is cast from the agent's centre over `length` metres. Things that it overlaps or touches at the
        start are not hit, nor are those that were removed.
        """
        there, placed = bytearray(scene.visible.tobytes()), {}
        for index in scene.unseen:
            there[index] = True
        hits = self._boundary(scene, bearings, length)
        for low, ray, number in self._bounds.candidates(scene, bearings):
            index, limit = self._owners[number], min(hits[ray][0], length)
            if low > limit or not there[index]:
                continue
            collider = self._colliders[number]
            if number not in placed:
                here = _placed(collider, scene, index)
                placed[number] = None if collider.shape.overlaps(here.origin) else here
            if (ball := placed[number]) is None:
                continue
            distance = collider.shape.distance(ball.origin, _along(ball, bearings[ray]), limit)
            if distance <= length and (distance, index) < hits[ray]:
                hits[ray] = (distance, index)
        return hits

    def distances(
        self, scene: Scene, things: Iterable[int], directions: Sequence[Vector], limits: Sequence[float]
    ) -> list[float]:
        """Distance (metres) along each direction, a unit vector, to the nearest of some things.

        `things` are indices; the boundary's is the number of things. Infinite if none is hit within the
        direction's limit (metres). As in `nearest`, things that the ball touches at the start are not hit.
        """
        found, ahead = [math.inf] * len(directions), list(limits)
        for index in things:
            for shape, ball in self._balls(scene, index):
                for ray, (u, v, w) in enumerate(directions):
                    (a, b, c), (d, e, f), (g, h, i) = ball.x, ball.y, ball.z
                    local = (u * a + v * d + w * g, u * b + v * e + w * h, u * c + v * f + w * i)
                    if (distance := shape.distance(ball.origin, local, ahead[ray])) <= ahead[ray]:
                        found[ray] = ahead[ray] = distance
        return found

    def _balls(self, scene: Scene, index: int) -> Iterator[tuple[Shape, LocalBall]]:
        """The colliders of a thing that the ball does not touch, with the ball in their frames."""
        if index == len(self._things):
            x, y, z = scene.agent_position
            for wall in self._walls:
                at = (x - wall.centre[0], y - wall.centre[1], z - wall.centre[2])
                if not wall.shape.overlaps(at):
                    yield wall.shape, LocalBall(at, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        elif scene.visible[index]:
            for collider in self._colliders[self._first[index] : self._first[index + 1]]:
                ball = _placed(collider, scene, index)
                if not collider.shape.overlaps(ball.origin):
                    yield collider.shape, ball

    def _boundary(self, scene: Scene, bearings: Bearings, length: float) -> Nearest:
        """Where the rays hit the arena's boundary."""
        x, y, z = scene.agent_position
        if not (0 < x < ARENA_SIZE and 0 < z < ARENA_SIZE and abs(y) < _WALL_TOP):
            return [(self._to_walls(scene, bearing, length), len(self._things)) for bearing in bearings]
        far, near = ARENA_SIZE - self._radius, self._radius
        # A wall that the ball touches is not hit; then it may hit the end of the next one, or nothing.
        east, west, north, south = (
            room if room > TOUCHING else math.inf for room in (far - x, x - near, far - z, z - near)
        )
        hits = []
        for u, w in bearings:
            to_x = east / u if u > 0 else -west / u if u < 0 else math.inf
            to_z = north / w if w > 0 else -south / w if w < 0 else math.inf
            far = to_x if to_x < to_z else to_z
            if far < math.inf:
                beyond = max(abs(x + far * u - _MIDDLE), abs(z + far * w - _MIDDLE)) - _MIDDLE - _WALL_THICK
                if beyond > 0:
                    far = math.inf if beyond > self._radius else self._to_walls(scene, (u, w), length)
            hits.append((far if far <= length else math.inf, len(self._things)))
        return hits

    def _to_walls(self, scene: Scene, bearing: tuple[float, float], length: float) -> float:
        """Distance to the boundary from anywhere, also from outside."""
        direction = (bearing[0], 0.0, bearing[1])
        return self.distances(scene, [len(self._things)], [direction], [length])[0]


@lru_cache(maxsize=128)
def _colliders(kind: str, size: Vector, radius: float, fitted: bool) -> list[Collider]:
    return [_collider(solids, radius) for solids in colliders_of(KINDS[kind].shape, size, fitted)]


def _collider(solids: Sequence[Solid], radius: float) -> Collider:
    """The collider of convex parts: a single one, or the wedges of a tunnel, whose axis is z."""
    first = solids[0]
    reach = first.rounding + radius
    centre: Vector = tuple(first.centre.tolist())
    first_axis, second_axis, third_axis = first.axes.argmax(axis=1).tolist()
    half: Vector = tuple((first.axes.T @ first.half).tolist())
    shape: Shape
    if first.section is None:
        shape = BoxShape(half, reach) if any(half) else BallShape(reach)
    elif len(solids) == 1:
        shape = PrismShape(first.section.tolist(), float(first.half[2]), reach)
    else:
        sections = [(s.section + s.centre[:2]).tolist() for s in solids if s.section is not None]
        shape = TunnelShape(sections, float(first.half[2]), reach)
        far = np.abs(sections).max(axis=(0, 1)).tolist()
        centre, half = (0.0, 0.0, 0.0), (*far, half[2])
    return Collider(centre, (first_axis, second_axis, third_axis), shape, half, reach)


def _placed(collider: Collider, scene: Scene, index: int) -> LocalBall:
    """The ball at the agent's centre in the frame of a collider of thing `index`."""
    (a, b, c), (d, e, f), (g, h, i) = scene.rotations[index].tolist()
    px, py, pz = scene.positions[index].tolist()
    x, y, z = scene.agent_position
    x, y, z = x - px, y - py, z - pz
    cx, cy, cz = collider.centre
    origin = (a * x + d * y + g * z - cx, b * x + e * y + h * z - cy, c * x + f * y + i * z - cz)
    if collider.order == (0, 1, 2):
        return LocalBall(origin, (a, b, c), (d, e, f), (g, h, i))
    first, second, third = collider.order
    vectors = (origin, (a, b, c), (d, e, f), (g, h, i))
    return LocalBall(*((v[first], v[second], v[third]) for v in vectors))


def _along(ball: LocalBall, bearing: tuple[float, float]) -> Vector:
    """A ray's direction in the frame of a collider."""
    (u, w), (a, b, c), (g, h, i) = bearing, ball.x, ball.z
    return (u * a + w * g, u * b + w * h, u * c + w * i)
