"""A process that steps several environments of a vector environment."""

import os
import pickle
import signal
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import CloudpickleWrapper

from arena.errors import ArenaError
from arena.gym.env import ArenaEnv
from arena.gym.vector_group import EnvGroup, naming_environment
from arena.gym.vector_memory import SharedArrays


@dataclass(frozen=True)
class Job:
    """The arguments of a worker: its number, its environments, and the size of the shared arrays."""

    worker: int
    workers: int
    first: int
    count: int
    num_envs: int
    mode: AutoresetMode
    options: CloudpickleWrapper


class Answer(NamedTuple):
    """The reply of a worker: a value or an error."""

    value: Any = None
    error: Exception | None = None


def work(job: Job, block: Any, connection: Connection) -> None:
    """Serve a vector environment until it closes its end of the connection."""
    # Ctrl-C reaches every process of a terminal; the main process decides what to end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if job.workers > 1:
        # With several rendering processes, Mesa's own threads only slow each other down.
        os.environ.setdefault("LP_NUM_THREADS", "0")
    try:
        _serve(job, block, connection)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass
    finally:
        connection.close()


def _serve(job: Job, block: Any, connection: Connection) -> None:
    try:
        envs = [ArenaEnv(**job.options()) for _ in range(job.count)]
        memory = SharedArrays(envs[0].observation_space, job.num_envs, job.workers, lambda size: block)
    except Exception as error:
        connection.send(Answer(error=_sendable(error)))
        return
    memory.playing[job.worker] = job.first
    group = EnvGroup(envs, memory, job.mode, first=job.first, worker=job.worker)
    connection.send(Answer())
    while True:
        name, arguments = connection.recv()
        try:
            with naming_environment(memory, job.worker):
                payload = pickle.dumps(Answer(getattr(group, name)(*arguments)))
        except Exception as error:
            payload = pickle.dumps(Answer(error=_sendable(error)))
        connection.send_bytes(payload)


def _sendable(error: Exception) -> Exception:
    """The error, with its stack as a note if no user can fix it, or its text if it cannot be pickled."""
    if not isinstance(error, ArenaError):
        error.add_note("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError("".join(traceback.format_exception(error)))
    return error
