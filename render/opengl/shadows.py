"""The shadow map: depth as the sun sees it."""

from functools import cache

import moderngl
import numpy as np

from arena.kernel.compiled import compiled
from render.context import gl_context
from render.looks.sun import SIDE, TEXEL_M, Light, sun_view
from render.opengl.painter import SHADOW, Reader, Stock, program, shared_painter, write
from render.parts.meshes import MESHES, Mesh
from render.parts.rows import MESH, Bools, Rows, arena_rows

_BOX, _PRISM = MESHES.index("box"), MESHES.index("prism")

_MARGIN_TEXELS = 4
"""Margin around a caster: biases move it by up to two texels, and a square's edge lies within a texel."""

_UNIT = 4
"""Texture unit of the map that is copied; the scene's are 0 to 2."""

_MOST_PATCHED = 0.25
"""Area of the squares, of the whole map's, above which copying the whole map is faster."""


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
        self._moving: Rows | None = None

    def draw_still(self, casters: Rows) -> None:
        """Draw the casters at rest, in addition to floor and fence."""
        self._ctx.copy_framebuffer(self._still, _arena_map(self._light))
        _cast(self._still, casters, self._light.texel_m)
        self._moving = None

    def draw_moving(self, casters: Rows) -> None:
        """Draw the casters that may have moved since the last call."""
        before, self._moving = self._moving, casters
        if before is None:
            self._ctx.copy_framebuffer(self._target, self._still)
        elif casters.tobytes() == before.tobytes():
            return
        else:
            self._erase(before)
        _cast(self._target, casters, self._light.texel_m)

    def _erase(self, casters: Rows) -> None:
        """Restore the map where casters were: around each, if these squares cover little of the map."""
        diagonals = np.square(casters[:, 12:15]).sum()
        if diagonals > _MOST_PATCHED * (SIDE * TEXEL_M) ** 2:
            self._ctx.copy_framebuffer(self._target, self._still)
            return
        copying, squares = _squares()
        copying["u_margin"] = _MARGIN_TEXELS * self._light.texel_m
        self._target.use()
        self._kept.use(_UNIT)
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "1"
        squares.draw(casters)
        self._ctx.depth_func = "<"


@cache
def _squares() -> tuple[moderngl.Program, Stock]:
    """What copies squares around casters from a map into the one in use."""
    ctx, made = gl_context(), program(gl_context(), "patch")
    made["u_depth"] = _UNIT
    write(made, "u_sun_view", sun_view())
    corners = np.array([(x, y, 0, 0, 0, 0) for y in (-1, 1) for x in (-1, 1)], np.float32)
    square = Mesh(corners, np.array([0, 1, 2, 2, 1, 3], np.uint32))
    reader = Reader(made, ("2f 16x", "in_corner"), ("3f 36x 3f 11x4/i", "in_position", "in_size"))
    return made, Stock(ctx, square, [reader])


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
