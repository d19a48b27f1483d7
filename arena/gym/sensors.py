"""Observations: camera, depth, segmentation, rays, and the agent's health, velocity and position."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from arena.cameras import (
    CLASSES,
    SIGHT,
    CameraRenderer,
    ChannelRenderer,
    Channels,
    Depth,
    Frame,
    check_renderer,
    open_camera,
)
from arena.episode import AgentState, Episode
from arena.errors import ConfigError, RenderError
from arena.gym.options import degrees, side, whole, yes_or_no
from arena.rays import FLAGS, TAGS, TAGS_4_4, Rays
from arena.scene import Scene
from arena.taskfile.versions import Version

Array = npt.NDArray[Any]
Observation = dict[str, Array] | Array
"""An observation: a dictionary of arrays by the sensors' names, or the array of a single sensor."""

NAMES = ("camera", "depth", "segmentation", "rays", "vector")
"""The sensors, in the order of the dictionary."""

_PICTURES = ("camera", "depth", "segmentation")

_MAX_SPEED = 1000.0
"""Bound of observed velocities, m/s; the agent itself reaches 26.7 (section 2.4 of the specification)."""

_MAX_POSITION = 2000.0
"""Bound of observed positions, metres; the highest start in the original battery is 1500."""

VECTOR_HIGH = np.array([100.0, *[_MAX_SPEED] * 3, *[_MAX_POSITION] * 3], np.float32)
VECTOR_LOW = np.array([0.0, *[-_MAX_SPEED] * 3, *[-_MAX_POSITION] * 3], np.float32)


class RenderedView(NamedTuple):
    """A scene and the agent's view of it, uint8 (resolution, resolution, 3)."""

    scene: Scene
    frame: Frame


class Sensors:
    """The sensors of an environment's agents; a camera is opened when it is first used.

    They can be pickled with their frame stacks; cameras are then opened again. `boxes` are the spaces of the
    observations by the sensors' names, `past` the stacked observations of each agent by these names.
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
        ray_tags: int = len(TAGS),
        render_resolution: int = 512,
    ) -> None:
        """`observation` is a tuple of `NAMES` (gives a dictionary) or one of them (gives an array).

        `resolution` is the side of observed pictures, `render_resolution` that of `view`, both in pixels;
        `frame_stack` is the number of observations that are stacked, oldest first; `renderer` is the name of
        an entry point in `arena_llm.cameras`; the options of rays are those of `arena.Rays`;
        `ray_tags` is 12 for the tags of v3.1.3 and 4.0, 18 for those of 4.4.

        Raises ConfigError for an unknown name or a number out of range, and RenderError for an unknown
        renderer.
        """
        self._only = observation if isinstance(observation, str) else None
        self.names = _checked_names(observation)
        self.resolution = side("resolution", resolution)
        self._view_side = side("render_resolution", render_resolution)
        self.stack = whole("frame_stack", frame_stack)
        self._grayscale, self.renderer = yes_or_no("grayscale", grayscale), renderer
        self._rays_per_side = whole("rays_per_side", rays_per_side, 0)
        self._ray_degrees = degrees("ray_max_degrees", ray_max_degrees)
        self._ray_tags = _tags(ray_tags)
        self._rays: dict[Version, Rays] = {}
        self._cameras: dict[int, CameraRenderer] = {}
        self.boxes = {name: self._box(name) for name in self.names}
        self.past: dict[int, dict[str, Array]] = {}
        check_renderer(renderer, used=not {*_PICTURES}.isdisjoint(self.names))

    @property
    def quiet_names(self) -> tuple[str, ...]:
        """The sensors' names if the kernel can write all observations: rays and vectors; else none."""
        return self.names if {*_PICTURES}.isdisjoint(self.names) else ()

    def space(self) -> spaces.Space[Any]:
        """The observation space of one agent: a `Dict`, or a `Box` for a single sensor given by name."""
        return spaces.Dict({**self.boxes}) if self._only is None else self.boxes[self._only]

    def _box(self, name: str) -> spaces.Box:
        if name == "vector":
            low, high = (np.tile(bound, self.stack) for bound in (VECTOR_LOW, VECTOR_HIGH))
            return spaces.Box(low, high, dtype=np.float32)
        if name == "rays":
            length = (len(self._ray_tags) + FLAGS) * (2 * self._rays_per_side + 1)
            return spaces.Box(0.0, 1.0, (length * self.stack,), np.float32)
        picture = (self.resolution, self.resolution)
        if name == "depth":
            return spaces.Box(0.0, SIGHT, (*picture, self.stack), np.float32)
        if name == "segmentation":
            return spaces.Box(0, len(CLASSES) - 1, (*picture, self.stack), np.uint8)
        return spaces.Box(0, 255, (*picture, (1 if self._grayscale else 3) * self.stack), np.uint8)

    def observe(self, episode: Episode, agent: int = 0, *, first: bool = False) -> Observation:
        """The current observation of an agent, in new arrays.

        `first` marks the first observation of an episode, which fills the frame stack.
        """
        return self.shaped(self.named(episode, agent, first=first))

    def shaped(self, named: dict[str, Array]) -> Observation:
        """An observation by the sensors' names in the shape of the space."""
        return named if self._only is None else named[self._only]

    def named(
        self, episode: Episode, agent: int = 0, *, first: bool = False, view: RenderedView | None = None
    ) -> dict[str, Array]:
        """`observe` by the sensors' names; `view` is the agent's view if it was rendered before."""
        now: dict[str, Array] = {}
        if self.names != ("vector",):
            now = self._seen(episode.scene(agent) if view is None else view.scene, view, episode.spec.version)
        if "vector" in self.names:
            now["vector"] = vector(episode.agents[agent])
        return self._stacked(now, agent, first) if self.stack > 1 else now

    def _seen(self, scene: Scene, view: RenderedView | None, version: Version) -> dict[str, Array]:
        """The observations that depend on the scene."""
        seen: dict[str, Array] = {}
        if "camera" in self.names:
            frame = self._camera(self.resolution).frame(scene) if view is None else view.frame
            seen["camera"] = gray(frame) if self._grayscale else frame
        if "depth" in self.names or "segmentation" in self.names:
            channels = self._channels(scene)
            if "depth" in self.names:
                seen["depth"] = within_sight(channels.depth)[..., None]
            if "segmentation" in self.names:
                seen["segmentation"] = channels.semantic[..., None]
        if "rays" in self.names:
            seen["rays"] = self.rays(version).observe(scene).ravel()
        return seen

    def _stacked(self, now: dict[str, Array], agent: int, first: bool) -> dict[str, Array]:
        """The last observations, stacked into new arrays."""
        past = {} if first else self.past.get(agent, {})
        self.past[agent] = {
            name: np.concatenate([past[name][..., array.shape[-1] :], array], axis=-1)
            if name in past
            else np.concatenate([array] * self.stack, axis=-1)
            for name, array in now.items()
        }
        return {name: array.copy() for name, array in self.past[agent].items()}

    def view(self, episode: Episode, agent: int = 0) -> Frame:
        """An agent's current view, uint8 (render_resolution, render_resolution, 3)."""
        return self._camera(self._view_side).frame(episode.scene(agent))

    def _camera(self, side: int) -> CameraRenderer:
        if side not in self._cameras:
            self._cameras[side] = open_camera(side, side, self.renderer)
        return self._cameras[side]

    def _channels(self, scene: Scene) -> Channels:
        camera = self._camera(self.resolution)
        if not isinstance(camera, ChannelRenderer):
            raise RenderError(
                f"renderer {self.renderer!r} draws neither depth nor segmentation; use 'moderngl' or "
                "leave them out"
            )
        return camera.channels(scene)

    def __getstate__(self) -> dict[str, Any]:
        """The state without cameras, which belong to this process, and rays, which can be rebuilt."""
        return self.__dict__ | {"_cameras": {}, "_rays": {}}

    def rays(self, version: Version) -> Rays:
        """The ray sensor for arenas of a version."""
        if version not in self._rays:
            self._rays[version] = Rays(self._rays_per_side, self._ray_degrees, version, self._ray_tags)
        return self._rays[version]


def _checked_names(observation: object) -> tuple[str, ...]:
    names = (observation,) if isinstance(observation, str) else observation
    if isinstance(names, list | tuple) and names and all(name in NAMES for name in names):
        return tuple(name for name in NAMES if name in names)
    raise ConfigError(
        f"observation: got {observation!r}, expected one of {', '.join(map(repr, NAMES))}, or a tuple of "
        "at least one of them"
    )


def _tags(count: object) -> tuple[str, ...]:
    """The tags of rays by their number."""
    for tags in (TAGS, TAGS_4_4):
        if count == len(tags):
            return tags
    raise ConfigError(f"ray_tags: got {count!r}, expected {len(TAGS)} or {len(TAGS_4_4)}")


def vector(state: AgentState) -> npt.NDArray[np.float32]:
    """The agent's own state, float32 (7,), in Animal-AI's order and clipped to the space's bounds.

    Health 0 to 100; velocity in m/s in its own frame (right, up, forward); position in the arena in metres.
    """
    values = np.array((state.health, *state.local_velocity, *state.position), np.float32)
    np.maximum(values, VECTOR_LOW, out=values)
    return np.minimum(values, VECTOR_HIGH, out=values)


def gray(frame: Frame) -> Frame:
    """A frame (height, width, 3) as one channel (height, width, 1): the rounded mean of the three."""
    mean: Frame = np.rint(frame.mean(axis=2, keepdims=True)).astype(np.uint8)
    return mean


def within_sight(depth: Depth) -> Depth:
    """Depth as an observation, metres: finite, at most `SIGHT` (sky and darkness)."""
    return np.minimum(depth, np.float32(SIGHT))
