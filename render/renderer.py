"""From a scene to a frame."""

from functools import cache
from itertools import groupby

import moderngl
import numpy as np
import numpy.typing as npt

from arena.errors import RenderError
from arena.scene import Animal, Scene
from render.animals import body
from render.camera import Camera, first_person
from render.context import gl_context
from render.culling import back_to_front, front_to_back, in_view
from render.instances import Batch, Group, ThingRows, arena_batch, joined
from render.meshes import MESHES
from render.painter import Painter, Sky, write
from render.shadows import Shadows

Frame = npt.NDArray[np.uint8]

SMALLEST, LARGEST = 4, 1024
"""Bounds of a frame's sides in pixels."""

_FRAMEBUFFER_SRGB = 0x8DB9
_SRGB8_ALPHA8 = 0x8C43
"""OpenGL's numbers of what moderngl has no names for."""


class Renderer:
    """Draws scenes into frames of one size.

    `width` and `height` in pixels, 4 to 1024. Raises RenderError for other sizes and where no OpenGL
    context can be made.
    """

    def __init__(self, width: int = 512, height: int = 512) -> None:
        if not all(isinstance(side, int) and SMALLEST <= side <= LARGEST for side in (width, height)):
            raise RenderError(
                f"resolution: got {width} x {height}, expected {SMALLEST} to {LARGEST} pixels a side"
            )
        self.width, self.height = width, height
        self._ctx = ctx = gl_context()
        ctx.gc()
        self._picture = ctx.texture((width, height), 4, internal_format=_SRGB8_ALPHA8)
        self._target = ctx.framebuffer([self._picture], ctx.depth_renderbuffer((width, height)))
        self._painter, self._sky = shared_painter()
        self._shadows = Shadows(ctx, self._painter)
        self._arena = arena_batch()
        self._things: ThingRows | None = None

    def frame(self, scene: Scene, camera: Camera | None = None) -> Frame:
        """The picture of a scene, uint8 (height, width, 3) RGB, row 0 on top.

        Without a camera, what the agent sees: all black where its lights are out.
        """
        if camera is None and not scene.lights_on:
            return np.zeros((self.height, self.width, 3), np.uint8)
        things = self._updated(scene)
        animals = [body(animal) for animal in scene.others]
        own = body(Animal(scene.agent_position, scene.agent_yaw, scene.skin))
        bodies = [animal.only(animal.casts) for animal in (own, *animals)]
        self._shadows.draw_moving(joined([things.moving_casters, *bodies]))
        seen = [things.opaque, self._arena, *animals, *([] if camera is None else [own])]
        self._draw(joined(seen), things.clear, camera or first_person(scene))
        frame = np.empty((self.height, self.width, 3), np.uint8)
        self._target.read_into(frame, components=3, alignment=1)
        return frame

    def _updated(self, scene: Scene) -> ThingRows:
        """The scene's things as rows; the shadows of what stands still are redrawn where they changed."""
        if self._things is None or scene.things is not self._things.things:
            self._things = ThingRows(scene.things, scene.sizes)
        if self._things.update(scene):
            self._shadows.draw_still(joined([self._arena, self._things.still_casters]))
        return self._things

    def _draw(self, opaque: Batch, clear: Batch, camera: Camera) -> None:
        ctx, aspect = self._ctx, self.width / self.height
        self._target.use()
        self._target.clear(depth=1.0)
        ctx.enable_direct(_FRAMEBUFFER_SRGB)
        ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        # Left-handed coordinates and the upside-down picture each turn every face around.
        ctx.front_face = "ccw"
        view = camera.matrix(aspect)
        write(self._painter.scene, "u_view", view)
        self._painter.textures.use(0)
        self._shadows.texture.use(1)
        self._painter.draw(front_to_back(in_view(opaque, view), camera, self.height).groups())
        ctx.disable_direct(_FRAMEBUFFER_SRGB)
        self._sky.draw(camera.rays(aspect))
        self._draw_clear(back_to_front(in_view(clear, view), camera))

    def _draw_clear(self, batch: Batch) -> None:
        """Translucent things, the farthest first; only their near faces show."""
        if not len(batch.rows):
            return
        ctx = self._ctx
        ctx.enable_direct(_FRAMEBUFFER_SRGB)
        ctx.enable(moderngl.BLEND)
        ctx.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
        self._target.depth_mask = False
        self._painter.draw(_runs(batch))
        self._target.depth_mask = True
        ctx.disable(moderngl.BLEND)
        ctx.disable_direct(_FRAMEBUFFER_SRGB)


@cache
def shared_painter() -> tuple[Painter, Sky]:
    """What all renderers of a process have in common."""
    return Painter(gl_context()), Sky(gl_context())


def _runs(batch: Batch) -> list[Group]:
    """Rows in their order, cut where the mesh changes."""
    runs = [list(run) for _, run in groupby(range(len(batch.rows)), key=lambda i: batch.meshes[i])]
    return [Group(MESHES[batch.meshes[run[0]]], batch.rows[run]) for run in runs]
