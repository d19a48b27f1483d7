"""Many arenas as a Gymnasium vector environment, stepped by this process or by workers."""

import multiprocessing
import pickle
import signal
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import accumulate
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from typing import Any
from weakref import finalize

import cloudpickle  # type: ignore[import-untyped]
import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from arena.action import ACTIONS, TICKS_PER_STEP, Rotate
from arena.cameras import BatchRenderer, Frame, open_batch
from arena.errors import ArenaError, ConfigError, WorkerError
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
from arena.processes import cores
from arena.rays import CAST_LENGTH, CAST_RADIUS
from arena.taskfile.versions import Version

_MOST_PENDING = 1000
"""Steps after which the episodes of all environments are updated at the latest."""

_UNLIMITED = 2**62
"""More steps than any episode has."""


class QuietSteps:
    """Takes the quiet steps of a group of environments.

    Those that are `held` have lent their agents and clocks, and lack the last steps; `release` gives all
    back.
    """

    def __init__(self, envs: Sequence[ArenaEnv]) -> None:
        count = len(envs)
        self._envs, sensors = envs, envs[0].sensors
        self._names, self._repeat, self._stack = sensors.quiet_names, envs[0].action_repeat, sensors.stack
        self._past: dict[str, npt.NDArray[np.float32]] = {}
        self.held: Bools = np.zeros(count, np.bool_)
        self._bodies, self._clocks = np.zeros((count, BODY)), np.zeros((count, CLOCK), np.float32)
        self.rewards, self._totals = np.zeros(count), np.zeros(count)
        self._marks, self._left = np.full(count, np.nan), np.zeros(count, np.int64)
        self._parts: list[Parts] = [np.empty(0, PART)] * count
        self._columns: list[Ints] = [np.empty(0, np.int64)] * count
        self._is_joined = False
        self._taken: list[Ints] = []
        self._since = [0] * count
        self._infos: list[Infos] = [({}, {})] * count

    def hold(self, number: int) -> None:
        """Hold an environment if its next step may be quiet."""
        env = self._envs[number]
        parts = env.lend(self._bodies[number], self._clocks[number]) if self._names else None
        if parts is None:
            return
        self._parts[number], episode = parts, env.episode
        self._totals[number] = episode.total_reward
        self._marks[number] = np.nan if episode.spec.pass_mark is None else episode.spec.pass_mark
        self._left[number] = _UNLIMITED if env.max_steps is None else env.max_steps - env.steps
        if "rays" in self._names:
            things = episode.scene().things
            self._columns[number] = env.sensors.rays(episode.spec.version).columns(things)
        for name, stacked in env.sensors.past.get(0, {}).items():
            self._past.setdefault(name, np.empty((len(self._envs), len(stacked)), np.float32))
            self._past[name][number] = stacked
        self._is_joined = False
        self._since[number] = len(self._taken)
        self._infos[number] = env.quiet_infos
        self.held[number] = True

    def release(self, number: int) -> None:
        """Bring an environment's episode up to date, which then goes on by itself."""
        if not self.held[number]:
            return
        self.held[number] = False
        env = self._envs[number]
        env.sensors.past[0] = {name: stacked[number].copy() for name, stacked in self._past.items()}
        taken = [int(actions[number]) for actions in self._taken[self._since[number] :]]
        actions = [ACTIONS[each] for each in taken]
        env.take_back(self._parts[number], actions, float(self._totals[number]))

    def release_all(self) -> None:
        """Bring all episodes up to date."""
        for number in np.flatnonzero(self.held).tolist():
            self.release(number)
        self._taken.clear()

    def step(self, actions: Ints) -> Bools:
        """Take a step, with an index into `arena.ACTIONS` for each, in the environments that are held and
        have a quiet step; return which have, and release the others. `rewards` are theirs."""
        if len(self._taken) >= _MOST_PENDING:
            held = self.held.copy()
            self.release_all()
            for number in np.flatnonzero(held).tolist():
                self.hold(number)
        if not self._is_joined:
            self._join()
        # The last step before the limit is an environment's own, which ends the episode.
        ready = self.held & (self._left > 1)
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
        for number in np.flatnonzero(self.held & ~ready).tolist():
            self.release(number)
        self._left -= ready
        self._taken.append(actions)
        return ready

    def observe(self, ready: Bools, rows: dict[str, npt.NDArray[np.float32]]) -> None:
        """Write the observations of those that are `ready` into `rows` (n, ...), by the sensor's name."""
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
        """The infos after a quiet step."""
        reached = (self._totals >= self._marks).tolist()
        return [infos[passed] for infos, passed in zip(self._infos, reached, strict=True)]

    def _join(self) -> None:
        """Join the tables of all environments, of which one has changed."""
        self._table = one_table(self._parts)
        self._ends = np.array([0, *accumulate(map(len, self._parts))])
        # Each goes on in its rows of the table, in which balls move.
        self._parts = np.split(self._table, self._ends[1:-1])
        self._listed = np.concatenate(self._columns)
        self._list_ends = np.array([0, *accumulate(map(len, self._columns))])
        self._is_joined = True


_TASK_BYTES = 128
"""Maximum length of a task's id, which is only used in messages; a longer one is cut."""


class SharedArrays:
    """The arrays of all environments, or of the `rows` of some.

    `observations` (n, ...) by the sensor's name; `rewards` float64, `terminated` and `truncated` bool, all
    (n,). `tasks` (n,): the id of each environment's task, UTF-8. `playing` int64 (n,): in the first row of
    each process, number of the environment that it steps now.
    """

    def __init__(
        self,
        boxes: Mapping[str, spaces.Box],
        num_envs: int,
        new_block: Callable[[str, int], Any],
        rows: slice = slice(None),
    ) -> None:
        """`new_block` returns the zeroed memory of an array, by its name and its number of bytes, or that of
        another process."""
        forms: dict[str, Any] = {"rewards": np.float64, "terminated": np.bool_, "truncated": np.bool_}
        forms |= {"tasks": f"S{_TASK_BYTES}", "playing": np.int64}
        forms |= {f"observation {name}": (box.dtype, box.shape) for name, box in boxes.items()}
        kinds = {name: np.dtype(form) for name, form in forms.items()}
        self.blocks = {name: new_block(name, num_envs * kind.itemsize) for name, kind in kinds.items()}
        arrays: dict[str, npt.NDArray[Any]] = {
            name: np.frombuffer(self.blocks[name], kind)[rows] for name, kind in kinds.items()
        }
        self.observations = {name: arrays[f"observation {name}"] for name in boxes}
        self.rewards, self.tasks, self.playing = arrays["rewards"], arrays["tasks"], arrays["playing"]
        self.terminated, self.truncated = arrays["terminated"], arrays["truncated"]


class EnvGroup:
    """Environments `first`, `first` + 1, ... of a vector environment, stepped one after another.

    Observations, rewards and ends are written into the arrays' rows, which are theirs; infos are returned.
    """

    def __init__(
        self,
        envs: Sequence[ArenaEnv],
        memory: SharedArrays,
        mode: AutoresetMode,
        *,
        first: int = 0,
        batch: BatchRenderer | None = None,
    ) -> None:
        """`batch` renders the views of all of them in one call; without it each renders its own."""
        self.envs = tuple(envs)
        self.memory, self._mode, self._batch = memory, mode, batch
        self._first = memory.playing[0] = first
        self._quiet = QuietSteps(self.envs)

    def run(self, name: str, each: Iterable[Sequence[Any]] = (), *common: Any) -> list[Any]:
        """Call a method with arguments for `each` environment and `common` ones; errors have the number of
        the environment."""
        try:
            return list(getattr(self, name)(*each, *common))
        except ArenaError as error:
            raise type(error)(f"environment {self.memory.playing[0]}: {error}") from None
        except Exception as error:
            error.add_note(f"in environment {self.memory.playing[0]}")
            raise

    def reset(
        self, seeds: Sequence[int | None], chosen: Sequence[bool], options: Info | None
    ) -> list[Info | None]:
        """Reset the chosen environments; the info of the others is None."""
        self._quiet.release_all()
        memory = self.memory
        infos: list[Info | None] = [None] * len(self.envs)
        begun = np.flatnonzero(chosen).tolist()
        for number in self._each(begun):
            infos[number] = self._begin(number, seeds[number], options)
            memory.rewards[number], memory.terminated[number], memory.truncated[number] = 0.0, False, False
        self._observe(begun, begun)
        return infos

    def step(self, actions: npt.NDArray[np.int64]) -> list[Info]:
        """Take an action in each environment, an index into `arena.ACTIONS`; those that are over are reset as
        the mode requires."""
        memory = self.memory
        over = memory.terminated | memory.truncated
        quiet = self._quiet.step(actions)
        infos: list[Info] = self._quiet.infos()
        memory.rewards[:], memory.terminated[:], memory.truncated[:] = self._quiet.rewards, False, False
        others, begun = np.flatnonzero(~quiet).tolist(), []
        for number in self._each(others):
            if self._mode is AutoresetMode.NEXT_STEP and over[number]:
                infos[number] = self._begin(number)
                begun.append(number)
                memory.rewards[number] = 0.0
            else:
                taken = self.envs[number].advance(ACTIONS[actions[number]])
                memory.rewards[number], memory.terminated[number], memory.truncated[number] = taken[:3]
                infos[number] = taken[3]
        if len(others) < len(self.envs):
            self._quiet.observe(quiet, memory.observations)
        self._observe(others, begun)
        if self._mode is AutoresetMode.SAME_STEP:
            self._reset_ended(infos)
        for number in others:
            self._quiet.hold(number)
        return infos

    def _reset_ended(self, infos: list[Info]) -> None:
        """Reset the environments that are over, and keep their last observation and info."""
        over = np.flatnonzero(self.memory.terminated | self.memory.truncated).tolist()
        for number in self._each(over):
            last = {name: array[number].copy() for name, array in self.memory.observations.items()}
            final = {"final_obs": self.envs[number].sensors.shaped(last), "final_info": infos[number]}
            infos[number] = final | self._begin(number)
        self._observe(over, over)

    def _begin(self, number: int, seed: int | None = None, options: Info | None = None) -> Info:
        env = self.envs[number]
        info = env.begin(seed, options)
        self.memory.tasks[number] = env.episode.task_id.encode(errors="replace")
        return info

    def _each(self, numbers: Iterable[int]) -> Iterator[int]:
        """The numbers one by one; the current one is stored so that errors can name the environment, also if
        this process dies."""
        for number in numbers:
            self.memory.playing[0] = self._first + number
            yield number

    def _observe(self, numbers: Sequence[int], begun: Sequence[int]) -> None:
        """Write the observations of some environments; for those in `begun` it is an episode's first."""
        views = self._views(numbers)
        for number in self._each(numbers):
            env = self.envs[number]
            seen = env.sensors.named(env.episode, first=number in begun, view=views.get(number))
            for name, array in seen.items():
                self.memory.observations[name][number] = array

    def _views(self, numbers: Sequence[int]) -> dict[int, RenderedView]:
        """The views of some environments, rendered in one call; empty without a batch renderer."""
        if self._batch is None or not numbers:
            return {}
        scenes = {number: self.envs[number].episode.scene() for number in numbers}
        dark = replace(next(iter(scenes.values())), lights_on=False)
        # Each keeps its position, for which the renderer caches shadows; a dark scene is not rendered.
        frames = self._batch.frames([scenes.get(number, dark) for number in range(len(self.envs))])
        return {number: RenderedView(scene, frames[number]) for number, scene in scenes.items()}

    def call(self, arguments: Sequence[Sequence[Any]], name: str, options: Info) -> list[Any]:
        """Results of a method, or values of an attribute, for each environment."""
        self._quiet.release_all()
        found = []
        for number in self._each(range(len(self.envs))):
            value = self.envs[number].get_wrapper_attr(name)
            found.append(value(*arguments[number], **options) if callable(value) else value)
        return found

    def close(self) -> None:
        """Close the environments."""
        for env in self.envs:
            env.close()


_EXIT_TIMEOUT_S = 5.0
"""Seconds that a worker has to exit before it is killed."""


def _context() -> BaseContext:
    """How processes are started: not by fork, as threads that draw do not survive it."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    # Imported once for all workers.
    context.set_forkserver_preload([__name__])
    return context


class WorkerProcesses:
    """Several groups of environments, each in its own process; with the methods of `EnvGroup`."""

    def __init__(
        self,
        num_envs: int,
        workers: int,
        boxes: Mapping[str, spaces.Box],
        mode: AutoresetMode,
        options: Info,
    ) -> None:
        """Raises as `ArenaEnv` does."""
        context = _context()
        self.memory = SharedArrays(boxes, num_envs, lambda name, size: context.RawArray("b", size))
        self._shares = [
            slice(int(rows[0]), int(rows[-1]) + 1) for rows in np.array_split(np.arange(num_envs), workers)
        ]
        self._connections: list[Connection] = []
        self._processes: list[Any] = []
        self._pending: set[int] = set()
        # Not `__del__`, which may run after the connections are closed and their numbers are used again.
        self._end = finalize(self, _end, self._connections, self._processes)
        sent = _pickled(options)
        try:
            for worker, share in enumerate(self._shares):
                here, there = context.Pipe()
                process = context.Process(  # type: ignore[attr-defined]
                    target=_work,
                    args=(there, self.memory.blocks, num_envs, share, mode, sent),
                    name=f"arena-{worker}",
                    daemon=True,
                )
                self._connections.append(here)
                process.start()
                self._processes.append(process)
                there.close()
                self._pending.add(worker)
            self._gather(range(workers))
        except BaseException:
            self.close()
            raise

    def run(self, name: str, each: Iterable[Sequence[Any]] = (), *common: Any) -> list[Any]:
        """`EnvGroup.run` of all workers; their results one after another."""
        # Discard answers that an interrupted call left unread.
        self._gather(tuple(self._pending), raises=False)
        # The slower one takes functions of the program too.
        dumps = pickle.dumps if name == "step" else cloudpickle.dumps
        for worker, share in enumerate(self._shares):
            try:
                message = dumps((name, [values[share] for values in each], *common))
                self._connections[worker].send_bytes(message)
            except (BrokenPipeError, ConnectionResetError):
                raise self._lost(worker) from None
            self._pending.add(worker)
        return [value for values in self._gather(range(len(self._shares))) for value in values]

    def _gather(self, workers: Iterable[int], raises: bool = True) -> list[Any]:
        """The answers of workers; raises the first error among them once all have answered."""
        answers = [self._receive(worker) for worker in workers]
        errors = [answer for answer in answers if isinstance(answer, Exception)]
        if raises and errors:
            try:
                raise errors[0]
            finally:
                # The error refers to this frame; without this, both would be freed late.
                del answers, errors
        return answers

    def _receive(self, worker: int) -> list[Any] | Exception:
        connection, process = self._connections[worker], self._processes[worker]
        if connection not in wait([connection, process.sentinel]) and not connection.poll():
            raise self._lost(worker)
        try:
            answer: list[Any] | Exception = connection.recv()
        except (EOFError, ConnectionResetError):
            raise self._lost(worker) from None
        self._pending.discard(worker)
        return answer

    def _lost(self, worker: int) -> WorkerError:
        """Close all workers because one has died; return the error."""
        process, share = self._processes[worker], self._shares[worker]
        process.join(_EXIT_TIMEOUT_S)
        row = int(self.memory.playing[share.start])
        task = bytes(self.memory.tasks[row]).decode(errors="replace")
        self.close()
        what, hint = f"environments {share.start} to {share.stop - 1}", ""
        if task:
            what = f"environment {row}, which played {task},"
        elif process.exitcode == 1:
            hint = "; the program must create it under: if __name__ == '__main__':"
        if process.exitcode == -9:
            hint = "; it was killed, perhaps because memory ran out"
        return WorkerError(
            f"the process of {what} has ended with exit code {process.exitcode}; the vector "
            f"environment is closed{hint}"
        )

    def close(self) -> None:
        """End all processes."""
        self._end()


def _end(connections: Sequence[Connection], processes: Sequence[Any]) -> None:
    """Close the connections and wait for the workers; one that does not exit is killed."""
    for connection in connections:
        connection.close()
    for process in processes:
        process.join(_EXIT_TIMEOUT_S)
        for end in (process.terminate, process.kill):
            if process.is_alive():
                end()
                process.join(_EXIT_TIMEOUT_S)


def _pickled(options: Info) -> bytes:
    """The options in a form that can be sent to a process; raises ConfigError if they cannot be pickled."""
    try:
        return bytes(cloudpickle.dumps(options))
    except Exception as error:
        raise ConfigError(
            f"config: it cannot be sent to other processes ({error}); make it picklable or use workers=0"
        ) from None


def _work(
    connection: Connection,
    blocks: Mapping[str, Any],
    num_envs: int,
    share: slice,
    mode: AutoresetMode,
    options: bytes,
) -> None:
    """A worker: serves a vector environment until it closes its end of the connection."""
    # Ctrl-C reaches every process of a terminal; the main process decides what to end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with connection, suppress(EOFError, BrokenPipeError, ConnectionResetError):
        try:
            given = pickle.loads(options)
            envs = [ArenaEnv(**given) for _ in range(share.start, share.stop)]
            memory = SharedArrays(envs[0].sensors.boxes, num_envs, lambda name, size: blocks[name], share)
            group = EnvGroup(envs, memory, mode, first=share.start)
        except Exception as error:
            connection.send(_sendable(error))
            return
        connection.send([])
        while True:
            message = connection.recv()
            try:
                answer = pickle.dumps(group.run(*message))
            except Exception as error:
                answer = pickle.dumps(_sendable(error))
            connection.send_bytes(answer)


def _sendable(error: Exception) -> Exception:
    """The error, with its stack as a note if no user can fix it, or its text if it cannot be pickled."""
    if not isinstance(error, ArenaError):
        error.add_note("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError("".join(traceback.format_exception(error)))
    return error


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
