"""From scenes to frames."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from arena.cameras import Channels, dark
from arena.errors import RenderError
from arena.scene import Scene
from render.camera import Camera
from render.image import Frame, check_size
from render.kernel.drawing import Drawing, threads

MOST = 1024
"""Maximum number of arenas drawn together: each keeps about 3 MB of shadow maps."""


class Renderer:
    """Draws scenes into frames of one size.

    `width` and `height` in pixels, 4 to 1024. Any thread may create and use it; threads take turns. Raises
    RenderError for other sizes.
    """

    def __init__(self, width: int = 512, height: int = 512) -> None:
        check_size(width, height)
        self.width, self.height = width, height
        self._drawing, self._turn = Drawing(), threading.Lock()

    def frame(self, scene: Scene, camera: Camera | None = None) -> Frame:
        """The picture of a scene, uint8 (height, width, 3) RGB, row 0 on top.

        Without a camera, the agent's view, which is black while its lights are out.
        """
        if camera is None and not scene.lights_on:
            return np.zeros((self.height, self.width, 3), np.uint8)
        with self._turn:
            return self._drawing.frame(scene, camera, self.width, self.height)

    def channels(self, scene: Scene, camera: Camera | None = None, *, see_through: bool = False) -> Channels:
        """Depth, instance and class of every pixel of the frame; the numbers are those of `arena.cameras`.

        Glass and zones count as surfaces; `see_through` leaves them out. Without a camera, the agent's view,
        in which everything is "nothing" while its lights are out.
        """
        if camera is None and not scene.lights_on:
            return dark(self.height, self.width)
        with self._turn:
            return self._drawing.channels(scene, camera, self.width, self.height, see_through)


class BatchRenderer:
    """Draws up to `count` scenes of one size in one call; each frame is the same as from `Renderer`.

    What stays the same from call to call is cached by the position in the list: give each arena the same
    position every time. `width` and `height` in pixels, 4 to 1024. Raises RenderError for other numbers.
    """

    def __init__(self, count: int, width: int = 84, height: int = 84) -> None:
        check_size(width, height)
        if not isinstance(count, int) or not 1 <= count <= MOST:
            raise RenderError(f"count: got {count!r}, expected 1 to {MOST} arenas")
        self.count, self.width, self.height = count, width, height
        self._renderers = [Renderer(width, height) for _ in range(count)]

    def frames(self, scenes: Sequence[Scene], cameras: Sequence[Camera | None] | None = None) -> Frame:
        """The pictures of several scenes, uint8 (scenes, height, width, 3) RGB, row 0 on top.

        `cameras` has an entry for each scene; None is the agent's view, which is black while its lights are
        out. Raises RenderError for more scenes than `count`, or another number of cameras.
        """
        cameras = self._checked(scenes, cameras)
        frames = np.empty((len(scenes), self.height, self.width, 3), np.uint8)

        def draw(k: int) -> None:
            frames[k] = self._renderers[k].frame(scenes[k], cameras[k])

        pool: ThreadPoolExecutor = threads()
        for _ in pool.map(draw, range(len(scenes))):
            pass
        return frames

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
