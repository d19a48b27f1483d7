"""Fixtures shared by all tests."""

import signal
from pathlib import Path

import pytest
from hypothesis import settings

# Every plain run tries the same examples; `pytest --hypothesis-profile=long` tries fifty times as many, new
# ones each time.
settings.register_profile("plain", derandomize=True, deadline=None)
settings.register_profile("long", max_examples=5000, print_blob=True, deadline=None)
settings.load_profile("plain")

# A program started in the background of a shell ignores Ctrl-C, and so would all that it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(scope="session")
def official_testbed() -> Path:
    """The 900 files of the 2019 battery, where the reference material is present."""
    folder = SHARED / "reference" / "official-testbed"
    if not folder.is_dir():
        pytest.skip(f"the official battery is not at {folder}")
    return folder


@pytest.fixture(scope="session")
def unity_trace() -> Path:
    """The recorded Unity episode's table, where the reference material is present."""
    path = SHARED / "reference" / "tutorial-trace.csv"
    if not path.is_file():
        pytest.skip(f"no recorded Unity episode at {path}")
    return path


@pytest.fixture(scope="session")
def unity_recording() -> Path:
    """The folder of the recorded Unity episode's arena and pictures, where the material is present."""
    folder = SHARED / "reference" / "unity-tutorial-trace"
    if not folder.is_dir():
        pytest.skip(f"no recorded Unity episode at {folder}")
    return folder
