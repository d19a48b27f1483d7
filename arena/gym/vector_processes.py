"""The worker processes of a vector environment, seen from the main process."""

import multiprocessing
import pickle
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from typing import Any
from weakref import finalize

import cloudpickle  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import CloudpickleWrapper

from arena.errors import ConfigError, WorkerError
from arena.gym.info import Info
from arena.gym.vector_memory import SharedArrays
from arena.gym.vector_worker import Answer, Job, work

_EXIT_TIMEOUT_S = 5.0
"""Seconds that a worker has to exit before it is killed."""


def _context() -> BaseContext:
    """How processes are started: not by fork, after which OpenGL cannot be used."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    # Imported once for all workers.
    context.set_forkserver_preload(["arena.gym.vector_worker"])
    return context


class WorkerProcesses:
    """Several groups of environments, each in its own process; with the methods of `EnvGroup`."""

    def __init__(
        self,
        num_envs: int,
        workers: int,
        space: spaces.Space[Any],
        mode: AutoresetMode,
        options: Info,
    ) -> None:
        """Raises as `ArenaEnv` does."""
        context = _context()
        self.memory = SharedArrays(space, num_envs, workers, lambda size: context.RawArray("b", size))
        self._shares = [
            slice(int(rows[0]), int(rows[-1]) + 1) for rows in np.array_split(np.arange(num_envs), workers)
        ]
        self._connections: list[Connection] = []
        self._processes: list[Any] = []
        self._pending: set[int] = set()
        # Not `__del__`, which may run after the connections are closed and their numbers are used again.
        self._end = finalize(self, _end, self._connections, self._processes)
        wrapped = _sendable(options)
        try:
            for worker, share in enumerate(self._shares):
                count = share.stop - share.start
                job = Job(worker, workers, share.start, count, num_envs, mode, wrapped)
                self._start(context, job)
            self._gather(range(workers))
        except BaseException:
            self.close()
            raise

    def _start(self, context: BaseContext, job: Job) -> None:
        here, there = context.Pipe()
        process = context.Process(  # type: ignore[attr-defined]
            target=work, args=(job, self.memory.block, there), name=f"arena-{job.worker}", daemon=True
        )
        self._connections.append(here)
        process.start()
        self._processes.append(process)
        there.close()
        self._pending.add(job.worker)

    def reset(
        self, seeds: Sequence[int | None], options: Info | None, chosen: Sequence[bool]
    ) -> list[Info | None]:
        """`EnvGroup.reset` for all environments."""
        return self._ask("reset", lambda share: (seeds[share], options, chosen[share]))

    def step(self, actions: npt.NDArray[Any]) -> list[Info]:
        """`EnvGroup.step` for all environments."""
        return self._ask("step", lambda share: (actions[share],))

    def call(self, name: str, arguments: Sequence[Any], options: Info) -> list[Any]:
        """`EnvGroup.call` for all environments."""
        return self._ask("call", lambda _: (name, arguments, options), cloudpickle.dumps)

    def set_attr(self, name: str, values: Sequence[Any]) -> None:
        """`EnvGroup.set_attr` for all environments."""
        self._ask("set_attr", lambda share: (name, values[share]), cloudpickle.dumps)

    def _ask(
        self,
        name: str,
        arguments_of: Callable[[slice], tuple[Any, ...]],
        dumps: Callable[[Any], bytes] = pickle.dumps,
    ) -> list[Any]:
        """Call a method of all workers and concatenate their answers."""
        # Discard answers that an interrupted call left unread.
        self._gather(tuple(self._pending), raises=False)
        for worker, share in enumerate(self._shares):
            try:
                self._connections[worker].send_bytes(dumps((name, arguments_of(share))))
            except (BrokenPipeError, ConnectionResetError):
                raise self._lost(worker) from None
            self._pending.add(worker)
        answers = self._gather(range(len(self._shares)))
        return [value for values in answers if values is not None for value in values]

    def _gather(self, workers: Sequence[int], raises: bool = True) -> list[Any]:
        """The answers of workers; raises the first error among them once all have answered."""
        answers = [self._receive(worker) for worker in workers]
        errors = [answer.error for answer in answers if answer.error is not None]
        if raises and errors:
            try:
                raise errors[0]
            finally:
                # The error refers to this frame; without this, both would be freed late.
                del answers, errors
        return [answer.value for answer in answers]

    def _receive(self, worker: int) -> Answer:
        connection, process = self._connections[worker], self._processes[worker]
        if connection not in wait([connection, process.sentinel]) and not connection.poll():
            raise self._lost(worker)
        try:
            answer: Answer = connection.recv()
        except (EOFError, ConnectionResetError):
            raise self._lost(worker) from None
        self._pending.discard(worker)
        return answer

    def _lost(self, worker: int) -> WorkerError:
        """Close all workers because one has died; return the error."""
        process, share = self._processes[worker], self._shares[worker]
        process.join(_EXIT_TIMEOUT_S)
        row = int(self.memory.playing[worker])
        task = bytes(self.memory.tasks[row]).decode(errors="replace")
        self.close()
        what = f"environments {share.start} to {share.stop - 1}"
        if task:
            what = f"environment {row}, which played {task},"
        return WorkerError(
            f"the process of {what} has ended with exit code {process.exitcode}; the vector "
            "environment is closed" + _hint(process.exitcode, task)
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


def _sendable(options: Info) -> CloudpickleWrapper:
    """The options in a form that can be sent to a process; raises ConfigError if they cannot be pickled."""
    wrapped = CloudpickleWrapper(lambda: options)  # type: ignore[arg-type, return-value]
    try:
        pickle.dumps(wrapped)
    except Exception as error:
        raise ConfigError(
            f"config: it cannot be sent to other processes ({error}); make it picklable or use workers=0"
        ) from None
    return wrapped


def _hint(exit_code: int | None, task: str) -> str:
    if not task and exit_code == 1:
        return "; the program must create it under: if __name__ == '__main__':"
    return "; it was killed, perhaps because memory ran out" if exit_code == -9 else ""
