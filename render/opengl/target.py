"""Frame buffers that frames are drawn into, and what was drawn."""

import moderngl
import numpy as np
import numpy.typing as npt

from arena.kernel.compiled import compiled
from render.context import gl_context
from render.image import Frame

FRAMEBUFFER_SRGB = 0x8DB9
_SRGB8_ALPHA8 = 0x8C43
"""OpenGL's numbers of constants that moderngl does not name."""


def new_target(width: int, height: int, samples: int = 0) -> moderngl.Framebuffer:
    """A render target with 4 bytes of colour, and depth, per pixel or per sample of a pixel."""
    ctx, size = gl_context(), (width, height)
    return ctx.framebuffer([new_picture(size, samples)], ctx.depth_renderbuffer(size, samples=samples))


def new_picture(size: tuple[int, int], samples: int = 0) -> moderngl.Texture:
    """The colours of a render target."""
    return gl_context().texture(size, 4, samples=samples, internal_format=_SRGB8_ALPHA8)


def start_frame(target: moderngl.Framebuffer, *, clear: bool = True) -> None:
    """Draw into a target from now on, in linear light and with depth.

    It is cleared before; without `clear`, only its depth is.
    """
    ctx = gl_context()
    target.color_mask = (clear,) * 4
    target.clear(depth=1.0)
    target.color_mask = (True,) * 4
    target.use()  # without it, moderngl would keep the mask of the clearing
    ctx.enable_direct(FRAMEBUFFER_SRGB)
    ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
    # Left-handed coordinates and the upside-down picture each reverse every face.
    ctx.front_face = "ccw"


def read_frame(target: moderngl.Framebuffer) -> Frame:
    """The picture drawn into a target; waits until it is."""
    width, height = target.size
    pixels = room_for(width * height)
    # Mesa copies pixels of four bytes five times as fast as it makes pixels of three.
    target.read_into(pixels, components=4)
    return colors(pixels, width * height).reshape(height, width, 3)


def room_for(count: int) -> npt.NDArray[np.uint32]:
    """Room for a number of pixels of four bytes, rounded up to a multiple of four pixels."""
    return np.empty(count + -count % 4, np.uint32)


def colors(pixels: npt.NDArray[np.uint32], count: int) -> npt.NDArray[np.uint8]:
    """Red, green and blue of the first `count` pixels, one after the other."""
    packed = np.empty(3 * len(pixels) // 4, np.uint32)
    _pack(pixels, packed)
    return packed.view(np.uint8)[: 3 * count]


@compiled
def _pack(pixels: npt.NDArray[np.uint32], packed: npt.NDArray[np.uint32]) -> None:
    """Drop the fourth byte of each pixel, which is the highest; four pixels become three numbers."""
    for i in range(len(pixels) // 4):
        a, b, c, d = pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2], pixels[4 * i + 3]
        packed[3 * i] = (a & 0xFFFFFF) | (b << 24)
        packed[3 * i + 1] = ((b >> 8) & 0xFFFF) | (c << 16)
        packed[3 * i + 2] = ((c >> 16) & 0xFF) | (d << 8)
