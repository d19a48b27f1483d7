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
    edges, area, margin = [], 0.0, _MARGIN_TEXELS * texel_m
    across, up = _across()
    # Plain numbers: these are the few parts of an agent, and NumPy would take ten times as long.
    for place, reach in zip(casters.rows[:, :3].tolist(), casters.reach.tolist(), strict=True):
        x, y = (place[0] * a + place[1] * b + place[2] * c + d for a, b, c, d in (across, up))
        half = _CLIP_PER_M * (reach + margin)
        edges.append((x - half, y - half, x + half, y + half))
        area += 4 * half * half
    lefts, lowers, rights, uppers = zip(*edges, strict=True)
    left, lower, right, upper = whole = min(lefts), min(lowers), max(rights), max(uppers)
    whole_area = (right - left) * (upper - lower)
    if min(area, whole_area) > _MOST_PATCHED:
        return None
    return np.array([whole] if whole_area <= area else edges, np.float32)


@cache
def _across() -> list[list[float]]:
    """Factors of x, y, z and 1 for a place across the sun's view and up it."""
    rows: list[list[float]] = sun_view()[:2].tolist()
    return rows


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
