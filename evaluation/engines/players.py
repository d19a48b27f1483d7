"""Episodes of a learned policy in processes of their own, where there are enough of them."""

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

import anyio.to_thread

from arena.errors import EvaluationError
from arena.processes import cores, leave_ctrl_c_to_parent
from llm_control.acting import play_policy
from llm_control.agents.policy_file import loaded
from llm_control.choices import Protocol
from llm_control.play import EpisodeRecord
from testbed import Task

EPISODES_PER_PROCESS = 8
"""From so many on a process is worth its start, which takes as long as some episodes: it loads torch."""

_POOL: ContextVar[ProcessPoolExecutor | None] = ContextVar("policy_pool", default=None)


def processes(episodes: int) -> int:
    """How many processes play so many episodes; 0 for this one."""
    worth = min(cores(), episodes // EPISODES_PER_PROCESS)
    return worth if worth > 1 else 0


@contextmanager
def playing(count: int) -> Iterator[None]:
    """Within this, episodes are played by so many processes; with 0 by this one, one after another."""
    if not count:
        yield
        return
    # Spawned: a process that is forked beside a display's thread can deadlock, and OpenGL is not shared.
    pool = ProcessPoolExecutor(
        count, multiprocessing.get_context("spawn"), initializer=leave_ctrl_c_to_parent
    )
    token = _POOL.set(pool)
    try:
        yield
    finally:
        _POOL.reset(token)
        pool.shutdown(wait=False, cancel_futures=True)


async def played(file: Path, sha256: str, task: Task, trial: int, protocol: Protocol) -> EpisodeRecord:
    """A policy's episode, from wherever it is played; `sha256` is that of the file when the run began.

    Raises EvaluationError where the file has changed since, or a process was killed.
    """
    pool = _POOL.get()
    if pool is None:
        return _play(file, sha256, task, trial, protocol)
    try:
        future = pool.submit(_play, file, sha256, task, trial, protocol)
        return await anyio.to_thread.run_sync(future.result, abandon_on_cancel=True)
    except BrokenProcessPool:
        raise EvaluationError("a playing process was ended from outside") from None


def _play(file: Path, sha256: str, task: Task, trial: int, protocol: Protocol) -> EpisodeRecord:
    policy = loaded(file)
    if policy.sha256 != sha256:
        raise EvaluationError(
            f"{file}: has changed since the run began; give the new policy a name of its own"
        )
    return play_policy(policy, task, trial, protocol)
