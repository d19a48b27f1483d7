"""Drawn parts of things; floor and fence.

They may differ from the colliding shape. Measures of dispensers, containers and buttons of 4.x are those of
pictures of 4.3, in metres from the middle of the foot. Parts not shown there, the side with the door and the
insides, are our choice.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from arena.geometry.shapes import (
    ARENA_SIZE,
    BOARD_SIZE,
    BUTTON_ASIDE,
    DOORWAY,
    FLOOR_Y,
    HOUSE_WALL,
    lamp_centre,
    plate_place,
)
from arena.geometry.shapes import parts_of as boxes_of
from arena.scene import Thing, Vector
from arena.taskfile.catalog import KINDS
from arena.taskfile.kind import Change, Shape
from arena.taskfile.symbols import DEFAULT, PRESETS
from arena.taskfile.versions import Version
from render.looks import look as looks
from render.looks.look import Look, Material
from render.parts.meshes import crown, extent_of, trunk

_MIDDLE: Vector = (0.0, 0.0, 0.0)

_SYMBOL_M = 0.9
"""Share of a board's face that a symbol fills (our choice)."""

_RECESS_M = 0.02
"""Distance of the board behind its symbol, metres. It is more than the depth buffer's steps at 40 m."""

_OPEN_SIDE = 1.1
"""Size of an open box's mesh relative to its YAML size (`Assets/Prefabs`)."""

_FRAME_SHARE = 0.045, 0.031
"""Thickness of a board's frame relative to its height and width (4.x)."""

_WIDE, _NARROW = 1.65, 1.47
"""Widths of a house's foot and roof, and of its glass body."""

_WALL = 0.09
_GLASS_M = 0.01
_FRAME, _THIN = 0.1, 0.02
"""Thickness of walls and panes, and of thin parts. The former is also the width of the frame around the
doorway."""

_STEP, _PEAK = 0.27, 0.0045
"""Height of a house's foot, metres, and a ramp's relative excess height. In two pictures the upper half of a
ramp's slope covers a pixel more all along."""

_SLOT_M = 0.5
"""Side of the mark of a place on a machine's plate, metres."""

_RAYS = 1.8
"""Length of the bars through a lit lamp relative to its size."""

_LINE_M = 0.06
"""Width of the lines on a floor with lines, metres."""

_JAMB, _SIGN = 0.15, 0.8
"""Width of a marked door's jamb, metres, and its sign's relative side."""

_SINKS_M = 0.03
"""Depth, metres, by which a marked door is drawn below its place. An open one lies in the floor."""

OWN = Look(Material.PLAIN, (0.0, 0.0, 0.0))
"""Stands for the look of the thing that a part belongs to."""


class Part(NamedTuple):
    """A thing's part: unit mesh, centre and size in metres. The centre is in the thing's frame."""

    mesh: str
    centre: Vector
    size: Vector
    look: Look = OWN


Composer = Callable[[Thing, Vector], tuple[Part, ...]]

_CROWN = Part("ball", (-0.1, 1.65, -0.1), (4.2, 3.6, 4.2))
"""Foliage of a tree, 5.3 m high. Fruit grows 2.25 m around a point 4.3 m up (`Assets/Prefabs`)."""


def drawn_parts(thing: Thing, size: Vector, version: str = Version.V3) -> tuple[Part, ...]:
    """Return the drawn parts of a thing of a size (metres). Composed shapes have several; they depend on the
    version."""
    kind, own = KINDS[thing.kind], looks.look_of(thing, version)
    made = COMPOSED_4 if Version(version).is_4 else COMPOSED
    keys = (kind.name, kind.shape, kind.change)
    compose = next((made[key] for key in keys if key in made), _plain)
    return tuple(part._replace(look=own) if part.look is OWN else part for part in compose(thing, size))


def _plain(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """Return the boxes of its shape, or one mesh."""
    shape = KINDS[thing.kind].shape
    boxes = tuple(Part("box", part.centre, part.size) for part in boxes_of(shape, size))
    return boxes or (Part(shape.value, _MIDDLE, size),)


def _board(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """Return the board, and its symbol on the -x side. An agent at yaw 90 faces that side at rotation 0. The
    example in the original's syntax guide shows that side."""
    thick, height, width = size
    if (thing.symbol or DEFAULT) == DEFAULT:
        return (Part("box", _MIDDLE, size),)
    recess = min(_RECESS_M, thick / 2)
    return (Part("box", (recess / 2, 0.0, 0.0), (thick - recess, height, width)), *_symbol(thing, size))


def _framed_board(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """Return a white board in a frame of wood, its symbol on the -x side and cork on the other."""
    thick, height, width = size
    tall, wide = (share * length for share, length in zip(_FRAME_SHARE, (height, width), strict=True))
    recess = min(_RECESS_M, thick / 4)
    inner = (thick / 2 - recess, height - 2 * tall, width - 2 * wide)
    frame = [
        Part("box", (0.0, sign * (height - tall) / 2, 0.0), (thick, tall, width), looks.BOARD_FRAME)
        for sign in (-1, 1)
    ]
    frame += [
        Part("box", (0.0, 0.0, sign * (width - wide) / 2), (thick, inner[1], wide), looks.BOARD_FRAME)
        for sign in (-1, 1)
    ]
    white, cork = (Part("box", (sign * inner[0] / 2, 0.0, 0.0), inner) for sign in (-1, 1))
    return (*frame, white, cork._replace(look=looks.CORK), *_symbol(thing, (thick, inner[1], inner[2])))


def _symbol(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """Return the symbol on a board's -x side."""
    symbol = thing.symbol or DEFAULT
    if symbol == DEFAULT:
        return ()
    if symbol not in PRESETS:
        return tuple(_pixels(thing, symbol.split("/"), size))
    side = _SYMBOL_M * min(size[1], size[2])
    look = looks.symbol_look(symbol, thing.color)
    return (Part(f"symbol {symbol}", (-size[0] / 2, 0.0, 0.0), (1.0, side, side), look),)


def _pixels(thing: Thing, rows: list[str], size: Vector) -> list[Part]:
    """Square cells; runs of equal cells, and equal rows, share a part."""
    side = _SYMBOL_M * min(size[1] / len(rows), size[2] / len(rows[0]))
    top, left = side * len(rows) / 2, side * len(rows[0]) / 2
    tints = {cell: looks.symbol_look(cell, thing.color) for cell in "01"}
    parts: list[Part] = []
    above = 0
    for row, like in groupby(rows):
        tall, before = len(list(like)), 0
        for cell, run in groupby(row):
            wide = len(list(run))
            up, right = top - side * (above + tall / 2), side * (before + wide / 2) - left
            place = (-size[0] / 2, up, -right)
            parts.append(Part("symbol pixel", place, (1.0, side * tall, side * wide), tints[cell]))
            before += wide
        above += tall
    return parts


def _open_box(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """Return a box open on top. The cavity is in its upper half."""
    stretch = KINDS[thing.kind].stretch
    x, y, z = (_OPEN_SIDE * length / by for length, by in zip(size, stretch, strict=True))
    # Walls are 0.08 of the width thick (our choice).
    base, wall = -size[1] / 2, 0.08 * min(x, z)
    middle = base + 0.75 * y
    sides = [((sign * (x - wall) / 2, middle, 0.0), (wall, y / 2, z)) for sign in (-1, 1)]
    ends = [((0.0, middle, sign * (z - wall) / 2), (x - 2 * wall, y / 2, wall)) for sign in (-1, 1)]
    whole = [((0.0, base + y / 4, 0.0), (x, y / 2, z)), *sides, *ends]
    return tuple(Part("box", centre, extent) for centre, extent in whole)


def _timed_ball(arrows: str, look: Look) -> Composer:
    places = (("ball", OWN), ("rings", looks.TIMER), (arrows, look))
    return lambda thing, size: tuple(Part(mesh, _MIDDLE, size, own) for mesh, own in places)


def _tree_4(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """Return a bent trunk and a crown with facets."""
    parts = []
    for name, triangles, look in (("trunk", trunk(), looks.TRUNK), ("crown", crown(), OWN)):
        (x, y, z), (wide, tall, deep) = (vector.tolist() for vector in extent_of(triangles))
        parts.append(Part(name, (x, _base(size) + y, z), (wide, tall, deep), look))
    return tuple(parts)


def _house(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """Return a dispenser or a container: foot, glass body, and roof. The doorway is on the body's -x side."""
    tall = size[1] > 2 * size[0]
    base = _base(size)
    sill, eaves, roof, top = (0.76, 3.65, 4.17, 4.42) if tall else (0.36, 1.375, 1.375, 1.66)
    parts = [_box(base, (0.0, HOUSE_WALL), (_WIDE, _WIDE))]
    parts += _ring(base, (HOUSE_WALL, _STEP), _WIDE, 2 * _WALL, doorway=True)
    parts += _ring(base, (_STEP, sill), _NARROW, _WALL, doorway=True)
    parts += _panes(base, sill, eaves)
    parts += _door_frame(base)
    if tall:
        parts += _ring(base, (eaves, roof), _NARROW, _THIN)
    parts += _ring(base, (roof, top - _WALL), _WIDE, _WALL)
    return (*parts, _box(base, (top - _WALL, top), (_WIDE, _WIDE)))


def _button(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """Return a post between two blocks, with a button facing +x. A plate in its middle carries the button."""
    base = _base(size)
    return (
        _box(base, (0.0, 0.27), (0.4, 0.41), z=BUTTON_ASIDE),
        _box(base, (0.27, 1.33), (0.23, 0.23), z=BUTTON_ASIDE),
        _box(base, (1.33, 1.6), (0.4, 0.41), z=BUTTON_ASIDE),
        _box(base, (0.6, 1.09), (0.25, 0.58), x=0.22, z=BUTTON_ASIDE),
        _box(base, (0.69, 1.0), (0.1, 0.31), x=0.38, z=BUTTON_ASIDE, look=looks.BUTTON),
    )


def _base(size: Vector) -> float:
    # In 4.x it stands on the floor, 0.01 m below the place of things.
    return -size[1] / 2 - 0.01


def _box(
    base: float,
    heights: tuple[float, float],
    plan: tuple[float, float],
    x: float = 0.0,
    z: float = 0.0,
    look: Look = OWN,
) -> Part:
    """Return a box between two heights above the foot, around (x, z). It is `plan` wide in x and z."""
    low, high = heights
    return Part("box", (x, base + (low + high) / 2, z), (plan[0], high - low, plan[1]), look)


def _ring(
    base: float, heights: tuple[float, float], width: float, wall: float, doorway: bool = False
) -> list[Part]:
    """Return four walls around a square, perhaps with a -x gap."""
    out = (width - wall) / 2
    sides = [_box(base, heights, (width - 2 * wall, wall), z=sign * out) for sign in (-1, 1)]
    sides.append(_box(base, heights, (wall, width), x=out))
    if not doorway:
        return [*sides, _box(base, heights, (wall, width), x=-out)]
    post = (width - DOORWAY[1]) / 2
    middle = (width - post) / 2
    return [*sides, *(_box(base, heights, (wall, post), x=-out, z=sign * middle) for sign in (-1, 1))]


def _panes(base: float, low: float, high: float) -> list[Part]:
    """Return the glass body between two heights, around the doorway's frame."""
    out = (_NARROW - _GLASS_M) / 2
    across, along = (_NARROW, _GLASS_M), (_GLASS_M, _NARROW)
    panes = [_box(base, (low, high), across, z=sign * out, look=looks.PANE) for sign in (-1, 1)]
    panes.append(_box(base, (low, high), along, x=out, look=looks.PANE))
    lintel, half = DOORWAY[0] + _FRAME, DOORWAY[1] / 2 + _FRAME
    panes.append(_box(base, (lintel, high), along, x=-out, look=looks.PANE))
    side = _NARROW / 2 - half
    for sign in (-1, 1):
        middle = sign * (half + side / 2)
        panes.append(_box(base, (low, lintel), (_GLASS_M, side), x=-out, z=middle, look=looks.PANE))
    return panes


def _door_frame(base: float) -> list[Part]:
    """Two jambs and a lintel around the doorway."""
    top, wide = DOORWAY
    x = (_THIN - _NARROW) / 2
    jambs = [
        _box(base, (HOUSE_WALL, top), (_THIN, _FRAME), x=x, z=sign * (wide + _FRAME) / 2) for sign in (-1, 1)
    ]
    return [*jambs, _box(base, (top, top + _FRAME), (_THIN, wide + 2 * _FRAME), x=x)]


def _machine(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """Return a plate with marks of the tokens' places, and a post."""
    places = (plate_place(size, number, 0.0) for number in range(6))
    mark = (_SLOT_M, _THIN, _SLOT_M)
    slots = (Part("box", (x, y - size[1] / 2, z), mark, looks.SLOT) for x, y, z in places)
    return (*_plain(thing, size), *slots)


def _lit_lamp(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """Return a lamp and bars through it, as rays of light."""
    x, y, z = size
    bars = ((_RAYS * x, y / 6, z / 6), (x / 6, _RAYS * y, z / 6), (x / 6, y / 6, _RAYS * z))
    return (Part("box", _MIDDLE, size), *(Part("box", _MIDDLE, bar) for bar in bars))


def _marked_door(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """Return two jambs and a door, its symbol on the -z side. The jambs stay when the door sinks. From above
    an open door shows as a gap: there is no lintel, and the door sinks a little below the floor."""
    (width, full, depth), (_, height, _) = thing.size, size
    middle, thick = (full - height) / 2, depth + 2 * _RECESS_M
    jambs = [((sign * (width - _JAMB) / 2, middle, 0.0), (_JAMB, full, thick)) for sign in (-1, 1)]
    inner = (width - 2 * _JAMB, height, depth)
    parts = [Part("box", centre, extent) for centre, extent in (*jambs, ((0.0, -_SINKS_M, 0.0), inner))]
    if (thing.symbol or DEFAULT) == DEFAULT:
        return tuple(parts)
    side = _SIGN * min(inner[0], height)
    sign = Part("box", (0.0, -_SINKS_M, -depth / 2), (side, side, _RECESS_M), looks.SIGN)
    drawn = _symbol(replace(thing, color=None), (depth + 2 * _RECESS_M, side, side))
    return (*parts, sign, *map(_to_front, drawn))


def _to_front(part: Part) -> Part:
    """Turn a symbol's part from the -x to the -z side."""
    (x, y, z), (thick, tall, wide) = part.centre, part.size
    return Part(part.mesh.replace("symbol", "front"), (-z, y - _SINKS_M, x), (wide, tall, thick), part.look)


def _meter(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """Return a pan, a post, and a dark board with lit segments."""
    return (*_plain(thing, size), Part("box", lamp_centre(size, BOARD_SIZE), BOARD_SIZE, looks.BOARD))


def _flat(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """Return a mat on the floor, below the top of a zone."""
    x, y, z = size
    # The top of a zone is 0.1 m above the floor.
    return (Part("box", (0.0, y / 2 - 0.1 + _THIN, 0.0), (x, 2 * _THIN, z)),)


def _framed(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """Return a mat with a frame around its edge."""
    (flat,), side = _flat(thing, size), 0.8 * min(size[0], size[2])
    top, wide = flat.centre[1] + _THIN, 3 * _LINE_M
    strips = [((0.0, top, at * side / 2), (side + wide, _THIN, wide)) for at in (-1, 1)]
    strips += [((at * side / 2, top, 0.0), (wide, _THIN, side + wide)) for at in (-1, 1)]
    return (flat, *(Part("box", centre, extent, looks.PAD_FRAME) for centre, extent in strips))


def _field(thing: Thing, size: Vector) -> tuple[Part, ...]:
    """Return a floor with a line at each metre: across from its -z side, along from its middle."""
    (x, _, z), (flat,) = size, _flat(thing, size)
    top = flat.centre[1] + _THIN
    across = (((0.0, top, metre - z / 2), (x, _THIN, _LINE_M)) for metre in range(1, round(z)))
    along = (((metre, top, 0.0), (_LINE_M, _THIN, z)) for metre in range(-int(x / 2), int(x / 2) + 1))
    lines = (Part("box", centre, extent, looks.SIGN) for centre, extent in (*across, *along))
    return (flat, *lines)


COMPOSED: dict[str | Shape | Change, Composer] = {
    "HotZone": lambda thing, size: (Part("inside", _MIDDLE, size), Part("box", _MIDDLE, size)),
    "Machine": _machine,
    "Meter": _meter,
    "Roller": lambda thing, size: (Part("ball", _MIDDLE, size),),
    "Pad": _flat,
    "BlockPad": _framed,
    "Field": _field,
    "LitLamp": _lit_lamp,
    "MarkedDoor": _marked_door,
    "SignBoard": _board,
    "HollowBox": _open_box,
    Shape.TREE: lambda thing, size: (*_plain(thing, size), _CROWN),
}
"""Functions that return the parts, by kind, shape or change."""

COMPOSED_4: dict[str | Shape | Change, Composer] = COMPOSED | {
    "Ramp": lambda _, size: (
        Part("prism", (0.0, _PEAK * size[1] / 2, 0.0), (size[0], (1 + _PEAK) * size[1], size[2])),
    ),
    "SignBoard": _framed_board,
    "SpawnerButton": _button,
    Shape.TREE: _tree_4,
    Shape.HOUSE: _house,
    Change.DECAY: _timed_ball("arrows in", looks.DECAY_ARROWS),
    Change.RIPEN: _timed_ball("arrows out", looks.RIPEN_ARROWS),
}
"""Functions that return the parts in 4.x."""


def surroundings() -> list[tuple[Part, float]]:
    """Floor and visible fence with their yaw in degrees (`AAI3Arena.prefab`, `V1_T2.obj`).

    The floor is 42 x 42 m. The fence is a plank wall 0.25 thick, centred 0.5 outside the inner face, from
    y -0.1 to 5.96; posts 1.0 x 1.2 up to 7.1 at both ends of three 14 m panels a side; and two round rails,
    along their own x, whose thickness and height fit the recorded frames best: 0.35 m, while the original's
    model has 0.3.
    """
    middle = ARENA_SIZE / 2
    parts = [(Part("box", (middle, FLOOR_Y - 0.5, middle), (42.0, 1.0, 42.0), looks.FLOOR), 0.0)]
    posts = [middle + sign * offset for sign in (-1, 1) for offset in (6.4, 7.4, 20.4)]
    for across in (-1, 1):
        for along_x in (True, False):
            parts.append((_fence_box(along_x, across, (42.0, 6.06, 0.25), middle, looks.FENCE), 0.0))
            parts += [(_fence_box(along_x, across, (1.2, 7.2, 1.0), post, looks.POST), 0.0) for post in posts]
    low, high = -0.3, ARENA_SIZE + 0.3
    places = [((middle, low), 0.0), ((middle, high), 0.0), ((low, middle), 90.0), ((high, middle), 90.0)]
    for (x, z), yaw in places:
        parts += [(Part("rod", (x, y, z), (42.0, 0.35, 0.35), looks.RAIL), yaw) for y in (1.11, 4.71)]
    return parts


def _fence_box(along_x: bool, across: int, size: Vector, along: float, look: Look) -> Part:
    """Return a box of the fence from y -0.1 up. It is 0.5 m outside the inner face; size along, up,
    across."""
    place = ARENA_SIZE / 2 + across * (ARENA_SIZE / 2 + 0.5)
    y = size[1] / 2 - 0.1
    if along_x:
        return Part("box", (along, y, place), size, look)
    return Part("box", (place, y, along), (size[2], size[1], size[0]), look)
