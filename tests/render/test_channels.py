"""Depth, instances and classes: against distances computed by hand, and against the frame."""

import math
from dataclasses import replace

import numpy as np
import pytest

from arena.cameras import CLASSES, FENCE, FLOOR, NOTHING, OTHER_AGENTS, OWN_BODY, SIGHT, SKY, semantic
from arena.scene import Animal
from arena.taskfile.catalog import KINDS
from render import Camera, Renderer, birds_eye, first_person, third_person, top_view
from tests.arena.worlds import agent, episode, item

SIZE = 128
WALL, BALL = 0, 1


def scene_of(*items, place="20 0 20", yaw=0.0, **options):
    return episode(agent(place, yaw), *items, **options).scene()


def rays(camera, width, height):
    """Directions (height, width, 3) through the pixels' middles, 1 m long along the viewing axis."""
    steep = math.tan(math.radians(camera.fov / 2))
    right = ((np.arange(width) + 0.5) / width * 2 - 1) * steep * width / height
    up = -((np.arange(height) + 0.5) / height * 2 - 1) * steep
    local = np.stack(np.broadcast_arrays(right[None, :], up[:, None], 1.0), axis=-1)
    return local @ camera.axes()


def to_box(scene, index, camera, directions):
    """Depth at which the rays enter a thing's box; NaN where they miss it."""
    turn = scene.rotations[index]
    start = (np.array(camera.position) - scene.positions[index]) @ turn
    with np.errstate(divide="ignore"):
        ends = np.stack([(side * scene.sizes[index] / 2 - start) / (directions @ turn) for side in (-1, 1)])
    near, far = ends.min(axis=0).max(axis=-1), ends.max(axis=0).min(axis=-1)
    return np.where(near <= far, near, np.nan)


def to_ball(scene, index, camera, directions):
    """Depth at which the rays enter a ball; NaN where they miss it."""
    start = np.array(camera.position) - scene.positions[index]
    square, along = (directions**2).sum(axis=-1), directions @ start
    inside = along**2 - square * (start @ start - (scene.sizes[index, 0] / 2) ** 2)
    with np.errstate(invalid="ignore"):
        return (-along - np.sqrt(inside)) / square


@pytest.mark.parametrize("away", [2, 7, 19])
@pytest.mark.parametrize(("width", "height"), [(SIZE, SIZE), (160, 84)])
def test_walls_and_balls_are_as_far_away_as_computed(away, width, height):
    wall = item("Wall", f"21.5 0 {20 + away}", sizes="2 3 0.5", rotations="25", colors="9 9 9")
    ball = item("GoodGoal", f"18.5 0 {20 + away}", sizes="2 2 2")
    scene = scene_of(wall, ball)
    camera = first_person(scene)
    seen, directions = Renderer(width, height).channels(scene), rays(camera, width, height)
    for index, distance in ((WALL, to_box), (BALL, to_ball)):
        expected = distance(scene, index, camera, directions)
        mine = seen.instance == index
        assert mine.sum() > 10
        assert not np.isnan(expected[mine]).any()
        assert seen.depth[mine] == pytest.approx(expected[mine], abs=2e-4)
        # What is not covered is the outline: the ball's corners are at most 0.3 pixels inside it.
        assert (~np.isnan(expected) & ~mine).sum() <= 0.1 * mine.sum() + 4


@pytest.mark.parametrize(
    ("place", "error"), [((20.0, 0.5, 0.6), 1e-3), ((1.0, 4.0, 1.0), 1e-3), ((6.0, 0.1, 3.0), 4e-3)]
)
def test_the_floor_is_exact_to_millimetres_up_to_the_fence(place, error):
    # The depth buffer could not tell 40 m from 40.01 m: near 0.01, 24 bits.
    camera = Camera(place, 30.0)
    seen, directions = Renderer(512, 512).channels(scene_of(), camera), rays(camera, 512, 512)
    floor = seen.instance == FLOOR
    expected = (place[1] + 0.01) / -directions[floor][:, 1]
    assert expected.max() > 30
    assert seen.depth[floor] == pytest.approx(expected, abs=error)


def test_the_top_view_measures_heights(renderer):
    items = item("Wall", "10 0 10", sizes="6 4 6", rotations="0", colors="9 9 9")
    scene = scene_of(items, item("GoodGoal", "30 0 30", sizes="4 4 4"))
    seen = renderer.channels(scene, top_view())
    tops = scene.positions[:, 1] + scene.sizes[:, 1] / 2
    assert np.median(seen.depth[seen.instance == FLOOR]) == pytest.approx(20.01, abs=1e-4)
    assert np.median(seen.depth[seen.instance == WALL]) == pytest.approx(20 - tops[WALL], abs=1e-4)
    assert seen.depth[seen.instance == BALL].min() == pytest.approx(20 - tops[BALL], abs=0.02)


def test_what_is_behind_an_orthographic_camera_is_at_a_negative_depth(renderer):
    low = replace(top_view(), position=(20.0, 2.0, 20.0))
    scene = scene_of(item("GoodGoal", "20 0 30", sizes="5 5 5"))
    seen = renderer.channels(scene, low)
    top = scene.positions[0, 1] + scene.sizes[0, 1] / 2
    assert seen.depth[seen.instance == 0].min() == pytest.approx(2 - top, abs=0.02)


def test_a_known_layout_is_told_apart(renderer):
    west = item("GoodGoal", "16 0 26", sizes="2 2 2")
    north = item("Wall", "20 0 27", sizes="2 2 1", rotations="0", colors="9 9 9")
    east = item("BadGoal", "24 0 26", sizes="2 2 2")
    scene = scene_of(west, north, east)
    instance, classes = renderer.channels(scene).instance, renderer.channels(scene).semantic
    middle = [int(np.nonzero(instance == index)[1].mean()) for index in range(3)]
    assert middle == sorted(middle)
    assert middle[1] == pytest.approx(SIZE / 2, abs=1)
    for index, kind in enumerate(("GoodGoal", "Wall", "BadGoal")):
        assert (classes[instance == index] == CLASSES.index(kind)).all()
    assert (instance[0] == SKY).all()
    assert (instance[-1] == FLOOR).all()
    assert instance[SIZE // 2 - 2, 0] == FENCE
    for number, name in ((SKY, "sky"), (FLOOR, "floor"), (FENCE, "fence")):
        assert (classes[instance == number] == CLASSES.index(name)).all()
    assert np.isinf(renderer.channels(scene).depth[instance == SKY]).all()


@pytest.mark.parametrize("kind", sorted(name for name, kind in KINDS.items() if not kind.internal))
def test_every_kind_has_its_own_index_and_class(renderer, kind):
    things = [item(kind, place, sizes="4 2 5", rotations="0") for place in ("16 0 27", "24 0 27")]
    scene = scene_of(*things, version="4")
    instance, classes = renderer.channels(scene).instance, renderer.channels(scene).semantic
    mine = [index for index, thing in enumerate(scene.things) if thing.kind == kind]
    assert len(mine) == 2
    for index in mine:
        assert (instance == index).sum() > 5
        assert (classes[instance == index] == CLASSES.index(kind)).all()
    middle = [np.nonzero(instance == index)[1].mean() for index in mine]
    assert middle[0] < SIZE / 2 < middle[1]
    for camera in (None, top_view()):
        seen = renderer.channels(scene, camera)
        assert np.isfinite(seen.depth[seen.instance != SKY]).all()


@pytest.mark.parametrize("camera", [None, third_person, birds_eye, top_view])
def test_each_pixel_is_that_of_the_frame(renderer, camera):
    items = [item("GoodGoal", f"{x} 0 {z}", sizes="2 2 2") for x in (14, 20, 27) for z in (24, 33)]
    scene = scene_of(*items, item("Wall", "18 0 28", sizes="6 1.5 1", rotations="15", colors="200 0 0"))
    here = camera and (camera(scene) if camera is third_person else camera())
    green = (np.abs(renderer.frame(scene, here).astype(int) - (190, 224, 140)) <= 1).all(axis=2)
    assert green.sum() > 20
    assert (green == (renderer.channels(scene, here).semantic == CLASSES.index("GoodGoal"))).all()


def test_agents_have_numbers_of_their_own(renderer):
    others = (Animal((18.0, 0.5, 23.0), 0.0, "pig"), Animal((22.0, 0.5, 23.0), 90.0, "hedgehog"))
    scene = replace(scene_of(), others=others)
    own = renderer.channels(scene).instance
    assert not (own == OWN_BODY).any()
    left, right = (np.nonzero(own == OTHER_AGENTS - k)[1].mean() for k in range(2))
    assert left < SIZE / 2 < right
    outside = renderer.channels(scene, third_person(scene))
    assert (outside.instance == OWN_BODY).any()
    for number in (OWN_BODY, OTHER_AGENTS, OTHER_AGENTS - 1):
        assert (outside.semantic[outside.instance == number] == CLASSES.index("agent")).all()


@pytest.mark.parametrize("kind", ["WallTransparent", "CylinderTunnelTransparent", "DeathZone", "DataZone"])
def test_glass_and_zones_are_surfaces_unless_seen_through(renderer, kind):
    ball = item("GoodGoal", "20 0 34", sizes="5 5 5")
    scene = scene_of(item(kind, "20 0 25", sizes="6 6 3", rotations="90"), ball, version="4")
    alone = scene_of(ball, version="4")
    usual, through = renderer.channels(scene), renderer.channels(scene, see_through=True)
    without = renderer.channels(alone)
    assert (usual.instance == 0).sum() > 100
    assert not (through.instance == 0).any()
    assert (through.depth == without.depth).all()
    assert (through.semantic == without.semantic).all()


def test_without_light_the_agent_sees_nothing_and_other_cameras_see_all(renderer):
    scene = scene_of(item("GoodGoal", "20 0 25", sizes="2 2 2"))
    unlit = replace(scene, lights_on=False)
    blank = renderer.channels(unlit)
    assert np.isinf(blank.depth).all()
    assert (blank.instance == NOTHING).all()
    assert (blank.semantic == CLASSES.index("nothing")).all()
    assert [c.dtype for c in blank] == [c.dtype for c in renderer.channels(scene)]
    for channel in range(3):
        lit = renderer.channels(scene, first_person(scene))[channel]
        assert (renderer.channels(unlit, first_person(scene))[channel] == lit).all()


def test_channels_follow_the_scene(renderer):
    before = scene_of(item("GoodGoal", "20 0 25", sizes="1 1 1"))
    grown = replace(before, sizes=before.sizes * 2)
    gone = replace(before, visible=np.zeros(1, bool))
    count = [int((renderer.channels(s).instance == 0).sum()) for s in (before, grown, gone, before)]
    assert count[1] > 3 * count[0]
    assert count[2] == 0
    assert count[3] == count[0]


def test_frames_and_channels_do_not_disturb_each_other():
    scene = scene_of(item("Wall", "22 0 26", sizes="2 2 2", rotations="30", colors="0 0 255"))
    other = scene_of(item("WallTransparent", "20 0 23", sizes="3 3 1"), yaw=20)
    both, frames, labels = Renderer(64, 64), Renderer(64, 64), Renderer(64, 64)
    for here in (scene, other, scene):
        seen = both.channels(here)
        assert (both.frame(here) == frames.frame(here)).all()
        assert all((a == b).all() for a, b in zip(seen, labels.channels(here), strict=True))


def test_channels_are_arrays_of_their_own_in_documented_types(renderer):
    scene = scene_of()
    seen = renderer.channels(scene)
    kept = [channel.copy() for channel in seen]
    renderer.channels(scene_of(yaw=90))
    assert all((a == b).all() for a, b in zip(seen, kept, strict=True))
    assert [str(c.dtype) for c in seen] == ["float32", "int32", "uint8"]
    assert all(c.shape == (SIZE, SIZE) and c.flags.c_contiguous and c.flags.owndata for c in seen)


def test_classes_are_those_of_the_catalog():
    assert CLASSES[5:] == tuple(KINDS)
    assert len(set(CLASSES)) == len(CLASSES) <= 256
    assert Camera((0, 0, 0), 0.0).far == SIGHT
    every = np.array([[NOTHING, SKY, FLOOR, FENCE, OWN_BODY, OTHER_AGENTS, OTHER_AGENTS - 1]])
    assert semantic(every, (), others=2).tolist() == [[0, 1, 2, 3, 4, 4, 4]]
