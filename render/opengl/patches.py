"""Restores rectangles of a shadow map from another map."""

from functools import cache

import moderngl
import numpy as np
import numpy.typing as npt

from render.context import gl_context
from render.looks.sun import SIDE, TEXEL_M, sun_view
from render.opengl.painter import program
from render.parts.rows import Batch

Edges = npt.NDArray[np.float32]
"""Rectangles (n, 4): left, lower, right and upper edge in the sun's clip space."""

_MARGIN_TEXELS = 4
"""Margin around a caster: biases move it by up to two texels, and a rectangle's edge lies within a texel."""

_UNIT = 4
"""Texture unit of the map that is copied; the scene's are 0 to 2."""

_MOST_PATCHED = 1.0
"""Area of the rectangles, of 4.0 for the whole map, above which copying the whole map is faster."""

_CLIP_PER_M = 2 / (SIDE * TEXEL_M)
"""Units of the sun's clip space per metre across its view; the same for all versions."""


def rectangles(casters: Batch, texel_m: float) -> Edges | None:
    """Where the sun sees some casters: a rectangle for each, or one around all if its area is smaller.

    None if copying the whole map is faster.
    """
    if not len(casters.rows):
        return np.empty((0, 4), np.float32)
    across, offset = _across()
    middles = casters.rows[:, :3] @ across + offset
    halves = (_CLIP_PER_M * (casters.reach + _MARGIN_TEXELS * texel_m))[:, None]
    low, high = middles - halves, middles + halves
    around = np.concatenate([low.min(axis=0), high.max(axis=0)])
    left, lower, right, upper = around.tolist()
    area, whole_area = 4 * float(np.vdot(halves, halves)), (right - left) * (upper - lower)
    if min(area, whole_area) > _MOST_PATCHED:
        return None
    edges = around[None] if whole_area <= area else np.concatenate([low, high], axis=1)
    return edges.astype(np.float32)


@cache
def _across() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """From the arena to the plane across the sun's view: a matrix (3, 2) for rows, and an offset (2,)."""
    return np.ascontiguousarray(sun_view()[:2, :3].T), sun_view()[:2, 3]


class Patcher:
    """Copies rectangles of depth into the frame buffer in use."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._program = program(ctx, "patch")
        self._program["u_depth"] = _UNIT
        self._with_room(8)

    def copy(self, depth: moderngl.Texture, edges: Edges) -> None:
        """Copy the rectangles from another map of the same size."""
        if 4 * edges.size > self._edges.size:
            self._with_room(2 * len(edges))
        self._edges.orphan()
        self._edges.write(edges)
        depth.use(_UNIT)
        self._ctx.enable_only(moderngl.DEPTH_TEST)
        self._ctx.depth_func = "1"
        self._array.render(moderngl.TRIANGLE_STRIP, vertices=4, instances=len(edges))
        self._ctx.depth_func = "<"

    def _with_room(self, count: int) -> None:
        self._edges = self._ctx.buffer(reserve=16 * count, dynamic=True)
        self._array = self._ctx.vertex_array(self._program, [(self._edges, "4f/i", "in_edges")])


@cache
def patcher() -> Patcher:
    """The patcher of this process."""
    return Patcher(gl_context())
