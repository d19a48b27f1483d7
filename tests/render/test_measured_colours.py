"""The display colours of Animal-AI v3.1.3, measured in its pictures, on small scenes."""

import math

import numpy as np
import pytest

from render import Camera, top_view
from tests.arena.worlds import item, settled

LEVELS = 8
"""Most that a channel may differ from what was measured."""

SIZE = 512
TOP_PX_PER_M = SIZE / 42


def median(frame, rows, columns):
    return np.median(frame[slice(*rows), slice(*columns)].reshape(-1, 3), axis=0)


def from_above(frame, x, z, half=0.5):
    """Median colour of a square of the floor in a picture of `top_view`."""
    row, column = (41 - z) * TOP_PX_PER_M, (x + 1) * TOP_PX_PER_M
    reach = half * TOP_PX_PER_M
    return median(
        frame, (round(row - reach), round(row + reach)), (round(column - reach), round(column + reach))
    )


@pytest.mark.parametrize(
    ("color", "yaw", "shown"),
    [
        ("255 0 255", 0, (252, 0, 254)),
        ("255 0 255", 90, (171, 0, 209)),
        ("255 0 255", 180, (171, 0, 209)),
        ("0 0 255", 270, (0, 0, 243)),
    ],
    ids=["sunlit -z", "shaded -x", "shaded +z", "sunlit +x"],
)
def test_walls(renderer, color, yaw, shown):
    ahead = 8 * np.array([round(math.sin(math.radians(yaw))), round(math.cos(math.radians(yaw)))])
    place = f"{20 + ahead[0]} 0 {20 + ahead[1]}"
    run = settled(item("Wall", place, sizes="8 8 8", rotations="0", colors=color), yaw=yaw)
    assert median(renderer.frame(run.scene()), (150, 250), (180, 330)) == pytest.approx(shown, abs=LEVELS)


def test_the_sunlit_top_of_a_blue_wall(renderer):
    run = settled(item("Wall", "20 0 30", sizes="8 2 8", rotations="0", colors="0 0 255"))
    shown = from_above(renderer.frame(run.scene(), top_view()), 20, 30)
    assert shown == pytest.approx((0, 0, 252), abs=LEVELS)


@pytest.mark.parametrize(
    ("yaw", "frame_shown", "panel_shown"),
    [(180, (171, 175, 176), (148, 153, 157)), (0, (200, 206, 206), None)],
    ids=["shaded +z", "sunlit -z"],
)
def test_blocks(renderer, yaw, frame_shown, panel_shown):
    ahead = 3 * np.array([round(math.sin(math.radians(yaw))), round(math.cos(math.radians(yaw)))])
    block = item("LightBlock", f"{20 + ahead[0]} 0 {20 + ahead[1]}", sizes="4 4 4", rotations="0")
    # The face is 1 m ahead and 4 m wide: its frame of 0.5 m reaches from the floor to the eye's height.
    picture = renderer.frame(settled(block, yaw=yaw).scene())
    assert median(picture, (290, 330), (240, 270)) == pytest.approx(frame_shown, abs=LEVELS)
    if panel_shown:
        assert median(picture, (100, 180), (200, 300)) == pytest.approx(panel_shown, abs=LEVELS)


@pytest.mark.parametrize(
    ("yaw", "shown"), [(180, (164, 183, 197)), (270, (201, 219, 229)), (0, (225, 240, 247))]
)
def test_the_fence(renderer, yaw, shown):
    assert median(renderer.frame(settled(yaw=yaw).scene()), (228, 238), (246, 266)) == pytest.approx(
        shown, abs=LEVELS
    )


def test_the_fences_rails_are_tinted_by_the_sky_above_and_the_ground_below(renderer):
    # The eastern fence is in shade: over the recorded frames its rails are (152, 155, 153) where their normal
    # points at the floor, and (160, 183, 206) where it points at the sky.
    picture = renderer.frame(settled().scene(), Camera((38.5, 0.5, 20.0), 90.0)).astype(int)
    column = picture[:, 250:262].mean(axis=1)
    bottom = 256 - round(214.8 * (0.95 - 0.5) / 1.775)
    assert column[bottom - 3 : bottom].min(axis=0) == pytest.approx((152, 155, 153), abs=LEVELS)


def test_the_western_rail_is_no_darker_from_below_than_the_others(renderer):
    # The sun reaches it, from 23 degrees below its middle up; 55 below, recorded frames show (157, 167, 169).
    picture = renderer.frame(settled().scene(), Camera((1.5, 0.5, 20.0), 270.0)).astype(int)
    row = 256 - round(214.8 * (1.11 - 0.175 * math.sin(math.radians(55)) - 0.5) / 1.7)
    shown = picture[row - 1 : row + 2, 250:262].mean(axis=(0, 1))
    assert shown == pytest.approx((157, 167, 169), abs=LEVELS)


def test_gaps_between_the_fences_planks_are_dark_from_afar(renderer):
    # 3 m from a fence the recorded frames show gaps of 40 to 50 between planks of more than 150.
    picture = renderer.frame(settled().scene(), Camera((20.0, 2.5, 37.0), 0.0)).astype(int)
    row = picture[250:262, 60:450].mean(axis=(0, 2))
    assert np.median(row) > 150
    assert row.min() < 80


def test_the_floor_is_sunlit_or_shadowed(renderer):
    # The fence's shadow covers the southern edge up to z 4; medians over the 44 recorded frames.
    frame = renderer.frame(settled(place="5 0 35").scene(), top_view())
    assert from_above(frame, 20, 20, half=10) == pytest.approx((203, 173, 118), abs=LEVELS)
    assert median(frame, (465, 490), (130, 380)) == pytest.approx((131, 124, 96), abs=LEVELS)


@pytest.mark.parametrize(
    ("kind", "low", "high"),
    [("DeathZone", (145, 82, 66), (165, 108, 82)), ("HotZone", (193, 133, 96), (209, 156, 124))],
)
def test_zones_tint_the_floor_most_in_their_middle(renderer, kind, low, high):
    zone = item(kind, "20 0 25", sizes="20 0 20", rotations="0")
    frame = renderer.frame(settled(zone, place="20 0 5").scene(), top_view())
    shown = from_above(frame, 20, 25, half=8)
    assert (shown >= np.array(low) - LEVELS).all()
    assert (shown <= np.array(high) + LEVELS).all()
    assert from_above(frame, 20, 25)[1] < from_above(frame, 12, 33)[1] - 15


@pytest.mark.parametrize(("x", "z"), [(1.1, 2.85), (26.3, 19.65)])
def test_slabs_lie_where_the_recorded_frames_show_them(renderer, x, z):
    # One of the lightest, and in the next course one of the darkest, every 8.4 m; version 4 has no shadows.
    frame = renderer.frame(settled(version="4").scene(), top_view())
    assert from_above(frame, x, z, half=0.15) == pytest.approx((143, 138, 116), abs=4)
    assert from_above(frame, x + 0.525, z + 0.7, half=0.15) == pytest.approx((121, 114, 85), abs=4)


@pytest.mark.parametrize(("kind", "shown"), [("HotZone", True), ("DeathZone", False)])
def test_the_sides_of_hot_zones_show_from_inside(renderer, kind, shown):
    zone = item(kind, "20 0 25", sizes="8 8 8", rotations="0")
    camera = Camera((20.0, 1.0, 25.0), 0.0)
    pictures = [renderer.frame(settled(*things, place="20 0 5").scene(), camera) for things in ([zone], [])]
    assert (pictures[0] != pictures[1]).any() == shown


@pytest.mark.parametrize(
    ("row", "column", "shown"),
    [(10, 10, (115, 145, 190)), (100, 10, (126, 157, 201)), (10, 500, (99, 126, 165))],
)
def test_the_sky_in_the_west(renderer, row, column, shown):
    # Measured in pictures of 4.3.
    picture = renderer.frame(settled().scene(), Camera((30.0, 0.49, 20.0), 270.0))
    assert picture[row, column].astype(int) == pytest.approx(shown, abs=3)


@pytest.mark.parametrize(
    ("yaw", "up", "shown"),
    [
        *(
            (0, up, shown)
            for up, shown in ((50, (90, 115, 155)), (36, (98, 126, 165)), (22, (124, 153, 193)))
        ),
        (0, 10, (169, 201, 229)),
        *((150, up, shown) for up, shown in ((36, (132, 164, 213)), (24, (148, 182, 228)))),
    ],
)
def test_the_sky(renderer, yaw, up, shown):
    # Seen from above the fence, level; the row of an elevation by the camera's focal length.
    camera = Camera((20.0, 30.0, 20.0), float(yaw))
    row = round(256 - 256 / math.tan(math.radians(50)) * math.tan(math.radians(up)))
    row = max(row, 1)
    side = 256 if yaw == 0 else 90
    picture = renderer.frame(settled().scene(), camera)
    if yaw == 150:
        # Beside the sun's disc, where the same elevation is further from the horizon in the picture.
        turn = math.degrees(math.atan((side - 256) / 214.8))
        row = round(256 - 214.8 * math.tan(math.radians(up)) / math.cos(math.radians(turn)))
    assert median(picture, (row - 1, row + 2), (side - 2, side + 3)) == pytest.approx(shown, abs=LEVELS)


def test_the_suns_disc_is_white_and_about_9_degrees_in_radius(renderer):
    camera = Camera((20.0, 30.0, 20.0), 150.0, pitch=-50.0)
    picture = renderer.frame(settled().scene(), camera).astype(int)
    assert (picture[250:262, 250:262] >= 250).all()
    row = picture[256, 256:].min(axis=1)
    sky = int(row[-1])
    half = np.flatnonzero(row < (255 + sky) / 2)[0]
    assert math.degrees(math.atan(half / 214.8)) == pytest.approx(9.2, abs=0.5)
