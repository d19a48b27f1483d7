"""Marks tests that need the simulator, and plays episodes in it."""

import asyncio
import os
import shutil
import subprocess
from importlib.util import find_spec

import pytest
from inspect_ai.model import ChatMessageUser

from evaluation.capabilities import agents_of, prompts_of
from evaluation.engines.backend import CURRENT, CurrentEpisode
from evaluation.suite import AgentTurn, EpisodeSetup, agent_seed
from evaluation.suites import find_task, get_suite

SUITE = get_suite("scienceworld")

needs_java = pytest.mark.skipif(
    find_spec("scienceworld") is None or shutil.which("java") is None,
    reason="ScienceWorld's package or Java is not installed: make scienceworld",
)


def opened(task_id, trial=0, **choices):
    chosen = SUITE.choices(**choices)
    setup = EpisodeSetup(SUITE, find_task(SUITE, task_id, chosen, None), trial, chosen, prompts_of(SUITE))
    return setup, SUITE.open(setup)


def played(name, task_id, trial=0, **choices):
    """The record of an offline agent's episode."""
    setup, environment = opened(task_id, trial, **choices)
    CURRENT.set(CurrentEpisode(setup, environment))
    seed, observation = agent_seed(0, task_id, trial), environment.begin()
    while not observation.done:
        shown = [ChatMessageUser(content="".join(observation.parts))]
        observation = environment.reply(asyncio.run(agents_of(SUITE)[name](AgentTurn(name, shown, (), seed))))
    return environment.finish()


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
