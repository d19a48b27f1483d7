"""The shadow map: depth as the sun sees it."""

from functools import cache

import moderngl
import numpy as np

from arena.kernel.compiled import compiled
from render.context import gl_context
from render.looks.sun import Light
from render.opengl.painter import SHADOW, shared_painter
from render.parts.meshes import MESHES
from render.parts.rows import MESH, Bools, Rows, arena_rows

_BOX, _PRISM = MESHES.index("box"), MESHES.index("prism")


class Shadows:
    """A depth texture for comparison that blends the four nearest texels.

    A second map keeps the casters at rest. The first is restored from it before the moving casters are drawn,
    always as a whole, which copies bits: a shader that copies a part of it rounds depth, by up to one step.
    """

    def __init__(self, light: Light) -> None:
        ctx = gl_context()
        self._ctx, self._light = ctx, light
        self.texture = ctx.depth_texture((light.side, light.side))
        self.texture.repeat_x = self.texture.repeat_y = False
        self.texture.compare_func = "<="
        self.texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
        self._target = _map(ctx, self.texture)
        self._still = _map(ctx, ctx.depth_texture((light.side, light.side)))
        self._moving: bytes | None = None

    def draw_still(self, casters: Rows) -> None:
        """Draw the casters at rest, in addition to floor and fence."""
        self._ctx.copy_framebuffer(self._still, _arena_map(self._light))
        _cast(self._still, casters, self._light.texel_m)
        self._moving = None

    def draw_moving(self, casters: Rows) -> None:
        """Draw the casters that may have moved since the last call."""
        before, self._moving = self._moving, casters.tobytes()
        if before == self._moving:
            return
        self._ctx.copy_framebuffer(self._target, self._still)
        _cast(self._target, casters, self._light.texel_m)


@cache
def _arena_map(light: Light) -> moderngl.Framebuffer:
    """The map of floor and fence, which are the same in all arenas; drawing it takes 4 ms."""
    ctx = gl_context()
    made = _map(ctx, ctx.depth_texture((light.side, light.side)))
    made.clear(depth=1.0)
    _cast(made, arena_rows(), light.texel_m)
    return made


def _cast(target: moderngl.Framebuffer, casters: Rows, texel_m: float) -> None:
    ctx, painter = gl_context(), shared_painter()
    target.use()
    ctx.enable_only(moderngl.DEPTH_TEST)
    ctx.front_face = "cw"
    thin = _are_thin(casters, 2 * texel_m)
    painter.draw(casters[~thin], SHADOW)
    ctx.enable(moderngl.CULL_FACE)
    painter.draw(casters[thin], SHADOW)


@compiled
def _are_thin(casters: Rows, most: float) -> Bools:
    """Which casters are so thin, in metres at most, that biases would push their back through their front."""
    thin = np.zeros(len(casters), np.bool_)
    for k, row in enumerate(casters):
        thin[k] = row[MESH] == _PRISM or (row[MESH] == _BOX and min(row[12], row[13], row[14]) < most)
    return thin


def _map(ctx: moderngl.Context, depth: moderngl.Texture) -> moderngl.Framebuffer:
    """A depth target; moderngl copies none without colours, so it has an unused colour buffer."""
    target = ctx.framebuffer([ctx.renderbuffer(depth.size, 1)], depth)
    target.color_mask = (False, False, False, False)
    return target
