"""Renderers by name, found through entry points, so that the physics never imports rendering."""

import os
from collections.abc import Sequence
from functools import cache
from importlib.metadata import EntryPoints, entry_points
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from arena.channels import Channels
from arena.errors import RenderError
from arena.packages import check_importable, load
from arena.scene import Scene

Frame = npt.NDArray[np.uint8]

RESOLUTIONS = (4, 1024)
"""Minimum and maximum side of a camera picture, pixels."""


class CameraRenderer(Protocol):
    """A renderer: `render.Renderer` or another one in the entry-point group `arena_llm.cameras`."""

    def frame(self, scene: Scene) -> Frame:
        """The agent's view, uint8 (height, width, 3) RGB, row 0 on top."""


@runtime_checkable
class ChannelRenderer(CameraRenderer, Protocol):
    """A renderer that also provides depth and classes."""

    def channels(self, scene: Scene) -> Channels:
        """The channels of the agent's view, in the shape of its frame."""


class BatchRenderer(Protocol):
    """Renders many scenes in one call: `render.BatchRenderer`, or another in `arena_llm.batch_cameras`."""

    def frames(self, scenes: Sequence[Scene]) -> Frame:
        """The agents' views, uint8 (scenes, height, width, 3); black where a scene's lights are out."""


def open_batch(count: int, side: int, name: str) -> BatchRenderer | None:
    """A renderer of up to `count` square frames, by its registered name; None if there is none."""
    known = entry_points(group="arena_llm.batch_cameras")
    if name not in known.names:
        return None
    _keep_windows_off_opengl()
    renderer: BatchRenderer = load(known[name])(count, side, side)
    return renderer


def open_camera(width: int, height: int, name: str = "moderngl") -> CameraRenderer:
    """A renderer by its registered name.

    Raises RenderError if it is unknown or cannot render, and ShadowedError if a file of the user hides ours.
    """
    check_renderer(name)
    _keep_windows_off_opengl()
    renderer: CameraRenderer = load(_cameras()[name])(width, height)
    return renderer


def check_renderer(name: str, used: bool = True) -> None:
    """Raises RenderError if no renderer is registered under a name.

    If it is `used`, also raises ShadowedError if a file of the user hides it.
    """
    known = _cameras()
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


def _keep_windows_off_opengl() -> None:
    """Make the windows of pygame, such as that of `render_mode="human"`, not use OpenGL.

    Otherwise SDL makes its own context current in this thread, and frames rendered afterwards are silently
    wrong. A setting of the user is kept.
    """
    os.environ.setdefault("SDL_FRAMEBUFFER_ACCELERATION", "0")
