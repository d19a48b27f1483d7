"""The worker processes of a vector environment: each steps several environments."""

import multiprocessing
import os
import pickle
import signal
import traceback
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from typing import Any
from weakref import finalize

import cloudpickle  # type: ignore[import-untyped]
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from arena.errors import ArenaError, ConfigError, WorkerError
from arena.gym.env import ArenaEnv
from arena.gym.info import Info
from arena.gym.vector_group import EnvGroup, SharedArrays

_EXIT_TIMEOUT_S = 5.0
"""Seconds that a worker has to exit before it is killed."""


def _context() -> BaseContext:
    """How processes are started: not by fork, after which OpenGL cannot be used."""
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
                    args=(there, self.memory.blocks, num_envs, share, workers, mode, sent),
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
    workers: int,
    mode: AutoresetMode,
    options: bytes,
) -> None:
    """A worker: serves a vector environment until it closes its end of the connection."""
    # Ctrl-C reaches every process of a terminal; the main process decides what to end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if workers > 1:
        # With several rendering processes, Mesa's own threads only slow each other down.
        os.environ.setdefault("LP_NUM_THREADS", "0")
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
