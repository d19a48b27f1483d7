"""What an agent observes: camera, rays, health, velocity and position."""

from importlib.metadata import entry_points
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

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


def open_camera(width: int, height: int, name: str = "moderngl") -> CameraRenderer:
    """A renderer by its registered name. Raises RenderError where there is none or it cannot draw."""
    for entry in entry_points(group="arena_llm.cameras", name=name):
        renderer: CameraRenderer = entry.load()(width, height)
        return renderer
    raise RenderError(f"no camera named {name!r} is installed; reinstall the package arena-llm")


class Sensors:
    """The sensors of an environment's agents; the camera is opened when it is first used."""

    def __init__(
        self,
        *,
        resolution: int = 84,
        camera: bool = True,
        grayscale: bool = False,
        rays_per_side: int | None = None,
        ray_max_degrees: float = 60.0,
        version: Version = Version.V3,
    ) -> None:
        """Raises ConfigError for a resolution out of range or impossible rays."""
        low, high = RESOLUTIONS
        if not low <= resolution <= high:
            raise ConfigError(f"resolution: got {resolution}, expected {low} to {high} pixels")
        self._resolution = resolution
        self._camera = camera
        self._grayscale = grayscale
        self._rays = None if rays_per_side is None else Rays(rays_per_side, ray_max_degrees, version)
        self._renderer: CameraRenderer | None = None

    def space(self) -> spaces.Dict:
        """The observation space of one agent."""
        parts: dict[str, spaces.Space[Any]] = {
            "health": spaces.Box(0.0, 100.0, (1,), np.float32),
            "velocity": spaces.Box(-_FASTEST, _FASTEST, (3,), np.float32),
            "position": spaces.Box(-_FARTHEST, _FARTHEST, (3,), np.float32),
        }
        if self._camera:
            channels = 1 if self._grayscale else 3
            parts["camera"] = spaces.Box(0, 255, (self._resolution, self._resolution, channels), np.uint8)
        if self._rays is not None:
            parts["rays"] = spaces.Box(0.0, 1.0, (ROW_LENGTH * len(self._rays.angles),), np.float32)
        return spaces.Dict(parts)

    def view(self, episode: Episode, agent: int = 0) -> Frame:
        """An agent's view now, uint8 (resolution, resolution, 3)."""
        return self._frame(episode.scene(agent))

    def _frame(self, scene: Scene) -> Frame:
        if self._renderer is None:
            self._renderer = open_camera(self._resolution, self._resolution)
        return self._renderer.frame(scene)

    def observe(self, episode: Episode, agent: int = 0) -> Observation:
        """What an agent observes now."""
        state = episode.agents[agent]
        observation: Observation = {
            "health": np.array([state.health], np.float32),
            "velocity": np.array(state.local_velocity, np.float32),
            "position": np.array(state.position, np.float32),
        }
        if not self._camera and self._rays is None:
            return observation
        scene = episode.scene(agent)
        if self._camera:
            view = self._frame(scene)
            observation["camera"] = gray(view) if self._grayscale else view
        if self._rays is not None:
            observation["rays"] = self._rays.observe(scene).ravel()
        return observation


def gray(frame: Frame) -> Frame:
    """A frame (height, width, 3) in one channel (height, width, 1): the mean of the three, rounded."""
    mean: Frame = np.rint(frame.mean(axis=2, keepdims=True)).astype(np.uint8)
    return mean
