"""The agents' bodies: a panda, a pig and a hedgehog of our own design, from a few balls and cones.

A body is a ball of the agent's radius, 0.5 m; it faces +z of its own frame.
"""

from functools import cache, lru_cache

import numpy as np

from arena import cameras
from arena.errors import RenderError
from arena.scene import Animal, Floats, Scene, Vector, rotated, yaw_rotation
from render.looks.look import Look, Material, srgb
from render.parts.composed import Part
from render.parts.rows import LABEL, ROW, Rows, rows_of

_YAWS = 256
"""Number of turned animals that are kept: an agent turns in steps of 6 degrees."""

_NO_ROWS: Rows = np.empty((0, ROW), np.float32)

_MIDDLE: Vector = (0.0, 0.0, 0.0)
_BLACK, _WHITE = srgb(30, 30, 34), srgb(240, 240, 236)
_PINK, _SNOUT = srgb(238, 170, 172), srgb(216, 124, 134)
_BROWN, _TAN, _DARK = srgb(120, 86, 58), srgb(214, 178, 138), srgb(92, 64, 44)


def _ball(centre: Vector, size: Vector, color: Vector, casts: bool = False) -> Part:
    return Part("ball", centre, size, Look(Material.PLAIN, color, casts=casts))


def _pair(centre: Vector, size: Vector, color: Vector, casts: bool = False) -> list[Part]:
    """The same ball on the left and on the right."""
    x, y, z = centre
    return [_ball((side * x, y, z), size, color, casts) for side in (-1, 1)]


def _eyes(height: float, front: float) -> list[Part]:
    return [
        *_pair((0.16, height, front), (0.13, 0.13, 0.10), _WHITE),
        *_pair((0.16, height, front + 0.045), (0.07, 0.08, 0.05), _BLACK),
    ]


BODIES: dict[str, list[Part]] = {
    "panda": [
        _ball(_MIDDLE, (1.0, 1.0, 1.0), _WHITE, casts=True),
        *_pair((0.30, 0.44, 0.0), (0.28, 0.28, 0.16), _BLACK, casts=True),
        *_pair((0.16, 0.14, 0.40), (0.22, 0.26, 0.12), _BLACK),
        *_eyes(0.15, 0.45),
        _ball((0, -0.06, 0.47), (0.30, 0.22, 0.14), _WHITE),
        _ball((0, -0.02, 0.54), (0.11, 0.08, 0.06), _BLACK),
        *_pair((0.40, -0.18, 0.18), (0.26, 0.30, 0.26), _BLACK),
    ],
    "pig": [
        _ball(_MIDDLE, (1.0, 1.0, 1.0), _PINK, casts=True),
        *_pair((0.27, 0.45, 0.08), (0.22, 0.30, 0.10), _SNOUT, casts=True),
        *_eyes(0.16, 0.43),
        _ball((0, -0.05, 0.50), (0.32, 0.24, 0.16), _SNOUT),
        *_pair((0.06, -0.05, 0.57), (0.05, 0.08, 0.04), _BLACK),
        _ball((0, 0.05, -0.52), (0.08, 0.08, 0.14), _SNOUT),
    ],
    "hedgehog": [
        _ball(_MIDDLE, (0.84, 0.84, 0.84), _BROWN, casts=True),
        Part("prickles", _MIDDLE, (1.1, 1.1, 1.1), Look(Material.PLAIN, _DARK)),
        _ball((0, -0.06, 0.22), (0.62, 0.60, 0.56), _TAN),
        *_pair((0.28, 0.24, 0.24), (0.16, 0.18, 0.10), _TAN),
        *_eyes(0.08, 0.42),
        _ball((0, -0.08, 0.52), (0.16, 0.14, 0.20), _TAN),
        _ball((0, -0.05, 0.62), (0.09, 0.09, 0.07), _BLACK),
    ],
}
"""What each of `arena.scene.SKINS` consists of, in the animal's own frame."""


def agents_of(scene: Scene, own: bool) -> list[tuple[Animal, int]]:
    """The other agents of a scene, and its own if asked for, with their instances."""
    agents = [(animal, cameras.OTHER_AGENTS - number) for number, animal in enumerate(scene.others)]
    if own:
        agents.append((Animal(scene.agent_position, scene.agent_yaw, scene.skin), cameras.OWN_BODY))
    return agents


def bodies(scene: Scene, own: bool, casting: bool = False) -> Rows:
    """Agents at their places, facing their yaw, or those of their parts that cast shadows.

    Raises RenderError for a skin without a body.
    """
    found = []
    for animal, instance in agents_of(scene, own):
        turned, centres = _turned(animal.skin, animal.yaw, casting)
        rows = turned.copy()
        rows[:, :3], rows[:, LABEL] = centres + animal.position, instance
        found.append(rows)
    if len(found) == 1:
        return found[0]
    return np.concatenate(found) if found else _NO_ROWS


@lru_cache(_YAWS)
def _turned(skin: str, yaw: float, casting: bool) -> tuple[Rows, Floats]:
    """The rows of an animal at the origin, whose centres (n, 3) are apart in full precision."""
    rows, turn = _at_origin(skin, casting).copy(), yaw_rotation(yaw)
    rows[:, 3:12] = turn.T.ravel()
    return rows, rotated(rows[:, :3], turn)


@cache
def _at_origin(skin: str, casting: bool) -> Rows:
    if skin not in BODIES:
        raise RenderError(f"skin: got {skin!r}, expected one of {', '.join(BODIES)}")
    return rows_of([part for part in BODIES[skin] if part.look.casts or not casting], 0)
