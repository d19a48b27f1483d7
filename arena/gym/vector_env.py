"""Many arenas as a Gymnasium vector environment, stepped together."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import accumulate
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from arena.action import ACTIONS, TICKS_PER_STEP, Rotate
from arena.cameras import Frame, open_batch
from arena.errors import ArenaError, ConfigError
from arena.gym.curriculum import Config, curriculum
from arena.gym.env import (
    COMMON,
    VECTOR_HIGH,
    VECTOR_LOW,
    ArenaEnv,
    Info,
    Infos,
    Observation,
    RenderedView,
    common,
    whole,
)
from arena.kernel.casts import see_all
from arena.kernel.motion import drive_all, feel_all
from arena.kernel.tables import BODY, CLOCK, PART, Bools, Ints, Parts, one_table
from arena.rays import CAST_LENGTH, CAST_RADIUS
from arena.taskfile.versions import Version

_MOST_PENDING = 1000
"""Maximum pending steps before the episodes of all environments are updated."""

_UNLIMITED = 2**62
"""Step limit above the length of every episode."""


class BatchedSteps:
    """Batched simulation of the uneventful steps of several environments. Those that are `attached` have lent
    their agents and clocks, and lack the last steps; `detach` gives all back."""

    def __init__(self, envs: Sequence[ArenaEnv]) -> None:
        count = len(envs)
        self._envs, sensors = envs, envs[0].sensors
        self._names, self._repeat, self._stack = sensors.kernel_sensors, envs[0].action_repeat, sensors.stack
        self._past: dict[str, npt.NDArray[np.float32]] = {}
        self.attached: Bools = np.zeros(count, np.bool_)
        self._bodies, self._clocks = np.zeros((count, BODY)), np.zeros((count, CLOCK), np.float32)
        self.rewards, self._totals = np.zeros(count), np.zeros(count)
        self._marks, self._left = np.full(count, np.nan), np.zeros(count, np.int64)
        self._parts: list[Parts] = [np.empty(0, PART)] * count
        self._columns: list[Ints] = [np.empty(0, np.int64)] * count
        self._is_joined = False
        self._taken: list[Ints] = []
        self._since = [0] * count
        self._infos: list[Infos] = [({}, {})] * count

    def attach(self, number: int) -> None:
        """Attach an environment if its next step may be uneventful."""
        env = self._envs[number]
        parts = env.lend(self._bodies[number], self._clocks[number]) if self._names else None
        if parts is None:
            return
        self._parts[number], episode = parts, env.episode
        self._totals[number] = episode.total_reward
        self._marks[number] = np.nan if episode.spec.pass_mark is None else episode.spec.pass_mark
        self._left[number] = _UNLIMITED if env.max_steps is None else env.max_steps - env.steps
        if "rays" in self._names:
            self._columns[number] = env.sensors.rays(episode.spec.version).columns(episode.scene())
        for name, stacked in env.sensors.past.get(0, {}).items():
            self._past.setdefault(name, np.empty((len(self._envs), len(stacked)), np.float32))
            self._past[name][number] = stacked
        self._is_joined = False
        self._since[number] = len(self._taken)
        self._infos[number] = env.uneventful_infos
        self.attached[number] = True

    def detach(self, number: int) -> None:
        """Update an environment's episode, and detach it."""
        if not self.attached[number]:
            return
        self.attached[number] = False
        env = self._envs[number]
        env.sensors.past[0] = {name: stacked[number].copy() for name, stacked in self._past.items()}
        taken = [int(actions[number]) for actions in self._taken[self._since[number] :]]
        actions = [ACTIONS[each] for each in taken]
        env.take_back(self._parts[number], actions, float(self._totals[number]))

    def detach_all(self) -> None:
        """Update all episodes, and detach them."""
        for number in np.flatnonzero(self.attached).tolist():
            self.detach(number)
        self._taken.clear()

    def step(self, actions: Ints) -> Bools:
        """Step the attached environments whose next step is uneventful; detach the others. `actions` has an
        index into `arena.ACTIONS` for each. Returns which were stepped; `rewards` are theirs."""
        if len(self._taken) >= _MOST_PENDING:
            attached = self.attached.copy()
            self.detach_all()
            for number in np.flatnonzero(attached).tolist():
                self.attach(number)
        if not self._is_joined:
            self._join()
        # The last step before the limit is an environment's own, which ends the episode.
        ready = self.attached & (self._left > 1)
        drive_all(
            ready,
            self._bodies,
            self._clocks,
            self._table,
            self._ends,
            actions,
            self._repeat,
            TICKS_PER_STEP,
            self.rewards,
            self._totals,
        )
        for number in np.flatnonzero(self.attached & ~ready).tolist():
            self.detach(number)
        self._left -= ready
        self._taken.append(actions)
        return ready

    def observe(self, ready: Bools, rows: dict[str, npt.NDArray[np.float32]]) -> None:
        """Write observations of `ready` environments into `rows` (n, ...) by sensor name."""
        shapes = {name: (len(ready), past.shape[1] // self._stack) for name, past in self._past.items()}
        now = {name: np.empty(shape, np.float32) for name, shape in shapes.items()} or rows
        if "rays" in now:
            angles = self._envs[0].sensors.rays(Version.V3).turns
            table = (self._table, self._ends, angles, CAST_RADIUS, CAST_LENGTH, self._listed, self._list_ends)
            see_all(ready, self._bodies, *table, now["rays"])
        if "vector" in now:
            feel_all(ready, self._bodies, self._clocks, VECTOR_LOW, VECTOR_HIGH, now["vector"])
        for name, past in self._past.items():
            past[ready] = np.concatenate([past[ready][:, now[name].shape[1] :], now[name][ready]], axis=1)
            rows[name][ready] = past[ready]

    def infos(self) -> list[Info]:
        """Infos after a uneventful step."""
        reached = (self._totals >= self._marks).tolist()
        return [infos[passed] for infos, passed in zip(self._infos, reached, strict=True)]

    def _join(self) -> None:
        """Join the tables of all environments after one has changed."""
        self._table = one_table(self._parts)
        self._ends = np.array([0, *accumulate(map(len, self._parts))])
        # Each continues in its rows of the table, in which balls move.
        self._parts = np.split(self._table, self._ends[1:-1])
        self._listed = np.concatenate(self._columns)
        self._list_ends = np.array([0, *accumulate(map(len, self._columns))])
        self._is_joined = True


Step = tuple[Observation, npt.NDArray[np.float64], Bools, Bools, dict[str, Any]]


class ArenaVectorEnv(VectorEnv[Any, Any, Any]):
    """Vector of arenas, each bit-identical to a single `ArenaEnv`.

    With the same seed and actions, that is. All are stepped in this process: uneventful steps in one compiled
    call, and cameras by all cores. For several processes, Gymnasium's `AsyncVectorEnv` takes functions that
    make an `ArenaEnv`.

    `autoreset_mode` is Gymnasium's: environments that are over are reset by the next step, in the same step
    (then `infos` has `final_obs` and `final_info`), or by `reset` with `options={"reset_mask": ...}`.
    Environment k is seeded with seed + k.
    """

    def __init__(
        self,
        num_envs: int = 1,
        config: Config = (),
        *,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        **options: Any,
    ) -> None:
        """Create the environments with the `options` of `ArenaEnv`. With `copy=False` returned observations
        change with the next step. Raises ConfigError for an invalid option, and as `ArenaEnv` does."""
        self.closed = True
        self.num_envs = whole("num_envs", num_envs)
        self.autoreset_mode, self._copy = _mode(autoreset_mode), copy
        if options.get("csv_log") is not None:
            raise ConfigError("csv_log: only a single ArenaEnv writes one; leave it out")
        options = {"config": config} | options
        self._players = [ArenaEnv(**options) for _ in range(self.num_envs)]
        single = self._players[0]
        self.render_mode, self._version = single.render_mode, options.get("version")
        self.metadata = single.metadata | {"autoreset_mode": self.autoreset_mode}
        self.single_observation_space = single.observation_space
        self.single_action_space = single.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._shape = (self.num_envs, *(self.single_action_space.shape or ()))
        self._read, sensors = single.read_action, single.sensors
        self._shaped, boxes = sensors.shaped, sensors.boxes.items()
        self._seen = {name: np.zeros((self.num_envs, *box.shape), box.dtype) for name, box in boxes}
        self._rewards = np.zeros(self.num_envs)
        self._terminated, self._truncated, self._started = np.zeros((3, self.num_envs), np.bool_)
        self._playing, self.closed = 0, False
        self._open()

    def _open(self) -> None:
        sensors, draws = self._players[0].sensors, "camera" in self._seen and not self.closed
        self._batch = open_batch(self.num_envs, sensors.resolution, sensors.renderer) if draws else None
        self._batched = BatchedSteps(self._players)

    def __getstate__(self) -> dict[str, Any]:
        if not self.closed:
            self._batched.detach_all()
        return self.__dict__ | {"_batch": None, "_batched": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self._open()

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start the next task in every environment, or in marked ones.

        `options["reset_mask"]` marks them; `options["task"]` is the id of a task to start instead. With a
        number as `seed`, environment k is seeded with seed + k; a list has a seed or None for each. Raises
        ConfigError for another number of seeds, or a mask that is not bool (num_envs,).
        """
        rest = dict(options or {})
        chosen = self._mask(rest.pop("reset_mask", None))
        seeds = self._seeds(seed)
        infos: list[Info | None] = [None] * self.num_envs
        begun = np.flatnonzero(chosen).tolist()
        with self._naming():
            self._batched.detach_all()
            for number in self._each(begun):
                infos[number] = self._players[number].begin(seeds[number], rest)
                self._rewards[number] = self._terminated[number] = self._truncated[number] = 0
            self._observe(begun, begun)
        self._started |= chosen
        return self._observation(), self._merged(infos)

    def step(self, actions: Any) -> Step:
        """Step every environment; return observations, rewards, terminated, truncated, infos.

        Raises ConfigError for actions of another shape or outside the space, and ResetNeeded if an
        environment is over and not reset automatically.
        """
        numbers = self._numbers(actions)
        over = self._terminated | self._truncated
        if self.autoreset_mode is AutoresetMode.DISABLED and over.any():
            raise gymnasium.error.ResetNeeded(
                f"environments {np.flatnonzero(over).tolist()} are over: reset them with "
                'reset(options={"reset_mask": terminated | truncated})'
            )
        with self._naming():
            infos = self._stepped(numbers, over)
        results = self._rewards.copy(), self._terminated.copy(), self._truncated.copy()
        return self._observation(), *results, self._merged(infos)

    def _stepped(self, actions: Ints, over: Bools) -> list[Info]:
        """Take an action in each environment, an index into `arena.ACTIONS`. Environments that are over are
        reset as the mode requires."""
        uneventful = self._batched.step(actions)
        infos = self._batched.infos()
        self._rewards[:], self._terminated[:], self._truncated[:] = self._batched.rewards, False, False
        others, begun = np.flatnonzero(~uneventful).tolist(), []
        for number in self._each(others):
            env = self._players[number]
            if self.autoreset_mode is AutoresetMode.NEXT_STEP and over[number]:
                infos[number] = env.begin(None)
                begun.append(number)
                self._rewards[number] = 0.0
            else:
                taken = env.advance(ACTIONS[actions[number]])
                self._rewards[number], self._terminated[number], self._truncated[number] = taken[:3]
                infos[number] = taken[3]
        if len(others) < self.num_envs:
            self._batched.observe(uneventful, self._seen)
        self._observe(others, begun)
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            self._reset_ended(infos)
        for number in others:
            self._batched.attach(number)
        return infos

    def _reset_ended(self, infos: list[Info]) -> None:
        """Reset environments that are over, and keep their last observation and info."""
        over = np.flatnonzero(self._terminated | self._truncated).tolist()
        for number in self._each(over):
            last = {name: array[number].copy() for name, array in self._seen.items()}
            final = {"final_obs": self._shaped(last), "final_info": infos[number]}
            infos[number] = final | self._players[number].begin(None)
        self._observe(over, over)

    def _observe(self, numbers: Sequence[int], begun: Sequence[int]) -> None:
        """Write the observations of some environments. Those in `begun` start an episode."""
        views = self._views(numbers)
        for number in self._each(numbers):
            env = self._players[number]
            seen = env.sensors.named(env.episode, first=number in begun, view=views.get(number))
            for name, array in seen.items():
                self._seen[name][number] = array

    def _views(self, numbers: Sequence[int]) -> dict[int, RenderedView]:
        """Render some environments' views in one call. Empty without a batch renderer."""
        if self._batch is None or not numbers:
            return {}
        scenes = {number: self._players[number].episode.scene() for number in numbers}
        dark = replace(next(iter(scenes.values())), lights_on=False)
        # Each keeps its position, for which the renderer caches shadows; a dark scene is not rendered.
        frames = self._batch.frames([scenes.get(number, dark) for number in range(self.num_envs)])
        return {number: RenderedView(scene, frames[number]) for number, scene in scenes.items()}

    def _each(self, numbers: Iterable[int]) -> Iterator[int]:
        """Yield the numbers one by one. The current one is kept so that errors can name the environment."""
        for self._playing in numbers:
            yield self._playing

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Add the environment's number to errors. Raises ClosedEnvironmentError after `close`."""
        if self.closed:
            raise gymnasium.error.ClosedEnvironmentError("the vector environment is closed; make a new one")
        try:
            yield
        except ArenaError as error:
            raise type(error)(f"environment {self._playing}: {error}") from None
        except Exception as error:
            error.add_note(f"in environment {self._playing}")
            raise

    def _numbers(self, actions: Any) -> npt.NDArray[np.int64]:
        """Return the actions' indices into `arena.ACTIONS`, before any step is taken."""
        try:
            taken = np.asarray(actions)
        except ValueError:
            raise ConfigError(f"actions: got {actions!r}, expected the shape {self._shape}") from None
        if taken.shape != self._shape:
            raise ConfigError(f"actions: got the shape {taken.shape}, expected {self._shape}")
        numbers = np.empty(self.num_envs, np.int64)
        each = taken.tolist() if taken.dtype.kind in "iu" else taken
        # An array made of a list has 1 for True.
        for number, action in enumerate(actions if isinstance(actions, list | tuple) else each):
            try:
                move, rotate = self._read(action)
            except ConfigError as error:
                raise ConfigError(f"environment {number}: {error}") from None
            numbers[number] = len(Rotate) * move + rotate
        return numbers

    def _observation(self) -> Observation:
        seen = self._seen
        return self._shaped({name: array.copy() for name, array in seen.items()} if self._copy else {**seen})

    def _merged(self, infos: Sequence[dict[str, Any] | None]) -> dict[str, Any]:
        """Return all infos in Gymnasium's format: arrays and masks by key. Masks mark those with the key."""
        merged = common(infos)
        for number, info in enumerate(infos):
            if info is not None and len(info) > len(COMMON):
                more = {key: value for key, value in info.items() if key not in COMMON}
                merged = self._add_info(merged, more, number)
        return merged

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        """Return each environment's seed. Those that never had one get different random ones."""
        if isinstance(seed, int | np.integer):
            return [int(seed) + number for number in range(self.num_envs)]
        if seed is not None and np.shape(np.asarray(seed, object)) == ():
            raise ConfigError(f"seed: got {seed!r}, expected a whole number, or a list with one for each")
        given = [None] * self.num_envs if seed is None else list(seed)
        seeds = [int(each) if isinstance(each, np.integer) else each for each in given]
        if len(seeds) != self.num_envs:
            raise ConfigError(f"seed: got {len(seeds)} seeds, expected one for each of {self.num_envs}")
        drawn = int(np.random.default_rng().integers(2**31))
        return [
            drawn + number if each is None and not self._started[number] else each
            for number, each in enumerate(seeds)
        ]

    def _mask(self, mask: Any) -> Bools:
        """Return a mask of the environments to reset, by default all."""
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise ConfigError(f"reset_mask: got {mask!r}, expected a bool array of shape ({self.num_envs},)")
        if not mask.any():
            raise ConfigError("reset_mask: got no True, expected at least one environment to reset")
        return mask.copy()

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Return a method's results, or an attribute's values, for each environment."""
        if name in ("reset", "step", "close"):
            raise ConfigError(f"call: got {name!r}; use this method of the vector environment")
        return self._called(name, [args] * self.num_envs, kwargs)

    def _called(self, name: str, arguments: Sequence[Sequence[Any]], options: Info) -> tuple[Any, ...]:
        """Call with each environment's own arguments. See `call`."""
        found = []
        with self._naming():
            self._batched.detach_all()
            for number in self._each(range(self.num_envs)):
                value = self._players[number].get_wrapper_attr(name)
                found.append(value(*arguments[number], **options) if callable(value) else value)
        return tuple(found)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return the value of an attribute for each environment."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of every environment. A list or tuple has a value for each, anything else is the
        same for all. Raises ConfigError for another number of values."""
        each = list(values) if isinstance(values, list | tuple) else [values] * self.num_envs
        if len(each) != self.num_envs:
            raise ConfigError(f"{name}: got {len(each)} values, expected one for each of {self.num_envs}")
        self._called("set_wrapper_attr", [(name, value) for value in each], {})

    def set_curriculum(self, config: Config) -> None:
        """Play other tasks in every environment from its next reset on. Environment k has its own copy,
        restarted with seed + k. See `ArenaEnv.set_curriculum`."""
        self.call("set_curriculum", curriculum(config, self._version))

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """Seeds of the environments' generators."""
        return self.get_attr("np_random_seed")

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """Copies of the environments' generators."""
        return self.get_attr("np_random")

    def render(self) -> tuple[Frame | None, ...]:  # type: ignore[override]
        """Render every environment, as `ArenaEnv.render` does."""
        return self.call("render")

    def close_extras(self, **kwargs: Any) -> None:
        """Close the environments."""
        for env in self._players:
            env.close()


def _mode(mode: str | AutoresetMode) -> AutoresetMode:
    """Return a mode from itself, its value or its name."""
    for each in AutoresetMode:
        if mode in (each, each.value, each.name):
            return each
    names = ", ".join(repr(each.name) for each in AutoresetMode)
    raise ConfigError(f"autoreset_mode: got {mode!r}, expected one of {names}")
