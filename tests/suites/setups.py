"""What an episode of any suite depends on, by the id of its task; and which suites need more than Python."""

import shutil
from importlib.util import find_spec

import pytest

from evaluation.capabilities import prompts_of
from evaluation.suite import EpisodeSetup
from evaluation.suites import find_task

needs_java = pytest.mark.skipif(
    find_spec("scienceworld") is None or shutil.which("java") is None,
    reason="ScienceWorld's package or Java is not installed: make scienceworld",
)
needs_package = pytest.mark.skipif(
    find_spec("discoveryworld") is None or find_spec("pygame") is None,
    reason="the package discoveryworld is not installed: pip install 'arena-llm[discoveryworld]'",
)
NEEDS = {"scienceworld": [needs_java], "discoveryworld": [needs_package]}


def each_of(names, slow=()):
    """Parameters of a test of suites, which is skipped where a suite's package is not installed."""
    marks = {name: [pytest.mark.slow] for name in slow}
    return [pytest.param(name, marks=[*NEEDS.get(name, []), *marks.get(name, [])]) for name in names]


def setup_of(suite, task_id, trial=0, **choices):
    chosen = suite.choices(**choices)
    return EpisodeSetup(
        suite, find_task(suite, task_id, chosen, None), trial, chosen, prompts_of(suite, chosen)
    )
