"""The sky behind all things, and pictures of it for cameras that look the same way again."""

from collections import OrderedDict
from functools import cache

import moderngl

from render.camera import Camera
from render.context import gl_context
from render.looks import sky
from render.opengl.painter import program, write
from render.opengl.target import new_picture, start_frame

_SRGB8 = 0x8C41
"""OpenGL's number of a format that moderngl does not name."""

_KEPT_BYTES = 32 * 2**20
_MOST_KEPT = 1024
"""Pictures kept of one size: an agent turns in steps of 6 degrees, which makes 60 in an episode."""


class Sky:
    """Draws the sky, which depends only on where a camera looks and not on where it stands."""

    def __init__(self) -> None:
        ctx = gl_context()
        self._ctx = ctx
        self._program = program(ctx, "sky")
        self._program["u_sky"] = 2
        self._array = ctx.vertex_array(self._program, [])
        # As sRGB, which converts back to the same bytes: switching the frame buffer's sRGB off and on would
        # make llvmpipe draw in two passes and cost 0.1 ms.
        size, faces = (sky.SIDE, sky.SIDE), sky.cube().tobytes()
        self._cube = ctx.texture_cube(size, 3, faces, alignment=1, internal_format=_SRGB8)
        self._cube.filter = (moderngl.NEAREST, moderngl.NEAREST)

    def draw(self, camera: Camera, aspect: float) -> None:
        """Fill the pixels of the frame buffer in use that are still at the far plane."""
        self._ctx.depth_func = "<="
        self._cube.use(2)
        write(self._program, "u_rays", camera.rays(aspect))
        self._array.render(vertices=3)
        self._ctx.depth_func = "<"


class SkyPictures:
    """The sky of frames of one size: copying it takes a tenth of the time of drawing it."""

    def __init__(self, width: int, height: int) -> None:
        self._size, self._sky = (width, height), shared_sky()
        self._most = min(_MOST_KEPT, _KEPT_BYTES // (4 * width * height))
        self._kept: OrderedDict[tuple[object, ...], moderngl.Framebuffer | None] = OrderedDict()
        self._free: list[moderngl.Framebuffer] = []

    def copy(self, target: moderngl.Framebuffer, camera: Camera) -> bool:
        """Fill a frame buffer with the sky.

        Returns False, with nothing done, if no camera has looked this way before: it may never again.
        """
        view = camera.yaw, camera.pitch, camera.fov, camera.half_height
        known, picture = view in self._kept, self._kept.pop(view, None)
        if len(self._kept) == self._most:
            _, oldest = self._kept.popitem(last=False)
            self._free += [oldest] if oldest else []
        if known:
            picture = picture or self._drawn(camera)
            gl_context().copy_framebuffer(target, picture)
        self._kept[view] = picture
        return known

    def _drawn(self, camera: Camera) -> moderngl.Framebuffer:
        """The sky alone, in a frame buffer that is no longer needed or a new one."""
        ctx, (width, height) = gl_context(), self._size
        made = self._free.pop() if self._free else ctx.framebuffer([new_picture(self._size)])
        start_frame(made)
        self._sky.draw(camera, width / height)
        return made


@cache
def shared_sky() -> Sky:
    """The sky of this process."""
    return Sky()


@cache
def sky_pictures(width: int, height: int) -> SkyPictures:
    """The pictures of the sky of this process, for frames of a size."""
    return SkyPictures(width, height)
