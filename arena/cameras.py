"""Renderers by name, found through entry points, and their results.

Results are frames, depth, instances and classes. The physics never imports rendering. The numbers of
instances and classes are defined here so that observations (`arena/gym/env.py`) and renderers agree.
"""

import warnings
from collections.abc import Sequence
from functools import cache
from importlib.metadata import EntryPoints, entry_points
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from arena.errors import RenderError
from arena.packages import check_importable, load
from arena.scene import Scene, Thing
from arena.taskfile.catalog import KINDS

Depth = npt.NDArray[np.float32]
Instance = npt.NDArray[np.int32]
Semantic = npt.NDArray[np.uint8]

NOTHING, SKY, FLOOR, FENCE, OWN_BODY, OTHER_AGENTS = range(-1, -7, -1)
"""Instance numbers of what is not a thing of the scene.

`NOTHING` fills the view while the agent's lights are out. The fence surrounds the arena, with rails and
posts. Only cameras outside the scene's own agent see that agent's body. Agent `scene.others[k]` has the last
number minus k.
"""

CLASSES: tuple[str, ...] = ("nothing", "sky", "floor", "fence", "agent", *KINDS)
"""Class names: five that are not objects, then the catalog's kinds. Look numbers up by name
(`CLASSES.index("GoodGoal")`), as they change when the catalog gains a kind."""

SIGHT = 70.0
"""Far plane of the agent's camera, metres (`AAI3Agent.prefab`). Bound of the observation `depth`."""

_AGENT = CLASSES.index("agent")
_NO_THINGS = {NOTHING: "nothing", SKY: "sky", FLOOR: "floor", FENCE: "fence", OWN_BODY: "agent"}


class Channels(NamedTuple):
    """Three image arrays (height, width) of a view, row 0 on top.

    `depth`, float32: metres from the camera's position to the visible surface, along the viewing axis (not
    along the ray); infinite for the sky, negative for surfaces behind the position of an orthographic camera.
    `instance`, int32: index into `scene.things`, or one of the negative numbers of this module. `semantic`,
    uint8: index into `CLASSES`.
    """

    depth: Depth
    instance: Instance
    semantic: Semantic


def dark(height: int, width: int) -> Channels:
    """Return channels of a dark view: infinite depth, `NOTHING`, class "nothing" everywhere."""
    instance = np.full((height, width), NOTHING, np.int32)
    return Channels(np.full((height, width), np.inf, np.float32), instance, semantic(instance, ()))


def semantic(instance: Instance, things: Sequence[Thing], others: int = 0) -> Semantic:
    """Return the classes of instances. The own body and `others` are "agent"; things have their kind's."""
    kinds = [CLASSES.index(thing.kind) for thing in things]
    table = np.full(len(kinds) - OTHER_AGENTS + others, _AGENT, np.uint8)
    table[: len(kinds)] = kinds
    for number, name in _NO_THINGS.items():
        # A negative number counts from the table's end.
        table[number] = CLASSES.index(name)
    return table[instance]


Frame = npt.NDArray[np.uint8]

RESOLUTIONS = (4, 1024)
"""Minimum and maximum side of a camera picture, pixels."""


class CameraRenderer(Protocol):
    """A renderer: `render.Renderer` or another in the entry-point group `arena_llm.cameras`."""

    def frame(self, scene: Scene) -> Frame:
        """Render the agent's view, uint8 (height, width, 3) RGB. Row 0 is on top."""


@runtime_checkable
class ChannelRenderer(CameraRenderer, Protocol):
    """A renderer that also provides depth and classes."""

    def channels(self, scene: Scene) -> Channels:
        """Render the view's channels, in the shape of its frame."""


class BatchRenderer(Protocol):
    """Renderer of many scenes in one call: `render.BatchRenderer`, or one of `arena_llm.batch_cameras`."""

    def frames(self, scenes: Sequence[Scene]) -> Frame:
        """Render the agents' views, uint8 (scenes, height, width, 3). Scenes without light are black."""


FORMER = {"moderngl": "kernel"}
"""Former renderer names."""


def open_batch(count: int, side: int, name: str) -> BatchRenderer | None:
    """Open a renderer of up to `count` square frames by name. Returns None if there is none."""
    known, name = entry_points(group="arena_llm.batch_cameras"), FORMER.get(name, name)
    if name not in known.names:
        return None
    return load(known[name])(count, side, side)


def open_camera(width: int, height: int, name: str = "kernel") -> CameraRenderer:
    """Open a renderer by its registered name. Raises RenderError if it is unknown or cannot render, and
    ShadowedError if a file of the user hides ours."""
    check_renderer(name)
    return load(_cameras()[FORMER.get(name, name)])(width, height)


def check_renderer(name: str, used: bool = True) -> None:
    """Raise RenderError if no renderer is registered under a name. If it is `used`, also raise ShadowedError
    if a user's file hides it."""
    known = _cameras()
    if name in FORMER:
        message = (
            f"renderer {name!r} is now {FORMER[name]!r}; the former name will be refused from version 2.0"
        )
        warnings.warn(message, FutureWarning, stacklevel=2)
        name = FORMER[name]
    if name not in known.names:
        names = ", ".join(sorted(known.names)) or "(none is installed)"
        raise RenderError(
            f"renderer: got {name!r}, expected one of {names}; if a name is missing, reinstall "
            "the package arena-llm"
        )
    if used:
        check_importable(known[name])


@cache
def _cameras() -> EntryPoints:
    return entry_points(group="arena_llm.cameras")
