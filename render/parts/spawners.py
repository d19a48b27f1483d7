"""What dispensers, containers, trees and buttons of 4.x are drawn with.

Measures are those of pictures of 4.3, in metres from the middle of the foot. What these do not show, the side
with the door and the insides, is our choice.
"""

from arena.geometry.shapes import BUTTON_ASIDE, DOORWAY, HOUSE_WALL
from arena.scene import Thing, Vector
from render.looks.look import BUTTON, PANE, TRUNK, Look
from render.parts.meshes import Part
from render.parts.tree import crown, trunk

_WIDE, _NARROW = 1.65, 1.47
"""Widths of foot and roof, and of the body of glass between them."""

_WALL = 0.09
_GLASS_M = 0.01
_FRAME, _THIN = 0.1, 0.02
"""Thickness of walls and panes, width of the frame around the doorway, and thickness of thin parts."""

_SUNK = 0.01
"""How far these stand below where things are placed, 0.01 m above the floor."""


def house(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """A dispenser or a container: foot, body of glass with a doorway on its -x side, and roof."""
    tall = size[1] > 2 * size[0]
    base = _base(size)
    step, sill, eaves, roof, top = (0.27, 0.76, 3.65, 4.17, 4.42) if tall else (0.27, 0.37, 1.4, 1.4, 1.66)
    parts = [_box(base, (0.0, HOUSE_WALL), (_WIDE, _WIDE))]
    parts += _ring(base, (HOUSE_WALL, step), _WIDE, 2 * _WALL, doorway=True)
    parts += _ring(base, (step, sill), _NARROW, _WALL, doorway=True)
    parts += _panes(base, sill, eaves)
    parts += _door_frame(base)
    if tall:
        parts += _ring(base, (eaves, roof), _NARROW, _THIN)
    parts += _ring(base, (roof, top - _WALL), _WIDE, _WALL)
    return (*parts, _box(base, (top - _WALL, top), (_WIDE, _WIDE)))


def tree(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """A trunk and a crown."""
    base = _base(size)
    parts = (("trunk", trunk(), TRUNK), ("crown", crown(), None))
    return tuple(
        Part(name, (model.centre[0], base + model.centre[1], model.centre[2]), model.size, look)
        for name, model, look in parts
    )


def button(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """A post between two blocks, and in its middle a plate with the button, facing +x."""
    base = _base(size)
    return (
        _box(base, (0.0, 0.27), (0.4, 0.41), z=BUTTON_ASIDE),
        _box(base, (0.27, 1.33), (0.23, 0.23), z=BUTTON_ASIDE),
        _box(base, (1.33, 1.6), (0.4, 0.41), z=BUTTON_ASIDE),
        _box(base, (0.6, 1.09), (0.25, 0.58), x=0.22, z=BUTTON_ASIDE),
        _box(base, (0.69, 1.0), (0.1, 0.31), x=0.38, z=BUTTON_ASIDE, look=BUTTON),
    )


def _base(size: Vector) -> float:
    return -size[1] / 2 - _SUNK


def _box(
    base: float,
    heights: tuple[float, float],
    plan: tuple[float, float],
    x: float = 0.0,
    z: float = 0.0,
    look: Look | None = None,
) -> Part:
    """A box between two heights above the foot, `plan` wide in x and z, around (x, z)."""
    low, high = heights
    return Part("box", (x, base + (low + high) / 2, z), (plan[0], high - low, plan[1]), look)


def _ring(
    base: float, heights: tuple[float, float], width: float, wall: float, doorway: bool = False
) -> list[Part]:
    """Four walls around a square, with or without a gap on the -x side."""
    out = (width - wall) / 2
    sides = [_box(base, heights, (width - 2 * wall, wall), z=sign * out) for sign in (-1, 1)]
    sides.append(_box(base, heights, (wall, width), x=out))
    if not doorway:
        return [*sides, _box(base, heights, (wall, width), x=-out)]
    post = (width - DOORWAY[1]) / 2
    middle = (width - post) / 2
    return [*sides, *(_box(base, heights, (wall, post), x=-out, z=sign * middle) for sign in (-1, 1))]


def _panes(base: float, low: float, high: float) -> list[Part]:
    """The body of glass between two heights, around the doorway and its frame."""
    out = (_NARROW - _GLASS_M) / 2
    across, along = (_NARROW, _GLASS_M), (_GLASS_M, _NARROW)
    panes = [_box(base, (low, high), across, z=sign * out, look=PANE) for sign in (-1, 1)]
    panes.append(_box(base, (low, high), along, x=out, look=PANE))
    lintel, half = DOORWAY[0] + _FRAME, DOORWAY[1] / 2 + _FRAME
    panes.append(_box(base, (lintel, high), along, x=-out, look=PANE))
    beside = _NARROW / 2 - half
    for sign in (-1, 1):
        middle = sign * (half + beside / 2)
        panes.append(_box(base, (low, lintel), (_GLASS_M, beside), x=-out, z=middle, look=PANE))
    return panes


def _door_frame(base: float) -> list[Part]:
    """Two jambs and a lintel around the doorway."""
    top, wide = DOORWAY
    x = (_THIN - _NARROW) / 2
    jambs = [
        _box(base, (HOUSE_WALL, top), (_THIN, _FRAME), x=x, z=sign * (wide + _FRAME) / 2) for sign in (-1, 1)
    ]
    return [*jambs, _box(base, (top, top + _FRAME), (_THIN, wide + 2 * _FRAME), x=x)]
