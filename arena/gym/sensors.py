"""What an agent observes: camera, depth, segmentation, rays, and its own health, velocity and position."""

from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from arena.agent_state import AgentState
from arena.cameras import CameraRenderer, ChannelRenderer, Frame, check_renderer, open_camera
from arena.channels import CLASSES, SIGHT, Channels, Depth
from arena.episode import Episode
from arena.errors import ConfigError, RenderError
from arena.gym.options import degrees, side, whole, yes_or_no
from arena.rays.rays import ROW_LENGTH, Rays
from arena.scene import Scene
from arena.taskfile.versions import Version

Array = npt.NDArray[Any]
Observation = dict[str, Array] | Array
"""What an agent observes: one array by name of each sensor, or the array of the only sensor."""

NAMES = ("camera", "depth", "segmentation", "rays", "vector")
"""The sensors, in the order of a dictionary of observations."""

_PICTURES = ("camera", "depth", "segmentation")

_FASTEST = 1000.0
"""Bound of observed velocities, m/s; the agent itself reaches 26.7 (section 2.4 of the specification)."""

_FARTHEST = 2000.0
"""Bound of observed positions, metres; the highest start of the original battery is 1500."""

_HIGH = np.array([100.0, *[_FASTEST] * 3, *[_FARTHEST] * 3], np.float32)
_LOW = np.array([0.0, *[-_FASTEST] * 3, *[-_FARTHEST] * 3], np.float32)


class Drawn(NamedTuple):
    """A scene and the agent's view of it, uint8 (resolution, resolution, 3)."""

    scene: Scene
    frame: Frame


class Sensors:
    """The sensors of an environment's agents; a camera is opened when it is first used.

    It can be pickled: what it saw is kept, cameras are opened anew.
    """

    def __init__(
        self,
        observation: str | Sequence[str] = ("camera", "vector"),
        *,
        resolution: int = 84,
        frame_stack: int = 1,
        grayscale: bool = False,
        renderer: str = "moderngl",
        rays_per_side: int = 2,
        ray_max_degrees: float = 60.0,
        render_resolution: int = 512,
    ) -> None:
        """`observation` is a tuple of `NAMES` (observed as a dictionary), or one of them (as an array).

        `resolution` is the side of observed pictures, `render_resolution` that of `view`, both in pixels;
        `frame_stack` is how many observations are given together, the oldest first; `renderer` is a name
        among the entry points `arena_llm.cameras`; rays are those of `arena.Rays`.

        Raises ConfigError for an unknown name, a number out of range or impossible rays, and RenderError for
        an unknown renderer.
        """
        self._only = observation if isinstance(observation, str) else None
        self._names = _checked_names(observation)
        self._side, self._view_side, self._stack = (
            side("resolution", resolution),
            side("render_resolution", render_resolution),
            whole("frame_stack", frame_stack),
        )
        check_renderer(renderer)
        self._grayscale, self._renderer = yes_or_no("grayscale", grayscale), renderer
        self._ray_options = (
            whole("rays_per_side", rays_per_side, 0),
            degrees("ray_max_degrees", ray_max_degrees),
        )
        self._rays = self._new_rays()
        self._cameras: dict[int, CameraRenderer] = {}
        self._seen: dict[int, deque[dict[str, Array]]] = {}
        self._looks = any(name != "vector" for name in self._names)
        self._has_vector, self._has_rays = "vector" in self._names, "rays" in self._names
        self.has_camera = "camera" in self._names
        self._has_channels = "depth" in self._names or "segmentation" in self._names

    @property
    def resolution(self) -> int:
        """Side of observed pictures, pixels."""
        return self._side

    @property
    def renderer(self) -> str:
        """The name of what draws."""
        return self._renderer

    def space(self) -> spaces.Space[Any]:
        """The observation space of one agent: a `Dict`, or a `Box` where there is one sensor by its name."""
        boxes = {name: self._box(name) for name in self._names}
        return spaces.Dict(boxes) if self._only is None else boxes[self._only]  # type: ignore[arg-type]

    def _box(self, name: str) -> spaces.Box:
        if name == "vector":
            return spaces.Box(np.tile(_LOW, self._stack), np.tile(_HIGH, self._stack), dtype=np.float32)
        if name == "rays":
            length = ROW_LENGTH * (2 * self._ray_options[0] + 1)
            return spaces.Box(0.0, 1.0, (length * self._stack,), np.float32)
        picture = (self._side, self._side)
        if name == "depth":
            return spaces.Box(0.0, SIGHT, (*picture, self._stack), np.float32)
        if name == "segmentation":
            return spaces.Box(0, len(CLASSES) - 1, (*picture, self._stack), np.uint8)
        return spaces.Box(0, 255, (*picture, (1 if self._grayscale else 3) * self._stack), np.uint8)

    def observe(
        self, episode: Episode, agent: int = 0, *, first: bool = False, drawn: Drawn | None = None
    ) -> Observation:
        """What an agent observes now, in arrays that nothing else refers to.

        `first` marks the first observation of an episode, with which a stack of frames is filled. `drawn` is
        the agent's view where it is drawn already.
        """
        now: dict[str, Array] = {}
        if self._looks:
            self._look(
                now, episode.scene(agent) if drawn is None else drawn.scene, drawn, episode.spec.version
            )
        if self._has_vector:
            now["vector"] = vector(episode.agents[agent])
        if self._stack > 1:
            now = self._stacked(now, agent, first)
        return now if self._only is None else now[self._only]

    def _look(self, now: dict[str, Array], scene: Scene, drawn: Drawn | None, version: Version) -> None:
        if self.has_camera:
            view = self._camera(self._side).frame(scene) if drawn is None else drawn.frame
            now["camera"] = gray(view) if self._grayscale else view
        if self._has_channels:
            channels = self._channels(scene)
            if "depth" in self._names:
                now["depth"] = within_sight(channels.depth)[..., None]
            if "segmentation" in self._names:
                now["segmentation"] = channels.semantic[..., None]
        if self._has_rays:
            now["rays"] = self._rays[version].observe(scene).ravel()

    def _stacked(self, now: dict[str, Array], agent: int, first: bool) -> dict[str, Array]:
        """The last observations together; what is remembered is never handed out itself."""
        if first or agent not in self._seen:
            self._seen[agent] = deque([now] * self._stack, maxlen=self._stack)
        else:
            self._seen[agent].append(now)
        seen = self._seen[agent]
        return {name: np.concatenate([past[name] for past in seen], axis=-1) for name in now}

    def view(self, episode: Episode, agent: int = 0) -> Frame:
        """An agent's view now, uint8 (render_resolution, render_resolution, 3)."""
        return self._camera(self._view_side).frame(episode.scene(agent))

    def _camera(self, side: int) -> CameraRenderer:
        if side not in self._cameras:
            self._cameras[side] = open_camera(side, side, self._renderer)
        return self._cameras[side]

    def _channels(self, scene: Scene) -> Channels:
        camera = self._camera(self._side)
        if not isinstance(camera, ChannelRenderer):
            raise RenderError(
                f"renderer {self._renderer!r} draws neither depth nor segmentation; leave these out or "
                "use 'moderngl'"
            )
        return camera.channels(scene)

    def __getstate__(self) -> dict[str, Any]:
        """Without what belongs to this process, or holds on to the things of an episode."""
        return self.__dict__ | {"_cameras": {}, "_rays": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._rays = self._new_rays()

    def _new_rays(self) -> dict[Version, Rays]:
        return {version: Rays(*self._ray_options, version) for version in Version}


def _checked_names(observation: object) -> tuple[str, ...]:
    names = (observation,) if isinstance(observation, str) else observation
    if isinstance(names, list | tuple) and names and all(name in NAMES for name in names):
        return tuple(name for name in NAMES if name in names)
    raise ConfigError(
        f"observation: got {observation!r}, expected one of {', '.join(map(repr, NAMES))}, or a tuple of "
        "at least one of them"
    )


def vector(state: AgentState) -> npt.NDArray[np.float32]:
    """What an agent knows of itself, float32 (7,), in Animal-AI's order and clipped to the space's bounds.

    Health 0 to 100; velocity in m/s in its own frame: right, up, forward; position in the arena, metres.
    """
    values = np.array((state.health, *state.local_velocity, *state.position), np.float32)
    np.maximum(values, _LOW, out=values)
    return np.minimum(values, _HIGH, out=values)


def gray(frame: Frame) -> Frame:
    """A frame (height, width, 3) in one channel (height, width, 1): the mean of the three, rounded."""
    mean: Frame = np.rint(frame.mean(axis=2, keepdims=True)).astype(np.uint8)
    return mean


def within_sight(depth: Depth) -> Depth:
    """Depth as an observation, metres: finite, at most `SIGHT` (the sky, and all that is dark)."""
    return np.minimum(depth, np.float32(SIGHT))
