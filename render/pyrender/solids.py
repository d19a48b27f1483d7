"""A scene as solids for pyrender: unit shapes, placed, sized, coloured and numbered."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import trimesh

from arena import cameras
from arena.geometry.shapes import TUBE_INNER, TUBE_SEGMENTS, prism_vertices
from arena.scene import Animal, Floats, Scene, Vector, yaw_rotation
from render.looks.look import FLOOR, Look, look_of
from render.looks.textures import layers, linear
from render.parts.animals import BODIES, agents_of
from render.parts.composed import drawn_parts, surroundings
from render.parts.meshes import UNIT, unit_meshes

MIRROR = np.diag([1.0, 1.0, -1.0])
"""From the arena's left-handed frame to a right-handed one, and back: z changes its sign."""

_WHOLE: Vector = (0.0, 0.0, 0.0)


class Solid(NamedTuple):
    """A unit shape (of side 1 round its origin) in the arena: its size (metres), its centre in the frame of
    the thing it is part of, the pose of that frame, its look, and its number in `channels.instance`."""

    shape: str
    size: Vector
    centre: Vector
    position: Vector | Floats
    rotation: Floats
    look: Look
    instance: int

    def pose(self) -> Floats:
        """Matrix (4, 4) from the unit shape as `triangles` gives it to pyrender's frame."""
        pose = np.eye(4)
        pose[:3, :3] = MIRROR @ self.rotation @ np.diag(self.size) @ MIRROR
        pose[:3, 3] = MIRROR @ (self.position + self.rotation @ np.array(self.centre))
        return pose


def solids_of(scene: Scene, own_body: bool) -> list[Solid]:
    """Everything that a camera may see; the agent's own body only for cameras outside it."""
    bodies = (_animal(animal, instance) for animal, instance in agents_of(scene, own_body))
    found = chain(_surroundings(), _things(scene), *bodies)
    return [solid for solid in found if min(solid.size) > 0]


def flat_color(look: Look) -> tuple[float, float, float, float]:
    """A look as one colour, sRGB and opacity in 0..1: the mean of its texture times its own colour."""
    texture = _mean_texture(look.material.layer)
    red, green, blue = _encoded(texture[:3] * linear(255 * np.array(look.color)))
    return (red, green, blue, float(texture[3]))


@cache
def _mean_texture(layer: int) -> Floats:
    return np.asarray(layers()[layer].reshape(-1, 4).mean(axis=0) / 255)


def _encoded(light: Floats) -> list[float]:
    """Linear light 0..1 as sRGB 0..1."""
    curved = 1.055 * np.maximum(light, 0.0031308) ** (1 / 2.4) - 0.055
    return [float(value) for value in np.where(light <= 0.0031308, 12.92 * light, curved)]


@cache
def triangles(shape: str) -> trimesh.Trimesh:
    """A unit shape, mirrored by `MIRROR`."""
    made = _unit(shape)
    # Mirroring turns triangles inside out; reversed, they face outwards again.
    return trimesh.Trimesh(made.vertices @ MIRROR, made.faces[:, ::-1], process=False)


def _unit(shape: str) -> Any:
    if shape not in _UNITS:
        # What animals carry exists only as a mesh.
        corners = unit_meshes()[shape][..., :3].reshape(-1, 3)
        return trimesh.Trimesh(corners, np.arange(len(corners)).reshape(-1, 3), process=False)
    return _UNITS[shape]()


_UNITS: dict[str, Callable[[], Any]] = {
    "box": lambda: trimesh.creation.box(UNIT),
    "prism": lambda: trimesh.convex.convex_hull(prism_vertices(UNIT)),
    "ball": lambda: trimesh.creation.icosphere(subdivisions=4, radius=0.5),
    "tube": lambda: trimesh.creation.annulus(TUBE_INNER / 2, 0.5, 1.0, sections=TUBE_SEGMENTS),
    "rod": lambda: trimesh.creation.cylinder(0.5, segment=[(-0.5, 0, 0), (0.5, 0, 0)]),
}


def _things(scene: Scene) -> Iterator[Solid]:
    for index in np.flatnonzero(scene.visible).tolist():
        thing, (x, y, z) = scene.things[index], scene.sizes[index]
        look, pose = look_of(thing, scene.version), (scene.positions[index], scene.rotations[index])
        for part in drawn_parts(thing, (x, y, z), scene.version):
            yield Solid(part.mesh, part.size, part.centre, *pose, part.look or look, index)


def _surroundings() -> Iterator[Solid]:
    for part, look, yaw in surroundings():
        instance = cameras.FLOOR if look is FLOOR else cameras.FENCE
        yield Solid(part.mesh, part.size, _WHOLE, part.centre, yaw_rotation(yaw), look, instance)


def _animal(animal: Animal, instance: int) -> Iterator[Solid]:
    turn = yaw_rotation(animal.yaw)
    for part, look in BODIES[animal.skin]:
        yield Solid(part.mesh, part.size, part.centre, animal.position, turn, look, instance)
