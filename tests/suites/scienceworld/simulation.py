"""Plays episodes in the simulator."""

import os
import subprocess

from evaluation.suites import get_suite
from evaluation.transcript import transcript
from tests.suites.setups import setup_of

SUITE = get_suite("scienceworld")


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
