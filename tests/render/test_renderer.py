"""What a frame shows, on small scenes made the same way as real ones."""

import math

import numpy as np
import pytest

from arena import RenderError
from render import Renderer, decode, png
from tests.arena.worlds import agent, episode, item, settled

SIZE = 512
GOOD, MULTI, BAD = (190, 224, 140), (247, 220, 103), (207, 89, 89)


def where(frame, color, within=4):
    """Rows and columns of the pixels of a colour."""
    return np.nonzero((np.abs(frame.astype(int) - color) <= within).all(axis=2))


@pytest.mark.parametrize(
    ("kind", "color"),
    [("GoodGoal", GOOD), ("GoodGoalMulti", MULTI), ("BadGoal", BAD), ("GoodGoalBounce", GOOD)],
)
def test_goals_are_flat_discs_of_the_measured_colour(renderer, kind, color):
    run = episode(agent("20 0 20"), item(kind, "20 0 26", sizes="1 1 1", rotations="0"))
    rows, columns = where(renderer.frame(run.scene()), color)
    radius = 214.8 * 0.5 / math.sqrt(36 - 0.25)
    assert len(rows) == pytest.approx(math.pi * radius**2, rel=0.05)
    assert columns.mean() == pytest.approx(255.5, abs=1)


def test_east_is_on_the_right_when_facing_north(renderer):
    # A ball at a bearing of 19.03 degrees appears 214.8 x tan(19.03) pixels from the middle.
    bearing = math.radians(19.03)
    x, z = 20 + 8 * math.sin(bearing), 20 + 8 * math.cos(bearing)
    for side in (1, -1):
        run = settled(item("GoodGoal", f"{20 + side * (x - 20)} 0 {z}", sizes="1 1 1"))
        _, columns = where(renderer.frame(run.scene()), GOOD)
        middle = (columns.min() + columns.max()) / 2 - 255.5
        assert middle == pytest.approx(side * 214.8 * math.tan(bearing), abs=1.5)


def test_a_ramp_is_high_towards_minus_z(renderer):
    ramp = item("Ramp", "20 0 27", sizes="4 4 4", rotations="0", colors="255 0 255")
    magenta = {}
    for name, place, yaw in (("low side", "20 0 33", 180), ("high side", "20 0 21", 0)):
        frame = renderer.frame(settled(ramp, place=place, yaw=yaw).scene()).astype(int)
        rows, _ = np.nonzero((frame[..., 0] > 120) & (frame[..., 1] < 60))
        magenta[name] = rows.min()
    assert magenta["high side"] < magenta["low side"]


def test_glass_shows_what_is_behind_it(renderer):
    ball = item("GoodGoal", "20 0 28", sizes="2 2 2")
    glass = item("WallTransparent", "20 0 24", sizes="6 4 0.5", rotations="0")
    frame = renderer.frame(episode(agent("20 0 20"), ball, glass).scene()).astype(int)
    row = frame[254]
    assert np.abs(row[256] - row[300]).max() > 20
    assert np.abs(row[256] - GOOD).max() > 4


@pytest.mark.parametrize("size", [(3, 84), (84, 1025), (0, 0), (84.0, 84)])
def test_a_wrong_resolution_is_refused(size):
    with pytest.raises(RenderError, match="expected 4 to 1024"):
        Renderer(*size)


def test_png_keeps_every_pixel(renderer):
    frame = renderer.frame(settled().scene())
    assert (decode(png(frame)) == frame).all()
