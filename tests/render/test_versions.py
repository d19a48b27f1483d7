"""What the versions of Animal-AI look like."""

import numpy as np
import pytest

from arena.taskfile.versions import DIFFERENCES, Version
from render import Camera
from render.looks.sky import sun_of
from render.parts.composed import drawn_parts
from tests.arena.worlds import item, settled


def scene_of(*items, **options):
    return settled(*items, place="35 0 35", **options).scene()


def middle(frame):
    return np.median(frame[118:138, 118:138].reshape(-1, 3), axis=0)


def test_the_light_of_v3_is_the_measured_one_that_of_41_white_and_42_has_no_sun():
    assert sun_of("3.1.3")[:3] == ((1.0, 0.905, 0.672), 848, 0.0747)
    assert sun_of("4.1")[:3] == ((1.0, 1.0, 1.0), 1696, 0.0747 / 2)
    assert [DIFFERENCES[version].shadow_map for version in Version] == [1024, 1024, 2048, 1024]
    assert [sun_of(version).shines for version in Version] == [True, True, True, False]
    assert sun_of("2")[:4] == sun_of("3.1.3")[:4]


def test_only_what_the_sun_lights_is_bluer_in_41(renderer):
    wall = item("Wall", "20 0 20", rotations="0", sizes="6 4 6", colors="100 100 100")
    for z, yaw, bluer in ((10.0, 0.0, True), (30.0, 180.0, False)):
        camera = Camera((20.0, 1.5, z), yaw, fov=20.0)
        old, new = (middle(renderer.frame(scene_of(wall, version=v), camera)) for v in ("3.1.3", "4.1"))
        assert (new[2] > old[2] + 3) == bluer
        assert new[0] == pytest.approx(old[0], abs=1)


def test_shadow_edges_are_finer_in_41(renderer):
    # Along the shadow of a straight top edge, the steps are as long as the texels.
    wall = item("Wall", "20 0 20", rotations="20", sizes="6 3 0.5", colors="90 90 90")
    camera = Camera((18.5, 6.0, 23.5), 0.0, pitch=90.0, near=-5.0, far=20.0, half_height=1.2)
    steps = {}
    for version in ("3.1.3", "4.1"):
        bright = renderer.frame(scene_of(wall, version=version), camera).astype(float).sum(axis=2)
        smooth = np.abs(np.diff(bright, axis=1)).max(axis=1)
        steps[version] = np.median(smooth)
    assert steps["4.1"] > steps["3.1.3"], "a finer map has a steeper edge"


@pytest.mark.parametrize("kind", ["LightBlock", "HeavyBlock"])
def test_blocks_are_panelled_boxes_until_41_and_stone_since_42(renderer, kind):
    block = item(kind, "20 0 20", rotations="0", sizes="3 3 3")
    camera = Camera((20.0, 1.5, 24.0), 180.0, fov=30.0)
    old, later, new = (
        renderer.frame(scene_of(block, version=v), camera).astype(int) for v in ("3.1.3", "4.1", "4")
    )
    for panel in (old, later):
        assert len(np.unique(panel[100:156, 100:156].reshape(-1, 3), axis=0)) == 1
    assert len(np.unique(new[100:156, 100:156].reshape(-1, 3), axis=0)) > 3


def test_heavy_stone_is_darker_than_light_stone_and_both_take_a_colour(renderer):
    camera = Camera((20.0, 1.5, 24.0), 180.0, fov=30.0)
    shown = {}
    for kind in ("LightBlock", "HeavyBlock"):
        for color in ("", "0 0 255"):
            block = item(kind, "20 0 20", rotations="0", sizes="3 3 3", colors=color)
            shown[kind, color] = middle(renderer.frame(scene_of(block, version="4"), camera))
    assert shown["HeavyBlock", ""].mean() < shown["LightBlock", ""].mean() - 10
    for kind in ("LightBlock", "HeavyBlock"):
        assert shown[kind, "0 0 255"][0] == 0
        assert shown[kind, "0 0 255"][2] > 100


def test_bad_goals_are_flat_in_v3_and_shaded_since(renderer):
    ball = item("BadGoal", "20 0 20", sizes="3 3 3")
    camera = Camera((20.0, 1.5, 15.0), 0.0, fov=40.0)
    tones = {
        version: len(np.unique(renderer.frame(scene_of(ball, version=version), camera)[60:200, 60:200, 1]))
        for version in ("3.1.3", "4.1", "4")
    }
    good = item("GoodGoal", "20 0 20", sizes="3 3 3")
    flat = renderer.frame(scene_of(good, version="4"), camera)[100:156, 100:156].reshape(-1, 3)
    assert tones["4.1"] > tones["3.1.3"] + 10
    assert tones["4"] > tones["3.1.3"] + 3
    assert len(np.unique(flat, axis=0)) == 1


def test_a_coloured_ball_is_lit_and_shines(renderer):
    ball = item("GoodGoal", "20 0 20", sizes="3 3 3", colors="60 60 160")
    camera = Camera((20.0, 1.5, 25.0), 180.0, fov=40.0)
    shown = renderer.frame(scene_of(ball, version="4"), camera)[60:200, 60:200]
    assert len(np.unique(shown[..., 2])) > 5
    assert middle(renderer.frame(scene_of(ball, version="4"), camera))[2] > 160


def test_an_open_box_is_larger_than_its_collider_and_has_a_cavity(renderer):
    scene = scene_of(item("HollowBox", "20 0 20", rotations="0", sizes="2 2 2"), version="4.1", steps=20)
    parts = drawn_parts(scene.things[0], scene.things[0].size, scene.version)
    low, high = (
        [pick(c[i] + sign * s[i] / 2 for c, s in ((p.centre, p.size) for p in parts)) for i in range(3)]
        for pick, sign in ((min, -1), (max, 1))
    )
    assert np.subtract(high, low) == pytest.approx([2.2 * 0.999] * 3)
    assert low[1] == pytest.approx(-scene.things[0].size[1] / 2), "it stands where its collider does"
    above = Camera((20.0, 8.0, 20.0), 0.0, pitch=90.0, near=-5.0, far=20.0, half_height=1.5)
    frame = renderer.frame(scene, above).astype(int).sum(axis=2)
    rim, cavity = frame[128, 128 + 88], frame[100:190, 60:190]
    # The rim is sunlit, and throws a shadow into the cavity.
    assert cavity.min() < rim - 60
