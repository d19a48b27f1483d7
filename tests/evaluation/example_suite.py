"""The example suite of the documentation, installed for the programs that a test starts."""

import os
from importlib import import_module
from pathlib import Path

import pytest

from evaluation import suites
from tests.command import run_fresh
from tests.entry_points import install

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "guessing"


@pytest.fixture(scope="session")
def environment(tmp_path_factory) -> dict[str, str]:
    """Environment variables under which the suite is installed: its folder, and what pip notes of it."""
    site = tmp_path_factory.mktemp("site")
    install(site, "arena-llm-guessing", {"arena_llm.suites": {"guessing": "arena_llm_guessing.suite:SUITE"}})
    path = os.pathsep.join([str(ROOT), str(EXAMPLE), str(site), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path, "OPENAI_API_KEY": "test-key"}


@pytest.fixture
def guessing(command, monkeypatch):
    """The command in this process, which knows the suite without an installation."""
    monkeypatch.syspath_prepend(EXAMPLE)
    suite = import_module("arena_llm_guessing.suite").SUITE
    monkeypatch.setitem(suites._own, suite.name, suite)
    return command


def arena_llm(environment, *arguments):
    """The command, in a process of its own."""
    return run_fresh(*arguments, **environment)
