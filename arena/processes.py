"""Processes of this machine: how many are worth their while, and who hears Ctrl-C."""

import os
import signal


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def leave_ctrl_c_to_parent() -> None:
    """Let Ctrl-C end this process's parent, which then ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
