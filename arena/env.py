"""The arena as a Gymnasium environment."""

from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from arena.action import ACTIONS
from arena.config import ArenaFile
from arena.episode import Episode
from arena.errors import ConfigError, RenderError
from arena.load import load
from arena.rays import ROW_LENGTH, Rays
from arena.scene import Scene

Frame = npt.NDArray[np.uint8]

RESOLUTIONS = (4, 1024)
"""Least and greatest width and height of a picture, pixels."""

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


class ArenaEnv(gymnasium.Env[dict[str, npt.NDArray[Any]], np.int64]):
    """One agent in an Animal-AI arena.

    ## Description
    `config` is a task file in the original's YAML format (or a loaded `ArenaFile`). The i-th reset plays
    its i-th arena, wrapping around; one step is 3 physics ticks (0.06 s).

    ## Action space
    `Discrete(9)`: 3 x move + rotate, with move 0 none, 1 forward, 2 backward and rotate 0 none, 1 right,
    2 left (`arena.ACTIONS`).

    ## Observation space
    A dictionary: `camera` uint8 (resolution, resolution, 3), the agent's view (absent with camera=False;
    one channel, the mean of red, green and blue, with grayscale=True); `rays` float32 (14 * (2 *
    rays_per_side + 1),), 70 for two a side, as `arena.rays.Rays` describes (absent without rays_per_side);
    `health` float32 (1,), 0 to 100; `velocity` float32 (3,), m/s in the agent's frame (right, up,
    forward); `position` float32 (3,), metres in the arena (x, y, z).

    ## Rewards
    The step's reward: the clock's -1/(5 t) per tick, a ball's signed diameter, -1 in a death zone, and
    what a hot zone takes. Their sum is the episode's total reward.

    ## Episode end
    `terminated` when the arena ends the episode (goal, death, health gone); `truncated` is always False.

    ## Info
    `arena`: id of the arena; `events`: what happened in the step; `outcome` and `passed` at the end.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 17}  # noqa: RUF012

    def __init__(
        self,
        config: str | Path | ArenaFile,
        *,
        resolution: int = 84,
        camera: bool = True,
        grayscale: bool = False,
        rays_per_side: int | None = None,
        ray_max_degrees: float = 60.0,
        render_mode: str | None = None,
    ) -> None:
        """Raises ConfigError for a broken file or option, RenderError where no camera can be opened."""
        if not RESOLUTIONS[0] <= resolution <= RESOLUTIONS[1]:
            low, high = RESOLUTIONS
            raise ConfigError(f"resolution: got {resolution}, expected {low} to {high} pixels")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ConfigError(f"render_mode: got {render_mode!r}, expected None or 'rgb_array'")
        self.render_mode = render_mode
        self._file = config if isinstance(config, ArenaFile) else load(config)
        self._resolution = resolution
        self._camera = camera
        self._grayscale = grayscale
        self._rays = None if rays_per_side is None else Rays(rays_per_side, ray_max_degrees)
        self._renderer: CameraRenderer | None = None
        self._episode: Episode | None = None
        self._resets = 0
        self.action_space = spaces.Discrete(len(ACTIONS))
        self.observation_space = spaces.Dict(self._spaces())  # type: ignore[assignment]

    def _spaces(self) -> dict[str, spaces.Space[Any]]:
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
        return parts

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """Start the next arena. With `seed`, start again from the file's first arena, with that seed."""
        super().reset(seed=seed)
        if seed is not None or self._resets == 0:
            self._seed = seed if seed is not None else int(self.np_random.integers(2**31))
            self._resets = 0
        ids = tuple(self._file.arenas)
        arena_id = ids[self._resets % len(ids)]
        self.close_episode()
        self._episode = Episode(
            self._file.arenas[arena_id], task_id=str(arena_id), seed=self._seed, trial=self._resets
        )
        self._resets += 1
        return self._observe(), {"arena": arena_id}

    def step(self, action: np.int64) -> tuple[dict[str, npt.NDArray[Any]], float, bool, bool, dict[str, Any]]:
        """Play one of the nine actions."""
        episode = self._playing()
        result = episode.step(ACTIONS[int(action)])
        info: dict[str, Any] = {"arena": int(episode.task_id), "events": result.events}
        if result.done:
            info |= {"outcome": str(episode.outcome), "passed": episode.passed}
        return self._observe(), result.reward, result.done, False, info

    def render(self) -> Frame | None:
        """The agent's view now, uint8 (resolution, resolution, 3); None without a render mode."""
        return self._view() if self.render_mode else None

    def close_episode(self) -> None:
        """Free the present episode's physics."""
        if self._episode is not None:
            self._episode.close()

    def close(self) -> None:
        """Free everything."""
        self.close_episode()

    def _playing(self) -> Episode:
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("call reset() before step() or render()")
        return self._episode

    def _view(self) -> Frame:
        if self._renderer is None:
            self._renderer = open_camera(self._resolution, self._resolution)
        return self._renderer.frame(self._playing().scene())

    def _observe(self) -> dict[str, npt.NDArray[Any]]:
        episode = self._playing()
        observation: dict[str, npt.NDArray[Any]] = {
            "health": np.array([episode.health], np.float32),
            "velocity": np.array(episode.local_velocity, np.float32),
            "position": np.array(episode.position, np.float32),
        }
        if self._camera:
            view = self._view()
            observation["camera"] = gray(view) if self._grayscale else view
        if self._rays is not None:
            observation["rays"] = self._rays.observe(episode.scene()).ravel()
        return observation


def gray(frame: Frame) -> Frame:
    """A frame (height, width, 3) in one channel (height, width, 1): the mean of the three, rounded."""
    mean: Frame = np.rint(frame.mean(axis=2, keepdims=True)).astype(np.uint8)
    return mean


def register() -> None:
    """Make `gymnasium.make("arena-llm/Arena-v0", config=...)` work; called when `arena` is imported."""
    if "arena-llm/Arena-v0" not in gymnasium.registry:
        gymnasium.register("arena-llm/Arena-v0", entry_point="arena.env:ArenaEnv")
