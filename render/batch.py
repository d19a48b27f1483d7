"""Many arenas drawn at once, with one wait for the graphics processor."""

from collections.abc import Sequence

import numpy as np

from arena.errors import RenderError
from arena.scene import Scene
from render.camera import Camera
from render.context import gl_context
from render.image import Frame
from render.opengl.view import View, new_target
from render.renderer import check_size

MOST = 1024
"""Largest number of arenas: each keeps about 1.5 MB of shadow maps."""

_BYTES = 4
"""Bytes of a pixel as it is fetched: graphics processors copy pixels of four bytes without waiting, but not
pixels of three."""


class BatchRenderer:
    """Draws up to `count` scenes of one size in one call; each frame is the same as from `Renderer`.

    The scene at a place of the list is drawn with what was kept of the scene at that place before: let each
    arena keep its place. `width` and `height` in pixels, 4 to 1024. Raises RenderError for other numbers, and
    where `Renderer` does.
    """

    def __init__(self, count: int, width: int = 84, height: int = 84) -> None:
        check_size(width, height)
        if not isinstance(count, int) or not 1 <= count <= MOST:
            raise RenderError(f"count: got {count!r}, expected 1 to {MOST} arenas")
        self.count, self.width, self.height = count, width, height
        ctx = gl_context()
        ctx.gc()
        # A second one, so that a processor with several cores fills one while the other is worked out.
        self._targets = [new_target(width, height) for _ in range(min(count, 2))]
        self._views = [View() for _ in range(count)]
        self._pixels = ctx.buffer(reserve=count * self._frame_bytes)

    def frames(self, scenes: Sequence[Scene], cameras: Sequence[Camera | None] | None = None) -> Frame:
        """The pictures of several scenes, uint8 (scenes, height, width, 3) RGB, row 0 on top.

        `cameras` has one for each scene; without one, what the agent sees, all black where its lights are
        out. Raises RenderError for more scenes than `count`, or another number of cameras.
        """
        gl_context()
        cameras = self._checked(scenes, cameras)
        lit = [i for i, scene in enumerate(scenes) if scene.lights_on or cameras[i]]
        # All shadows come first: drawing into one texture and reading it waits for whatever is under way.
        for i in lit:
            self._views[i].cast(scenes[i])
        for place, i in enumerate(lit):
            self._views[i].draw(self._targets[place % 2], scenes[i], cameras[i])
            self._fetch(place - 1)
        self._fetch(len(lit) - 1)
        frames = np.zeros((len(scenes), self.height, self.width, 3), np.uint8)
        if lit:
            self._unpack(frames, lit)
        return frames

    @property
    def _frame_bytes(self) -> int:
        return _BYTES * self.width * self.height

    def _fetch(self, place: int) -> None:
        """Begin to copy the frame drawn at a place into the buffer."""
        if place >= 0:
            start = place * self._frame_bytes
            self._targets[place % 2].read_into(self._pixels, components=_BYTES, write_offset=start)

    def _unpack(self, frames: Frame, lit: Sequence[int]) -> None:
        """Wait for the buffer, and take the colours out of it."""
        pixels = np.empty((len(lit), self.height, self.width, _BYTES), np.uint8)
        self._pixels.read_into(pixels, size=pixels.nbytes)
        for drawn, i in zip(pixels, lit, strict=True):
            for channel in range(3):  # three times as fast as all at once
                frames[i, ..., channel] = drawn[..., channel]

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
