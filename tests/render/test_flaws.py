"""Flaws that a picture must not have: stripes of self-shadow, translucent things in the wrong order."""

import numpy as np
import pytest

from render import Camera
from tests.arena.worlds import item, settled


def scene_of(*items, **options):
    return settled(*items, place="38 0 38", **options).scene()


def stripes(frame):
    """Largest difference between neighbouring pixels of a face in the middle of a picture."""
    face = frame[90:166, 90:166].astype(int)
    return max(np.abs(np.diff(face, axis=axis)).max() for axis in (0, 1))


@pytest.mark.parametrize("yaw", [30, 60, 120, 135, 225, 300, 315, 330])
@pytest.mark.parametrize(
    ("kind", "height", "version"),
    [("SpawnerContainerShort", 0.8, "3.1.3"), ("SignBoard", 1.0, "3.1.3"), ("SignBoard", 1.0, "4.1")],
)
def test_thin_walls_throw_no_stripes_on_themselves(renderer, kind, height, yaw, version):
    thing = item(kind, "20 0 20", rotations=str(yaw), sizes="1 1 1", colors="160 160 160")
    scene = scene_of(thing, version=version)
    angle = np.radians(yaw + 270)
    for side in (1, -1):
        eye = np.array([20.0, height, 20.0]) + side * 3 * np.array([np.sin(angle), 0, np.cos(angle)])
        camera = Camera(tuple(eye.tolist()), yaw + (90 if side == 1 else 270), fov=30.0)
        assert stripes(renderer.frame(scene, camera)) <= 3


@pytest.mark.parametrize("yaw", [45, 135, 225, 315])
def test_thick_things_have_no_stripes_either_in_41(renderer, yaw):
    box = item("HollowBox", "20 0 20", rotations=str(yaw), sizes="0.8 3 0.8")
    scene = scene_of(box, version="4.1", steps=30)
    for turn in (0, 90, 180, 270):
        angle = np.radians(yaw + turn)
        camera = Camera((20 - 3 * np.sin(angle), 0.8, 20 - 3 * np.cos(angle)), yaw + turn, fov=20.5)
        assert stripes(renderer.frame(scene, camera)) <= 4


def test_a_shallow_ramp_has_no_stripes_at_its_low_edge(renderer):
    ramp = item("Ramp", "20 0 20", rotations="270", sizes="4 0.5 8", colors="160 160 160")
    camera = Camera((17.5, 3.0, 20.0), 0.0, pitch=90.0, near=-5.0, far=20.0, half_height=1.0)
    for version in ("3.1.3", "4.1"):
        frame = renderer.frame(scene_of(ramp, version=version), camera).astype(int)
        assert np.abs(np.diff(frame, axis=0)).max() <= 6


def test_a_thin_wall_still_throws_a_shadow(renderer):
    wall = item("Wall", "20 0 20", rotations="0", sizes="4 3 0.1", colors="160 160 160")
    camera = Camera((20.0, 8.0, 20.0), 0.0, pitch=90.0, near=-5.0, far=20.0, half_height=3.0)
    frame = renderer.frame(scene_of(wall, version="3.1.3"), camera).astype(int).sum(axis=2)
    # The sun stands in the south-east: the floor north of the wall is dark.
    assert frame[90:110, 100:140].mean() < frame[150:170, 100:140].mean() - 60


def redness(renderer, camera, zone, glass, part):
    """How red a part of the middle of a picture of a zone is with glass in it, as a share of it without."""
    frames = (
        renderer.frame(scene_of(*things, version="4"), camera)[part, part].astype(int)
        for things in ([zone, glass], [zone])
    )
    both, alone = ((frame[..., 0] - frame[..., 2]).mean() for frame in frames)
    return both / alone


@pytest.mark.parametrize(("z", "yaw"), [(12.0, 0.0), (28.0, 180.0), (14.0, 0.0), (15.5, 0.0)])
def test_glass_in_a_zone_is_behind_the_zones_near_side(renderer, z, yaw):
    zone = item("DeathZone", "20 0 20", sizes="8 3 8", rotations="0")
    glass = item("WallTransparent", "20 0 20", sizes="4 2 0.3", rotations="0")
    camera = Camera((20.0, 0.8, z), yaw, fov=20.0)
    # Drawn behind the near side, 0.42 white weighs less than the zone before it.
    assert redness(renderer, camera, zone, glass, slice(100, 156)) > 0.6


def test_glass_on_a_flat_zone_is_before_it(renderer):
    zone = item("DeathZone", "20 0 20", sizes="30 0.5 30", rotations="0")
    glass = item("WallTransparent", "20 0 20", sizes="12 1 0.3", rotations="0")
    # The camera is above the zone and looks down through the glass on the zone behind it.
    camera = Camera((20.0, 2.0, 17.0), 0.0, pitch=25.0, fov=20.0)
    assert redness(renderer, camera, zone, glass, slice(120, 136)) < 0.8


@pytest.mark.parametrize("distance", [6.0, 37.0])
def test_flush_walls_do_not_flicker(renderer, distance):
    low = item("Wall", "20 0 38", sizes="3 2 3", rotations="0", colors="255 0 0")
    high = item("Wall", "20 2 38", sizes="3 2 3", rotations="0", colors="0 0 255")
    scene = scene_of(low, high, version="3.1.3")
    camera = Camera((20.0, 2.0, 36.5 - distance + 0.01), 0.0, fov=2 * np.degrees(np.arctan(1.4 / distance)))
    shown = renderer.frame(scene, camera).astype(int)
    red = shown[..., 0] > shown[..., 2]
    assert (red[:120] == 0).all()
    assert (red[136:] == 1).all()
    assert (np.diff(red.astype(int), axis=0) >= 0).all(), "one edge in every column"
