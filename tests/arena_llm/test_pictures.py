"""Paths, strips, videos and pages: what is drawn, and where."""

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from arena import ConfigError, Episode, EvaluationError, load_text
from arena_llm.pictures import (
    STEPS_PER_S,
    Status,
    Tile,
    Trail,
    contact_sheet,
    open_video,
    project,
    strip,
    trajectory,
)
from arena_llm.pictures.canvas import fitted, text_width, wrapped
from arena_llm.pictures.trajectory import path_color
from render import Camera, Renderer, birds_eye, first_person, top_view

SIDE = 256
GREEN_BALL = """
!ArenaConfig
arenas:
  0: !Arena
    t: 100
    items:
    - !Item
      name: Agent
      positions: [!Vector3 {x: 8, y: 0, z: 4}]
      rotations: [30]
    - !Item
      name: GoodGoal
      positions: [!Vector3 {x: 17, y: 0, z: 22}]
      sizes: [!Vector3 {x: 3, y: 3, z: 3}]
"""
BALL = (17.0, 1.5, 22.0)
GREY = np.full((SIDE, SIDE, 3), 128, np.uint8)


@pytest.fixture(scope="module")
def scene():
    with Episode(load_text(GREEN_BALL).arenas[0], task_id="ball") as episode:
        yield episode.scene()


@pytest.mark.parametrize("shape", [(SIDE, SIDE), (200, 320), (320, 200)])
@pytest.mark.parametrize("view", ["top", "above", "agent"])
def test_a_ball_is_drawn_where_the_camera_projects_it(scene, view, shape):
    width, height = shape
    camera = {"top": top_view(), "above": birds_eye(), "agent": first_person(scene)}[view]
    frame = Renderer(width, height).frame(scene, None if view == "agent" else camera).astype(int)
    ball = (frame[..., 1] > frame[..., 0] + 15) & (frame[..., 1] > frame[..., 2] + 15)
    rows, columns = np.nonzero(ball)
    ((column, row),) = project(camera, [BALL], width, height)
    assert len(rows) > 20
    assert columns.mean() + 0.5 == pytest.approx(column, abs=1.0)
    assert rows.mean() + 0.5 == pytest.approx(row, abs=1.5)


def test_what_is_behind_a_camera_has_no_place():
    camera = Camera((20, 1, 20), 0.0)
    ahead, behind = project(camera, [(20, 1, 25), (20, 1, 15)], SIDE, SIDE)
    assert ahead == pytest.approx((SIDE / 2, SIDE / 2))
    assert np.isnan(behind).all()


def changed(frame):
    return (frame != GREY).any(axis=2)


def test_a_path_changes_the_pixels_along_it_and_no_others():
    path = [(10 + 0.5 * step, 0.5, 30 - 0.25 * step) for step in range(41)]
    drawn = trajectory(GREY, top_view(), path, thickness=3.0)
    assert (GREY == 128).all()
    places = project(top_view(), path, SIDE, SIDE)
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
    drawn = trajectory(GREY, top_view(), path, thickness=4.0, agent=agent, agents=agents)
    for step in (5, 25, 45):
        ((column, row),) = project(top_view(), [path[step]], SIDE, SIDE)
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
    assert not changed(trajectory(GREY, top_view(), path)).any()


def test_a_path_that_leaves_the_picture_is_cut_at_its_edge():
    path = [(20, 0.5, 39 + 0.5 * step) for step in range(20)]
    assert changed(trajectory(GREY, top_view(), path)).any(axis=1).argmax() == 0


def test_a_trail_that_grows_is_the_path_drawn_at_once_and_spares_the_agent():
    path = [(10 + 0.4 * step, 0.5, 10) for step in range(31)]
    trail = Trail(top_view(), SIDE, SIDE, steps=30)
    for point in path:
        trail.add(point)
    assert (trail.over(GREY, spare_agent=False) == trajectory(GREY, top_view(), path)).all()
    ((column, row),) = project(top_view(), [path[-1]], SIDE, SIDE)
    assert not changed(trail.over(GREY))[int(row), int(column)]
    assert changed(trail.over(GREY, spare_agent=False))[int(row), int(column)]


def green(frame):
    wide = frame.astype(int)
    return int(((wide[..., 1] > wide[..., 0] + 40) & (wide[..., 1] > wide[..., 2] + 40)).sum())


def test_the_strip_tells_health_by_a_bar_and_time_by_its_edge():
    full, half = (strip(Status(health, 50, 100, 0.0), 512) for health in (100.0, 60.0))
    assert full.shape == half.shape == (40, 512, 3)
    assert green(half) / green(full) == pytest.approx(0.6, abs=0.02)
    assert green(strip(Status(20.0, 50, 100, 0.0), 512)) == 0
    edge = strip(Status(100.0, 25, 100, 0.0), 512, timed=True)[0] / 255
    assert edge[100] == pytest.approx(path_color(100 / 512), abs=0.01)
    assert edge[127] != pytest.approx(edge[128], abs=0.01)
    assert edge[128] == pytest.approx(edge[511])


@pytest.mark.parametrize("width", [192, 256, 512, 1024])
def test_the_words_of_the_strip_stay_inside(width):
    made = strip(Status(100.0, 1667, 1667, -10.25), width)
    edge = max(3, len(made) // 9)
    assert (made[edge:, :2] == 255).all()
    assert (made[edge:, -2:] == 255).all()


def frames(count, height=64, width=96):
    for number in range(count):
        frame = np.zeros((height, width, 3), np.uint8)
        frame[:, : (number + 1) * width // count] = (220, 40, 40)
        yield frame


@pytest.mark.parametrize(("shape", "kept"), [((64, 96), (64, 96)), ((63, 97), (64, 98))])
def test_a_video_has_the_frames_size_and_pace_it_was_given(tmp_path, shape, kept):
    iio = pytest.importorskip("imageio.v2")
    path = tmp_path / "new" / "film.mp4"
    with open_video(path) as video:
        for frame in frames(25, *shape):
            video.add(frame)
            assert not path.exists()
    assert video.frames == 25
    with iio.get_reader(path) as reader:
        facts = reader.get_meta_data()
        read = list(reader.iter_data())
    assert (len(read), read[0].shape) == (25, (*kept, 3))
    assert facts["fps"] == pytest.approx(STEPS_PER_S, abs=0.01)
    assert facts["duration"] == pytest.approx(25 * 0.06, abs=0.06)
    red = [(frame[..., 0] > 128).mean() for frame in read]
    assert red == sorted(red)
    assert red[12] == pytest.approx(13 / 25, abs=0.03)
    assert [file.name for file in path.parent.iterdir()] == ["film.mp4"]


@pytest.mark.parametrize(("fps", "seconds"), [(STEPS_PER_S, 1.5), (30.0, 25 / 30), (7.0, 25 / 7)])
def test_a_gif_has_the_frames_size_and_pace_it_was_given(tmp_path, fps, seconds):
    path = tmp_path / "film.gif"
    with open_video(path, fps) as video:
        for frame in frames(25):
            video.add(frame)
    delays = []
    with Image.open(path) as image:
        assert (image.n_frames, image.size, image.info["loop"]) == (25, (96, 64), 0)
        for number, frame in enumerate(frames(25)):
            image.seek(number)
            delays.append(image.info["duration"])
            assert np.abs(np.asarray(image.convert("RGB")).astype(int) - frame).max() <= 4
    assert sum(delays) / 1000 == pytest.approx(seconds, abs=0.01)
    assert max(delays) - min(delays) <= 10


def test_a_gif_keeps_what_does_not_change_and_stays_small(tmp_path, scene):
    still = Renderer(128, 128).frame(scene)
    moved = still.copy()
    moved[100:110, 20:30] = (250, 0, 250)
    for name, made in {"one": [still], "many": [still, still, moved, moved, still] * 4}.items():
        write_frames(tmp_path / f"{name}.gif", *made)
    with Image.open(tmp_path / "many.gif") as image:
        assert image.n_frames == 20
        for number in range(20):
            image.seek(number)
            wanted = [still, still, moved, moved, still][number % 5]
            away = np.abs(np.asarray(image.convert("RGB")).astype(int) - wanted)
            assert away.mean() < 2
            assert away[100:110, 20:30].max() < 12
    assert (tmp_path / "many.gif").stat().st_size < 3 * (tmp_path / "one.gif").stat().st_size


FULL_DISK = """
import resource, sys
import numpy as np
from pathlib import Path
from arena import EvaluationError
from arena_llm.pictures import open_video
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    with open_video(Path(sys.argv[1])) as video:
        for seed in range(20):
            video.add(np.random.default_rng(seed).integers(0, 256, (64, 64, 3), np.uint8))
except EvaluationError as error:
    sys.exit(str(error))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of file sizes there")
@pytest.mark.parametrize("suffix", [".mp4", ".gif"])
def test_a_disk_that_is_full_is_an_error_and_leaves_nothing(tmp_path, suffix):
    path = tmp_path / f"film{suffix}"
    result = subprocess.run([sys.executable, "-c", FULL_DISK, path], capture_output=True, text=True)
    assert result.returncode == 1
    assert f"{path}: the encoder failed" in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".mp4", ".gif"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ConfigError])
def test_a_video_that_is_broken_off_leaves_what_was_there(tmp_path, suffix, error):
    path = tmp_path / f"film{suffix}"
    path.write_bytes(b"the one before")

    def interrupted():
        with open_video(path) as video:
            for frame in frames(5):
                video.add(frame)
            raise error("now")

    with pytest.raises(error):
        interrupted()
    assert path.read_bytes() == b"the one before"
    assert list(tmp_path.iterdir()) == [path]


def write_frames(path, *made, fps=STEPS_PER_S):
    with open_video(path, fps) as video:
        for frame in made:
            video.add(frame)


@pytest.mark.parametrize("suffix", [".mp4", ".gif"])
def test_frames_of_two_sizes_and_none_at_all_are_refused(tmp_path, suffix):
    path = tmp_path / f"film{suffix}"
    with pytest.raises(EvaluationError, match="frame 1 is"):
        write_frames(path, GREY, GREY[:100])
    with pytest.raises(EvaluationError, match="no frame"):
        write_frames(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "fps", "words"),
    [
        ("film.avi", 10.0, "in .mp4 or .gif"),
        ("film", 10.0, "in .mp4 or .gif"),
        ("film.gif", 60.0, "0.1 to 50"),
        ("film.mp4", 0.0, "0.1 to 1000"),
        ("film.mp4", float("nan"), "0.1 to 1000"),
    ],
)
def test_other_files_and_paces_are_refused(tmp_path, name, fps, words):
    with pytest.raises(ConfigError, match=words):
        write_frames(tmp_path / name, GREY, fps=fps)


def test_a_missing_encoder_is_named_with_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(EvaluationError, match=r"pip install 'arena-llm\[video\]'"):
        write_frames(tmp_path / "film.mp4", GREY)
    write_frames(tmp_path / "film.gif", GREY)
    assert (tmp_path / "film.gif").exists()


def test_a_sheet_has_each_pair_in_its_place_and_reasons_in_the_others():
    side, count = 40, 8
    colors = [(20 * number, 0, 255 - 20 * number) for number in range(count)]

    def tiles():
        for number, color in enumerate(colors):
            picture = np.full((side, side, 3), color, np.uint8)
            yield Tile(str(number), None if number == 3 else (picture, picture), "a wall is in the way")

    page = np.asarray(contact_sheet(tiles(), count, side=side))
    found = {}
    for number, color in enumerate(colors):
        rows, columns = np.nonzero((page == color).all(axis=2))
        found[number] = (rows.min(), columns.min(), len(rows)) if len(rows) else None
    assert found[3] is None
    assert {found[number][2] for number in found if number != 3} == {2 * side * side}
    assert found[0][0] == found[5][0] < found[6][0] == found[7][0]
    assert found[0][1] == found[6][1] < found[1][1] == found[7][1]
    right = page.shape[1] - 1 - np.nonzero((page != 255).any(axis=(0, 2)))[0].max()
    assert right == found[0][1]


def test_text_is_cut_and_broken_to_its_width():
    words = "one two three four five six seven eight nine ten"
    assert fitted("short", 12, 100) == "short"
    assert text_width(fitted(words, 12, 100), 12) <= 100
    lines = wrapped(words, 12, 100, lines=2)
    assert len(lines) == 2
    assert lines[0].startswith("one two")
    assert lines[1].endswith("...")
    assert max(text_width(line, 12) for line in wrapped("x" * 80 + " y", 12, 100, 3)) <= 100
    assert wrapped("", 12, 100, 3) == []
