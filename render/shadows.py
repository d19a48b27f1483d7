"""The shadow map: depth as the sun sees it."""

import moderngl
import numpy as np

from render.culling import coarse
from render.instances import ROW, Batch, Rows
from render.painter import Painter, program
from render.sun import SIDE, TEXEL_M, sun_view

_MARGIN = 3
"""Texels by which the bias may move a caster, and rounding."""


class Shadows:
    """A depth texture that compares, blending the four nearest texels.

    What stands still is kept in a second texture, from which only the places are restored where something
    moved since the last frame.
    """

    def __init__(self, ctx: moderngl.Context, painter: Painter) -> None:
        self._ctx, self._painter = ctx, painter
        self._view = sun_view()
        self.texture, self._target = _map(ctx)
        self.texture.compare_func = "<="
        self.texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
        self._still, self._still_target = _map(ctx)
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
        box = (0, 0, SIDE, SIDE) if self._stale else self._moved(casters.rows)
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
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._painter.draw(coarse(casters).groups(), shadow=True)

    def _moved(self, rows: Rows) -> tuple[int, int, int, int] | None:
        """Texels (left, bottom, width, height) that what moved covered or covers; None where nothing did."""
        before = self._moving
        if before.shape == rows.shape:
            changed = (before != rows).any(axis=1)
            before, rows = before[changed], rows[changed]
        both = np.concatenate([before, rows])
        if not len(both):
            return None
        middle = (both[:, :3] @ self._view[:2, :3].T + self._view[:2, 3] + 1) * (SIDE / 2)
        reach = np.linalg.norm(both[:, 12:15], axis=1, keepdims=True) / (2 * TEXEL_M) + _MARGIN
        left, bottom = np.clip(np.floor((middle - reach).min(axis=0)), 0, SIDE).astype(int)
        right, top = np.clip(np.ceil((middle + reach).max(axis=0)), 0, SIDE).astype(int)
        return int(left), int(bottom), int(right - left), int(top - bottom)


def _map(ctx: moderngl.Context) -> tuple[moderngl.Texture, moderngl.Framebuffer]:
    texture = ctx.depth_texture((SIDE, SIDE))
    texture.repeat_x = texture.repeat_y = False
    return texture, ctx.framebuffer(depth_attachment=texture)
