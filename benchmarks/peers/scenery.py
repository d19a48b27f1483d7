"""The scene that all contenders draw, and help for programs that do not know `arena.Scene`."""

from pathlib import Path

import numpy as np

from arena import Scene, load
from arena.scene import Floats
from benchmarks.measure import Subject
from render.looks.look import Look
from render.looks.textures import linear
from render.parts.rows import Rows
from render.pyrender.solids import Solid
from testbed import Task

SCENE_FILE = Path(__file__).parent / "scene.yaml"
"""Task file of 50 things."""

BALL = "ball 320"
"""Mesh of the others' balls; ours have 80 to 5120 triangles, depending on their size in the picture."""

HIDDEN = -5.0
"""Height in metres to which eaten things are moved: just under the floor, as pyrender fits its shadow map to
everything."""


def scene_subject(seed: int) -> Subject:
    """The scene, played at random, with the same steps in every process."""
    spec = load(SCENE_FILE).arenas[0]
    return Subject(Task("bench", 0, SCENE_FILE, spec, ""), seed)


def mesh_name(item: Solid) -> str:
    """The name of its mesh in `render.parts.meshes.unit_meshes`."""
    return BALL if item.shape == "ball" else item.shape


def place_of(item: Solid, scene: Scene) -> tuple[Floats, Floats]:
    """Present centre (3,) in metres and rotation (3, 3) of a scene's solid, in the arena's frame."""
    if item.instance < 0:
        return np.array(item.position), item.rotation
    rotation = scene.rotations[item.instance]
    centre = scene.positions[item.instance] + rotation @ np.array(item.centre)
    if not scene.visible[item.instance]:
        centre[1] = HIDDEN
    return centre, rotation


def light_of(look: Look) -> Floats:
    """A look's colour in linear light (3,), 0 to 1."""
    return linear(tuple(255 * part for part in look.color))  # type: ignore[arg-type]


class Changes:
    """Finds the solids whose poses have changed since the last call."""

    def __init__(self, items: list[Solid]) -> None:
        self._items = items
        self._before: Rows | None = None

    def of(self, scene: Scene) -> list[int]:
        """Indices of the solids that moved; all of them at first."""
        count = len(scene.things)
        now = np.hstack([scene.positions, scene.rotations.reshape(count, 9), scene.visible[:, None]])
        moved = None if self._before is None else (now != self._before).any(axis=1)
        self._before = now
        return [
            number
            for number, item in enumerate(self._items)
            if moved is None or (item.instance >= 0 and moved[item.instance])
        ]
