"""The parts of things, also of those whose drawn shape is not the colliding one: sign boards, open boxes.

Spawners and buttons of 4.x are in `render.parts.spawners`.
"""

from collections.abc import Callable
from itertools import groupby

from arena.scene import Thing, Vector
from arena.taskfile.catalog import KINDS
from arena.taskfile.kind import Change, Shape
from arena.taskfile.symbols import DEFAULT, PRESETS
from arena.taskfile.versions import Version
from render.looks.look import BOARD_FRAME, CORK, DECAY_ARROWS, RIPEN_ARROWS, TIMER, Look, symbol_look
from render.parts.meshes import Part, parts_of
from render.parts.spawners import button, house, tree

Composer = Callable[[Thing, Vector], tuple[Part, ...]]

_SYMBOL_M = 0.9
"""Share of a board's face that a symbol fills (our choice)."""

_RECESS_M = 0.02
"""Distance of the board behind its symbol, metres: more than the depth buffer's steps at 40 m."""

_OPEN_WALL = 0.08
"""Thickness of an open box's walls relative to its width (our choice)."""

_OPEN_SIDE = 1.1
"""Size of an open box's mesh relative to its YAML size (section 7.3 of the behaviour specification)."""


_FRAME_SHARE = 0.045, 0.031
"""Thickness of a board's frame relative to its height and to its width (4.x)."""


def drawn_parts(thing: Thing, size: Vector, version: str = Version.V3) -> tuple[Part, ...]:
    """What a thing of a size (metres) is drawn with in a version.

    Raises RenderError for a shape without a mesh.
    """
    made = COMPOSED_4 if Version(version).is_4 else COMPOSED
    kind = KINDS[thing.kind]
    for key in (kind.name, kind.shape, kind.change):
        if key in made:
            return made[key](thing, size)
    return parts_of(thing, size)


def _board(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """The board, and its symbol on the -x side, which an agent at yaw 90 faces at rotation 0.

    The example in the original's syntax guide shows that side.
    """
    thick, height, width = size
    if (thing.symbol or DEFAULT) == DEFAULT:
        return (Part("box", (0.0, 0.0, 0.0), size),)
    recess = min(_RECESS_M, thick / 2)
    board = Part("box", (recess / 2, 0.0, 0.0), (thick - recess, height, width))
    return (board, *_symbol(thing, size))


def _framed_board(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """A white board with its symbol on the -x side, cork on the other, in a frame of wood."""
    thick, height, width = size
    tall, wide = (share * length for share, length in zip(_FRAME_SHARE, (height, width), strict=True))
    recess = min(_RECESS_M, thick / 4)
    inner = (thick / 2 - recess, height - 2 * tall, width - 2 * wide)
    frame = [
        Part("box", (0.0, sign * (height - tall) / 2, 0.0), (thick, tall, width), BOARD_FRAME)
        for sign in (-1, 1)
    ]
    frame += [
        Part("box", (0.0, 0.0, sign * (width - wide) / 2), (thick, inner[1], wide), BOARD_FRAME)
        for sign in (-1, 1)
    ]
    white, cork = (
        Part("box", (sign * inner[0] / 2, 0.0, 0.0), inner, look) for sign, look in ((-1, None), (1, CORK))
    )
    return (*frame, white, cork, *_symbol(thing, (thick, inner[1], inner[2])))


def _symbol(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """What stands on a board's -x side."""
    symbol = thing.symbol or DEFAULT
    if symbol == DEFAULT:
        return ()
    if symbol not in PRESETS:
        return tuple(_pixels(thing, symbol.split("/"), size))
    side = _SYMBOL_M * min(size[1], size[2])
    look = symbol_look(symbol, thing.color)
    return (Part(f"symbol {symbol}", (-size[0] / 2, 0.0, 0.0), (1.0, side, side), look),)


def _pixels(thing: Thing, rows: list[str], size: Vector) -> list[Part]:
    """Square cells; runs of equal cells, and equal rows, share a part."""
    side = _SYMBOL_M * min(size[1] / len(rows), size[2] / len(rows[0]))
    top, left = side * len(rows) / 2, side * len(rows[0]) / 2
    looks = {cell: symbol_look(cell, thing.color) for cell in "01"}
    parts: list[Part] = []
    above = 0
    for row, like in groupby(rows):
        tall, before = len(list(like)), 0
        for cell, run in groupby(row):
            wide = len(list(run))
            up, right = top - side * (above + tall / 2), side * (before + wide / 2) - left
            place = (-size[0] / 2, up, -right)
            parts.append(Part("symbol pixel", place, (1.0, side * tall, side * wide), looks[cell]))
            before += wide
        above += tall
    return parts


def _open_box(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """A box open on top, with a cavity in the upper half; it is larger than its collider."""
    stretch = KINDS[thing.kind].stretch
    x, y, z = (_OPEN_SIDE * length / by for length, by in zip(size, stretch, strict=True))
    base, wall = -size[1] / 2, _OPEN_WALL * min(x, z)
    middle = base + 0.75 * y
    sides = [((sign * (x - wall) / 2, middle, 0.0), (wall, y / 2, z)) for sign in (-1, 1)]
    ends = [((0.0, middle, sign * (z - wall) / 2), (x - 2 * wall, y / 2, wall)) for sign in (-1, 1)]
    whole = [((0.0, base + y / 4, 0.0), (x, y / 2, z)), *sides, *ends]
    return tuple(Part("box", centre, extent) for centre, extent in whole)


def _timed_ball(arrows: str, look: Look) -> Composer:
    """A ball with its marks."""

    def parts(thing: Thing, size: Vector) -> tuple[Part, ...]:
        places = (("ball", None), ("rings", TIMER), (arrows, look))
        return tuple(Part(mesh, (0.0, 0.0, 0.0), size, own) for mesh, own in places)

    return parts


COMPOSED: dict[str | Shape | Change, Composer] = {"SignBoard": _board, "HollowBox": _open_box}
"""By kind, or its shape or change: the function that gives its parts."""

COMPOSED_4: dict[str | Shape | Change, Composer] = {
    "SignBoard": _framed_board,
    "HollowBox": _open_box,
    "SpawnerButton": button,
    Shape.TREE: tree,
    Shape.HOUSE: house,
    Change.DECAY: _timed_ball("arrows in", DECAY_ARROWS),
    Change.RIPEN: _timed_ball("arrows out", RIPEN_ARROWS),
}
"""The same in 4.x."""
