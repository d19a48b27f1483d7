"""A renderer for all tests of a module."""

import pytest

from render import Renderer


@pytest.fixture(scope="module")
def renderer(request):
    """Draws pictures of the module's `SIZE`, or of 256 pixels a side."""
    side = getattr(request.module, "SIZE", 256)
    return Renderer(side, side)
