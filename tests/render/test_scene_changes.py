"""What happens in the picture when a scene changes between two frames of one renderer."""

from dataclasses import replace

import numpy as np
import pytest

from arena.scene import SKINS, Animal, yaw_rotation
from render import birds_eye, third_person, top_view
from render.parts.animals import BODIES
from tests.arena.worlds import agent, episode, item

SIZE = 96
GOOD = (190, 224, 140)


def scene_of(*items, place="20 0 20", yaw=0.0):
    return episode(agent(place, yaw), *items).scene()


def area(frame, color=GOOD):
    return int((np.abs(frame.astype(int) - color) <= 4).all(axis=2).sum())


ROOM = (
    item("Wall", "23 0 26", sizes="3 4 1", rotations="20", colors="0 0 255"),
    item("GoodGoal", "20 0 25", sizes="1 1 1"),
    item("HeavyBlock", "17 0 25", sizes="2 2 2", rotations="30"),
)


def test_things_are_drawn_in_their_present_size(renderer):
    scene = scene_of(*ROOM)
    sizes, positions = scene.sizes.copy(), scene.positions.copy()
    sizes[1] *= 2
    positions[1, 1] += 0.5
    grown = replace(scene, sizes=sizes, positions=positions)
    assert area(renderer.frame(grown)) > 3.8 * area(renderer.frame(scene)) > 0


def test_things_may_be_added(renderer):
    two = scene_of(*ROOM, item("GoodGoal", "22 0 23", sizes="1 1 1"))
    columns = ("things", "positions", "rotations", "sizes", "visible")
    one = replace(two, **{name: getattr(two, name)[:-1] for name in columns})
    assert area(renderer.frame(two)) > 1.5 * area(renderer.frame(one)) > 0


@pytest.mark.parametrize("skin", SKINS)
def test_other_agents_are_seen_from_the_front_and_from_behind(renderer, skin):
    empty = scene_of()
    frames = [renderer.frame(empty)]
    for yaw in (0.0, 180.0):
        frames.append(renderer.frame(replace(empty, others=(Animal((20.0, 0.5, 23.0), yaw, skin),))))
    nobody, back, front = (frame.astype(int) for frame in frames)
    # A ball of radius 0.5 at 3 m covers (40.3 * 0.5 / 3)^2 pi = 141 of the 96 x 96 pixels.
    changed = (np.abs(back - nobody).max(axis=2) > 8)[:48].sum()
    assert 50 < changed < 250
    assert (np.abs(front - back).max(axis=2) > 40).sum() > 5


def test_the_own_body_is_seen_from_outside_alone(renderer):
    scene = scene_of()
    pink = (np.array(BODIES["pig"][0].look.color) * 255).round()

    def pinkish(frame):
        spread = frame.astype(int) - pink
        return int((np.abs(spread).max(axis=2) < 30).sum())

    pig, panda = replace(scene, skin="pig"), replace(scene, skin="panda")
    assert pinkish(renderer.frame(pig, third_person(pig))) > 100 + pinkish(
        renderer.frame(panda, third_person(panda))
    )
    assert pinkish(renderer.frame(pig)) < 20


def test_agents_face_their_yaw():
    nose = BODIES["pig"][-3].centre
    for yaw, ahead in ((0, (0, 0, 1)), (90, (1, 0, 0)), (180, (0, 0, -1)), (270, (-1, 0, 0))):
        assert (yaw_rotation(yaw) @ nose) @ np.array(ahead) > 0.5


def test_the_third_person_camera_stays_in_the_arena_and_before_walls():
    assert third_person(scene_of()).position == pytest.approx((20.0, 2.0, 16.25), abs=0.02)
    at_edge = third_person(scene_of(place="20 0 1")).position
    assert 0 < at_edge[2] < 1
    wall = item("Wall", "20 0 18", sizes="8 6 1", rotations="0", colors="0 0 255")
    assert 18.5 < third_person(scene_of(wall)).position[2] < 19.5


def test_the_top_view_shows_metres_everywhere_alike(renderer):
    for place in ("5 0 5", "20 0 35"):
        scene = scene_of(item("GoodGoal", place, sizes="4 4 4"), place="30 0 5")
        frame = renderer.frame(scene, top_view())
        rows, columns = np.nonzero((np.abs(frame.astype(int) - GOOD) <= 4).all(axis=2))
        x, _, z = (float(part) for part in place.split())
        assert columns.mean() * 42 / SIZE - 1 == pytest.approx(x, abs=0.5)
        assert 41 - rows.mean() * 42 / SIZE == pytest.approx(z, abs=0.5)
        assert len(rows) == pytest.approx(np.pi * 4 * (SIZE / 42) ** 2, rel=0.15)


def test_the_birds_eye_sees_the_agents(renderer):
    scene = scene_of()
    assert (
        renderer.frame(scene, birds_eye())
        != renderer.frame(replace(scene, agent_position=(10.0, 0.5, 10.0)), birds_eye())
    ).any()
