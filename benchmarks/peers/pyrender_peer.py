"""pyrender on our scene: a node per part, our textures, one directional light with shadows."""

import os
from importlib.metadata import version
from typing import Any

import numpy as np
import numpy.typing as npt

os.environ["PYOPENGL_PLATFORM"] = "egl"
# pyrender 0.1.45 still uses a name that NumPy 2 removed.
vars(np).setdefault("infty", np.inf)

import pyrender
from OpenGL.GL import GL_RENDERER, glGetString

from arena import Scene
from arena.scene import Floats
from benchmarks.peers import Timed, Work
from benchmarks.peers.scenery import Changes, light_of, mesh_of, place_of, scene_subject
from render.camera import first_person
from render.looks.look import Material
from render.looks.sky import TO_SUN
from render.looks.textures import layers
from render.pyrender.solids import Solid, solids_of

_MIRROR = np.array([1.0, 1.0, -1.0])
"""Reversing z makes the arena's left-handed frame right-handed."""

_SUN, _AMBIENT, _SKY = 3.0, 0.45, (0.45, 0.58, 0.78, 1.0)
"""Brightness of sun and ambient light, and the colour of the sky: chosen by eye."""

_FLAGS = pyrender.RenderFlags.RGBA | pyrender.RenderFlags.SHADOWS_DIRECTIONAL


def about() -> dict[str, str]:
    """pyrender's version, and the OpenGL renderer that draws."""
    canvas = pyrender.OffscreenRenderer(8, 8)
    canvas._platform.make_current()
    name = glGetString(GL_RENDERER).decode()
    canvas.delete()
    return {"pyrender": version("pyrender"), "opengl": name}


def opened(work: Work, side: int, seed: int) -> Timed:
    """Pictures of the played scene; poses of what moved are updated each time."""
    subject = scene_subject(seed)
    world = PyrenderWorld(subject.episode.scene(), side)
    return lambda count: subject.timed_between(count, world.picture)


class PyrenderWorld:
    """A scene as pyrender's nodes, and a canvas of `side` pixels."""

    def __init__(self, scene: Scene, side: int) -> None:
        self._canvas = pyrender.OffscreenRenderer(side, side)
        self._scene = pyrender.Scene(bg_color=_SKY, ambient_light=[_AMBIENT] * 3)
        self._items = solids_of(scene, own_body=False)
        self._changes = Changes(self._items)
        # Each canvas has its own OpenGL context, to which its textures belong.
        textures = {
            material: pyrender.Texture(source=layers()[material.layer][::-1].copy(), source_channels="RGBA")
            for material in Material
        }
        self._nodes = [self._scene.add(_mesh(item, textures)) for item in self._items]
        camera = first_person(scene)
        lens = pyrender.PerspectiveCamera(np.radians(camera.fov), znear=camera.near, zfar=camera.far)
        self._eye = self._scene.add(lens)
        # The light is at the arena's centre, as pyrender puts the shadow map around it.
        self._scene.add(pyrender.DirectionalLight(intensity=_SUN), pose=_sun_pose())

    def picture(self, scene: Scene) -> npt.NDArray[np.uint8]:
        """What the agent sees, uint8 (side, side, 3)."""
        for number in self._changes.of(scene):
            self._scene.set_pose(self._nodes[number], _pose(*place_of(self._items[number], scene)))
        camera = first_person(scene)
        right, up, forward = camera.axes() * _MIRROR
        eye = np.eye(4)
        eye[:3, :3] = np.column_stack([right, up, -forward])
        eye[:3, 3] = np.array(camera.position) * _MIRROR
        self._scene.set_pose(self._eye, eye)
        color, _ = self._canvas.render(self._scene, flags=_FLAGS)
        return np.asarray(color[..., :3], np.uint8)


def _pose(centre: Floats, rotation: Floats) -> Floats:
    pose = np.eye(4)
    pose[:3, :3] = _MIRROR[:, None] * rotation * _MIRROR
    pose[:3, 3] = centre * _MIRROR
    return pose


def _sun_pose() -> Floats:
    """A light shines along its -z."""
    back = TO_SUN * _MIRROR / np.linalg.norm(TO_SUN)
    right = np.cross([0.0, 1.0, 0.0], back)
    right /= np.linalg.norm(right)
    pose = np.eye(4)
    pose[:3, :3] = np.column_stack([right, np.cross(back, right), back])
    pose[:3, 3] = np.array([20.0, 2.0, 20.0]) * _MIRROR
    return pose


def _mesh(item: Solid, textures: dict[Material, Any]) -> Any:
    """One solid in its size, with texture coordinates and material."""
    (vertices, indices), size = mesh_of(item.part.mesh), np.array(item.part.size)
    positions, normals = vertices[:, :3] * size, vertices[:, 3:] / size
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    primitive = pyrender.Primitive(
        positions=positions * _MIRROR,
        normals=normals * _MIRROR,
        texcoord_0=_coordinates(positions, normals, size, item.part.look.material.repeat),
        indices=indices,
        material=_material(item, textures[item.part.look.material]),
    )
    return pyrender.Mesh([primitive])


def _coordinates(positions: Floats, normals: Floats, size: Floats, repeat: tuple[float, float]) -> Floats:
    """Texture coordinates (n, 2): position on a face in units of the texture's width and height."""
    facing = np.abs(normals).argmax(axis=1)
    across, along = np.where(facing == 0, 2, 0), np.where(facing == 1, 2, 1)
    rows = np.arange(len(positions))
    return np.column_stack(
        [
            (positions[rows, axis] + 0.5 * size[axis]) / (step or size[axis])
            for axis, step in zip((across, along), repeat, strict=True)
        ]
    )


def _material(item: Solid, texture: Any) -> Any:
    color = light_of(item.part.look)
    surface = item.part.look.material
    return pyrender.MetallicRoughnessMaterial(
        baseColorFactor=(*color, 1.0),
        baseColorTexture=texture,
        emissiveFactor=surface.emission * color,
        metallicFactor=0.0,
        roughnessFactor=1.0,
        alphaMode="BLEND" if item.part.look.translucent else "OPAQUE",
    )
