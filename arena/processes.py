"""Processes of this machine: parallel work, and the handling of Ctrl-C."""

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import Any, TypeVar

from arena.errors import EvaluationError


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def follow_parent() -> None:
    """Let Ctrl-C end the parent process, and end when it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if (parent := multiprocessing.parent_process()) is not None:
        threading.Thread(target=_end_after, args=(parent.sentinel,), daemon=True).start()


def _end_after(sentinel: int) -> None:
    """Exit after the end of a process. A pool's queues do not report it: workers hold both of their ends."""
    wait([sentinel])
    os._exit(1)


@contextmanager
def ctrl_c_deferred() -> Iterator[None]:
    """Defer Ctrl-C to the end of the block. Processes started in the block obey it only after they are set
    up. Only the main thread may set signals; in another this does nothing."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # If it is not running yet, its start would end the blocking.
    resource_tracker.ensure_running()
    missed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: missed.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)
        if missed:
            signal.raise_signal(signal.SIGINT)


Given = TypeVar("Given")
Made = TypeVar("Made")

AHEAD = 3
"""Maximum pending items per process, enough to keep all busy."""

GRACE_S = 3.0
"""Seconds in which processes may finish their work when it is stopped."""


class Engine:
    """Engine that spreads work: processes of this machine, or others in subclasses. `jobs` is the maximum
    number of concurrent tasks; None means as many as there are cores."""

    def __init__(self, jobs: int | None = None) -> None:
        self.jobs = jobs or cores()

    def episodes(self) -> Any:
        """Return the backend for episodes. None here, as the runner's own plays them."""
        return None

    def in_order(
        self,
        function: Callable[[Given], Made],
        items: Iterable[Given],
        jobs: int,
        named: Callable[[Given], str] = str,
    ) -> Generator[Made, None, None]:
        """Run the function `in_order`. With one job, this process does the work."""
        if jobs == 1:
            yield from map(function, items)
            return
        pool = new_pool(jobs)
        waiting: deque[Future[Made]] = deque()
        rest = iter(items)

        def submit(count: int) -> None:
            given = list(islice(rest, count))
            with ctrl_c_deferred():
                waiting.extend(pool.submit(function, item) for item in given)

        try:
            submit(AHEAD * jobs)
            while waiting:
                yield waiting.popleft().result()
                submit(1)
        except BrokenProcessPool:
            raise EvaluationError("a worker process was killed; try a smaller --jobs") from None
        finally:
            shut_down(pool)


def new_pool(jobs: int) -> ProcessPoolExecutor:
    """Start a pool of processes that ignore Ctrl-C. They end with this one."""
    # Spawned: a process forked next to a progress bar's thread can deadlock.
    return ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=follow_parent)


def shut_down(pool: ProcessPoolExecutor) -> None:
    """End a pool, and after `GRACE_S` every task still running. Their results are no longer needed."""
    workers = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    deadline = time.monotonic() + GRACE_S
    for worker in workers:
        worker.join(max(0.0, deadline - time.monotonic()))
        if worker.is_alive():
            worker.terminate()
    pool.shutdown(wait=True)


def in_order(
    function: Callable[[Given], Made],
    items: Iterable[Given],
    jobs: int,
    engine: Engine | None = None,
    named: Callable[[Given], str] = str,
) -> Generator[Made, None, None]:
    """Yield `function` of each item, in order, computed by an engine's processes.

    Without an engine they are this machine's. Items are taken as results are, so neither may be many in
    memory. They and the function are sent to the processes, which may not see this machine's files: all
    content needed from files must be in the items. Closing the iterator stops the work. `named` names an item
    in errors. Raises the errors of the function, and EvaluationError if a process was killed; Ray repeats the
    task first.
    """
    return (engine or Engine(jobs)).in_order(function, items, jobs, named)
