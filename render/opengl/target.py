"""Frame buffers that frames are drawn into."""

import moderngl

from render.context import gl_context

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
    """Draw into a target from now on, in linear light and with depth, after clearing it."""
    ctx = gl_context()
    target.use()
    if clear:
        target.clear(depth=1.0)
    ctx.enable_direct(FRAMEBUFFER_SRGB)
    ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
    # Left-handed coordinates and the upside-down picture each reverse every face.
    ctx.front_face = "ccw"
