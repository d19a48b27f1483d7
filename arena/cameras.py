"""Cameras by name: what draws is found through entry points, so that physics never imports drawing."""

import os
from collections.abc import Sequence
from functools import cache
from importlib.metadata import EntryPoints, entry_points
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from arena.channels import Channels
from arena.errors import RenderError
from arena.scene import Scene

Frame = npt.NDArray[np.uint8]

RESOLUTIONS = (4, 1024)
"""Smallest and largest camera picture, pixels a side."""


class CameraRenderer(Protocol):
    """What draws: `render.Renderer`, or another registered under the entry points `arena_llm.cameras`."""

    def frame(self, scene: Scene) -> Frame:
        """The agent's view, uint8 (height, width, 3) RGB, row 0 on top."""
        ...


@runtime_checkable
class ChannelRenderer(CameraRenderer, Protocol):
    """A camera that also tells depth and classes."""

    def channels(self, scene: Scene) -> Channels:
        """The channels of the agent's view, in the size and order of its frame."""
        ...


class BatchRenderer(Protocol):
    """What draws many scenes at once: `render.BatchRenderer`, or another under `arena_llm.batch_cameras`."""

    def frames(self, scenes: Sequence[Scene]) -> Frame:
        """The agents' views, uint8 (scenes, height, width, 3); black where a scene's lights are out."""
        ...


def open_batch(count: int, side: int, name: str) -> BatchRenderer | None:
    """What draws up to `count` square scenes at once, by its registered name; None where there is none."""
    known = entry_points(group="arena_llm.batch_cameras")
    if name not in known.names:
        return None
    _keep_windows_off_opengl()
    renderer: BatchRenderer = known[name].load()(count, side, side)
    return renderer


def open_camera(width: int, height: int, name: str = "moderngl") -> CameraRenderer:
    """A renderer by its registered name. Raises RenderError where there is none or it cannot draw."""
    check_renderer(name)
    _keep_windows_off_opengl()
    renderer: CameraRenderer = _cameras()[name].load()(width, height)
    return renderer


def check_renderer(name: str) -> None:
    """Raises RenderError where no renderer is registered by a name."""
    known = _cameras()
    if name not in known.names:
        names = ", ".join(sorted(known.names)) or "(none is installed)"
        raise RenderError(
            f"renderer: got {name!r}, expected one of {names}; where a name is missing, reinstall "
            "the package arena-llm"
        )


@cache
def _cameras() -> EntryPoints:
    return entry_points(group="arena_llm.cameras")


def _keep_windows_off_opengl() -> None:
    """Let the windows of pygame, such as that of `render_mode="human"`, be painted without OpenGL.

    Else SDL makes a context of its own the current one of this thread, and what cameras draw after that is
    wrong, without an error. What the user has set counts.
    """
    os.environ.setdefault("SDL_FRAMEBUFFER_ACCELERATION", "0")
