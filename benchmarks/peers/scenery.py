"""The scene that all draw, and its parts for programs that know no `arena.Scene`."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from arena import Scene, load
from arena.scene import Floats, yaw_rotation
from benchmarks.measure import Subject
from render.looks.look import Look, look_of
from render.looks.textures import linear
from render.parts.meshes import Part, parts_of, rails, surroundings
from render.parts.rows import Rows
from testbed import Task

SCENE_FILE = Path(__file__).parent / "scene.yaml"
"""Task file of 50 things."""

BALL = "ball 320"
"""Mesh of the others' balls: ours has 80 to 5120 triangles by its size on the picture."""

HIDDEN = -5.0
"""Height in metres to which a thing is put that is gone: under the floor, yet near, as pyrender fits its
shadow map to all there is."""


class Item(NamedTuple):
    """Something drawn: a mesh with its look; `thing` is its number, or None for floor and fence."""

    part: Part
    look: Look
    thing: int | None
    rotation: Floats


def scene_subject(seed: int) -> Subject:
    """The scene, played at random: the same steps in every process."""
    spec = load(SCENE_FILE).arenas[0]
    return Subject(Task("bench", 0, SCENE_FILE, spec, ""), seed)


def items_of(scene: Scene) -> list[Item]:
    """Everything that is drawn, floor and fence first."""
    still = [Item(part, look, None, np.eye(3)) for part, look in surroundings()]
    still += [Item(part, look, None, yaw_rotation(yaw)) for part, look, yaw in rails()]
    return still + [
        Item(part, look_of(thing), number, np.eye(3))
        for number, thing in enumerate(scene.things)
        for part in parts_of(thing, thing.size)
    ]


def mesh_name(item: Item) -> str:
    """The name of its mesh in `render.parts.meshes.unit_meshes`."""
    return BALL if item.part.mesh == "ball" else item.part.mesh


def place_of(item: Item, scene: Scene) -> tuple[Floats, Floats]:
    """Centre (3,) in metres and rotation (3, 3) of an item now, in the arena's frame."""
    if item.thing is None:
        return np.array(item.part.centre), item.rotation
    rotation = scene.rotations[item.thing]
    centre = scene.positions[item.thing] + rotation @ np.array(item.part.centre)
    if not scene.visible[item.thing]:
        centre[1] = HIDDEN
    return centre, rotation


def light_of(look: Look) -> Floats:
    """A look's colour in linear light (3,), 0 to 1."""
    return linear(tuple(255 * part for part in look.color))  # type: ignore[arg-type]


class Changes:
    """Says which items have another pose than when it was last asked."""

    def __init__(self, items: list[Item]) -> None:
        self._items = items
        self._before: Rows | None = None

    def of(self, scene: Scene) -> list[int]:
        """Numbers of the items that moved; all of them the first time."""
        count = len(scene.things)
        now = np.hstack([scene.positions, scene.rotations.reshape(count, 9), scene.visible[:, None]])
        moved = None if self._before is None else (now != self._before).any(axis=1)
        self._before = now
        return [
            number
            for number, item in enumerate(self._items)
            if moved is None or (item.thing is not None and moved[item.thing])
        ]
