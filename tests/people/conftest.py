from collections.abc import Iterator

import pytest

from people.store import Store
from tests.people.chromium import launched


@pytest.fixture(scope="module")
def chromium() -> Iterator:
    with launched() as chromium:
        yield chromium


@pytest.fixture
def store(tmp_path):
    with Store(str(tmp_path / "play.db")) as store:
        yield store
