"""The worker processes of a vector environment, seen from the process that asks."""

import multiprocessing
import pickle
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from typing import Any
from weakref import finalize

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import CloudpickleWrapper

from arena.errors import ConfigError, WorkerError
from arena.gym.vector_group import Info
from arena.gym.vector_memory import Memory
from arena.gym.vector_worker import Answer, Job, work

_PATIENCE_S = 5.0
"""Seconds that a worker has to end by itself when it is told to."""


def _context() -> BaseContext:
    """How processes are started: never by a copy of one that has drawn, whose OpenGL cannot be used."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    # Imported once for all workers.
    context.set_forkserver_preload(["arena.gym.vector_worker"])
    return context


class Processes:
    """Several groups of environments, each in a process of its own; with the methods of `Group`."""

    def __init__(
        self,
        num_envs: int,
        workers: int,
        space: spaces.Space[Any],
        mode: AutoresetMode,
        options: Info,
        task_of: Callable[[int], object],
    ) -> None:
        """`task_of` tells what an environment plays, for errors. Raises as `ArenaEnv` does."""
        context = _context()
        self.memory = Memory(space, num_envs, workers, lambda size: context.RawArray("b", size))
        self._task_of = task_of
        self._shares = [
            slice(int(rows[0]), int(rows[-1]) + 1) for rows in np.array_split(np.arange(num_envs), workers)
        ]
        self._connections: list[Connection] = []
        self._processes: list[Any] = []
        self._owed: set[int] = set()
        # Not `__del__`: that may come after the connections are gone, and close what has their numbers now.
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
        self._owed.add(job.worker)

    def reset(
        self, seeds: Sequence[int | None], options: Info | None, chosen: Sequence[bool]
    ) -> list[Info | None]:
        """As `Group.reset`, of all environments."""
        return self._ask("reset", lambda share: (seeds[share], options, chosen[share]))

    def step(self, actions: npt.NDArray[Any]) -> list[Info]:
        """As `Group.step`, of all environments."""
        return self._ask("step", lambda share: (actions[share],))

    def call(self, name: str, arguments: Sequence[Any], options: Info) -> list[Any]:
        """As `Group.call`, of all environments."""
        return self._ask("call", lambda _: (name, arguments, options))

    def set_attr(self, name: str, values: Sequence[Any]) -> None:
        """As `Group.set_attr`, of all environments."""
        self._ask("set_attr", lambda share: (name, values[share]))

    def _ask(self, name: str, arguments_of: Callable[[slice], tuple[Any, ...]]) -> list[Any]:
        """Let all workers do something, and put their answers one after another."""
        # What an interrupted call left unread is not the answer to this one.
        self._gather(tuple(self._owed), heed=False)
        for worker, share in enumerate(self._shares):
            try:
                self._connections[worker].send((name, arguments_of(share)))
            except (BrokenPipeError, ConnectionResetError):
                raise self._lost(worker) from None
            self._owed.add(worker)
        answers = self._gather(range(len(self._shares)))
        return [value for values in answers if values is not None for value in values]

    def _gather(self, workers: Sequence[int], heed: bool = True) -> list[Any]:
        """The answers of workers; when all have come, the first error among them is raised."""
        answers = [self._receive(worker) for worker in workers]
        errors = [answer.error for answer in answers if answer.error is not None]
        if heed and errors:
            try:
                raise errors[0]
            finally:
                # An error knows this frame; if the frame knew the error, neither would be freed soon.
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
        self._owed.discard(worker)
        return answer

    def _lost(self, worker: int) -> WorkerError:
        """What to say of a worker that is gone; the others are ended too."""
        process, share = self._processes[worker], self._shares[worker]
        process.join(_PATIENCE_S)
        row = int(self.memory.playing[worker])
        task = self._task_of(row)
        self.close()
        what = f"environment {row}" if task is not None else f"environments {share.start} to {share.stop - 1}"
        playing = f", which played {task}," if task is not None else ""
        return WorkerError(
            f"the process of {what}{playing} has ended with exit code {process.exitcode}; the vector "
            "environment is closed" + _hint(process.exitcode, task)
        )

    def close(self) -> None:
        """End all processes."""
        self._end()


def _end(connections: Sequence[Connection], processes: Sequence[Any]) -> None:
    """Close what workers listen to, and wait for them; one that does not end is killed."""
    for connection in connections:
        connection.close()
    for process in processes:
        process.join(_PATIENCE_S)
        for end in (process.terminate, process.kill):
            if process.is_alive():
                end()
                process.join(_PATIENCE_S)


def _sendable(options: Info) -> CloudpickleWrapper:
    """The environments' options as they can be sent to a process; raises ConfigError where they cannot."""
    wrapped = CloudpickleWrapper(lambda: options)  # type: ignore[arg-type, return-value]
    try:
        pickle.dumps(wrapped)
    except Exception as error:
        raise ConfigError(
            f"config: it cannot be sent to other processes ({error}); let it be pickled, or use workers=0"
        ) from None
    return wrapped


def _hint(exit_code: int | None, task: object) -> str:
    if task is None and exit_code == 1:
        return "; a program that makes one begins under: if __name__ == '__main__':"
    return "; it was killed, perhaps for want of memory" if exit_code == -9 else ""
