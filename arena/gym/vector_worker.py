"""A process that plays several environments of a vector environment."""

import os
import pickle
import signal
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import CloudpickleWrapper

from arena.gym.vector_group import Group, naming, new_envs
from arena.gym.vector_memory import Memory


@dataclass(frozen=True)
class Job:
    """What a worker is started with: its number, its environments, and the memory of all."""

    worker: int
    workers: int
    first: int
    count: int
    num_envs: int
    mode: AutoresetMode
    options: CloudpickleWrapper


class Answer(NamedTuple):
    """What a worker sends back: a value, or what went wrong."""

    value: Any = None
    error: Exception | None = None


def work(job: Job, block: Any, connection: Connection) -> None:
    """Serve a vector environment until its end of the connection is closed."""
    # Ctrl-C reaches every process of a terminal; the one that asks decides what it ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if job.workers > 1:
        # Mesa's own threads only get into each other's way where several processes draw.
        os.environ.setdefault("LP_NUM_THREADS", "0")
    try:
        _serve(job, block, connection)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass
    finally:
        connection.close()


def _serve(job: Job, block: Any, connection: Connection) -> None:
    try:
        envs = new_envs(job.count, job.options())
        memory = Memory(envs[0].observation_space, job.num_envs, job.workers, lambda size: block)
    except Exception as error:
        connection.send(Answer(error=_sendable(error)))
        return
    memory.playing[job.worker] = job.first
    group = Group(envs, memory, job.mode, first=job.first, worker=job.worker)
    connection.send(Answer())
    while True:
        name, arguments = connection.recv()
        try:
            with naming(memory, job.worker):
                payload = pickle.dumps(Answer(getattr(group, name)(*arguments)))
        except Exception as error:
            payload = pickle.dumps(Answer(error=_sendable(error)))
        connection.send_bytes(payload)


def _sendable(error: Exception) -> Exception:
    """The error, or its text where another process could not read it."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError("".join(traceback.format_exception(error)))
    return error
