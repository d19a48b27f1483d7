"""What is seen of a sign board's symbol."""

import numpy as np
import pytest

from arena.taskfile.symbols import DEFAULT, PRESETS
from render import Camera
from render.parts.glyphs import GLYPHS
from tests.arena.worlds import agent, episode, item

NEAR = Camera((16.0, 1.0, 20.0), 90.0, fov=50.0)
"""Looks at the -x side of a board 3 x 2 m at (20, 20)."""


def scene(symbol, color="", yaw=0):
    more = f'symbolNames: ["{symbol}"]'
    board = item("SignBoard", "20 0 20", rotations=str(yaw), sizes="1 1 1", colors=color, more=more)
    return episode(agent("5 0 35"), board).scene()


def dark(frame):
    return frame.max(axis=2) < 60


def test_every_preset_is_drawn_and_differs_from_the_others(renderer):
    assert set(GLYPHS) - {"pixel"} == set(PRESETS) - {DEFAULT}
    shown = {symbol: renderer.frame(scene(symbol), NEAR).tobytes() for symbol in PRESETS}
    assert len(set(shown.values())) == len(PRESETS)


@pytest.mark.parametrize(
    ("yaw", "camera"),
    [(180, NEAR), (0, Camera((24.0, 1.0, 20.0), 270.0, fov=50.0))],
    ids=["turned", "from behind"],
)
def test_only_the_near_side_shows_it(renderer, yaw, camera):
    star, none = (renderer.frame(scene(symbol, yaw=yaw), camera) for symbol in ("star", "default"))
    assert (star[80:176, 80:176] == none[80:176, 80:176]).all()
    assert not dark(star[80:176, 80:176]).any()


@pytest.mark.parametrize(
    ("symbol", "axis", "side"),
    [("right-arrow", 0, 1), ("left-arrow", 0, -1), ("up-arrow", 1, -1), ("down-arrow", 1, 1)],
)
def test_arrows_point_as_the_reader_sees_it(renderer, symbol, axis, side):
    width = dark(renderer.frame(scene(symbol), NEAR)).sum(axis=axis)
    middle = np.flatnonzero(width).mean()
    assert np.sign(np.argmax(width) - middle) == side, "the head is the widest part"


def test_a_grid_is_read_row_by_row_from_the_top_left(renderer):
    frame = renderer.frame(scene("0111/1110/0011"), NEAR)
    assert dark(renderer.frame(scene("0"), NEAR)).any()
    rows, columns = np.nonzero(dark(frame))
    cell = (rows.max() - rows.min() + 1) / 3
    left = columns.min()
    for row, code in enumerate(("0111", "1110", "0011")):
        for column, cell_code in enumerate(code):
            at = int(rows.min() + (row + 0.5) * cell), int(left + (column + 0.5) * cell)
            assert dark(frame)[at] == (cell_code == "0"), (row, column)


def test_runs_of_like_cells_leave_no_gaps(renderer):
    black = dark(renderer.frame(scene("00/00/00"), NEAR))
    rows, columns = np.nonzero(black)
    assert black[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1].all()


def test_colours_tint_the_symbol_and_not_the_board(renderer):
    plain, red = (renderer.frame(scene("square", color), NEAR).astype(int) for color in ("", "255 0 0"))
    inside = dark(plain)
    assert (red[inside][:, 0] > 100).all()
    assert (red[inside][:, 1] < 20).all()
    assert (red[~inside] == plain[~inside]).all()
    grid = renderer.frame(scene("01", "255 0 0"), NEAR).astype(int)
    assert dark(grid).any(), "black stays black"
    assert ((grid[..., 0] > 100) & (grid[..., 1] < 20)).any(), "white is tinted"


def test_a_symbol_does_not_flicker_from_far(renderer):
    far = [Camera((x, 1.0, 20.0), 90.0, fov=4.0 * 40 / (59.0 - x)) for x in np.linspace(0.5, 1.5, 5)]
    board = item("SignBoard", "39 0 20", rotations="0", sizes="1 1 1", more="symbolNames: [square]")
    view = episode(agent("5 0 35"), board).scene()
    counts = [dark(renderer.frame(view, camera)).sum() for camera in far]
    assert min(counts) > 0.98 * 0.9 * max(counts)
    for camera in far:
        rows, columns = np.nonzero(dark(renderer.frame(view, camera)))
        assert len(rows) == (np.ptp(rows) + 1) * (np.ptp(columns) + 1), "nothing of the board shows through"
