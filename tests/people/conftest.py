from collections.abc import Iterator

import pytest

from tests.people.chromium import launched


@pytest.fixture(scope="module")
def chromium() -> Iterator:
    with launched() as chromium:
        yield chromium
