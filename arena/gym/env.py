"""The arena as a Gymnasium environment: its options, actions, observations and `info`."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from inspect import Parameter, signature
from numbers import Integral, Real
from operator import index
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from arena.action import ACTIONS, STEP_S, TICKS_PER_STEP, Action
from arena.cameras import (
    CLASSES,
    RESOLUTIONS,
    SIGHT,
    CameraRenderer,
    ChannelRenderer,
    Channels,
    Frame,
    check_renderer,
    open_camera,
)
from arena.csv_log import CsvLog
from arena.episode import AgentState, Episode, StepResult
from arena.errors import ConfigError, RenderError, UnknownOptionError
from arena.files import AppendedFile
from arena.gym.curriculum import Config, Curriculum, UnityFiles, curriculum, named
from arena.kernel.tables import Parts, Singles
from arena.rays import FLAGS, TAGS, TAGS_4_4, Rays
from arena.replay import PickledEpisode
from arena.rules import Event, EventKind, Outcome
from arena.scene import Floats, Scene
from arena.taskfile.versions import Version, version_of

OUTCOMES = (str(Outcome.STOPPED), *(str(each) for each in Outcome if each is not Outcome.STOPPED))
"""Names of the values of `info["outcome"]`. 0 is "stopped", until the arena ends the episode."""

EVENTS = tuple(str(kind) for kind in EventKind)
"""Names of the entries of `info["events"]`."""

Info = dict[str, Any]
Infos = tuple[Info, Info]
"""Infos below the pass mark, and at or above it."""

NO_EVENTS = np.zeros(len(EVENTS), np.int64)
NO_EVENTS.setflags(write=False)


def uneventful_infos(more: Info) -> Infos:
    """Return a running episode's infos, with `more` keys, without events."""
    plain: Info = {"is_success": False, "passed": False, "outcome": 0, "events": NO_EVENTS} | more
    return plain, plain | {"is_success": True, "passed": True}


_NOTHING = uneventful_infos({})[0]


def info_of(state: AgentState, events: Iterable[Event] = ()) -> dict[str, Any]:
    """Return an agent's info after a step with these events.

    `is_success` and `passed` bool: True if the pass mark is reached so far, False without one; `outcome` int:
    index into `OUTCOMES`; `events` int64 (len(EVENTS),): count of each of `EVENTS` in the step. There are no
    texts and no tuples, of which TorchRL cannot make tensors.
    """
    counts = np.zeros(len(EVENTS), np.int64)
    for event in events:
        counts[EVENTS.index(event.kind)] += 1
    passed = state.passed is True
    outcome = OUTCOMES.index(state.outcome) if state.outcome else 0
    return {"is_success": passed, "passed": passed, "outcome": outcome, "events": counts}


COMMON = ("is_success", "passed", "outcome", "events")
"""The keys of `info_of`."""


def common(infos: Sequence[Info | None]) -> Info:
    """Return the keys common to all infos in Gymnasium's batch format. For each key there is an array, and a
    mask of the infos that are not None."""
    found = [_NOTHING if info is None else info for info in infos]
    kinds = {"is_success": np.bool_, "passed": np.bool_, "outcome": np.int64}
    merged: Info = {key: np.array([info[key] for info in found], kind) for key, kind in kinds.items()}
    merged["events"] = np.zeros((len(infos), len(EVENTS)), np.int64)
    for number, info in enumerate(found):
        if info["events"] is not NO_EVENTS:
            merged["events"][number] = info["events"]
    has = np.array([info is not None for info in infos])
    return merged | {f"_{key}": has.copy() for key in COMMON}


_MOST = {"rays_per_side": 1000, "frame_stack": 64, "action_repeat": 1000, "num_envs": 1024}
"""Maximum of options that increase memory or step time. They are far beyond useful values."""


def check_options(given: Mapping[str, Any], *takers: Callable[..., Any]) -> None:
    """Raise UnknownOptionError, with a hint, for an option that no `takers` have."""
    known = {
        parameter.name
        for taker in takers
        for parameter in signature(taker).parameters.values()
        if parameter.kind is not Parameter.VAR_KEYWORD
    }
    for name in given:
        if name not in known:
            # TorchRL passes `frameskip` to every environment, and drops it if it reads Python's own message.
            words = f"unexpected keyword argument '{name}'"
            raise UnknownOptionError(f"{name}: no such option; {_hint(name, sorted(known))} ({words})")


def _hint(name: str, known: list[str]) -> str:
    if name in _PICTURES:  # options of earlier versions
        return f'list all observations, such as observation=("{name}", "vector")'
    close = get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"expected some of {', '.join(known)}"


def whole(option: str, value: Any, least: int = 1) -> int:
    """Return a whole number, also of NumPy, that is at least `least`. Raises ConfigError for anything else,
    and for one above the option's maximum."""
    number, most = _as_int(value), _MOST.get(option)
    if number is None or number < least or (most is not None and number > most):
        bounds = f"{least} or more" if most is None else f"{least} to {most}"
        raise ConfigError(f"{option}: got {value!r}, expected a whole number, {bounds}")
    return number


def side(option: str, value: Any) -> int:
    """Return the side of a picture in pixels. Raises ConfigError for anything else."""
    low, high = RESOLUTIONS
    number = _as_int(value)
    if number is None or not low <= number <= high:
        raise ConfigError(f"{option}: got {value!r}, expected {low} to {high} pixels, a whole number")
    return number


def yes_or_no(option: str, value: Any) -> bool:
    """Return a boolean, also of NumPy. Raises ConfigError for anything else."""
    if not isinstance(value, bool | np.bool_):
        raise ConfigError(f"{option}: got {value!r}, expected True or False")
    return bool(value)


def degrees(option: str, value: Any) -> float:
    """Return an angle of more than 0 and at most 180 degrees. Raises ConfigError for anything else."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ConfigError(f"{option}: got {value!r}, expected a number of degrees")
    if not 0 < float(value) <= 180:
        raise ConfigError(f"{option}: got {value!r}, expected more than 0 and at most 180")
    return float(value)


def _as_int(value: Any) -> int | None:
    """Return a whole number as an int. None for anything else, also for booleans and arrays."""
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None


DEAD_ZONE = 1 / 3
"""Minimum magnitude of an effective continuous command: each of three actions has a third of the range."""


class Controls(NamedTuple):
    """An action space and its reader. `read` raises ConfigError for a value outside the space."""

    space: Callable[[], spaces.Space[Any]]
    read: Callable[[Any], Action]


def discrete9(action: Any) -> Action:
    """Return the action of an index 0 to 8 into `arena.ACTIONS`."""
    try:
        number = _whole(action)
    except TypeError:
        number = -1
    if 0 <= number < len(ACTIONS):
        return ACTIONS[number]
    raise ConfigError(f"action: got {action!r}, expected a whole number from 0 to {len(ACTIONS) - 1}")


def multidiscrete(action: Any) -> Action:
    """Return the action of two numbers, 0 to 2: `arena.Move` and `arena.Rotate`."""
    try:
        move, rotate = map(_whole, action)
    except (TypeError, ValueError):
        move = rotate = -1
    if 0 <= move <= 2 and 0 <= rotate <= 2:
        return ACTIONS[3 * move + rotate]
    raise ConfigError(f"action: got {action!r}, expected two whole numbers (move, rotate) from 0 to 2")


def continuous(action: Any) -> Action:
    """Return the action of forward and right, -1 to 1. Beyond a third it is in full."""
    try:
        forward, right = action
        inside = np.shape(action) == (2,) and -1 <= forward <= 1 and -1 <= right <= 1
        inside = inside and {bool, np.bool_}.isdisjoint(map(type, action))
    except (TypeError, ValueError):
        inside = False
    if not inside:
        raise ConfigError(f"action: got {action!r}, expected two numbers (forward, right) from -1 to 1")
    return ACTIONS[3 * _branch(forward) + _branch(right)]


def _whole(value: Any) -> int:
    """Return a whole number as an int. Raises TypeError for anything else, also for True and False."""
    if isinstance(value, bool):
        raise TypeError
    return index(value)


def _branch(command: float) -> int:
    """Return a branch's number: 1 forward or right, 2 backward or left."""
    if command > DEAD_ZONE:
        return 1
    return 2 if command < -DEAD_ZONE else 0


KINDS = {
    "discrete9": Controls(lambda: spaces.Discrete(len(ACTIONS)), discrete9),
    "multidiscrete": Controls(lambda: spaces.MultiDiscrete([3, 3]), multidiscrete),
    "continuous": Controls(lambda: spaces.Box(-1.0, 1.0, (2,), np.float32), continuous),
}
"""The action spaces by name."""


def controls(kind: str) -> Controls:
    """Return an action space by name. Raises ConfigError for an unknown name."""
    if kind not in tuple(KINDS):  # a list has no hash
        raise ConfigError(f"action: got {kind!r}, expected one of {', '.join(KINDS)}")
    return KINDS[kind]


Array = npt.NDArray[Any]
Observation = dict[str, Array] | Array
"""An observation: arrays by sensor name, or a single sensor's array."""

NAMES = ("camera", "depth", "segmentation", "rays", "vector")
"""The sensors, in the order of the dictionary."""

_PICTURES = ("camera", "depth", "segmentation")

_MAX_SPEED = 1000.0
"""Bound of observed velocities, m/s. The agent itself reaches 26.7 by its drive, drag and friction."""

_MAX_POSITION = 2000.0
"""Bound of observed positions, metres. The highest start in the original battery is 1500."""

VECTOR_HIGH = np.array([100.0, *[_MAX_SPEED] * 3, *[_MAX_POSITION] * 3], np.float32)
VECTOR_LOW = np.array([0.0, *[-_MAX_SPEED] * 3, *[-_MAX_POSITION] * 3], np.float32)


class RenderedView(NamedTuple):
    """A scene and the agent's view of it, uint8 (resolution, resolution, 3)."""

    scene: Scene
    frame: Frame


class Sensors:
    """The sensors of an environment's agents; cameras open at first use.

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
        renderer: str = "kernel",
        rays_per_side: int = 2,
        ray_max_degrees: float = 60.0,
        ray_tags: int = len(TAGS),
        render_resolution: int = 512,
    ) -> None:
        """Select the sensors.

        `observation` is a tuple of `NAMES` (gives a dictionary) or one of them (gives an array).

        `resolution` is the side of observed pictures, `render_resolution` that of `view`, both in pixels;
        `frame_stack` is the number of observations that are stacked, oldest first; `renderer` is the name of
        an entry point in `arena_llm.cameras`; the options of rays are those of `arena.Rays`; `ray_tags` is 12
        for the tags of v3.1.3 and 4.0, 18 for those of 4.4.

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
    def kernel_sensors(self) -> tuple[str, ...]:
        """Sensor names if the kernel can write all observations, else empty. It writes rays and vectors."""
        return self.names if {*_PICTURES}.isdisjoint(self.names) else ()

    def space(self) -> spaces.Space[Any]:
        """Return one agent's observation space. It is a `Dict`, or a `Box` for a single sensor."""
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
        """Return the current observation of an agent, in new arrays. `first` marks the first observation of
        an episode, which fills the frame stack."""
        return self.shaped(self.named(episode, agent, first=first))

    def shaped(self, named: dict[str, Array]) -> Observation:
        """Return an observation, given by sensor name, in the space's shape."""
        return named if self._only is None else named[self._only]

    def named(
        self, episode: Episode, agent: int = 0, *, first: bool = False, view: RenderedView | None = None
    ) -> dict[str, Array]:
        """Return `observe` by sensor name. `view` is the agent's view if it was rendered before."""
        now: dict[str, Array] = {}
        if self.names != ("vector",):
            now = self._seen(episode.scene(agent) if view is None else view.scene, view, episode.spec.version)
        if "vector" in self.names:
            now["vector"] = vector(episode.agents[agent])
        return self._stacked(now, agent, first) if self.stack > 1 else now

    def _seen(self, scene: Scene, view: RenderedView | None, version: Version) -> dict[str, Array]:
        """Return the observations that depend on the scene."""
        seen: dict[str, Array] = {}
        if "camera" in self.names:
            frame = self._camera(self.resolution).frame(scene) if view is None else view.frame
            seen["camera"] = gray(frame) if self._grayscale else frame
        if "depth" in self.names or "segmentation" in self.names:
            channels = self._channels(scene)
            if "depth" in self.names:
                seen["depth"] = np.minimum(channels.depth, np.float32(SIGHT))[..., None]
            if "segmentation" in self.names:
                seen["segmentation"] = channels.semantic[..., None]
        if "rays" in self.names:
            seen["rays"] = self.rays(version).observe(scene).ravel()
        return seen

    def _stacked(self, now: dict[str, Array], agent: int, first: bool) -> dict[str, Array]:
        """Return the last observations, stacked into new arrays."""
        past = {} if first else self.past.get(agent, {})
        self.past[agent] = {
            name: np.concatenate([past[name][..., array.shape[-1] :], array], axis=-1)
            if name in past
            else np.concatenate([array] * self.stack, axis=-1)
            for name, array in now.items()
        }
        return {name: array.copy() for name, array in self.past[agent].items()}

    def view(self, episode: Episode, agent: int = 0) -> Frame:
        """Return an agent's current view, uint8 (render_resolution, render_resolution, 3)."""
        return self._camera(self._view_side).frame(episode.scene(agent))

    def _camera(self, side: int) -> CameraRenderer:
        if side not in self._cameras:
            self._cameras[side] = open_camera(side, side, self.renderer)
        return self._cameras[side]

    def _channels(self, scene: Scene) -> Channels:
        camera = self._camera(self.resolution)
        if not isinstance(camera, ChannelRenderer):
            raise RenderError(
                f"renderer {self.renderer!r} draws neither depth nor segmentation; use 'kernel' or "
                "leave them out"
            )
        return camera.channels(scene)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without cameras and rays. Cameras belong to this process; rays can be rebuilt."""
        return self.__dict__ | {"_cameras": {}, "_rays": {}}

    def rays(self, version: Version) -> Rays:
        """Return the ray sensor for arenas of a version."""
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
    """Return the tags of rays by their number."""
    for tags in (TAGS, TAGS_4_4):
        if count == len(tags):
            return tags
    raise ConfigError(f"ray_tags: got {count!r}, expected {len(TAGS)} or {len(TAGS_4_4)}")


def vector(state: AgentState) -> npt.NDArray[np.float32]:
    """Return the agent's own state, float32 (7,), in Animal-AI's order. It is clipped to the space's bounds.

    Health 0 to 100; velocity in m/s in its own frame (right, up, forward); position in the arena in metres.
    """
    values = np.array((state.health, *state.local_velocity, *state.position), np.float32)
    np.maximum(values, VECTOR_LOW, out=values)
    return np.minimum(values, VECTOR_HIGH, out=values)


def gray(frame: Frame) -> Frame:
    """Return a frame (height, width, 3) in grey. (height, width, 1), the channels' rounded mean."""
    return np.rint(frame.mean(axis=2, keepdims=True)).astype(np.uint8)


class ArenaEnv(gymnasium.Env[Any, Any]):
    """One agent in an Animal-AI arena.

    ## Description
    `config` selects the tasks: a task file in the original's YAML format, the id of a task of the battery,
    such as "03-02-01", a list of these that are played in turn, or a curriculum, such as
    `testbed.curriculum.Levels("1-3")` or `Generated(levels="1")`. Every reset starts the next task. One step
    is 3 physics ticks (0.06 s); `action_repeat=k` repeats an action k times.

    ## Action space
    `action="discrete9"`: `Discrete(9)`, 3 x move + rotate, with move 0 none, 1 forward, 2 backward and rotate
    0 none, 1 right, 2 left (`arena.ACTIONS`). "multidiscrete": `MultiDiscrete([3, 3])` of move and rotate.
    "continuous": `Box(-1, 1, (2,))`, forward and right; a value beyond 1/3 or -1/3 is the full action.

    ## Observation space
    `observation` is a tuple of names, which gives a dictionary, or a single name, which gives an array:
    "camera" uint8 (resolution, resolution, 3), the agent's view, or one channel with grayscale=True;
    "depth" float32 (resolution, resolution, 1), metres along the viewing axis, 70 for sky and darkness;
    "segmentation" uint8 (resolution, resolution, 1), indices into `arena.cameras.CLASSES`, 0 in the dark;
    "rays" float32 (14 x (2 x rays_per_side + 1),), the rows of `arena.Rays.observe`;
    "vector" float32 (7,): health 0 to 100, velocity in m/s in the agent's frame (right, up, forward), and
    position in metres in the arena (x, y, z).
    With `frame_stack=k` the last axis holds the last k observations, oldest first; at the start of an episode
    the first one is repeated.

    ## Rewards
    The sum over a step of: the clock's -1/(5 t) per tick, a ball's signed diameter, -1 for a death zone, and
    the cost of a hot zone. The sum over all steps is the episode's total reward.

    ## Episode end
    `terminated` if the arena ends the episode: goal, death zone, no health left. The time limit is part of
    the task and does not truncate: it drains health, which is observed, and ends the episode at 0.
    `truncated` if the episode is ended from outside: by `max_episode_steps` or
    `env.unwrapped.episode.stop()`. An arena without a time limit never ends by itself; set
    `max_episode_steps`.

    ## Info
    The same keys after each reset and step, and numbers only, which every library can batch: `is_success`,
    `passed`, `outcome` and `events`, as `arena.gym.env.info_of` describes them. They are always current, so
    an episode that a wrapper cuts has them too. With `task_info=True` also `arena`, the task's id, a text,
    which TorchRL cannot batch. The `arena.Event`s of the last step are the attribute `events`.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": round(1 / STEP_S)}  # noqa: RUF012
    most_agents: float = 1
    """Maximum number of agents in an arena."""

    def __init__(
        self,
        config: Config = (),
        *,
        action: str = "discrete9",
        action_repeat: int = 1,
        max_episode_steps: int | None = None,
        version: str | None = None,
        render_mode: str | None = None,
        task_info: bool = False,
        csv_log: str | PathLike[str] | None = None,
        **sensors: Any,
    ) -> None:
        """Create the environment.

        `version` is the version of Animal-AI as which files are read, by default "3.1.3"; files that were
        read before keep theirs. `sensors` are the options of `arena.gym.env.Sensors`: observation=("camera",
        "vector"), resolution=84, frame_stack=1, grayscale=False, renderer="kernel", rays_per_side=2,
        ray_max_degrees=60.0, ray_tags=12, render_resolution=512. `csv_log` is the path of a file to write
        with a line for each tick (`arena.csv_log`), with rays if they are observed; a copy of the environment
        does not write it.

        Raises ConfigError for an invalid file or option.
        """
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ConfigError(
                f"render_mode: got {render_mode!r}, expected None or 'rgb_array', or through gymnasium.make "
                "'human' or 'rgb_array_list'"
            )
        check_options(sensors, Sensors, ArenaEnv)
        self.render_mode = render_mode
        self.sensors = Sensors(**sensors)
        self.action_repeat = whole("action_repeat", action_repeat)
        self.max_steps = None if max_episode_steps is None else whole("max_episode_steps", max_episode_steps)
        made = controls(action)
        self.read_action = made.read
        self.action_space = made.space()
        self.observation_space = self.sensors.space()
        self.metadata = self.metadata | {"render_fps": max(1, round(1 / (STEP_S * self.action_repeat)))}
        self._version = None if version is None else version_of(version)
        self._curriculum = curriculum(config, self._version)
        self._playing: Curriculum | None = None
        self._episode: Episode | None = None
        self._log = None if csv_log is None else self._new_log(csv_log)
        self._task_info = yes_or_no("task_info", task_info)
        self.events: tuple[Event, ...] = ()
        self._seed: int | None = None
        self._over = True
        self.steps = 0

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start the next task, or with `seed` the first with that seed.

        With `options={"task": id}` that task is played, and the stream continues after it; the ids are those
        of the curriculum's `named`. `"trial": k` plays trial k, from 0, of the task, whatever was played
        before. Raises ConfigError for another option, an unknown id, and a task that has several agents or
        was read as another version, and LayoutError, naming the task, for one that cannot be built.
        """
        info = self.begin(seed, options)
        return self.sensors.observe(self.episode, first=True), info

    def begin(self, seed: int | None, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Reset without an observation, which is `sensors.observe(episode, first=True)`."""
        options = dict(options or {})
        task, trial = options.pop("task", None), options.pop("trial", None)
        if options:
            raise ConfigError(f"reset: got the options {options!r}, expected only 'task', an id, and 'trial'")
        super().reset(seed=seed)
        self._report_end()
        if seed is not None or self._seed is None:
            self._seed = int(self.np_random.integers(2**31)) if seed is None else seed
            self._curriculum.restart(self._seed)
        self.close()
        stream = self._curriculum
        episode = self._checked(stream.next() if task is None else named(stream, task))
        if trial is not None:
            trial = whole("trial", trial, 0)
            episode = Episode(episode.spec, task_id=episode.task_id, seed=episode.seed, trial=trial)
        self._episode = episode
        self._playing = stream
        self.steps, self._over, self.events = 0, False, ()
        if self._log is not None:
            self._log.begin(self._episode)
        return self._info()

    def _new_log(self, path: str | PathLike[str]) -> CsvLog:
        if not isinstance(path, str | PathLike):
            raise ConfigError(f"csv_log: got {path!r}, expected the path of a file to write")
        rays = self.sensors.rays if "rays" in self.sensors.names else None
        return CsvLog(AppendedFile(Path(path)), rays, TICKS_PER_STEP * self.action_repeat)

    def _report_end(self) -> None:
        """Call the curriculum's optional `ended`, once per episode with a step."""
        stream, self._playing = self._playing, None
        ended, episode = getattr(stream, "ended", None), self._episode
        if ended is not None and episode is not None and episode.steps:
            # A wrapper may have cut it, such as TimeLimit.
            episode.stop()
            ended(episode.task_id, str(episode.outcome), episode.passed, episode.total_reward)

    @property
    def curriculum(self) -> Curriculum:
        """Stream of tasks. Setting it is `set_curriculum`."""
        return self._curriculum

    @curriculum.setter
    def curriculum(self, config: Config) -> None:
        self.set_curriculum(config)

    def set_curriculum(self, config: Config) -> None:
        """Play other tasks from the next reset on. `config` is that of the constructor.

        A curriculum is copied, and restarted with the seed that this environment was last reset with. In a
        vector environment this is seed + k, so that environments differ. Raises ConfigError as the
        constructor does.
        """
        self._curriculum = curriculum(config, self._version)
        if self._seed is not None:
            self._curriculum.restart(self._seed)

    def _info(self) -> dict[str, Any]:
        info = info_of(self.episode.agents[0], self.events)
        return info | {"arena": self.episode.task_id} if self._task_info else info

    def _checked(self, episode: object) -> Episode:
        """Return the episode. Raises ConfigError if this environment cannot play it."""
        if not isinstance(episode, Episode):
            raise ConfigError(f"config: the curriculum returned {episode!r}, expected an arena.Episode")
        if len(episode.agents) > self.most_agents:
            problem = (
                f"has {len(episode.agents)} agents, expected one; use arena.gym.parallel_env.ArenaParallelEnv"
            )
        elif self._version not in (None, episode.spec.version):
            problem = (
                f"was read as version {str(episode.spec.version)!r}, the environment has version="
                f"{str(self._version)!r}; pass the version to the reader, such as load(path, version) or "
                "Levels(..., version=version)"
            )
        else:
            return episode
        raise ConfigError(f"arena {episode.task_id} {problem}")

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action. Raises ConfigError for one that is not in the action space."""
        reward, terminated, truncated, info = self.advance(self.read_action(action))
        return self.sensors.observe(self.episode), reward, terminated, truncated, info

    def advance(self, action: Action) -> tuple[float, bool, bool, dict[str, Any]]:
        """Step without an observation: reward, terminated, truncated, info."""
        results, terminated, truncated = self.take((action,))
        return results[0].reward, terminated, truncated, self._info()

    def take(self, actions: Sequence[Action]) -> tuple[tuple[StepResult, ...], bool, bool]:
        """Take all agents' actions, in item order: results, terminated, truncated."""
        if self._over:
            raise gymnasium.error.ResetNeeded("call reset() first: there is no episode, or it is over")
        episode = self.episode
        # An episode that was stopped from outside is over without a reward.
        results = (StepResult(0.0, (), True),) * len(actions) if episode.done else episode.step_all(actions)
        for _ in range(self.action_repeat - 1):
            if not results[0].done:
                results = tuple(
                    StepResult(before.reward + now.reward, before.events + now.events, now.done)
                    for before, now in zip(results, episode.step_all(actions), strict=True)
                )
        _, self.events, done = results[0]
        self.steps += 1
        if self._log is not None:
            self._log.decide()
        cut = self.steps == self.max_steps
        if done or cut:
            self._over = True
            episode.stop()
            self._report_end()
        stopped = episode.outcome is Outcome.STOPPED
        return results, self._over and not stopped, stopped or cut

    @property
    def episode(self) -> Episode:
        """The current episode. Raises ResetNeeded if there is none."""
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("call reset() first: there is no episode")
        return self._episode

    def lend(self, body: Floats, clock: Singles) -> Parts | None:
        """Return `Episode.lend` if this environment only counts its steps."""
        playing = self._episode is not None and not self._over and self._log is None
        return self.episode.lend(body, clock) if playing else None

    @property
    def uneventful_infos(self) -> Infos:
        """Return a uneventful step's infos, below and at the pass mark."""
        return uneventful_infos({"arena": self.episode.task_id} if self._task_info else {})

    def take_back(self, parts: Parts, actions: Sequence[Action], total_reward: float) -> None:
        """Take back the episode after steps of this environment. See `Episode.take_back`."""
        repeated = [action for action in actions for _ in range(self.action_repeat)]
        self.episode.take_back(parts, repeated, total_reward)
        self.steps += len(actions)
        if actions:
            self.events = ()

    def render(self) -> Frame | None:  # type: ignore[override]
        """Render the first agent's view, uint8 (render_resolution, render_resolution, 3), or None."""
        return self.sensors.view(self.episode) if self.render_mode else None

    def close(self) -> None:
        """Forget the current episode."""
        if self._log is not None:
            self._log.close()
        self._episode, self._over = None, True

    def __getstate__(self) -> dict[str, Any]:
        episode = self._episode
        pickled = None if episode is None else PickledEpisode(episode.spec, episode.recording())
        return self.__dict__ | {"_log": None, "_episode": pickled}

    def __setstate__(self, state: dict[str, Any]) -> None:
        pickled: PickledEpisode | None = state["_episode"]
        self.__dict__ |= state | {"_episode": pickled and pickled.replayed()}
        if self._episode is not None and isinstance(self._curriculum, UnityFiles):
            self._curriculum.resume(self._episode)


class AgentsEnv(ArenaEnv):
    """`ArenaEnv` for several agents, which act by `take`."""

    most_agents = math.inf

    @property
    def teams(self) -> tuple[int, ...]:
        """Team of each agent, in the order of their items."""
        return tuple(agent.team for agent in self.episode.layout.agents)

    def observe(self, agents: Iterable[int], *, first: bool = False) -> list[Observation]:
        """Return the current observations of some agents, by their numbers."""
        return [self.sensors.observe(self.episode, agent, first=first) for agent in agents]
