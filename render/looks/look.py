"""How each kind of object looks: surface, colour and opacity.

Display colours were measured in pictures of Animal-AI v3.1.3 (section 3.3 of the behaviour
specification); flat colours are given as shown, sRGB 0..255.
"""

from enum import IntEnum
from typing import NamedTuple

from arena.errors import RenderError
from arena.scene import Thing, Vector
from arena.taskfile.catalog import KINDS
from arena.taskfile.versions import Version


class Material(IntEnum):
    """Surface types; for one with a texture, the number is its layer in `render/looks/textures.py`."""

    BRICK = 0
    CLOUD = 1
    PANEL = 2
    FLAT = 3
    DEATH = 4
    HOT = 5
    GLASS = 6
    FLOOR = 7
    FENCE = 8
    PLAIN = 9
    RAIL = 10
    STONE = 11
    DARK_STONE = 12
    GLOW = 13
    BLUSH = 14


class Surface(NamedTuple):
    """How a material takes light, and how its texture lies on a face.

    Displayed in linear light: texture x colour x (`emission` + `lit` x (ambient + sun)). `repeat` is the
    width and height in metres after which the texture repeats; 0 stretches it over the face once. `layer`
    names the material whose texture it has, where it has none of its own; those come last.
    The planks are the same all the way up, with a long repeat: a texture's blur follows the denser of its
    directions, and would hide the gaps.
    """

    lit: float = 1.0
    emission: float = 0.0
    repeat: tuple[float, float] = (0.0, 0.0)
    layer: Material | None = None


BRICK = (0.695, 1 / 3)
"""Width and height of a brick in metres, as measured on five walls of the recorded frames."""

SURFACES: dict[Material, Surface] = {
    Material.BRICK: Surface(repeat=(2 * BRICK[0], 4 * BRICK[1])),
    Material.CLOUD: Surface(repeat=(4.0, 4.0)),
    Material.PANEL: Surface(emission=1.0),
    Material.FLAT: Surface(lit=0.0, emission=1.0),
    Material.DEATH: Surface(lit=0.0, emission=1.0, repeat=(5.0, 5.0)),
    Material.HOT: Surface(lit=0.0, emission=1.0, repeat=(5.0, 5.0)),
    Material.GLASS: Surface(),
    Material.FLOOR: Surface(repeat=(8.4, 8.4)),
    Material.FENCE: Surface(emission=0.2, repeat=(14.0, 56.0)),
    Material.PLAIN: Surface(),
    Material.RAIL: Surface(emission=0.2),
    Material.STONE: Surface(repeat=(2.0, 2.0)),
    Material.DARK_STONE: Surface(repeat=(3.0, 3.0)),
    Material.GLOW: Surface(emission=1.0, layer=Material.PLAIN),
    Material.BLUSH: Surface(lit=0.25, emission=1.0, layer=Material.PLAIN),
}
"""The surface of every material."""


def layer_of(material: Material) -> int:
    """The layer of the texture array that a material shows."""
    layer = SURFACES[material].layer
    return material if layer is None else layer


class Look(NamedTuple):
    """Material, sRGB colour in 0..1, whether it lets light through, and whether it throws a shadow."""

    material: Material
    color: Vector
    translucent: bool = False
    casts: bool = True


_GREY: Vector = (0.5, 0.5, 0.5)
_WHITE: Vector = (1.0, 1.0, 1.0)


def srgb(r: int, g: int, b: int) -> Vector:
    """A display colour, sRGB 0..255, as 0..1."""
    return (r / 255, g / 255, b / 255)


_GOOD = Look(Material.FLAT, srgb(190, 224, 140))
_MULTI = Look(Material.FLAT, srgb(247, 220, 103))
_BAD = Look(Material.FLAT, srgb(207, 89, 89))
_DECOY = Look(Material.PLAIN, srgb(200, 200, 200))
_CHANGING = Look(Material.FLAT, srgb(200, 170, 215))
_PANEL = Look(Material.PANEL, _WHITE)

FLOOR = Look(Material.FLOOR, _WHITE)
FENCE = Look(Material.FENCE, _WHITE)
POST = Look(Material.RAIL, srgb(204, 211, 213))
RAIL = Look(Material.RAIL, srgb(199, 207, 212))

LOOKS: dict[str, Look] = {
    "Wall": Look(Material.BRICK, _GREY),
    "WallTransparent": Look(Material.GLASS, _WHITE, translucent=True),
    "Ramp": Look(Material.CLOUD, _GREY),
    "CylinderTunnel": Look(Material.PLAIN, _GREY),
    "CylinderTunnelTransparent": Look(Material.GLASS, _WHITE, translucent=True),
    "LightBlock": _PANEL,
    "HeavyBlock": _PANEL,
    "LBlock": _PANEL,
    "JBlock": _PANEL,
    "UBlock": _PANEL,
    "GoodGoal": _GOOD,
    "GoodGoalBounce": _GOOD,
    "GoodGoalMulti": _MULTI,
    "GoodGoalMultiBounce": _MULTI,
    "BadGoal": _BAD,
    "BadGoalBounce": _BAD,
    "HollowBox": Look(Material.CLOUD, srgb(178, 168, 150)),
    "BadGoalMulti": Look(Material.FLAT, srgb(255, 116, 0)),
    "DecoyGoal": _DECOY,
    "DecoyGoalBounce": _DECOY,
    "DecoyGoalMulti": _DECOY,
    "DecayGoal": _CHANGING,
    "RipenGoal": _CHANGING,
    "GrowGoal": _MULTI,
    "ShrinkGoal": _MULTI,
    "DataZone": Look(Material.GLASS, srgb(120, 160, 220), translucent=True, casts=False),
    "SpawnerTree": Look(Material.PLAIN, srgb(96, 128, 64)),
    "SpawnerDispenserTall": Look(Material.PLAIN, srgb(150, 150, 160)),
    "SpawnerContainerShort": Look(Material.PLAIN, srgb(150, 150, 160)),
    "Door": Look(Material.PLAIN, srgb(100, 100, 110)),
    "SpawnerButton": Look(Material.PLAIN, srgb(200, 60, 60)),
    "SignBoard": Look(Material.PLAIN, srgb(235, 235, 225)),
    "DeathZone": Look(Material.DEATH, _WHITE, translucent=True, casts=False),
    "HotZone": Look(Material.HOT, _WHITE, translucent=True, casts=False),
}
"""The look of every kind of `arena.taskfile.catalog.KINDS`."""

LOOKS_4: dict[str, Look] = LOOKS | {
    "LightBlock": Look(Material.STONE, srgb(200, 194, 182)),
    "HeavyBlock": Look(Material.DARK_STONE, srgb(128, 124, 120)),
    "BadGoal": _BAD._replace(material=Material.BLUSH),
    "BadGoalBounce": _BAD._replace(material=Material.BLUSH),
}
"""The looks of version 4: its blocks are of light and of dark stone, its bad goals are shaded (section 9)."""

_INK: Vector = (0.08, 0.08, 0.1)
_SYMBOLS: dict[str, Vector] = {
    "0": (0.0, 0.0, 0.0),
    "1": _WHITE,
    "tick": srgb(20, 140, 60),
    "cross": srgb(190, 30, 30),
}


def look_of(thing: Thing, version: str = Version.V3) -> Look:
    """The look of a thing: its kind's, in its own colour where it has one.

    A ball's own colour is lit and shines as well (section 7.6); a sign board's is that of its symbol. Raises
    RenderError for a kind without a look.
    """
    looks = LOOKS_4 if version == Version.V4 else LOOKS
    if thing.kind not in looks:
        raise RenderError(
            f"{thing.kind}: got no look for this kind, expected one in `render.looks.look.LOOKS`"
        )
    look = looks[thing.kind]
    if thing.color is None or thing.kind == "SignBoard":
        return look
    material = Material.GLOW if KINDS[thing.kind].is_goal else look.material
    return look._replace(color=thing.color, material=material)


def symbol_look(symbol: str, tint: Vector | None) -> Look:
    """The look of a sign board's symbol, or of a cell of one, "0" or "1".

    A tint replaces a symbol's own colour, and is the white of a grid. Our own colours: the original's are not
    documented.
    """
    color = _SYMBOLS.get(symbol, _INK) if tint is None or symbol == "0" else tint
    return Look(Material.PLAIN, color, casts=False)
