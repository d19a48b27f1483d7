"""Frames that are drawn together are those that are drawn alone."""

from dataclasses import replace

import numpy as np
import pytest

from arena import RenderError
from arena.scene import Animal
from render import BatchRenderer, Renderer, birds_eye, third_person
from tests.arena.worlds import agent, episode, item

WIDTH, HEIGHT = 52, 40

ARENAS = (
    (item("Wall", "23 0 26", sizes="3 4 1", rotations="20"), item("GoodGoal", "20 0 25", sizes="1 1 1")),
    (item("LightBlock", "20 0 23", sizes="1 1 1", rotations="0"), item("WallTransparent", "21 0 24")),
    (),
    (item("GoodGoalBounce", "18 0 24", sizes="2 2 2", rotations="50"), item("DeathZone", "20 0 27")),
)


@pytest.fixture
def batch():
    return BatchRenderer(len(ARENAS), WIDTH, HEIGHT)


def alone(scenes, cameras=None):
    cameras = cameras or [None] * len(scenes)
    return [Renderer(WIDTH, HEIGHT).frame(*pair) for pair in zip(scenes, cameras, strict=True)]


def test_any_arena_may_stand_at_any_place(batch):
    scenes = [episode(agent("20 0 20"), *items).scene() for items in ARENAS]
    expected = alone(scenes)
    assert len({frame.tobytes() for frame in expected}) == len(ARENAS)
    batch.frames(scenes)
    for order in ([3, 0, 2, 1], [1], [0, 0, 3], []):
        frames = batch.frames([scenes[i] for i in order])
        assert (frames.shape, frames.dtype) == ((len(order), HEIGHT, WIDTH, 3), np.uint8)
        assert all((frame == expected[i]).all() for frame, i in zip(frames, order, strict=True))


def test_where_lights_are_out_the_agent_sees_black_and_cameras_do_not(batch):
    scenes = [episode(agent("20 0 20"), *items).scene() for items in ARENAS]
    dark = [replace(scene, lights_on=i in (1, 3)) for i, scene in enumerate(scenes)]
    frames = batch.frames(dark)
    assert [bool(frame.any()) for frame in frames] == [False, True, False, True]
    assert (frames == alone(dark)).all()
    above = [birds_eye()] * len(scenes)
    assert (batch.frames(dark, above) == alone(scenes, above)).all()
    assert (np.array(alone(dark, above)) == alone(scenes, above)).all()
    assert not batch.frames([replace(scene, lights_on=False) for scene in scenes]).any()


def test_agents_of_one_arena_and_cameras_may_differ(batch):
    scene = episode(agent("20 0 20"), *ARENAS[0]).scene()
    here, there = Animal((20.0, 0.5, 20.0), 0.0), Animal((20.0, 0.5, 23.0), 180.0, "pig")
    scenes = [
        replace(scene, others=(there,)),
        replace(scene, agent_position=there.position, agent_yaw=there.yaw, skin="pig", others=(here,)),
    ]
    cameras = [None, third_person(scenes[1])]
    assert (batch.frames(scenes) == alone(scenes)).all()
    assert (batch.frames(scenes, cameras) == alone(scenes, cameras)).all()


def test_wrong_numbers_are_refused(batch):
    scene = episode(agent("20 0 20")).scene()
    with pytest.raises(RenderError, match="got 5 scenes, expected at most 4"):
        batch.frames([scene] * 5)
    with pytest.raises(RenderError, match="got 1 cameras for 2 scenes"):
        batch.frames([scene] * 2, [None])
    for count in (0, -1, 1025, 2.0):
        with pytest.raises(RenderError, match="expected 1 to 1024 arenas"):
            BatchRenderer(count)
    with pytest.raises(RenderError, match="expected 4 to 1024 pixels"):
        BatchRenderer(2, 84, 2000)
