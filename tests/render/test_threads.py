"""Where pictures may be drawn: in any thread, in several at the same time, before and after a fork."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from render import BatchRenderer, Renderer
from render import renderer as drawing
from tests.arena.worlds import agent, episode, item
from tests.command import printed_by

THINGS = (
    item("Wall", "23 0 26", sizes="3 4 1", rotations="20"),
    item("GoodGoal", "20 0 25", sizes="2 2 2"),
    item("WallTransparent", "17 0 24", sizes="3 3 1"),
)


def scene_of(yaw):
    return episode(agent("20 0 20", yaw), *THINGS).scene()


def test_threads_that_draw_simultaneously_see_their_own_scenes():
    scenes = [scene_of(yaw) for yaw in (0, 30, 60, 90)]
    alone = [Renderer(16, 16).frame(scene).tobytes() for scene in scenes]
    batch, shared = BatchRenderer(1, 16, 16), Renderer(16, 16)

    def draw(scene):
        renderer = Renderer(16, 16)
        drawn = [(renderer.frame(scene), batch.frames([scene])[0], shared.frame(scene)) for _ in range(40)]
        return {image.tobytes() for images in drawn for image in images}

    with ThreadPoolExecutor(len(scenes)) as pool:
        assert list(pool.map(draw, scenes)) == [{image} for image in alone]


@pytest.mark.parametrize("cores", [1, 2, 3, 7])
def test_a_large_picture_is_the_same_by_any_number_of_threads(monkeypatch, cores):
    scene = scene_of(0)
    usual = Renderer(300, 260).frame(scene)
    monkeypatch.setattr(drawing, "cores", lambda: cores)
    assert (Renderer(300, 260).frame(scene) == usual).all()


FORK = """
import os
from render import Renderer
from tests.render.test_threads import scene_of

scene = scene_of(0)
renderer = Renderer(256, 256)
before = renderer.frame(scene)
child = os.fork()
if not child:
    os._exit(0 if (renderer.frame(scene) == before).all() else 3)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_draws_what_its_parent_does():
    printed_by(FORK)


def test_there_is_room_for_any_number_of_polygons(monkeypatch):
    scene = scene_of(0)
    usual = Renderer(64, 64).frame(scene)
    monkeypatch.setattr(drawing, "_POLYGONS", 3)
    monkeypatch.setattr(drawing, "_SPANS", 70)
    monkeypatch.setattr(drawing, "_ROOMS", drawing._Rooms())
    assert (Renderer(64, 64).frame(scene) == usual).all()
