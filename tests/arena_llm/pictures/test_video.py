"""Videos and animated pictures: frames, pace, and what is left of them when something fails."""

import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from arena import ConfigError, Episode, EvaluationError
from arena_llm.pictures.video import STEPS_PER_S, open_video
from render import Renderer
from testbed import task_named
from tests.arena_llm.pictures.films import read_film

GREY = np.full((256, 256, 3), 128, np.uint8)


def frames(count, height=64, width=96):
    for number in range(count):
        frame = np.zeros((height, width, 3), np.uint8)
        frame[:, : (number + 1) * width // count] = (220, 40, 40)
        yield frame


@pytest.mark.parametrize(("shape", "kept"), [((64, 96), (64, 96)), ((63, 97), (64, 98))])
def test_a_video_has_the_frames_size_and_pace_it_was_given(tmp_path, shape, kept):
    path = tmp_path / "new" / "film.mp4"
    with open_video(path) as video:
        for frame in frames(25, *shape):
            video.add(frame)
            assert not path.exists()
    assert video.frames == 25
    facts, read = read_film(path)
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
    write_frames(path, *frames(25), fps=fps)
    delays = []
    with Image.open(path) as image:
        assert (image.n_frames, image.size, image.info["loop"]) == (25, (96, 64), 0)
        for number, frame in enumerate(frames(25)):
            image.seek(number)
            delays.append(image.info["duration"])
            assert np.abs(np.asarray(image.convert("RGB")).astype(int) - frame).max() <= 4
    assert sum(delays) / 1000 == pytest.approx(seconds, abs=0.01)
    assert max(delays) - min(delays) <= 10


def test_a_gif_keeps_what_does_not_change_and_stays_small(tmp_path):
    with Episode(task_named("01-01-01").spec, task_id="gif") as episode:
        still = Renderer(128, 128).frame(episode.scene())
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
from arena_llm.pictures.video import open_video
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
