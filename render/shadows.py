"""The shadow map: depth as the sun sees it."""

import moderngl
import numpy as np

from render.instances import Batch, Bools
from render.meshes import MESHES
from render.painter import Painter
from render.sun import Light

_BOX, _PRISM = MESHES.index("box"), MESHES.index("prism")


class Shadows:
    """A depth texture that compares, blending the four nearest texels.

    What stands still is kept in a second map, from which the first is restored before what moves is drawn.
    """

    def __init__(self, ctx: moderngl.Context, painter: Painter, light: Light) -> None:
        self._ctx, self._painter, self._light = ctx, painter, light
        self.texture = ctx.depth_texture((light.side, light.side))
        self.texture.repeat_x = self.texture.repeat_y = False
        self.texture.compare_func = "<="
        self.texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
        self._target = _map(ctx, self.texture)
        self._still = _map(ctx, ctx.depth_texture((light.side, light.side)))
        self._moving: tuple[bytes, bytes] | None = None

    def draw_still(self, casters: Batch) -> None:
        """Take new casters that will not move."""
        self._still.clear(depth=1.0)
        self._cast(self._still, casters)
        self._moving = None

    def draw_moving(self, casters: Batch) -> None:
        """Take the casters that may have moved since the last call."""
        moving = casters.meshes.tobytes(), casters.rows.tobytes()
        if moving == self._moving:
            return
        self._moving = moving
        # A copy of the whole map takes less time than drawing into a part of it.
        self._ctx.copy_framebuffer(self._target, self._still)
        self._cast(self._target, casters)

    def _cast(self, target: moderngl.Framebuffer, casters: Batch) -> None:
        target.use()
        thin = _thin(casters, self._light.texel_m)
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._painter.draw(casters.only(np.flatnonzero(~thin)).groups(), shadow=True)
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self._ctx.front_face = "cw"
        self._painter.draw(casters.only(np.flatnonzero(thin)).groups(), shadow=True)


def _thin(casters: Batch, texel_m: float) -> Bools:
    """Which casters are so thin that the biases would push their back through their front."""
    flat = casters.rows[:, 12:15].min(axis=1) < 2 * texel_m
    return np.asarray((casters.meshes == _BOX) & flat | (casters.meshes == _PRISM))


def _map(ctx: moderngl.Context, depth: moderngl.Texture) -> moderngl.Framebuffer:
    """A target for depth; moderngl copies none without colours, so that it has some, which nothing writes."""
    target = ctx.framebuffer([ctx.renderbuffer(depth.size, 1)], depth)
    target.color_mask = (False, False, False, False)
    return target
