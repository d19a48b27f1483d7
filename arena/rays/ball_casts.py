"""What a ball meets first that is pushed from the agent in several directions; exact, without Bullet.

Most colliders are nowhere near a ray, which a few operations on arrays tell about all of them. The others
are looked at one by one, nearest first, in plain numbers (`arena.rays.ray_shapes`).
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from arena.geometry.shapes import ARENA_SIZE, boundary_parts
from arena.geometry.solids import Solid, box, colliders_of
from arena.rays.bounds import Bearings, Bounds, Extent
from arena.rays.ray_shapes import TOUCHING, BallTouch, BoxTouch, PrismTouch, Shape
from arena.rays.tunnel_cast import TunnelTouch
from arena.scene import Floats, Scene, Thing, Vector
from arena.taskfile.catalog import KINDS

_WALL_TOP, _WALL_THICK = 200.0, 1.0
"""Height and thickness of the boundary's walls, metres (`arena.geometry.shapes.boundary_parts`)."""

_MIDDLE = ARENA_SIZE / 2

Nearest = list[tuple[float, int]]
"""Per ray, how far the ball goes (metres, infinite for ever) and the index of the thing that it meets."""


class Collider(NamedTuple):
    """Something solid of a thing.

    `centre` (metres) in the thing's frame; `order` are the axes of that frame which are the shape's x, y and
    z; `half` and `reach` as in `arena.rays.bounds.Extent`.
    """

    centre: Vector
    order: tuple[int, int, int]
    shape: Shape
    half: Vector
    reach: float


class Placed(NamedTuple):
    """The ball in a collider's frame: its centre, and what one metre along the arena's x and z is there."""

    origin: Vector
    x: Vector
    z: Vector


class BallCasts:
    """Everything solid of an episode, and the arena's boundary; made once, swept at every step.

    What it keeps from one scene to the next is but a shortcut: any other object says the same, bit for bit.
    """

    def __init__(self, things: tuple[Thing, ...], sizes: Floats, radius: float, fitted: bool = False) -> None:
        """`sizes` (n, 3) are the present ones, `radius` is that of the ball, both in metres; `fitted` as for
        `arena.geometry.solids.colliders_of`.

        Raises KeyError for a thing whose shape is not known here."""
        self._things, self._radius, self._fitted = things, radius, fitted
        self._sizes = sizes.copy()
        made = [
            _colliders(thing.kind, tuple(size), radius, fitted)
            for thing, size in zip(things, sizes.tolist(), strict=True)
        ]
        self._first = [0, *accumulate(len(group) for group in made)]
        self._colliders = [collider for group in made for collider in group]
        self._owners = [index for index, group in enumerate(made) for _ in group]
        extents = [self._extent(number) for number in range(len(self._colliders))]
        self._bounds = Bounds(extents, [thing.moves for thing in things])
        self._walls = [_collider([box(part.size, part.centre)], radius) for part in boundary_parts()]

    def resize(self, sizes: Floats) -> None:
        """Take in the present sizes (n, 3) of the things, metres."""
        for index in np.flatnonzero((sizes != self._sizes).any(axis=1)).tolist():
            first, end = self._first[index : index + 2]
            kind, size = self._things[index].kind, tuple(sizes[index].tolist())
            made = _colliders(kind, size, self._radius, self._fitted)
            self._colliders[first:end] = made
            for number in range(first, end):
                self._bounds.change(number, self._extent(number))
        self._sizes = sizes.copy()

    def _extent(self, number: int) -> Extent:
        collider = self._colliders[number]
        return Extent(self._owners[number], collider.centre, collider.half, collider.reach)

    def nearest(self, scene: Scene, bearings: Bearings, length: float) -> Nearest:
        """What the ball meets first on each ray; the boundary's index is the number of things.

        `length` in metres is how far it is pushed from the agent's centre. What it overlaps or touches before
        it moves is not met, nor what is not there any more.
        """
        there, placed = scene.visible.tobytes(), {}
        met = self._boundary(scene.agent_position, bearings, length)
        for low, ray, number in self._bounds.ahead(scene, bearings):
            index, limit = self._owners[number], min(met[ray][0], length)
            if low > limit or not there[index]:
                continue
            collider = self._colliders[number]
            if number not in placed:
                here = _placed(collider, scene, index)
                placed[number] = None if collider.shape.overlaps(here.origin) else here
            if (ball := placed[number]) is None:
                continue
            way = collider.shape.way(ball.origin, _along(ball, bearings[ray]), limit)
            if way <= length and (way, index) < met[ray]:
                met[ray] = (way, index)
        return met

    def _boundary(self, agent: Vector, bearings: Bearings, length: float) -> Nearest:
        """What the rays meet of the arena's boundary."""
        x, y, z = agent
        if not (0 < x < ARENA_SIZE and 0 < z < ARENA_SIZE and abs(y) < _WALL_TOP):
            return [(self._wall_way(agent, bearing, length), len(self._things)) for bearing in bearings]
        far, near = ARENA_SIZE - self._radius, self._radius
        # The ball looks through a wall that it touches, and then may meet the end of the next, or nothing.
        east, west, north, south = (
            room if room > TOUCHING else math.inf for room in (far - x, x - near, far - z, z - near)
        )
        met = []
        for u, w in bearings:
            to_x = east / u if u > 0 else -west / u if u < 0 else math.inf
            to_z = north / w if w > 0 else -south / w if w < 0 else math.inf
            way = to_x if to_x < to_z else to_z
            if way < math.inf:
                beyond = max(abs(x + way * u - _MIDDLE), abs(z + way * w - _MIDDLE)) - _MIDDLE - _WALL_THICK
                if beyond > 0:
                    way = math.inf if beyond > self._radius else self._wall_way(agent, (u, w), length)
            met.append((way if way <= length else math.inf, len(self._things)))
        return met

    def _wall_way(self, agent: Vector, bearing: tuple[float, float], length: float) -> float:
        """How far the ball goes to the boundary from anywhere, also from beyond it."""
        (x, y, z), (u, w), nearest = agent, bearing, math.inf
        for wall in self._walls:
            origin = (x - wall.centre[0], y - wall.centre[1], z - wall.centre[2])
            if not wall.shape.overlaps(origin):
                nearest = min(nearest, wall.shape.way(origin, (u, 0.0, w), length))
        return nearest


@lru_cache(maxsize=128)
def _colliders(kind: str, size: Vector, radius: float, fitted: bool) -> list[Collider]:
    return [_collider(solids, radius) for solids in colliders_of(KINDS[kind].shape, size, fitted)]


def _collider(solids: Sequence[Solid], radius: float) -> Collider:
    """The collider of convex parts: one, or the wedges of a tunnel, which has its axis along z."""
    first = solids[0]
    reach = first.rounding + radius
    centre: Vector = tuple(first.centre.tolist())
    first_axis, second_axis, third_axis = first.axes.argmax(axis=1).tolist()
    half: Vector = tuple((first.axes.T @ first.half).tolist())
    shape: Shape
    if first.section is None:
        shape = BoxTouch(half, reach) if any(half) else BallTouch(reach)
    elif len(solids) == 1:
        shape = PrismTouch(first.section.tolist(), float(first.half[2]), reach)
    else:
        sections = [(s.section + s.centre[:2]).tolist() for s in solids if s.section is not None]
        shape = TunnelTouch(sections, float(first.half[2]), reach)
        far = np.abs(sections).max(axis=(0, 1)).tolist()
        centre, half = (0.0, 0.0, 0.0), (*far, half[2])
    return Collider(centre, (first_axis, second_axis, third_axis), shape, half, reach)


def _placed(collider: Collider, scene: Scene, index: int) -> Placed:
    """The ball at the agent's centre, in the frame of a collider of the thing `index`."""
    (a, b, c), (d, e, f), (g, h, i) = scene.rotations[index].tolist()
    px, py, pz = scene.positions[index].tolist()
    x, y, z = scene.agent_position
    x, y, z = x - px, y - py, z - pz
    cx, cy, cz = collider.centre
    origin = (a * x + d * y + g * z - cx, b * x + e * y + h * z - cy, c * x + f * y + i * z - cz)
    if collider.order == (0, 1, 2):
        return Placed(origin, (a, b, c), (g, h, i))
    first, second, third = collider.order
    return Placed(*((v[first], v[second], v[third]) for v in (origin, (a, b, c), (g, h, i))))


def _along(ball: Placed, bearing: tuple[float, float]) -> Vector:
    """A ray's direction in the frame of a collider."""
    (u, w), (a, b, c), (g, h, i) = bearing, ball.x, ball.z
    return (u * a + w * g, u * b + w * h, u * c + w * i)
