"""The agents' bodies: a panda, a pig and a hedgehog.

They are of our own design, from a few balls and cones. A body is a ball of the agent's radius, 0.5 m; it
faces +z of its own frame.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

import numpy as np

from arena import cameras
from arena.errors import RenderError
from arena.packages import data_of
from arena.scene import Animal, Floats, Scene, rotated, yaw_rotation
from render.looks.look import Look, Material, srgb
from render.parts.composed import Part
from render.parts.rows import LABEL, ROW, Rows, rows_of

_YAWS = 256
"""Maximum number of cached turned animals. An agent turns in steps of 6 degrees."""

_NO_ROWS: Rows = np.empty((0, ROW), np.float32)

_DATA = data_of("render.parts", "animals.yaml")


def _parts(
    centre: Any, size: Any, color: str, mesh: str = "ball", casts: bool = False, pair: bool = False
) -> Iterator[Part]:
    """Return a part, or a `pair` of it on both sides."""
    look = Look(Material.PLAIN, srgb(*_DATA["colors"][color]), casts=casts)
    x, y, z = centre
    for side in (-1, 1) if pair else (1,):
        yield Part(mesh, (side * x, y, z), tuple(size), look)


BODIES: dict[str, list[Part]] = {
    skin: [part for said in parts for part in _parts(**said)] for skin, parts in _DATA["bodies"].items()
}
"""Parts of each of `arena.scene.SKINS`, in the animal's own frame."""


def agents_of(scene: Scene, own: bool) -> list[tuple[Animal, int]]:
    """Return a scene's other agents, with their instances. The own one is included if asked for."""
    agents = [(animal, cameras.OTHER_AGENTS - number) for number, animal in enumerate(scene.others)]
    if own:
        agents.append((Animal(scene.agent_position, scene.agent_yaw, scene.skin), cameras.OWN_BODY))
    return agents


def bodies(scene: Scene, own: bool, casting: bool = False) -> Rows:
    """Return agents at their places, facing their yaw. On request only with their parts that cast shadows.
    Raises RenderError for a skin without a body."""
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
    """Return the rows of an animal at the origin. Its centres (n, 3) are separate, in full precision."""
    rows, turn = _at_origin(skin, casting).copy(), yaw_rotation(yaw)
    rows[:, 3:12] = turn.T.ravel()
    return rows, rotated(rows[:, :3], turn)


@cache
def _at_origin(skin: str, casting: bool) -> Rows:
    if skin not in BODIES:
        raise RenderError(f"skin: got {skin!r}, expected one of {', '.join(BODIES)}")
    return rows_of([part for part in BODIES[skin] if part.look.casts or not casting], 0)
