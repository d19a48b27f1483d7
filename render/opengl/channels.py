"""Depth, instances and classes of a scene, pixel for pixel those of its frame."""

from functools import cache

import moderngl
import numpy as np
import numpy.typing as npt

from arena import channels
from arena.channels import Channels
from arena.scene import Animal, Floats, Scene, Thing
from render.camera import Camera, first_person
from render.context import gl_context
from render.looks.look import FLOOR
from render.opengl.painter import Reader, Stock, program, write
from render.parts.animals import body
from render.parts.culling import front_to_back
from render.parts.meshes import MARKS, MESHES, rails, surroundings, unit_meshes
from render.parts.rows import MESH, Rows, ThingRows, runs

_LABEL = 15
"""First of two columns, instance and whether it is a ball, that replace the colour."""

_VERTICES = ("3f 12x", "in_vertex")
_ROWS = ("3f 9f 3f 2f 7x4/i", "in_position", "in_rotation", "in_size", "in_label")
_ON_BALLS = [MESHES.index(name) for name in ("ball", *MARKS)]


class _LabelledThings(ThingRows):
    """Rows of things, floor and fence labelled with their instances."""

    def __init__(self, things: tuple[Thing, ...], sizes: Floats, version: str) -> None:
        super().__init__(things, sizes, version)
        self.rows, self.arena = _labelled(self.rows, self.owner), _labelled(self.arena, _surroundings())


class ChannelPainter:
    """Draws the channels of one size, `width` x `height` pixels.

    Each pixel is that of `Renderer.frame`: the same triangles, camera and depth buffer. Depth is drawn into a
    float texture, as the depth buffer's steps are 1 cm at 40 m: the agent's view is exact to half a
    millimetre, that of a camera 0.1 m above the floor to 3 mm at the arena's far corner.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._ctx = ctx = gl_context()
        self._picture = ctx.texture((width, height), 2, dtype="f4")
        self._target = ctx.framebuffer([self._picture], ctx.depth_renderbuffer((width, height)))
        self._program, self._stocks = _shared()
        self._things: _LabelledThings | None = None

    def draw(self, scene: Scene, camera: Camera | None, see_through: bool) -> Channels:
        """The channels of a scene; camera None is the agent's view."""
        if camera is None and not scene.lights_on:
            return channels.dark(self.height, self.width)
        things = self._updated(scene)
        animals = [(animal, channels.OTHER_AGENTS - number) for number, animal in enumerate(scene.others)]
        if camera is not None:
            own = Animal(scene.agent_position, scene.agent_yaw, scene.skin)
            animals.append((own, channels.OWN_BODY))
        bodies = (_labelled(body(animal), instance) for animal, instance in animals)
        opaque = np.concatenate([things.opaque, *bodies])
        self._draw(opaque, None if see_through else things.clear, camera or first_person(scene))
        pixels = np.empty((self.height, self.width, 2), np.float32)
        self._target.read_into(pixels, components=2, dtype="f4")
        instance = pixels[..., 1].astype(np.int32)
        classes = channels.semantic(instance, scene.things, len(scene.others))
        return Channels(pixels[..., 0].copy(), instance, classes)

    def _updated(self, scene: Scene) -> ThingRows:
        if self._things is None or scene.things is not self._things.things:
            self._things = _LabelledThings(scene.things, scene.sizes, scene.version)
        self._things.update(scene)
        return self._things

    def _draw(self, opaque: Rows, clear: Rows | None, camera: Camera) -> None:
        ctx, view = self._ctx, camera.matrix(self.width / self.height)
        self._target.use()
        self._target.clear(float("inf"), channels.SKY, depth=1.0)
        ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        ctx.front_face = "ccw"
        write(self._program, "u_view", view)
        self._program["u_forward"] = tuple(camera.axes()[2])
        self._program["u_eye"] = camera.position
        self._program["u_parallel"] = camera.half_height is not None
        for rows in (opaque,) if clear is None else (opaque, clear):
            for mesh, run in runs(front_to_back(rows, camera, view, self.height)):
                self._stocks[mesh].draw(run)


@cache
def _shared() -> tuple[moderngl.Program, dict[str, Stock]]:
    """Program and meshes, shared by all channel painters of a process."""
    ctx = gl_context()
    made = program(ctx, "channels")
    readers = [Reader(made, _VERTICES, _ROWS)]
    return made, {name: Stock(ctx, mesh, readers) for name, mesh in unit_meshes().items()}


@cache
def _surroundings() -> npt.NDArray[np.intp]:
    """The instance of each row of floor and fence."""
    floors = np.array([look is FLOOR for _, look in surroundings()] + [False] * len(rails()))
    return np.where(floors, channels.FLOOR, channels.FENCE)


def _labelled(rows: Rows, instance: int | npt.NDArray[np.intp]) -> Rows:
    """The same rows with their instances in place of their colour."""
    rows = rows.copy()
    rows[:, _LABEL], rows[:, _LABEL + 1] = instance, np.isin(rows[:, MESH], _ON_BALLS)
    return rows
