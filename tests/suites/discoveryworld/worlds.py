"""Plays episodes in the package."""

from evaluation.transcript import transcript
from suites.discoveryworld.suite import SUITE
from tests.suites.setups import setup_of


def opened(task_id, trial=0, **choices):
    setup = setup_of(SUITE, task_id, trial, **choices)
    return setup, SUITE.open(setup)


def played(name, task_id, **choices):
    """The record of an offline agent's episode."""
    return transcript(setup_of(SUITE, task_id, **choices), name).record


def text_of(observation):
    return "".join(part for part in observation.parts if isinstance(part, str))
