"""What objects of 4.x consist of, in pictures that need no reference."""

import numpy as np
import pytest

from arena.taskfile.versions import Version
from render import Camera
from render.line_of_sight import LineOfSight
from render.parts.composed import drawn_parts
from tests.arena.worlds import item, settled

SIZE = 128


def scene_of(*items, version="4"):
    return settled(*items, place="30 0 20", yaw=270, version=version).scene()


def from_side(scene, yaw, distance=6.0, height=1.0, fov=60.0):
    """A camera that looks at (20, 20) along a yaw."""
    angle = np.radians(yaw)
    return Camera((20 - distance * np.sin(angle), height, 20 - distance * np.cos(angle)), yaw, fov=fov)


def share(frame, color, near=25):
    """Share of the pixels near a colour."""
    return (np.abs(frame.astype(int) - color).max(axis=2) <= near).mean()


def test_the_floor_and_the_fence_have_the_colours_of_42(renderer):
    frame = renderer.frame(scene_of()).astype(int)
    assert np.median(frame[80:].reshape(-1, 3), axis=0) == pytest.approx((129, 123, 96), abs=6)
    assert np.median(frame[56:62, 40:88].reshape(-1, 3), axis=0) == pytest.approx((166, 186, 203), abs=8)


def test_nothing_throws_a_shadow_since_42(renderer):
    wall = item("Wall", "20 0 20", rotations="0", sizes="4 3 4", colors="160 160 160")
    camera = Camera((20.0, 8.0, 24.0), 0.0, pitch=90.0, near=-5.0, far=20.0, half_height=1.5)
    for version, dark in (("4.1", True), ("4", False)):
        shown, bare = (renderer.frame(scene_of(*things, version=version), camera) for things in ([wall], []))
        assert (shown.mean() < bare.mean() - 20) == dark


@pytest.mark.parametrize(("yaw", "shown"), [(270, True), (90, False)])
def test_a_button_is_blue_on_its_front_only(renderer, yaw, shown):
    scene = scene_of(item("SpawnerButton", "20 0 20", rotations="0"))
    frame = renderer.frame(scene, from_side(scene, yaw, distance=3.0))
    assert (share(frame, (23, 150, 201)) > 0.01) == shown
    assert share(frame, (153, 173, 115)) > 0.01


def test_a_board_has_cork_on_its_back_and_its_symbol_in_front(renderer):
    board = item("SignBoard", "20 0 20", rotations="0", sizes="1 1 1", more='symbolNames: ["circle"]')
    scene = scene_of(board)
    back, front = (renderer.frame(scene, from_side(scene, yaw, distance=3.0)) for yaw in (270, 90))
    assert share(back, (95, 81, 72)) > 0.3 > 0.1 > share(front, (95, 81, 72))
    assert share(front, (20, 20, 24)) > 0.05


def test_a_ball_in_a_container_is_seen_through_its_glass(renderer):
    wall = item("SpawnerContainerShort", "20 0 20", rotations="0", colors="40 90 160")
    ball = item("GoodGoal", "20 0.2 20", sizes="0.8 0.8 0.8")
    for version, seen in (("3.1.3", False), ("4", True)):
        scene = scene_of(wall, ball, version=version)
        frame = renderer.frame(scene, from_side(scene, 270, distance=4.0))
        assert (share(frame, (190, 218, 160)) > 0.005) == seen
        (index,) = (i for i, thing in enumerate(scene.things) if thing.kind == "GoodGoal")
        assert bool(LineOfSight().in_view(scene, [index])) == seen


@pytest.mark.parametrize(("kind", "color"), [("DecayGoal", (255, 127, 63)), ("RipenGoal", (0, 191, 255))])
@pytest.mark.parametrize("yaw", [0, 90, 180])
def test_arrows_are_on_every_side_of_a_changing_ball(renderer, kind, color, yaw):
    ball = item(kind, "20 0 20", more="initialValues: [2.5], finalValues: [2.5]")
    scene = scene_of(ball)
    camera = from_side(scene, yaw, distance=5.0, height=float(scene.positions[0][1]), fov=40.0)
    frame, depth = renderer.frame(scene, camera), renderer.channels(scene, camera).depth
    assert share(frame, color, near=2) > 0.02
    assert share(frame, (0, 0, 0), near=2) > 0.02
    # To the channels the marks are the ball itself.
    assert depth[64, 64] == pytest.approx(5.0 - scene.sizes[0][0] / 2, abs=0.001)


def test_a_tree_has_a_thin_trunk_and_a_crown_five_metres_wide():
    scene = scene_of(item("SpawnerTree", "20 0 20", rotations="0"))
    trunk, crown = drawn_parts(scene.things[0], scene.things[0].size, Version.V4)
    assert max(trunk.size[0], trunk.size[2]) < 1.0
    assert 5.0 < min(crown.size[0], crown.size[2]) < max(crown.size[0], crown.size[2]) < 5.5
    top = scene.positions[0][1] + crown.centre[1] + crown.size[1] / 2
    assert 5.9 < top < 6.1
