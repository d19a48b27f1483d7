"""How each kind of object looks: material, colour and opacity.

Display colours were measured in pictures of Animal-AI v3.1.3 (section 3.3 of the behaviour
specification); flat colours are given as shown, sRGB 0..255.
"""

from enum import IntEnum
from typing import NamedTuple

from arena.scene import Thing, Vector


class Material(IntEnum):
    """Surface types of the fragment shader; the numbers are shared with it."""

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


class Look(NamedTuple):
    """Material, sRGB colour in 0..1, and whether it lets light through."""

    material: Material
    color: Vector
    translucent: bool = False


_GREY: Vector = (0.5, 0.5, 0.5)
_WHITE: Vector = (1.0, 1.0, 1.0)


def _srgb(r: int, g: int, b: int) -> Vector:
    return (r / 255, g / 255, b / 255)


_GOOD = Look(Material.FLAT, _srgb(190, 224, 140))
_MULTI = Look(Material.FLAT, _srgb(247, 220, 103))
_BAD = Look(Material.FLAT, _srgb(207, 89, 89))
_PANEL = Look(Material.PANEL, _WHITE)

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
    "DeathZone": Look(Material.DEATH, _WHITE, translucent=True),
    "HotZone": Look(Material.HOT, _WHITE, translucent=True),
}
"""The look of every kind of `arena.catalog.KINDS`."""


def look_of(thing: Thing) -> Look:
    """The look of a thing: its kind's, in its own colour where it has one."""
    look = LOOKS[thing.kind]
    return look if thing.color is None else look._replace(color=thing.color)
