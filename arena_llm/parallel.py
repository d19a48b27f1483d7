"""Work spread over processes, its results in order and few of them in memory."""

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import TypeVar

from arena.errors import EvaluationError

Given = TypeVar("Given")
Made = TypeVar("Made")

_AHEAD = 3
"""Items per process that are under way or wait to be taken: enough to keep all at work."""


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(
    function: Callable[[Given], Made], items: Iterable[Given], jobs: int
) -> Generator[Made, None, None]:
    """`function` of each item, in the order of the items, worked out by so many processes.

    With one job it is this process that works. Items are taken as results are, so neither may be many in
    memory. Closing the iterator stops the work. Raises what the function raises, and EvaluationError where
    a process was killed.
    """
    if jobs == 1:
        yield from map(function, items)
        return
    # Spawned: a process that is forked beside a progress bar's thread can deadlock, and OpenGL is not shared.
    pool = ProcessPoolExecutor(
        jobs, multiprocessing.get_context("spawn"), initializer=_leave_ctrl_c_to_parent
    )
    waiting: deque[Future[Made]] = deque()
    rest = iter(items)
    try:
        waiting.extend(pool.submit(function, item) for item in islice(rest, _AHEAD * jobs))
        while waiting:
            yield waiting.popleft().result()
            waiting.extend(pool.submit(function, item) for item in islice(rest, 1))
    except BrokenProcessPool:
        raise EvaluationError("a working process was ended from outside; try fewer by --jobs") from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _leave_ctrl_c_to_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
