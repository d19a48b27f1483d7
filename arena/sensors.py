"""What an agent observes: camera, depth, segmentation, rays, health, velocity and position."""

from importlib.metadata import entry_points
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from arena.channels import CLASSES, SIGHT, Channels, Depth
from arena.episode import Episode
from arena.errors import ConfigError, RenderError
from arena.rays import ROW_LENGTH, Rays
from arena.scene import Scene
from arena.versions import Version

Frame = npt.NDArray[np.uint8]
Observation = dict[str, npt.NDArray[Any]]

RESOLUTIONS = (4, 1024)
"""Smallest and largest camera picture, pixels a side."""

_FASTEST = 1000.0
"""Bound of the velocity space, m/s; the agent itself reaches 26.7 (section 2.4 of the specification)."""

_FARTHEST = 2000.0
"""Bound of the position space, metres; the highest start of the original battery is 1500."""


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


def open_camera(width: int, height: int, name: str = "moderngl") -> CameraRenderer:
    """A renderer by its registered name. Raises RenderError where there is none or it cannot draw."""
    known = entry_points(group="arena_llm.cameras")
    if name not in known.names:
        names = ", ".join(sorted(known.names)) or "(none is installed)"
        raise RenderError(
            f"renderer: got {name!r}, expected one of {names}; where a name is missing, reinstall "
            "the package arena-llm"
        )
    renderer: CameraRenderer = known[name].load()(width, height)
    return renderer


class Sensors:
    """The sensors of an environment's agents; the camera is opened when it is first used."""

    def __init__(
        self,
        *,
        resolution: int = 84,
        camera: bool = True,
        grayscale: bool = False,
        depth: bool = False,
        segmentation: bool = False,
        renderer: str = "moderngl",
        rays_per_side: int | None = None,
        ray_max_degrees: float = 60.0,
        version: Version = Version.V3,
    ) -> None:
        """`renderer` is a name among the entry points `arena_llm.cameras`.

        Raises ConfigError for a resolution out of range or impossible rays.
        """
        low, high = RESOLUTIONS
        if not low <= resolution <= high:
            raise ConfigError(f"resolution: got {resolution}, expected {low} to {high} pixels")
        self._resolution = resolution
        self._camera = camera
        self._grayscale = grayscale
        self._depth, self._segmentation = depth, segmentation
        self._renderer_name = renderer
        self._rays = None if rays_per_side is None else Rays(rays_per_side, ray_max_degrees, version)
        self._renderer: CameraRenderer | None = None

    def space(self) -> spaces.Dict:
        """The observation space of one agent."""
        parts: dict[str, spaces.Space[Any]] = {
            "health": spaces.Box(0.0, 100.0, (1,), np.float32),
            "velocity": spaces.Box(-_FASTEST, _FASTEST, (3,), np.float32),
            "position": spaces.Box(-_FARTHEST, _FARTHEST, (3,), np.float32),
        }
        side = self._resolution
        if self._camera:
            parts["camera"] = spaces.Box(0, 255, (side, side, 1 if self._grayscale else 3), np.uint8)
        if self._depth:
            parts["depth"] = spaces.Box(0.0, SIGHT, (side, side, 1), np.float32)
        if self._segmentation:
            parts["segmentation"] = spaces.Box(0, len(CLASSES) - 1, (side, side, 1), np.uint8)
        if self._rays is not None:
            parts["rays"] = spaces.Box(0.0, 1.0, (ROW_LENGTH * len(self._rays.angles),), np.float32)
        return spaces.Dict(parts)

    def view(self, episode: Episode, agent: int = 0) -> Frame:
        """An agent's view now, uint8 (resolution, resolution, 3)."""
        return self._frame(episode.scene(agent))

    def _frame(self, scene: Scene) -> Frame:
        return self._opened().frame(scene)

    def _opened(self) -> CameraRenderer:
        if self._renderer is None:
            self._renderer = open_camera(self._resolution, self._resolution, self._renderer_name)
        return self._renderer

    def _channels(self, scene: Scene) -> Channels:
        renderer = self._opened()
        if not isinstance(renderer, ChannelRenderer):
            raise RenderError(
                f"renderer {self._renderer_name!r} draws neither depth nor segmentation; leave these out or "
                "use 'moderngl'"
            )
        return renderer.channels(scene)

    def observe(self, episode: Episode, agent: int = 0) -> Observation:
        """What an agent observes now."""
        state = episode.agents[agent]
        observation: Observation = {
            "health": np.array([state.health], np.float32),
            "velocity": np.array(state.local_velocity, np.float32),
            "position": np.array(state.position, np.float32),
        }
        if not any((self._camera, self._depth, self._segmentation, self._rays)):
            return observation
        scene = episode.scene(agent)
        if self._camera:
            view = self._frame(scene)
            observation["camera"] = gray(view) if self._grayscale else view
        if self._rays is not None:
            observation["rays"] = self._rays.observe(scene).ravel()
        if self._depth or self._segmentation:
            channels = self._channels(scene)
            if self._depth:
                observation["depth"] = within_sight(channels.depth)[..., None]
            if self._segmentation:
                observation["segmentation"] = channels.semantic[..., None]
        return observation


def gray(frame: Frame) -> Frame:
    """A frame (height, width, 3) in one channel (height, width, 1): the mean of the three, rounded."""
    mean: Frame = np.rint(frame.mean(axis=2, keepdims=True)).astype(np.uint8)
    return mean


def within_sight(depth: Depth) -> Depth:
    """Depth as an observation, metres: finite, at most `SIGHT` (the sky, and all that is dark)."""
    return np.minimum(depth, np.float32(SIGHT))
