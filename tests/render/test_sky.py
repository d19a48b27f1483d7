"""The sky is copied where a camera looks as one did before: the picture stays what it was."""

from dataclasses import replace

import pytest

from render import Renderer, third_person, top_view
from render.context import drawing
from render.opengl.sky import Sky, sky_pictures
from tests.arena.worlds import agent, episode, item

SIZE = 48
YAWS = [0.0, 6.0, 123.4, 250.0]
VIEWS = [lambda scene: None, third_person, lambda scene: top_view()]


@pytest.fixture
def scenes():
    start = episode(agent("20 0 20"), item("GoodGoal", "20 0 25"), item("WallTransparent", "22 0 24")).scene()
    return [replace(start, agent_yaw=yaw) for yaw in YAWS]


@pytest.fixture
def drawn(monkeypatch):
    """The cameras for which the sky was drawn, from now on without pictures of it."""
    sky_pictures.cache_clear()
    cameras, draw = [], Sky.draw
    monkeypatch.setattr(Sky, "draw", lambda sky, *given: (cameras.append(given[0]), draw(sky, *given)))
    return cameras


@pytest.mark.parametrize("view", VIEWS)
def test_the_sky_is_drawn_twice_and_then_copied(scenes, drawn, view):
    renderer = Renderer(SIZE, SIZE)
    first = [renderer.frame(scene, view(scene)).tobytes() for scene in scenes]
    for _ in range(3):
        assert [renderer.frame(scene, view(scene)).tobytes() for scene in scenes] == first
    # From above, all of them look the same way.
    assert len(drawn) == 2 * len({(camera.yaw, camera.pitch) for camera in drawn})
    other = Renderer(2 * SIZE, SIZE)
    wide = [[other.frame(scene, view(scene)).tobytes() for scene in scenes] for _ in range(3)]
    assert wide[0] == wide[1] == wide[2]


def test_pictures_of_the_sky_that_were_not_needed_for_long_make_room(scenes, drawn):
    renderer = Renderer(SIZE, SIZE)
    first = [renderer.frame(scene).tobytes() for scene in scenes]
    sky_pictures.cache_clear()
    with drawing():
        pictures = sky_pictures(SIZE, SIZE)
    pictures._most = 2
    for order in ([0, 0, 1, 1, 2, 2, 0, 0, 3, 3, 1, 1], [0, 1, 2, 3] * 2):
        for place in order:
            assert renderer.frame(scenes[place]).tobytes() == first[place]
            assert sum(map(bool, pictures._kept.values())) + len(pictures._free) <= 2
