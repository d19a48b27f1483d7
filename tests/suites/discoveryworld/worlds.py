"""Marks tests that need the package, and plays episodes in it."""

import asyncio
from importlib.util import find_spec

import pytest

from evaluation.capabilities import agents_of, prompts_of, reply_of
from evaluation.engines.backend import CURRENT, CurrentEpisode
from evaluation.suite import AgentTurn, EpisodeSetup, agent_seed
from evaluation.suites import find_task
from suites.discoveryworld.suite import SUITE

needs_package = pytest.mark.skipif(
    find_spec("discoveryworld") is None or find_spec("pygame") is None,
    reason="the package discoveryworld is not installed: pip install 'arena-llm[discoveryworld]'",
)


def opened(task_id, trial=0, **choices):
    chosen = SUITE.choices(**choices)
    setup = EpisodeSetup(SUITE, find_task(SUITE, task_id, chosen, None), trial, chosen, prompts_of(SUITE))
    return setup, SUITE.open(setup)


def text_of(observation):
    return "".join(part for part in observation.parts if isinstance(part, str))


def played(name, task_id, trial=0, tools=(), **choices):
    """The record of an offline agent's episode, and the texts that it was shown."""
    setup, environment = opened(task_id, trial, **choices)
    CURRENT.set(CurrentEpisode(setup, environment))
    observation, shown = environment.begin(), []
    while not observation.done:
        shown.append(text_of(observation))
        turn = AgentTurn(name, [], tools, agent_seed(0, task_id, trial))
        reply = asyncio.run(agents_of(SUITE)[name](turn))
        observation = environment.reply(reply if isinstance(reply, str) else reply_of(SUITE, *reply))
    return environment.finish(), shown
