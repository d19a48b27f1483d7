"""Processes of this machine: how many are worth starting, and which of them gets Ctrl-C."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import wait


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def follow_parent() -> None:
    """Let Ctrl-C end the process that started this one, and end with that, whatever ended it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if (parent := multiprocessing.parent_process()) is not None:
        threading.Thread(target=_end_after, args=(parent.sentinel,), daemon=True).start()


def _end_after(sentinel: int) -> None:
    """Wait for the end of a process. A pool's queues do not report it: workers hold both of their ends."""
    wait([sentinel])
    os._exit(1)


@contextmanager
def ctrl_c_deferred() -> Iterator[None]:
    """Ctrl-C is obeyed at the end of this, and by processes started in here never before they are set up.

    Only the main thread may set signals; in another this does nothing.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Where it is not running yet, its start would end the blocking.
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
