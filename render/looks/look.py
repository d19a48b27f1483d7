"""Appearance of each kind of object: surface, colour and opacity.

Display colours were measured in pictures of Animal-AI v3.1.3, those of 4.x in pictures of 4.3; flat colours
are given as shown, sRGB 0..255.
"""

from enum import Enum
from typing import NamedTuple

from arena.scene import Thing, Vector
from arena.taskfile.catalog import KINDS
from arena.taskfile.kind import Body, Ends, Kind
from arena.taskfile.versions import Version


class Surface(NamedTuple):
    """A material's reflection of light, and its texture's placement.

    Displayed in linear light: texture x colour x (`emission` + `lit` x (ambient + sun)). `layer` is its
    texture's in `render/looks/textures.py`; `repeat` is the width and height in metres after which the
    texture repeats; 0 stretches it over the face once. The fence's planks repeat late in height because a
    texture is blurred by its denser direction, which would hide the gaps.
    """

    layer: int
    lit: float = 1.0
    emission: float = 0.0
    repeat: tuple[float, float] = (0.0, 0.0)


BRICK_M = (0.695, 1 / 3)
"""Width and height of a brick, metres. Measured on five walls of the recorded frames."""


class Material(Surface, Enum):
    """The surface of every material. The last ones borrow a texture of others."""

    BRICK = Surface(0, repeat=(2 * BRICK_M[0], 4 * BRICK_M[1]))
    CLOUD = Surface(1, repeat=(4.0, 4.0))
    PANEL = Surface(2, emission=1.0)
    FLAT = Surface(3, lit=0.0, emission=1.0)
    DEATH = Surface(4, lit=0.0, emission=1.0)
    HOT = Surface(5, lit=0.0, emission=1.0)
    GLASS = Surface(6)
    FLOOR = Surface(7, emission=0.1, repeat=(8.4, 8.4))
    FENCE = Surface(8, emission=0.2, repeat=(14.0, 56.0))
    PLAIN = Surface(9)
    RAIL = Surface(10, emission=0.2)
    STONE = Surface(11)
    DARK_STONE = Surface(12)
    EMBER = Surface(13, lit=0.0, emission=1.0)
    PERSPEX = Surface(14)
    GLOW = Surface(9, emission=1.0)
    BLUSH = Surface(9, lit=0.25, emission=1.0)
    RIPE = Surface(9, lit=0.5, emission=0.6)
    HOUSE = Surface(9, emission=0.22)
    LEAVES = Surface(9, emission=0.16)
    BARK = Surface(9, emission=0.6)
    CORK = Surface(1, repeat=(1.0, 1.0))


class Look(NamedTuple):
    """Appearance: material, sRGB colour in 0..1, translucency, and shadow casting."""

    material: Material
    color: Vector
    translucent: bool = False
    casts: bool = True


_GREY: Vector = (0.5, 0.5, 0.5)
_WHITE: Vector = (1.0, 1.0, 1.0)


def srgb(r: int, g: int, b: int) -> Vector:
    """Return a display colour, sRGB 0..255, as 0..1."""
    return (r / 255, g / 255, b / 255)


_GOOD = Look(Material.FLAT, srgb(190, 224, 140))
_MULTI = Look(Material.FLAT, srgb(247, 220, 103))
_BAD = Look(Material.FLAT, srgb(207, 89, 89))
_BAD_MULTI = Look(Material.FLAT, srgb(255, 116, 0))
_DECOY = Look(Material.PLAIN, srgb(200, 200, 200))
_PANEL = Look(Material.PANEL, _WHITE)
_HOUSE = Look(Material.PLAIN, srgb(150, 150, 160))

FLOOR = Look(Material.FLOOR, _WHITE)
FENCE = Look(Material.FENCE, _WHITE)
POST = Look(Material.RAIL, srgb(204, 211, 213))
RAIL = Look(Material.RAIL, srgb(199, 207, 212))


def _usual_look(kind: Kind) -> Look:
    """Return the look that follows from a kind's facts."""
    if kind.is_goal:
        always = kind.ends is Ends.ALWAYS
        if kind.reward > 0:
            return _GOOD if always else _MULTI
        return _DECOY if kind.reward == 0 else _BAD if always else _BAD_MULTI
    if kind.transparent:
        return Look(Material.GLASS, _WHITE, translucent=True)
    if kind.body is Body.ZONE:
        return Look(Material.GLASS, srgb(120, 160, 220), translucent=True, casts=False)
    return Look(Material.PLAIN, _GREY)


LOOKS: dict[str, Look] = {name: _usual_look(kind) for name, kind in KINDS.items()} | {
    "Wall": Look(Material.BRICK, _GREY),
    "Ramp": Look(Material.CLOUD, _GREY),
    **dict.fromkeys(("LightBlock", "HeavyBlock", "LBlock", "JBlock", "UBlock"), _PANEL),
    "HollowBox": Look(Material.CLOUD, srgb(178, 168, 150)),
    **dict.fromkeys(("DecayGoal", "RipenGoal"), Look(Material.FLAT, srgb(200, 170, 215))),
    "DeathZone": Look(Material.DEATH, _WHITE, translucent=True, casts=False),
    "HotZone": Look(Material.HOT, _WHITE, translucent=True, casts=False),
    "SpawnerTree": Look(Material.PLAIN, srgb(96, 128, 64)),
    **dict.fromkeys(("SpawnerDispenserTall", "SpawnerContainerShort"), _HOUSE),
    "SpawnerButton": Look(Material.PLAIN, srgb(200, 60, 60)),
    "SignBoard": Look(Material.PLAIN, srgb(235, 235, 225)),
    "Door": Look(Material.PLAIN, srgb(100, 100, 110)),
    "Machine": Look(Material.PLAIN, srgb(150, 150, 160)),
    "Meter": Look(Material.PLAIN, srgb(150, 150, 160)),
    **dict.fromkeys(("Pad", "BlockPad", "Field"), Look(Material.PLAIN, _GREY, casts=False)),
    "Segment": Look(Material.FLAT, srgb(255, 80, 60), casts=False),
    "LitLamp": Look(Material.FLAT, srgb(255, 236, 92)),
    "DarkLamp": Look(Material.PLAIN, srgb(40, 40, 46)),
}
"""Look of every kind: its entry here, or the usual one."""

PANE = Look(Material.PERSPEX, _WHITE, translucent=True, casts=False)
BUTTON = Look(Material.PLAIN, srgb(36, 189, 231))
TRUNK = Look(Material.BARK, srgb(87, 59, 44))
CORK = Look(Material.CORK, srgb(141, 108, 88))
BOARD = Look(Material.PLAIN, srgb(30, 30, 34))
SLOT = Look(Material.PLAIN, srgb(205, 205, 210), casts=False)
PAD_FRAME = Look(Material.PLAIN, srgb(120, 120, 125), casts=False)
SIGN = Look(Material.PLAIN, srgb(237, 232, 237), casts=False)
BOARD_FRAME = Look(Material.PLAIN, srgb(171, 124, 84))
TIMER = Look(Material.FLAT, srgb(0, 0, 0), casts=False)
DECAY_ARROWS = Look(Material.FLAT, srgb(255, 127, 63), casts=False)
RIPEN_ARROWS = Look(Material.FLAT, srgb(0, 191, 255), casts=False)

_GLASS_4 = Look(Material.GLASS, srgb(250, 250, 250), translucent=True)

LOOKS_41: dict[str, Look] = LOOKS | {
    **dict.fromkeys(("BadGoal", "BadGoalBounce"), _BAD._replace(material=Material.BLUSH)),
    "DecayGoal": Look(Material.GLOW, srgb(245, 221, 104)),
    "RipenGoal": Look(Material.RIPE, srgb(255, 251, 193)),
    "DataZone": _GLASS_4._replace(casts=False),
    **dict.fromkeys(("SpawnerDispenserTall", "SpawnerContainerShort"), Look(Material.HOUSE, _HOUSE.color)),
    "SpawnerTree": Look(Material.LEAVES, srgb(94, 154, 33)),
    "SpawnerButton": Look(Material.PLAIN, srgb(214, 217, 133)),
    "SignBoard": Look(Material.PLAIN, srgb(237, 232, 237)),
    "Door": PANE,
}
"""The looks of 4.0 and 4.1."""

LOOKS_4: dict[str, Look] = LOOKS_41 | {
    "LightBlock": Look(Material.STONE, srgb(133, 134, 136)),
    "HeavyBlock": Look(Material.DARK_STONE, srgb(107, 113, 124)),
    "HollowBox": Look(Material.GLOW, srgb(145, 145, 145)),
    **dict.fromkeys(("WallTransparent", "CylinderTunnelTransparent"), _GLASS_4),
    "HotZone": Look(Material.EMBER, _WHITE, translucent=True, casts=False),
    **dict.fromkeys(("BadGoal", "BadGoalBounce"), Look(Material.GLOW, srgb(207, 88, 88))),
    **dict.fromkeys(
        ("DecoyGoal", "DecoyGoalBounce", "DecoyGoalMulti"), Look(Material.GLOW, srgb(178, 178, 178))
    ),
}
"""The looks of 4.2 and later, measured in pictures of 4.3."""

_LOOKS = {Version.V2: LOOKS, Version.V3: LOOKS, Version.V41: LOOKS_41, Version.V4: LOOKS_4}

_INK: Vector = (0.08, 0.08, 0.1)
_SYMBOLS: dict[str, Vector] = {
    "0": (0.0, 0.0, 0.0),
    "1": _WHITE,
    "tick": srgb(20, 140, 60),
    "cross": srgb(190, 30, 30),
}


def look_of(thing: Thing, version: str = Version.V3) -> Look:
    """Return the look of a thing, in its own colour if any. A ball's own colour is lit and shines as well
    (`Goal.cs`); a sign board's is that of its symbol, and a door of 4.x is of glass."""
    look = _LOOKS[Version(version)][thing.kind]
    if thing.color is None or thing.kind == "SignBoard" or look is PANE:
        return look
    material = Material.GLOW if KINDS[thing.kind].is_goal else look.material
    return look._replace(color=thing.color, material=material)


def symbol_look(symbol: str, tint: Vector | None) -> Look:
    """Return the look of a sign's symbol, or of a grid cell. Cells are "0" and "1". A tint replaces a
    symbol's own colour, and the white of a grid. The colours are ours: the original's are not documented."""
    color = _SYMBOLS.get(symbol, _INK) if tint is None or symbol == "0" else tint
    return Look(Material.PLAIN, color, casts=False)
