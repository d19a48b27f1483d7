"""The shadow map: depth as the sun sees it."""

import moderngl
import numpy as np

from render.culling import coarse
from render.instances import ROW, Batch, Bools, Rows
from render.meshes import MESHES
from render.painter import Painter, program
from render.sun import Light, sun_view

_BOX, _PRISM = MESHES.index("box"), MESHES.index("prism")

_MARGIN = 3
"""Texels by which the bias may move a caster, and rounding."""


class Shadows:
    """A depth texture that compares, blending the four nearest texels.

    What stands still is kept in a second texture, from which only the places are restored where something
    moved since the last frame.
    """

    def __init__(self, ctx: moderngl.Context, painter: Painter, light: Light) -> None:
        self._ctx, self._painter, self._light = ctx, painter, light
        self._view = sun_view()
        self.texture, self._target = _map(ctx, light.side)
        self.texture.compare_func = "<="
        self.texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
        self._still, self._still_target = _map(ctx, light.side)
        self._still.compare_func = ""
        self._still.filter = (moderngl.NEAREST, moderngl.NEAREST)
        self._patch = program(ctx, "patch")
        self._patch_array = ctx.vertex_array(self._patch, [])
        self._moving = np.empty((0, ROW), np.float32)
        self._stale = True

    def draw_still(self, casters: Batch) -> None:
        """Take new casters that will not move."""
        self._still_target.clear(depth=1.0)
        self._cast(self._still_target, casters)
        self._stale = True

    def draw_moving(self, casters: Batch) -> None:
        """Add casters that may have moved since the last call."""
        side = self._light.side
        box = (0, 0, side, side) if self._stale else self._moved(casters.rows)
        self._moving, self._stale = casters.rows, False
        if box is None:
            return
        self._target.scissor = box
        self._restore()
        self._cast(self._target, casters)

    def _restore(self) -> None:
        ctx = self._ctx
        self._target.use()
        ctx.enable_only(moderngl.DEPTH_TEST)
        ctx.depth_func = "1"
        self._still.use(0)
        self._patch["u_still"] = 0
        self._patch_array.render(vertices=3)
        ctx.depth_func = "<"

    def _cast(self, target: moderngl.Framebuffer, casters: Batch) -> None:
        target.use()
        casters = coarse(casters)
        thin = _thin(casters, self._light.texel_m)
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._painter.draw(casters.only(~thin).groups(), shadow=True)
        self._ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self._ctx.front_face = "cw"
        self._painter.draw(casters.only(thin).groups(), shadow=True)

    def _moved(self, rows: Rows) -> tuple[int, int, int, int] | None:
        """Texels (left, bottom, width, height) that what moved covered or covers; None where nothing did."""
        before, (side, texel_m) = self._moving, self._light[1:3]
        if before.shape == rows.shape:
            changed = (before != rows).any(axis=1)
            before, rows = before[changed], rows[changed]
        both = np.concatenate([before, rows])
        if not len(both):
            return None
        middle = (both[:, :3] @ self._view[:2, :3].T + self._view[:2, 3] + 1) * (side / 2)
        reach = np.linalg.norm(both[:, 12:15], axis=1, keepdims=True) / (2 * texel_m) + _MARGIN
        left, bottom = np.clip(np.floor((middle - reach).min(axis=0)), 0, side).astype(int)
        right, top = np.clip(np.ceil((middle + reach).max(axis=0)), 0, side).astype(int)
        return int(left), int(bottom), int(right - left), int(top - bottom)


def _thin(casters: Batch, texel_m: float) -> Bools:
    """Which casters are so thin that the biases would push their back through their front."""
    flat = casters.rows[:, 12:15].min(axis=1) < 2 * texel_m
    return np.asarray((casters.meshes == _BOX) & flat | (casters.meshes == _PRISM))


def _map(ctx: moderngl.Context, side: int) -> tuple[moderngl.Texture, moderngl.Framebuffer]:
    texture = ctx.depth_texture((side, side))
    texture.repeat_x = texture.repeat_y = False
    return texture, ctx.framebuffer(depth_attachment=texture)
