"""Placement of arrangements: decorators that mirror, turn or shift paradigms.

They draw after the paradigm does. There are three rotations, kept apart because they round differently, and
files depend on the last digit: `any_quarter_turn` and `any_orientation` by right angles, which is exact;
`any_pose` and `any_free_pose` by an angle about the arena's middle; and `in_frame`, for arrangements about an
origin of their own.
"""

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, NamedTuple

from testbed.blueprints.blueprint import Blueprint, Object, Paradigm, Push, Rng
from testbed.blueprints.places import XZ, near, polar, side

REACH = 18.7
"""Maximum distance of a free arrangement from the arena's middle, metres. Free means free of the fence."""

_TWINS = {"LBlock": "JBlock", "JBlock": "LBlock"}


def _decorator(place: Callable[[Rng, Blueprint], Blueprint]) -> Callable[[Paradigm], Paradigm]:
    """A decorator of paradigms that places the task each of them returns."""

    def decorate(paradigm: Paradigm) -> Paradigm:
        @wraps(paradigm)
        def laid(rng: Rng, *args: Any, **kwargs: Any) -> Blueprint:
            return place(rng, paradigm(rng, *args, **kwargs))

        return laid

    return decorate


@_decorator
def any_quarter_turn(rng: Rng, task: Blueprint) -> Blueprint:
    """Turn the task by a random number of right angles. Clockwise, seen from above."""
    return task._replace(objects=_turned(rng, task.objects))


@_decorator
def any_orientation(rng: Rng, task: Blueprint) -> Blueprint:
    """Mirror the task or not, and turn it by right angles. Both are random: eight orientations."""
    task = _mirrored(task) if rng.random() < 0.5 else task
    return task._replace(objects=_turned(rng, task.objects))


@_decorator
def any_pose(rng: Rng, task: Blueprint) -> Blueprint:
    """Return the task mirrored or not, and turned by right angles."""
    return _moved(_either_hand(rng, task), 90.0 * int(rng.integers(4)))


@_decorator
def any_free_pose(rng: Rng, task: Blueprint) -> Blueprint:
    """Mirror the task or not, turn and shift it randomly. The angle is any; it stays clear of the fence."""
    task = _either_hand(rng, task)
    extent = max(
        math.hypot(thing.place[0] - 20, thing.place[2] - 20) + _half(thing) for thing in task.objects
    )
    slack = max(0.0, REACH - extent)
    shift = polar(0, 0, float(rng.uniform(0, 360)), slack * math.sqrt(rng.random()))
    return _moved(task, float(rng.uniform(0, 360)), shift)


def _half(thing: Object) -> float:
    """Return half a thing's diagonal in plan, at least the agent's. That is 2 m."""
    return 2.0 if thing.size is None else max(2.0, math.hypot(thing.size[0], thing.size[2]) / 2)


def _either_hand(rng: Rng, task: Blueprint) -> Blueprint:
    """Return the task, or its mirror image about the arena's middle."""
    return task if side(rng) > 0 else _mirrored(task)


def _mirrored(task: Blueprint, shift: float = 0) -> Blueprint:
    """Mirror the task about the arena's middle, and shift it. The shift is to smaller x (metres)."""
    pushes = tuple(push._replace(x=40 - shift - push.x, bearing=-push.bearing) for push in task.pushes)
    objects = [
        # The order of these sums decides the last digit of a place in a file.
        thing._replace(place=(40 - thing.place[0] - shift, *thing.place[1:]), yaw=-thing.yaw % 360)
        for thing in task.objects
    ]
    twins = tuple(thing._replace(kind=_TWINS.get(thing.kind, thing.kind)) for thing in objects)
    return task._replace(objects=twins, pushes=pushes)


def _turned(rng: Rng, objects: tuple[Object, ...]) -> tuple[Object, ...]:
    for _ in range(int(rng.integers(4))):
        objects = tuple(map(_quarter_turned, objects))
    return objects


def _quarter_turned(thing: Object) -> Object:
    x, y, z = thing.place
    return thing._replace(place=(z, y, 40 - x), yaw=(thing.yaw + 90) % 360)


def _moved(task: Blueprint, angle: float, shift: XZ = (0.0, 0.0)) -> Blueprint:
    """Turn the task about the arena's middle, and shift it. It turns clockwise (degrees), then shifts by x
    and z (metres). Angles are rounded to 0.1 degrees, the precision of a file."""
    angle = round(angle, 1)
    sine, cosine = math.sin(math.radians(angle)), math.cos(math.radians(angle))

    def moved(x: float, z: float) -> XZ:
        x, z = x - 20, z - 20
        return 20 + x * cosine + z * sine + shift[0], 20 - x * sine + z * cosine + shift[1]

    return _transformed(task, moved, angle)


def _transformed(task: Blueprint, moved: Callable[[float, float], XZ], angle: float) -> Blueprint:
    """Map every place (x, z) by `moved`, and turn headings by `angle`."""

    def thing_moved(thing: Object) -> Object:
        x, z = moved(thing.place[0], thing.place[2])
        return thing._replace(place=(x, thing.place[1], z), yaw=(thing.yaw + angle) % 360)

    def push_moved(push: Push) -> Push:
        x, z = moved(push.x, push.z)
        return push._replace(x=x, z=z, bearing=push.bearing + angle)

    return task._replace(
        objects=tuple(map(thing_moved, task.objects)), pushes=tuple(map(push_moved, task.pushes))
    )


class Frame(NamedTuple):
    """Frame of an arrangement: origin (metres), direction of +z (degrees), and mirroring."""

    x: float
    z: float
    bearing: float
    flipped: bool

    def placed(self, task: Blueprint) -> Blueprint:
        """Return a task in this frame's coordinates, put into the arena's."""
        task = _transformed(_mirrored(task, 40) if self.flipped else task, self._at, self.bearing)
        return task._replace(pushes=tuple(push._replace(bearing=push.bearing % 360) for push in task.pushes))

    def _at(self, x: float, z: float) -> XZ:
        return polar(self.x, self.z, self.bearing + math.degrees(math.atan2(x, z)), math.hypot(x, z))


def every(place: Callable[[Paradigm], Paradigm], but: Sequence[Paradigm]) -> Callable[[Paradigm], Paradigm]:
    """Return a decorator for a level's paradigms, `but` freely placed ones."""
    return lambda paradigm: paradigm if paradigm in but else place(paradigm)


def in_frame(frame: Callable[..., Frame], *parameters: float) -> Callable[[Paradigm], Paradigm]:
    """Return a decorator that puts an arrangement into a random frame. It has its own origin."""
    return _decorator(lambda rng, task: frame(rng, *parameters).placed(task))


def anywhere(rng: Rng, spread: float) -> Frame:
    """Return a randomly turned frame, at most `spread` metres off the middle."""
    x, z = near(rng, 20, spread), near(rng, 20, spread)
    return Frame(x, z, near(rng, 180, 180), side(rng) > 0)


def upright(rng: Rng) -> Frame:
    """Return a frame in the middle that faces a random fence. It suits arrangements from fence to fence."""
    return Frame(20.0, 20.0, 90.0 * int(rng.integers(4)), side(rng) > 0)
