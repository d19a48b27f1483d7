"""What an episode of any suite depends on, by the id of its task."""

from evaluation.capabilities import prompts_of
from evaluation.suite import EpisodeSetup
from evaluation.suites import find_task


def setup_of(suite, task_id, trial=0, **choices):
    chosen = suite.choices(**choices)
    return EpisodeSetup(
        suite, find_task(suite, task_id, chosen, None), trial, chosen, prompts_of(suite, chosen)
    )
