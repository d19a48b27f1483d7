"""A scene as solids for pyrender: unit shapes, placed, sized, coloured and numbered."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import trimesh

from arena import cameras
from arena.geometry.shapes import TUBE_INNER, TUBE_SEGMENTS, prism_vertices
from arena.scene import Floats, Scene, Vector, yaw_rotation
from render.looks.look import FLOOR, Look
from render.looks.textures import layers, linear
from render.parts.animals import BODIES, agents_of
from render.parts.composed import Part, drawn_parts, surroundings
from render.parts.meshes import UNIT, unit_meshes

MIRROR = np.diag([1.0, 1.0, -1.0])
"""From the arena's left-handed frame to a right-handed one, and back: z changes its sign."""


class Solid(NamedTuple):
    """A part in the arena: the pose of the frame in which its centre is, and its number in
    `channels.instance`. Its unit shape, of side 1, is round the origin."""

    part: Part
    position: Vector | Floats
    rotation: Floats
    instance: int

    def pose(self) -> Floats:
        """Matrix (4, 4) from the unit shape as `triangles` gives it to pyrender's frame."""
        pose = np.eye(4)
        pose[:3, :3] = MIRROR @ self.rotation @ np.diag(self.part.size) @ MIRROR
        pose[:3, 3] = MIRROR @ (self.position + self.rotation @ np.array(self.part.centre))
        return pose


def solids_of(scene: Scene, own_body: bool) -> list[Solid]:
    """Everything that a camera may see; the agent's own body only for cameras outside it."""
    found = [*_surroundings(), *_things(scene), *_animals(scene, own_body)]
    return [solid for solid in found if min(solid.part.size) > 0]


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
    """A unit shape, mirrored by `MIRROR`; what only we have is made from our mesh."""
    if shape in _UNITS:
        made = _UNITS[shape]()
    else:
        soup = trimesh.triangles.to_kwargs(unit_meshes()[shape][..., :3])  # type: ignore[no-untyped-call]
        made = trimesh.Trimesh(**soup, process=False)
    # Mirroring turns triangles inside out; reversed, they face outwards again.
    return trimesh.Trimesh(made.vertices @ MIRROR, made.faces[:, ::-1], process=False)


_UNITS: dict[str, Callable[[], Any]] = {
    "box": lambda: trimesh.creation.box(UNIT),
    "prism": lambda: trimesh.convex.convex_hull(prism_vertices(UNIT)),
    "ball": lambda: trimesh.creation.icosphere(subdivisions=4, radius=0.5),
    "tube": lambda: trimesh.creation.annulus(TUBE_INNER / 2, 0.5, 1.0, sections=TUBE_SEGMENTS),
    "rod": lambda: trimesh.creation.cylinder(0.5, segment=[(-0.5, 0, 0), (0.5, 0, 0)]),
}


def _things(scene: Scene) -> Iterator[Solid]:
    for index in np.flatnonzero(scene.visible).tolist():
        x, y, z = scene.sizes[index]
        for part in drawn_parts(scene.things[index], (x, y, z), scene.version):
            yield Solid(part, scene.positions[index], scene.rotations[index], index)


def _surroundings() -> Iterator[Solid]:
    for part, yaw in surroundings():
        instance = cameras.FLOOR if part.look is FLOOR else cameras.FENCE
        yield Solid(part._replace(centre=(0.0, 0.0, 0.0)), part.centre, yaw_rotation(yaw), instance)


def _animals(scene: Scene, own_body: bool) -> Iterator[Solid]:
    for animal, instance in agents_of(scene, own_body):
        turn = yaw_rotation(animal.yaw)
        yield from (Solid(part, animal.position, turn, instance) for part in BODIES[animal.skin])
