"""Marks tests that need the simulator, and plays episodes in it."""

import os
import shutil
import subprocess
from importlib.util import find_spec

import pytest

from evaluation.suites import get_suite
from evaluation.transcript import transcript
from tests.suites.setups import setup_of

SUITE = get_suite("scienceworld")

needs_java = pytest.mark.skipif(
    find_spec("scienceworld") is None or shutil.which("java") is None,
    reason="ScienceWorld's package or Java is not installed: make scienceworld",
)


def opened(task_id, **choices):
    return SUITE.open(setup_of(SUITE, task_id, **choices))


def played(name, task_id, **choices):
    """The record of an offline agent's episode."""
    return transcript(setup_of(SUITE, task_id, **choices), name).record


def java_processes(parents):
    """The Java processes whose parents are among these process ids, with all descendants of these."""
    listed = subprocess.check_output(["ps", "-eo", "pid=,ppid=,comm="], text=True)
    rows = [line.split(None, 2) for line in listed.splitlines()]
    family, grown = set(map(int, parents)), True
    while grown:
        below = {int(pid) for pid, parent, _ in rows if int(parent) in family} - family
        family, grown = family | below, bool(below)
    return {int(pid) for pid, _, name in rows if int(pid) in family and name.strip() == "java"}


def own_java():
    return java_processes([os.getpid()])
