"""What falls straight down onto what stands firmly, as most things do at the start: that needs no Bullet."""

import math
from collections.abc import Mapping, Sequence

from arena.action import TICK_S
from arena.geometry.placed import Placed
from arena.geometry.shapes import FLOOR_Y
from arena.kernel.casts import TOUCHING
from arena.kernel.contacts import FALL
from arena.physics.live_parts import LiveParts
from arena.scene import Floats
from arena.taskfile.kind import Shape


class Falling:
    """Things that fall, each to a height (metres) of its centre; `ticks` counts from their start."""

    def __init__(self, heights: Mapping[int, float]) -> None:
        self.heights = dict(heights)
        self.ticks = 0

    def advance(self, positions: Floats, parts: LiveParts) -> None:
        """Move them through a tick, in the positions (n, 3) and the parts of all things."""
        self.ticks += 1
        for index, height in tuple(self.heights.items()):
            left = float(positions[index, 1]) - height
            way = min(FALL * self.ticks * TICK_S, left)
            positions[index, 1] -= way
            parts.lower(index, way)
            if way == left:
                del self.heights[index]


def landings(
    things: Sequence[Placed],
    supported: Mapping[int, float],
    positions: Floats,
    rotations: Floats,
    parts: LiveParts,
) -> dict[int, float]:
    """Heights at which all that is movable comes to rest; infinite for what does not fall straight down onto
    something firm.

    `supported` are the heights of what stands firmly once it has fallen by up to 0.05 m; a ball may fall from
    any height. Leaves the parts where they come to rest, balls aside.
    """
    movable = {index: thing for index, thing in enumerate(things) if thing.kind.mass}
    balls = {index for index, thing in movable.items() if thing.kind.is_goal}
    # The colliders of fitted blocks reach below what is drawn.
    fitted = {index for index, thing in movable.items() if thing.kind.fitted}
    heights = {i: math.inf if i in fitted else supported.get(i, math.inf) for i in movable if i not in balls}
    fallen = positions.copy()
    fallen[list(heights), 1] = list(heights.values())
    parts.move(fallen, rotations)
    for ball in sorted(balls):
        x, y, z = positions[ball].tolist()
        radius = things[ball].size[0] / 2
        # A slightly smaller ball, as a cast does not hit what is touched at its start.
        inner = radius - 2 * TOUCHING
        below, way = parts.below((x, y, z), inner)
        is_firm = below < 0 or (below in supported and things[below].kind.shape is Shape.BOX)
        level = FLOOR_Y if below < 0 else float(fallen[below, 1]) + things[below].size[1] / 2
        # It meets a level face with its lowest point, anything else with another.
        is_level = abs(y - way - inner - level) < TOUCHING
        heights[ball] = level + radius if is_firm and is_level else math.inf
    return heights
