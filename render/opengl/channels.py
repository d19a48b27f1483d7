"""Depth, instances and classes of a scene, pixel for pixel those of its frame."""

import moderngl
import numpy as np

from arena import cameras
from arena.cameras import Channels
from arena.scene import Scene
from render.camera import Camera, first_person
from render.context import gl_context
from render.opengl.painter import CHANNELS, shared_painter, write
from render.parts.animals import bodies
from render.parts.culling import front_to_back
from render.parts.rows import ThingRows


class ChannelPainter:
    """Draws the channels of one size, `width` x `height` pixels.

    Each pixel is that of `Renderer.frame`: the same triangles, camera and depth buffer. Depth is drawn into a
    float texture, as the depth buffer's steps are 1 cm at 40 m: the agent's view is exact to half a
    millimetre, that of a camera 0.1 m above the floor to 3 mm at the arena's far corner.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        ctx, size = gl_context(), (width, height)
        self._target = ctx.framebuffer([ctx.texture(size, 2, dtype="f4")], ctx.depth_renderbuffer(size))

    def draw(self, things: ThingRows, scene: Scene, camera: Camera | None, see_through: bool) -> Channels:
        """The channels of a scene, whose rows are given; camera None is the agent's view."""
        shown = [things.opaque, *bodies(scene, own=camera is not None)]
        camera = camera or first_person(scene)
        ctx, painter, view = gl_context(), shared_painter(), camera.matrix(self.width / self.height)
        self._target.use()
        self._target.clear(float("inf"), cameras.SKY, depth=1.0)
        ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        ctx.front_face = "ccw"
        write(painter.channels, "u_view", view)
        painter.channels["u_forward"] = tuple(camera.axes()[2])
        painter.channels["u_eye"] = camera.position
        painter.channels["u_parallel"] = camera.half_height is not None
        for rows in [np.concatenate(shown)] + ([] if see_through else [things.clear]):
            painter.draw(front_to_back(rows, camera, view, self.height), CHANNELS)
        pixels = np.empty((self.height, self.width, 2), np.float32)
        self._target.read_into(pixels, components=2, dtype="f4")
        instance = pixels[..., 1].astype(np.int32)
        classes = cameras.semantic(instance, scene.things, len(scene.others))
        return Channels(pixels[..., 0].copy(), instance, classes)
