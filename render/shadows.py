"""The shadow map: depth as the sun sees it, fixed to the arena."""

import moderngl
import numpy as np
import numpy.typing as npt

from render.culling import coarse
from render.instances import ROW, Batch, Rows
from render.painter import Painter, program, write
from render.sky import TO_SUN

TEXEL_M = 168.5 / 1024
"""Side of a texel in metres. Unity's map of 1024 texels (`UniversalRP-LowQuality.asset`) covers the ball
round the camera's view up to the shadow distance of 50 m: radius 50 x tan(50 degrees) x sqrt(2) = 84.3 m."""

SIDE = 384
"""Texels of our map's side: enough for the arena alone."""

CENTRE = np.array([20.0, 2.0, 20.0])
"""What the map is centred on, metres."""

_DEPTH_M = 70.0

_MARGIN = 3
"""Texels by which the bias may move a caster, and rounding."""


def sun_view() -> npt.NDArray[np.float32]:
    """World to the sun's clip space (4, 4): orthographic, around the whole arena."""
    forward = -TO_SUN / np.linalg.norm(TO_SUN)
    right = np.cross([0.0, 1.0, 0.0], forward)
    right /= np.linalg.norm(right)
    axes = np.array([right, np.cross(forward, right), forward])
    half = 0.5 * SIDE * TEXEL_M
    matrix = np.eye(4)
    matrix[:3, :3] = axes / np.array([half, half, 0.5 * _DEPTH_M])[:, None]
    matrix[:3, 3] = -matrix[:3, :3] @ CENTRE
    return np.asarray(matrix, np.float32)


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
        write(painter.shadow, "u_sun_view", self._view)
        painter.shadow["u_texel"] = TEXEL_M

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
