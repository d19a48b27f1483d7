"""The shadow map: depth as the sun sees it."""

from functools import cache

import moderngl
import numpy as np

from render.context import gl_context
from render.looks.sun import Light
from render.opengl.painter import shared_painter
from render.opengl.patches import Edges, patcher, rectangles
from render.parts.meshes import MESHES
from render.parts.rows import Batch, arena_batch

_BOX, _PRISM = MESHES.index("box"), MESHES.index("prism")


class Shadows:
    """A depth texture for comparison that blends the four nearest texels.

    A second map keeps the casters at rest; the first is restored from it where something has moved, before
    the moving casters are drawn.
    """

    def __init__(self, light: Light) -> None:
        ctx = gl_context()
        self._ctx, self._light = ctx, light
        self.texture = ctx.depth_texture((light.side, light.side))
        self.texture.repeat_x = self.texture.repeat_y = False
        self.texture.compare_func = "<="
        self.texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
        self._target = _map(ctx, self.texture)
        self._kept = ctx.depth_texture((light.side, light.side))
        self._kept.compare_func = ""
        self._kept.filter = (moderngl.NEAREST, moderngl.NEAREST)
        self._still = _map(ctx, self._kept)
        self._moving: tuple[bytes, bytes] | None = None
        self._dirty: Edges | None = None

    def draw_still(self, casters: Batch) -> None:
        """Draw the casters at rest, in addition to floor and fence."""
        self._ctx.copy_framebuffer(self._still, _arena_map(self._light))
        _cast(self._still, casters, self._light.texel_m)
        self._moving = self._dirty = None

    def draw_moving(self, casters: Batch) -> None:
        """Draw the casters that may have moved since the last call."""
        moving = casters.meshes.tobytes(), casters.rows.tobytes()
        if moving == self._moving:
            return
        self._moving = moving
        self._restore()
        _cast(self._target, casters, self._light.texel_m)
        self._dirty = rectangles(casters, self._light.texel_m)

    def _restore(self) -> None:
        """Erase the moving casters, locally if they cover little of the map."""
        dirty = self._dirty
        if dirty is None:
            self._ctx.copy_framebuffer(self._target, self._still)
        elif len(dirty):
            self._target.use()
            patcher().copy(self._kept, dirty)


@cache
def _arena_map(light: Light) -> moderngl.Framebuffer:
    """The map of floor and fence, which are the same in all arenas; drawing it takes 4 ms."""
    ctx = gl_context()
    made = _map(ctx, ctx.depth_texture((light.side, light.side)))
    made.clear(depth=1.0)
    _cast(made, arena_batch(), light.texel_m)
    return made


def _cast(target: moderngl.Framebuffer, casters: Batch, texel_m: float) -> None:
    ctx, painter, (thick, thin) = gl_context(), shared_painter(), _by_thickness(casters, texel_m)
    target.use()
    ctx.enable_only(moderngl.DEPTH_TEST)
    painter.draw(thick.groups(), shadow=True)
    if len(thin.rows):
        ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        ctx.front_face = "cw"
        painter.draw(thin.groups(), shadow=True)


def _by_thickness(casters: Batch, texel_m: float) -> tuple[Batch, Batch]:
    """The casters, apart from those so thin that the biases would push their back through their front."""
    edged = (casters.meshes <= max(_BOX, _PRISM)).nonzero()[0]
    if not len(edged):
        return casters, casters.only(edged)
    flat = casters.rows[edged, 12:15].min(axis=1) < 2 * texel_m
    thin = edged[flat | (casters.meshes[edged] == _PRISM)]
    if not len(thin):
        return casters, casters.only(thin)
    return casters.only(np.delete(np.arange(len(casters.rows)), thin)), casters.only(thin)


def _map(ctx: moderngl.Context, depth: moderngl.Texture) -> moderngl.Framebuffer:
    """A depth target; moderngl copies none without colours, so it has an unused colour buffer."""
    target = ctx.framebuffer([ctx.renderbuffer(depth.size, 1)], depth)
    target.color_mask = (False, False, False, False)
    return target
