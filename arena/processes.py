"""Processes of this machine: how many are worth starting, and which of them gets Ctrl-C."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def leave_ctrl_c_to_parent() -> None:
    """Let Ctrl-C end this process's parent, which then ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def ctrl_c_ignored() -> Iterator[None]:
    """Processes started in here inherit that Ctrl-C is ignored, so it cannot end one before it is set up.

    Only the main thread may set signals; in another this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
