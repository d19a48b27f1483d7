"""Properties of every pixel of a picture besides its colour: depth, instance and class.

The numbers are defined here so that the observations of `arena/gym/sensors.py` and the renderers agree.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arena.scene import Thing
from arena.taskfile.catalog import KINDS

Depth = npt.NDArray[np.float32]
Instance = npt.NDArray[np.int32]
Semantic = npt.NDArray[np.uint8]

NOTHING = -1
"""Instance of every pixel while the agent's lights are out."""

SKY = -2
"""Instance of the sky."""

FLOOR = -3
"""Instance of the floor."""

FENCE = -4
"""Instance of the fence around the arena, with its rails and posts."""

OWN_BODY = -5
"""Instance of the body of the scene's own agent, which only cameras outside it see."""

OTHER_AGENTS = -6
"""Instance of `scene.others[0]`; that of `scene.others[k]` is this number minus k."""

CLASSES: tuple[str, ...] = ("nothing", "sky", "floor", "fence", "agent", *KINDS)
"""Names of the classes: five that are not objects, then the kinds in the catalog's order.

Look numbers up by name (`CLASSES.index("GoodGoal")`), as they change when the catalog gains a kind.
"""

SIGHT = 70.0
"""Far plane of the agent's camera, metres (`AAI3Agent.prefab`); the bound of the observation `depth`."""

_AGENT = CLASSES.index("agent")
_NO_THINGS = {NOTHING: "nothing", SKY: "sky", FLOOR: "floor", FENCE: "fence", OWN_BODY: "agent"}


class Channels(NamedTuple):
    """Three arrays (height, width), row 0 on top.

    `depth`, float32: metres from the camera's position to the visible surface, along the viewing axis (not
    along the ray); infinite for the sky, negative for surfaces behind the position of an orthographic camera.
    `instance`, int32: index into `scene.things`, or one of the negative numbers of this module.
    `semantic`, uint8: index into `CLASSES`.
    """

    depth: Depth
    instance: Instance
    semantic: Semantic


def dark(height: int, width: int) -> Channels:
    """Channels with the lights off: infinite depth, `NOTHING`, class "nothing" everywhere."""
    instance = np.full((height, width), NOTHING, np.int32)
    return Channels(np.full((height, width), np.inf, np.float32), instance, semantic(instance, ()))


def semantic(instance: Instance, things: Sequence[Thing], others: int = 0) -> Semantic:
    """The classes of instances: of things by their kind; the agent itself and `others` agents are "agent"."""
    kinds = [CLASSES.index(thing.kind) for thing in things]
    table = np.full(len(kinds) - OTHER_AGENTS + others, _AGENT, np.uint8)
    table[: len(kinds)] = kinds
    for number, name in _NO_THINGS.items():
        # A negative number counts from the table's end.
        table[number] = CLASSES.index(name)
    return table[instance]
