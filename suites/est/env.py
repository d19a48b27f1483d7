"""Blicket machine as Gymnasium environments: single, or computed as a batch."""

from collections.abc import Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from arena.errors import ConfigError
from suites.est.world import OBJECTS, PRESETS, Bools, Machines, Preset, Step, Thing, appearances

if TYPE_CHECKING:
    from suites.est.picture import Table

ACTIONS = spaces.Box(0, 1, (2 * OBJECTS,), np.float32)
"""Belief in each object, then its trial if above 0.5."""

Info = dict[str, Any]


OBSERVATIONS = ("symbol", "image")

SYMBOLS = spaces.Box(0, 1, (OBJECTS + 1,), np.float32)
"""Visible panel: each object's presence on the machine, then its light."""

Frames = npt.NDArray[np.uint8]


class Sensor:
    """Observes a batch of episodes; tables for pictures are opened on demand. Tables belong to the process: a
    copy, or one that was pickled, opens its own."""

    def __init__(
        self,
        observation: str = "symbol",
        *,
        width: int = 160,
        height: int = 120,
        render_mode: str | None = None,
        render_resolution: int = 512,
    ) -> None:
        """Create a sensor of "symbol" (see `SYMBOLS`) or "image" observations.

        An image is a picture of `width` x `height` pixels, uint8 (height, width, 3); `render_resolution` is
        the side of the pictures of `render_mode="rgb_array"`. Raises ConfigError for another observation or
        mode, and RenderError for another size than 4 to 1024.
        """
        if observation not in OBSERVATIONS:
            raise ConfigError(
                f"observation: got {observation!r}, expected one of {', '.join(map(repr, OBSERVATIONS))}"
            )
        if render_mode not in (None, "rgb_array"):
            raise ConfigError(f"render_mode: got {render_mode!r}, expected None or 'rgb_array'")
        self.render_mode = render_mode
        self._size, self._render_size = (width, height), (render_resolution, render_resolution)
        self._is_image = observation == "image"
        if self._is_image:
            _check(*self._size)
        if render_mode:
            _check(*self._render_size)
        self.space = spaces.Box(0, 255, (height, width, 3), np.uint8) if self._is_image else deepcopy(SYMBOLS)
        self._things: list[tuple[Thing, ...]] = []
        self._tables: dict[tuple[int, int], Table] = {}

    def start(self, episodes: int, rng: np.random.Generator) -> None:
        """Begin a batch. Appearances have their own generator, so symbols are the same without pictures."""
        self._rng = rng.spawn(1)[0]
        self._things = [()] * episodes
        self.restart(np.ones(episodes, np.bool_))

    def restart(self, chosen: Bools) -> None:
        """Draw other objects for the chosen episodes, bool (episodes,)."""
        if self._is_image or self.render_mode:
            for number in np.flatnonzero(chosen):
                self._things[number] = appearances(self._rng)

    def observe(self, world: Machines, chosen: Bools | None = None) -> npt.NDArray[Any]:
        """Observe a batch, or its `chosen` episodes (bool, (episodes,)), as (episodes, *space.shape)."""
        if self._is_image:
            return self._drawn(world, self._size, chosen)
        seen = np.column_stack([world.panels, world.lights]).astype(np.float32)
        return seen if chosen is None else seen[chosen]

    def render(self, world: Machines) -> Frames | None:
        """Draw uint8 (episodes, render_resolution, render_resolution, 3); None without a `render_mode`."""
        return self._drawn(world, self._render_size) if self.render_mode else None

    def close(self) -> None:
        """Free the tables."""
        self._tables.clear()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_tables": {}}

    def _drawn(self, world: Machines, size: tuple[int, int], chosen: Bools | None = None) -> Frames:
        table = self._table(size)
        numbers = range(len(world.over)) if chosen is None else np.flatnonzero(chosen)
        return np.stack(
            [table.picture(self._things[k], world.panels[k].tolist(), bool(world.lights[k])) for k in numbers]
        )

    def _table(self, size: tuple[int, int]) -> "Table":
        from suites.est.picture import Table  # here, as symbols need no renderer

        if size not in self._tables:
            self._tables[size] = Table(*size)
        return self._tables[size]


def _check(width: int, height: int) -> None:
    from render.image import check_size  # here, as symbols need no renderer

    check_size(width, height)


def preset_of(preset: str | Preset) -> Preset:
    """Find a preset by name, or return it. Raises ConfigError for an unknown name."""
    if isinstance(preset, Preset):
        return preset
    if preset not in tuple(PRESETS):
        raise ConfigError(f"preset: got {preset!r}, expected one of {', '.join(PRESETS)}, or a Preset")
    return PRESETS[preset]


def _mode(mode: str | AutoresetMode) -> AutoresetMode:
    """Convert a mode, value or name. Raises ConfigError for another."""
    for each in AutoresetMode:
        if mode in (each, each.value, each.name):
            return each
    raise ConfigError(f"autoreset_mode: got {mode!r}, expected one of {', '.join(AutoresetMode.__members__)}")


def _played(world: Machines, actions: npt.NDArray[Any]) -> Step:
    """Play a step by actions (episodes, 18). Raises ConfigError for numbers outside 0 to 1."""
    if actions.shape != (len(world.over), 2 * OBJECTS):
        raise ConfigError(
            f"actions: got the shape {actions.shape}, expected {(len(world.over), 2 * OBJECTS)}"
        )
    if not ((actions >= 0) & (actions <= 1)).all():
        raise ConfigError("actions: got numbers outside 0 to 1, or no numbers")
    return world.step(actions[:, :OBJECTS].astype(np.float64), actions[:, OBJECTS:] > 0.5)


class EstEnv(gymnasium.Env[Any, Any]):
    """Episode of finding Blickets among nine objects.

    ## Observation space
    The panel that is seen; the first four are context, then come the agent's own. `observation="symbol"`:
    `Box(0, 1, (10,))`, see `SYMBOLS`. "image": `Box(0, 255, (height, width, 3))`, uint8,
    its picture. Each episode has nine other objects; object k is the one at place k, on the machine or beside
    it (`suites.est.picture.Table.box`). The same seed gives the same episodes in both.

    ## Action space
    `Box(0, 1, (18,))`: see `ACTIONS`. Trials before the fourth step are not seen.

    ## Rewards and end
    20 and the end if all nine beliefs are on the side of the truth, 0.5 being on neither.
    Otherwise -1 minus the Jensen-Shannon distance to the exact belief. After ten steps the episode is over:
    `terminated` in both cases.

    ## Info
    `is_success` bool, and `oracle` float64 (9,), the exact belief after the panels that were seen.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 1}  # noqa: RUF012

    def __init__(self, preset: str | Preset = "est", **sensor: Any) -> None:
        """Create an environment of `PRESETS`, by name, or of a `Preset`.

        `sensor` are the options of `Sensor`: observation="symbol", width=160, height=120, render_mode=None,
        render_resolution=512. Raises ConfigError and RenderError for an invalid option.
        """
        self.preset, self._sensor = preset_of(preset), Sensor(**sensor)
        self.render_mode = self._sensor.render_mode
        self.observation_space, self.action_space = self._sensor.space, deepcopy(ACTIONS)
        self._world: Machines | None = None

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        """Start an episode. Raises ConfigError for options, as none exist."""
        if options:
            raise ConfigError(f"reset: got the options {options!r}, expected none")
        super().reset(seed=seed)
        if self._world is None or seed is not None:
            self._sensor.start(1, self.np_random)
        else:
            self._sensor.restart(np.ones(1, np.bool_))
        self._world = Machines(self.preset, 1, self.np_random)
        return self._sensor.observe(self._world)[0], self._info(self._world, solved=False)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        """State a belief and try objects. Raises ConfigError for an action outside the space, ResetNeeded
        after the end."""
        world = self._world
        if world is None or world.over[0]:
            raise gymnasium.error.ResetNeeded("call reset() first: there is no episode, or it is over")
        given = _played(world, np.asarray(action)[None])
        info = self._info(world, bool(given.solved[0]))
        seen = self._sensor.observe(world)[0]
        return seen, float(given.rewards[0]), bool(given.over[0]), False, info

    def render(self) -> Frames | None:  # type: ignore[override]
        """Draw the panel, uint8 (render_resolution, render_resolution, 3); None without a mode."""
        if self._world is None:
            raise gymnasium.error.ResetNeeded("call reset() first: there is no episode")
        frames = self._sensor.render(self._world)
        return None if frames is None else frames[0]

    def close(self) -> None:
        """Free the resources of pictures."""
        self._sensor.close()

    def _info(self, world: Machines, solved: bool) -> Info:
        return {"is_success": solved, "oracle": world.oracle.belief()[0]}


class EstVectorEnv(VectorEnv[Any, Any, Any]):
    """Vectorized `EstEnv` of `num_envs` episodes, with one generator. `autoreset_mode` is Gymnasium's. The
    same seed gives the same bits, but episode k is not that of a single environment with seed + k."""

    def __init__(
        self,
        num_envs: int = 1,
        preset: str | Preset = "est",
        *,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        **sensor: Any,
    ) -> None:
        """Create environments with the options and errors of `EstEnv`."""
        self.closed = True
        if not isinstance(num_envs, int | np.integer) or num_envs < 1:
            raise ConfigError(f"num_envs: got {num_envs!r}, expected a whole number, 1 or more")
        self.preset, self.num_envs, self._sensor = preset_of(preset), int(num_envs), Sensor(**sensor)
        self.render_mode, self.autoreset_mode = self._sensor.render_mode, _mode(autoreset_mode)
        self.metadata = EstEnv.metadata | {"autoreset_mode": self.autoreset_mode}
        self.single_observation_space, self.single_action_space = self._sensor.space, deepcopy(ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(ACTIONS, self.num_envs)
        self._world: Machines | None = None
        self.closed = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Info | None = None
    ) -> tuple[Any, Info]:
        """Start episodes, all or those of `options["reset_mask"]`, bool (num_envs,). `seed` is one number for
        the whole batch. Raises ConfigError for a list of seeds and for other options."""
        every, rest = np.ones(self.num_envs, np.bool_), dict(options or {})
        chosen = np.asarray(rest.pop("reset_mask", every))
        if chosen.shape != every.shape or chosen.dtype != np.bool_:
            raise ConfigError(f"reset_mask: got {chosen!r}, expected bool, of the shape {every.shape}")
        if rest or not isinstance(seed, int | np.integer | None):
            raise ConfigError(
                f"reset: got seed={seed!r}, options={rest!r}; expected one number, and reset_mask"
            )
        super().reset(seed=None if seed is None else int(seed))
        if self._world is None or seed is not None:
            self._world = Machines(self.preset, self.num_envs, self.np_random)
            self._sensor.start(self.num_envs, self.np_random)
        else:
            self._restart(self._world, chosen)
        return self._sensor.observe(self._world), self._info(self._world, np.zeros(self.num_envs, np.bool_))

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, Info]:
        """State beliefs and try objects in all episodes; raises as `EstEnv.step`."""
        world = self._world
        if world is None:
            raise gymnasium.error.ResetNeeded("call reset() first")
        before = world.over.copy()
        if self.autoreset_mode is AutoresetMode.DISABLED and before.any():
            raise gymnasium.error.ResetNeeded(
                f"environments {np.flatnonzero(before).tolist()} are over: reset them with "
                'reset(options={"reset_mask": terminated | truncated})'
            )
        given = _played(world, np.asarray(actions))
        info: Info = {}
        ended = given.over & ~before
        if self.autoreset_mode is AutoresetMode.SAME_STEP and ended.any():
            info = self._final(world, given.solved, ended)
            self._restart(world, ended)
        elif before.any():
            self._restart(world, before)
        info |= self._info(world, given.solved)
        return self._sensor.observe(world), given.rewards, ended, np.zeros(self.num_envs, np.bool_), info

    def _restart(self, world: Machines, chosen: Bools) -> None:
        world.restart(chosen)
        self._sensor.restart(chosen)

    def render(self) -> tuple[Frames | None, ...]:  # type: ignore[override]
        """Call `EstEnv.render` of every environment."""
        if self._world is None:
            raise gymnasium.error.ResetNeeded("call reset() first: there are no episodes")
        frames = self._sensor.render(self._world)
        return (None,) * self.num_envs if frames is None else tuple(frames)

    def close_extras(self, **kwargs: Any) -> None:
        """Free the resources of pictures."""
        self._sensor.close()

    def _final(self, world: Machines, solved: Bools, ended: Bools) -> Info:
        """Collect Gymnasium's final info of episodes reset in their last step."""
        observations = np.full(self.num_envs, None, object)
        for number, seen in zip(np.flatnonzero(ended), self._sensor.observe(world, ended), strict=True):
            observations[number] = seen
        last = self._info(world, solved)
        return {"final_obs": observations, "_final_obs": ended, "final_info": last, "_final_info": ended}

    def _info(self, world: Machines, solved: Bools) -> Info:
        every = np.ones(self.num_envs, np.bool_)
        return {"is_success": solved, "_is_success": every, "oracle": world.oracle.belief(), "_oracle": every}
