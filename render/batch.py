"""Many arenas drawn at once, with one wait for the graphics processor."""

from collections.abc import Sequence

import numpy as np

from arena.errors import RenderError
from arena.scene import Scene
from render.camera import Camera
from render.context import drawing
from render.image import Frame, check_size
from render.opengl.target import colors, new_target, room_for
from render.opengl.view import View

MOST = 1024
"""Maximum number of arenas: each keeps about 1.5 MB of shadow maps."""

_BYTES = 4
"""Bytes per fetched pixel: graphics processors copy pixels of four bytes asynchronously, but not of three."""


class BatchRenderer:
    """Draws up to `count` scenes of one size in one call; each frame is the same as from `Renderer`.

    What stays the same from call to call is cached by the position in the list: give each arena the same
    position every time. `width` and `height` in pixels, 4 to 1024. Raises RenderError for other numbers, and
    as `Renderer` does.
    """

    def __init__(self, count: int, width: int = 84, height: int = 84) -> None:
        check_size(width, height)
        if not isinstance(count, int) or not 1 <= count <= MOST:
            raise RenderError(f"count: got {count!r}, expected 1 to {MOST} arenas")
        self.count, self.width, self.height = count, width, height
        with drawing(width * height) as context:
            context.gc()
            # Two, so that a processor with several cores can draw into one while the other is read.
            self._targets = [new_target(width, height) for _ in range(min(count, 2))]
            self._views = [View() for _ in range(count)]
            self._pixels = context.buffer(reserve=count * _BYTES * width * height)

    @drawing()
    def frames(self, scenes: Sequence[Scene], cameras: Sequence[Camera | None] | None = None) -> Frame:
        """The pictures of several scenes, uint8 (scenes, height, width, 3) RGB, row 0 on top.

        `cameras` has an entry for each scene; None is the agent's view, which is black while its lights are
        out. Raises RenderError for more scenes than `count`, or another number of cameras.
        """
        cameras = self._checked(scenes, cameras)
        lit = [i for i, scene in enumerate(scenes) if scene.lights_on or cameras[i]]
        # Shadows come first: reading a texture that was just drawn waits for everything in progress.
        for i in lit:
            self._views[i].cast(scenes[i])
        for place, i in enumerate(lit):
            self._views[i].draw(self._targets[place % 2], scenes[i], cameras[i])
            self._fetch(place - 1)
        self._fetch(len(lit) - 1)
        frames = np.zeros((len(scenes), self.height, self.width, 3), np.uint8)
        if lit:
            count = len(lit) * self.width * self.height
            pixels = room_for(count)
            self._pixels.read_into(pixels, size=_BYTES * count)
            frames[lit] = colors(pixels, count).reshape(len(lit), self.height, self.width, 3)
        return frames

    def _fetch(self, place: int) -> None:
        """Start copying a drawn frame, by its place among the lit ones, into the buffer."""
        if place >= 0:
            start = place * _BYTES * self.width * self.height
            self._targets[place % 2].read_into(self._pixels, components=_BYTES, write_offset=start)

    def _checked(
        self, scenes: Sequence[Scene], cameras: Sequence[Camera | None] | None
    ) -> Sequence[Camera | None]:
        """The cameras, one for each scene."""
        if len(scenes) > self.count:
            raise RenderError(f"frames: got {len(scenes)} scenes, expected at most {self.count}")
        if cameras is None:
            return [None] * len(scenes)
        if len(cameras) != len(scenes):
            raise RenderError(
                f"frames: got {len(cameras)} cameras for {len(scenes)} scenes, expected one each"
            )
        return cameras
