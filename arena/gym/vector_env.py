"""Many arenas as a Gymnasium vector environment."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from arena.action import Rotate
from arena.cameras import Frame, open_batch
from arena.errors import ConfigError, WorkerError
from arena.gym.curriculum import Config, curriculum
from arena.gym.env import ArenaEnv
from arena.gym.info import COMMON, common
from arena.gym.options import whole
from arena.gym.sensors import Observation
from arena.gym.vector_group import EnvGroup, SharedArrays, WorkerProcesses
from arena.kernel.tables import Bools
from arena.processes import cores

Step = tuple[Observation, npt.NDArray[np.float64], Bools, Bools, dict[str, Any]]


class ArenaVectorEnv(VectorEnv[Any, Any, Any]):
    """Many arenas; each is bit-identical to a single `ArenaEnv` with the same seed and actions.

    `workers` processes step several environments each and write observations into shared memory. They are
    started by forkserver or spawn, so a program must create the environment under
    `if __name__ == "__main__":`. With `workers=0` all environments run in this process and their cameras are
    rendered in one call, which is best with a GPU.

    `autoreset_mode` is Gymnasium's: environments that are over are reset by the next step, in the same step
    (then `infos` has `final_obs` and `final_info`), or by `reset` with `options={"reset_mask": ...}`.
    Environment k is seeded with seed + k.
    """

    def __init__(
        self,
        num_envs: int = 1,
        config: Config = (),
        *,
        workers: int | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        **options: Any,
    ) -> None:
        """`options` are those of `ArenaEnv`; `workers` defaults to the number of cores or, if smaller, of
        environments. With `copy=False` returned observations change with the next step.

        Raises ConfigError for an invalid option, and as `ArenaEnv` does.
        """
        self.closed = True
        self.num_envs = whole("num_envs", num_envs)
        count = cores() if workers is None else whole("workers", workers, 0)
        self.autoreset_mode, self._copy = _mode(autoreset_mode), copy
        if options.get("csv_log") is not None:
            raise ConfigError("csv_log: only a single ArenaEnv writes one; leave it out")
        options = {"config": config} | options
        single = ArenaEnv(**options)
        self.render_mode, self._version = single.render_mode, options.get("version")
        self.metadata = single.metadata | {"autoreset_mode": self.autoreset_mode}
        self.single_observation_space = single.observation_space
        self.single_action_space = single.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._shape = (self.num_envs, *(self.single_action_space.shape or ()))
        self._read, self._shaped = single.read_action, single.sensors.shaped
        self._started = np.zeros(self.num_envs, np.bool_)
        boxes, most = single.sensors.boxes, min(count, self.num_envs)
        self._players: EnvGroup | WorkerProcesses = (
            WorkerProcesses(self.num_envs, most, boxes, self.autoreset_mode, options)
            if most
            else self._local_group(options, single)
        )
        self._memory = self._players.memory
        self.closed = False

    def _local_group(self, options: dict[str, Any], single: ArenaEnv) -> EnvGroup:
        sensors = single.sensors
        memory = SharedArrays(sensors.boxes, self.num_envs, lambda name, size: bytearray(size))
        draws = "camera" in sensors.names
        batch = open_batch(self.num_envs, sensors.resolution, sensors.renderer) if draws else None
        envs = [ArenaEnv(**options) for _ in range(self.num_envs)]
        return EnvGroup(envs, memory, self.autoreset_mode, batch=batch)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Start the next task in every environment, or in those marked by `options["reset_mask"]`; with
        `options["task"]` the task of that id.

        With a number as `seed`, environment k is seeded with seed + k; a list has a seed or None for each.
        Raises ConfigError for another number of seeds, or a mask that is not bool (num_envs,).
        """
        rest = dict(options or {})
        chosen = self._mask(rest.pop("reset_mask", None))
        seeds = self._seeds(seed)
        infos = self._run("reset", (seeds, chosen), rest)
        self._started |= chosen
        return self._observation(), self._merged(infos)

    def step(self, actions: Any) -> Step:
        """Take an action in every environment; return observations, rewards, terminated, truncated, infos.

        Raises ConfigError for actions of another shape or outside the space, ResetNeeded if an environment is
        over and not reset automatically, and WorkerError if a process has died.
        """
        numbers = self._numbers(actions)
        memory = self._memory
        over = memory.terminated | memory.truncated
        if self.autoreset_mode is AutoresetMode.DISABLED and over.any():
            raise gymnasium.error.ResetNeeded(
                f"environments {np.flatnonzero(over).tolist()} are over: reset them with "
                'reset(options={"reset_mask": terminated | truncated})'
            )
        infos = self._run("step", (numbers,))
        return (
            self._observation(),
            memory.rewards.copy(),
            memory.terminated.copy(),
            memory.truncated.copy(),
            self._merged(infos),
        )

    def _numbers(self, actions: Any) -> npt.NDArray[np.int64]:
        """The actions' indices into `arena.ACTIONS`, read before any environment takes a step."""
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
        seen = self._memory.observations
        return self._shaped({name: array.copy() for name, array in seen.items()} if self._copy else {**seen})

    def _run(self, name: str, each: tuple[Any, ...], *common: Any) -> list[Any]:
        """`EnvGroup.run`; raises ClosedEnvironmentError after `close` or the death of a worker."""
        if self.closed:
            raise gymnasium.error.ClosedEnvironmentError("the vector environment is closed; make a new one")
        try:
            return self._players.run(name, each, *common)
        except WorkerError:
            self.closed = True
            raise

    def _merged(self, infos: Sequence[dict[str, Any] | None]) -> dict[str, Any]:
        """All infos in Gymnasium's format: an array for each key, and a mask of the environments that have
        it."""
        merged = common(infos)
        for number, info in enumerate(infos):
            if info is not None and len(info) > len(COMMON):
                more = {key: value for key, value in info.items() if key not in COMMON}
                merged = self._add_info(merged, more, number)
        return merged

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        """The seed of each environment; different random ones for those that never had one."""
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
        """Which environments to reset: all, or those that are marked."""
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise ConfigError(f"reset_mask: got {mask!r}, expected a bool array of shape ({self.num_envs},)")
        if not mask.any():
            raise ConfigError("reset_mask: got no True, expected at least one environment to reset")
        return mask.copy()

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Results of a method, or values of an attribute, for each environment."""
        if name in ("reset", "step", "close"):
            raise ConfigError(f"call: got {name!r}; use this method of the vector environment")
        return tuple(self._run("call", ([args] * self.num_envs,), name, kwargs))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Value of an attribute for each environment."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of every environment, to the values of a list or tuple or to the same value.

        Raises ConfigError for another number of values.
        """
        each = list(values) if isinstance(values, list | tuple) else [values] * self.num_envs
        if len(each) != self.num_envs:
            raise ConfigError(f"{name}: got {len(each)} values, expected one for each of {self.num_envs}")
        self._run("call", ([(name, value) for value in each],), "set_wrapper_attr", {})

    def set_curriculum(self, config: Config) -> None:
        """`ArenaEnv.set_curriculum` of every environment: k has its own copy, restarted with seed + k."""
        # Files are read, and what cannot be copied is refused, before anything is sent to a process.
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
        """`ArenaEnv.render` of every environment."""
        return self.call("render")

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the processes and close the environments."""
        self._players.close()


def _mode(mode: str | AutoresetMode) -> AutoresetMode:
    """A mode from itself, its value or its name."""
    for each in AutoresetMode:
        if mode in (each, each.value, each.name):
            return each
    names = ", ".join(repr(each.name) for each in AutoresetMode)
    raise ConfigError(f"autoreset_mode: got {mode!r}, expected one of {names}")
