"""From a scene to a frame."""

from functools import cached_property

import numpy as np

from arena.cameras import Channels, dark
from arena.scene import Scene
from render.camera import Camera
from render.context import drawing
from render.image import Frame, check_size
from render.opengl.channels import ChannelPainter
from render.opengl.target import new_target, read_frame
from render.opengl.view import View


class Renderer:
    """Draws scenes into frames of one size.

    `width` and `height` in pixels, 4 to 1024. Any thread may create and use it; threads take turns. Raises
    RenderError for other sizes, without an OpenGL context, and in a process forked after the first drawing.
    """

    def __init__(self, width: int = 512, height: int = 512) -> None:
        check_size(width, height)
        self.width, self.height = width, height
        with drawing(width * height) as context:
            context.gc()
            self._target = new_target(width, height)
            self._view = View()

    @drawing()
    def frame(self, scene: Scene, camera: Camera | None = None) -> Frame:
        """The picture of a scene, uint8 (height, width, 3) RGB, row 0 on top.

        Without a camera, the agent's view, which is black while its lights are out.
        """
        if camera is None and not scene.lights_on:
            return np.zeros((self.height, self.width, 3), np.uint8)
        self._view.cast(scene)
        self._view.draw(self._target, scene, camera)
        return read_frame(self._target)

    @drawing()
    def channels(self, scene: Scene, camera: Camera | None = None, *, see_through: bool = False) -> Channels:
        """Depth, instance and class of every pixel of the frame; the numbers are those of `arena.cameras`.

        Glass and zones count as surfaces; `see_through` leaves them out. Without a camera, the agent's view,
        in which everything is "nothing" while its lights are out.
        """
        if camera is None and not scene.lights_on:
            return dark(self.height, self.width)
        return self._channels.draw(self._view.things(scene), scene, camera, see_through)

    @cached_property
    def _channels(self) -> ChannelPainter:
        """Created on first use: most renderers only draw frames."""
        return ChannelPainter(self.width, self.height)
