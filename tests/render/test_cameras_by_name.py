"""Renderers are found by name."""

import tomllib
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from arena import RenderError
from arena.cameras import ChannelRenderer, open_camera
from render import Renderer

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize(
    ("name", "path"), PROJECT["entry-points"]["arena_llm.cameras"].items(), ids=lambda value: str(value)
)
def test_registered_names_lead_to_renderers(name, path):
    module, _, attribute = path.partition(":")
    found = getattr(import_module(module), attribute)
    assert issubclass(found, ChannelRenderer)
    if name not in entry_points(group="arena_llm.cameras").names:
        pytest.skip(f"the installed package does not know {name!r} yet; reinstall it")


def test_the_usual_renderer_is_found_by_its_former_name_too_and_an_unknown_one_refused():
    assert isinstance(open_camera(8, 8), Renderer)
    with pytest.warns(FutureWarning, match="'moderngl' is now 'kernel'"):
        assert isinstance(open_camera(8, 8, "moderngl"), Renderer)
    with pytest.raises(RenderError, match="got 'kernl', expected one of kernel"):
        open_camera(8, 8, "kernl")
