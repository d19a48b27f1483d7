"""Paths and strips: what is drawn, and where."""

from itertools import pairwise

import numpy as np
import pytest

from arena_llm.pictures.canvas import Trail, fitted, path_color, text_width
from arena_llm.pictures.film import strip
from render import Camera, Renderer, birds_eye, first_person, top_view
from tests.arena.worlds import agent, episode, item

SIDE = 256
BALL = (17.0, 1.5, 22.0)
GREY = np.full((SIDE, SIDE, 3), 128, np.uint8)


@pytest.fixture(scope="module")
def scene():
    return episode(agent("8 0 4", 30), item("GoodGoal", "17 0 22", sizes="3 3 3")).scene()


@pytest.mark.parametrize("shape", [(SIDE, SIDE), (200, 320), (320, 200)])
@pytest.mark.parametrize("view", ["top", "above", "agent"])
def test_a_ball_is_drawn_where_the_camera_projects_it(scene, view, shape):
    width, height = shape
    camera = {"top": top_view(), "above": birds_eye(), "agent": first_person(scene)}[view]
    frame = Renderer(width, height).frame(scene, None if view == "agent" else camera).astype(int)
    ball = (frame[..., 1] > frame[..., 0] + 15) & (frame[..., 1] > frame[..., 2] + 15)
    rows, columns = np.nonzero(ball)
    ((column, row),) = camera.project([BALL], width, height)
    assert len(rows) > 20
    assert columns.mean() + 0.5 == pytest.approx(column, abs=1.0)
    assert rows.mean() + 0.5 == pytest.approx(row, abs=1.5)


def test_what_is_behind_a_camera_has_no_place():
    ahead, behind = Camera((20, 1, 20), 0.0).project([(20, 1, 25), (20, 1, 15)], SIDE, SIDE)
    assert ahead == pytest.approx((SIDE / 2, SIDE / 2))
    assert np.isnan(behind).all()


def changed(frame):
    return (frame != GREY).any(axis=2)


def trajectory(path, side=SIDE, **agent):
    """A grey frame with a path, whose last point is no agent's."""
    trail = Trail(top_view(), side, side, steps=max(len(path) - 1, 1), **agent)
    for point in [*path, (np.nan,) * 3]:
        trail.add(point)
    return trail.over(np.full((side, side, 3), 128, np.uint8))


def test_a_path_changes_the_pixels_along_it_and_no_others():
    path = [(10 + 0.5 * step, 0.5, 30 - 0.25 * step) for step in range(41)]
    drawn = trajectory(path)
    assert (GREY == 128).all()
    places = top_view().project(path, SIDE, SIDE)
    rows, columns = np.indices((SIDE, SIDE)) + 0.5
    near = np.full((SIDE, SIDE), np.inf)
    for start, end in pairwise(places):
        for part in np.linspace(0, 1, 9):
            column, row = start + part * (end - start)
            near = np.minimum(near, np.hypot(columns - column, rows - row))
    assert changed(drawn)[near < 1.0].all()
    assert not changed(drawn)[near > 4.0].any()


@pytest.mark.parametrize(("agent", "agents"), [(0, 1), (0, 2), (1, 2)])
def test_the_path_has_the_colour_of_its_time(agent, agents):
    path = [(10, 0.5, 10 + 0.4 * step) for step in range(51)]
    drawn = trajectory(path, 680, agent=agent, agents=agents)
    for step in (5, 25, 45):
        ((column, row),) = top_view().project([path[step]], 680, 680)
        got = drawn[int(row), int(column)] / 255
        assert got == pytest.approx(path_color(step / 50, agent, agents), abs=0.05)
    assert path_color(0.1, agent, agents) != path_color(0.9, agent, agents)


def test_agents_have_colours_of_their_own():
    assert len({path_color(0.5, agent, 4) for agent in range(4)}) == 4


@pytest.mark.parametrize(
    "path",
    [
        [(10, 0.5, 10), (np.nan, np.nan, np.nan), (11, 0.5, 10)],
        [(10, 0.5, 10), (30, 0.5, 30)],
        [(10, 0.5, 10)],
        np.empty((0, 3)),
    ],
    ids=["a gap", "a leap", "a point", "nothing"],
)
def test_no_line_is_drawn_over_gaps_and_leaps(path):
    assert not changed(trajectory(path)).any()


def test_a_path_that_leaves_the_picture_is_cut_at_its_edge():
    assert changed(trajectory([(20, 0.5, 39 + 0.5 * step) for step in range(20)])).any(axis=1).argmax() == 0


def test_a_trail_spares_the_agent():
    path = [(10 + 0.4 * step, 0.5, 10) for step in range(31)]
    trail = Trail(top_view(), SIDE, SIDE, steps=30)
    for point in path:
        trail.add(point)
    ((column, row),) = top_view().project([path[-1]], SIDE, SIDE)
    assert not changed(trail.over(GREY))[int(row), int(column)]
    assert changed(trajectory(path))[int(row), int(column)]


def green(frame):
    wide = frame.astype(int)
    return int(((wide[..., 1] > wide[..., 0] + 40) & (wide[..., 1] > wide[..., 2] + 40)).sum())


def test_the_strip_tells_health_by_a_bar_and_time_by_its_edge():
    full, half = (strip(health, 50, 100, 0.0, 512) for health in (100.0, 60.0))
    assert full.shape == half.shape == (40, 512, 3)
    assert green(half) / green(full) == pytest.approx(0.6, abs=0.02)
    assert green(strip(20.0, 50, 100, 0.0, 512)) == 0
    edge = strip(100.0, 25, 100, 0.0, 512, timed=True)[0] / 255
    assert edge[100] == pytest.approx(path_color(100 / 512), abs=0.01)
    assert edge[127] != pytest.approx(edge[128], abs=0.01)
    assert edge[128] == pytest.approx(edge[511])


@pytest.mark.parametrize("width", [192, 256, 512, 1024])
def test_the_words_of_the_strip_stay_inside(width):
    made = strip(100.0, 1667, 1667, -10.25, width)
    edge = max(3, len(made) // 9)
    assert (made[edge:, :2] == 255).all()
    assert (made[edge:, -2:] == 255).all()


def test_text_is_cut_to_its_width():
    words = "one two three four five six seven eight nine ten"
    assert fitted("short", 12, 100) == "short"
    assert text_width(fitted(words, 12, 100), 12) <= 100
