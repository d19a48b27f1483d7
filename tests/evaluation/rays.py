"""What tests of the Ray engine have in common: the tasks that they spread, and how they kill workers."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from arena import ConfigError


def squared(number: int) -> int:
    if number < 0:
        raise ConfigError(f"{number}: expected a number that is not negative")
    return number * number


def killed_once(place: Path) -> int:
    """Kills its own process, but not where the file says that this was done before."""
    if not place.exists():
        place.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return int(place.name)


def until(place: Path) -> None:
    """Keeps a core until there is such a file."""
    while not place.exists():
        time.sleep(0.05)


def touched_and_waiting(place: Path) -> None:
    """Says that it has begun, and never ends."""
    place.touch()
    until(place / "never")


def always_killed(number: int) -> int:
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def rays_processes(parent: int) -> list:
    """Every process below one, those of Ray's workers included, which have sessions of their own."""
    import psutil

    return psutil.Process(parent).children(recursive=True)


def at_work(parent: int, title: str) -> Iterator[int]:
    """Process ids of the workers below a process that have a task of this title now."""
    import psutil

    for each in rays_processes(parent):
        try:
            if each.cmdline()[:1] and each.cmdline()[0].startswith(title):
                yield each.pid
        except psutil.Error:
            continue


def kill_one_at_work(parent: int, title: str = "ray::_done", seconds: float = 60) -> int:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for pid in at_work(parent, title):
            os.kill(pid, signal.SIGKILL)
            return pid
        time.sleep(0.05)
    raise AssertionError("no worker had a task")
