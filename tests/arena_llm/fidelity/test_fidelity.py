"""The comparison with recordings, on recordings of our own."""

import json
from functools import partial

import numpy as np
import pytest

from arena import RecordingError
from arena_llm.fidelity.pictures import CLASSES, classify, compare_frames, compare_pictures
from arena_llm.fidelity.trace import read_poses, read_trace, replay
from render import decode
from tests.arena_llm.fidelity.recordings import SIDE, record, save
from tests.cases import cases

CASES = cases(__file__)


@pytest.fixture
def fidelity(command):
    """`arena-llm fidelity` with these arguments."""
    return partial(command, "fidelity")


@pytest.fixture
def folder(tmp_path):
    record(tmp_path / "own")
    return tmp_path / "own"


def change(folder, old, new):
    table = folder / "trace.csv"
    text = table.read_text()
    assert old in text
    table.write_text(text.replace(old, new, 1))


def test_our_own_recording_agrees_in_everything(folder, tmp_path, fidelity):
    (tmp_path / "poses.csv").write_text("turn,x,z,speed,heading\n1,20,7.45,11.8,0\n")
    result = fidelity(
        *("--trace", folder, "--json", tmp_path / "f.json", "--sheet", tmp_path / "new" / "sheet.png"),
        *("--frames", tmp_path / "ours", "--poses", tmp_path / "poses.csv", "--reward", "1.8"),
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert "after 2 of 2 turns" in result.stdout
    assert "…" not in result.stdout
    assert "recorded 1.800" in result.stdout
    found = json.loads((tmp_path / "f.json").read_text())
    assert [turn["agrees"] for turn in found["turns"]] == [True, True, None]
    assert found["turns"][0]["model"] == {"x": 20, "z": 7.45, "speed": 11.8, "heading": 0}
    assert found["turns"][0]["position"][2] == pytest.approx(7.45, abs=0.05)
    assert [event["name"] for event in found["turns"][2]["events"]] == ["GoodGoal"]
    assert found["ending"]["outcome"] == "goal"
    assert [frame["same"] for frame in found["frames"]] == [1.0] * 5
    assert found["mean_iou"]["magenta"] == 1.0
    names = sorted(path.stem for path in (tmp_path / "ours").iterdir())
    assert names == sorted(path.stem for path in folder.glob("obs-*"))
    assert decode((tmp_path / "new" / "sheet.png").read_bytes()).shape == (2 * SIDE, 8 * SIDE, 3)


def test_wrong_health_is_status_1_and_names_the_difference(folder, fidelity):
    rows = (folder / "trace.csv").read_text().splitlines()
    health = float(rows[2].rsplit(",", 1)[1])
    change(folder, rows[2], rows[2].rsplit(",", 1)[0] + f",{health + 0.2:.1f}")
    result = fidelity("--trace", folder)
    assert result.returncode == 1
    assert "after 1 of 2 turns" in result.stdout
    assert result.stderr == ""


def test_turns_after_our_end_do_not_agree(folder):
    table = folder / "trace.csv"
    rows = table.read_text().splitlines()
    rows[3:] = ["3,Turn(-6); Go(39);,40,37,92.0", "4,Go(3);,3,77,80.0", "5,Go(3);,3,80,79.0"]
    table.write_text("\n".join(rows) + "\n")
    played = replay(read_trace(folder))
    assert [row.turn for row in played.unreached] == [4, 5]
    assert (played.agreeing, played.judged) == (1, 4)


def test_white_margins_are_cut_off_and_a_lost_picture_is_named(tmp_path, fidelity):
    record(tmp_path / "own", margin=2)
    assert decode((tmp_path / "own" / "obs-0.0.png").read_bytes()).shape == (SIDE, SIDE + 4, 3)
    trace = read_trace(tmp_path / "own")
    assert next(compare_pictures(trace, replay(trace))).recorded.shape == (SIDE, SIDE, 3)
    (tmp_path / "own" / "obs-1.6.png").rename(tmp_path / "own" / "obs-1.7.png")
    result = fidelity("--trace", tmp_path / "own")
    assert (result.returncode, "obs-1.7.png" in result.stdout) == (0, True)


def test_without_pictures_health_is_still_compared(folder, fidelity):
    for path in folder.glob("obs-*"):
        path.unlink()
    trace = read_trace(folder)
    assert list(compare_pictures(trace, replay(trace))) == []
    result = fidelity("--trace", folder)
    assert (result.returncode, "No pictures were compared." in result.stdout) == (0, True)


def test_without_columns_of_steps_the_paper_s_idle_steps_are_taken(folder):
    (folder / "trace.csv").write_text("turn,script,health_before_script\n1,Go(6);,99\n2,Go(6);,\n3,Go(1);,90")
    trace = read_trace(folder)
    assert trace.idle_steps == 49
    assert [row.health for row in trace.turns] == [None, 90.0, None]


@pytest.mark.parametrize(("colour", "name"), CASES["colours"])
def test_colours_of_the_original_are_distinguished(colour, name):
    assert [CLASSES[index] for index in classify(np.full((4, 4, 3), colour, np.uint8)).ravel()] == [name] * 16


def test_shares_and_overlaps_are_those_of_the_pixels():
    one = np.zeros((100, 100, 3), np.uint8)
    one[:, :] = (200, 168, 120)
    other = one.copy()
    one[:50, :40] = (255, 0, 255)
    other[:50, 20:60] = (255, 0, 255)
    match = compare_frames("obs-1.1", one, other)
    assert match.same == pytest.approx(0.8)
    assert match.iou == pytest.approx({"magenta": 1 / 3, "floor": 7000 / 9000})


@pytest.mark.parametrize(
    ("edit", "words"), CASES["broken_tables"], ids=[words for _, words in CASES["broken_tables"]]
)
def test_a_broken_table_is_reported_with_its_line(folder, edit, words):
    change(folder, *edit)
    with pytest.raises(RecordingError, match=r"trace\.csv:\d") as error:
        read_trace(folder)
    assert words in str(error.value)


def test_an_empty_table_and_double_poses_are_refused(tmp_path):
    path = tmp_path / "poses.csv"
    path.write_text("turn,x,z,speed,heading\n")
    with pytest.raises(RecordingError, match="no rows"):
        read_poses(path)
    path.write_text("turn,x,z,speed,heading\n1,1,1,1,1\n1,2,2,2,2\n")
    with pytest.raises(RecordingError, match=r"poses\.csv:3: turn 1 is duplicated"):
        read_poses(path)


def test_pictures_of_different_sizes_are_refused(folder):
    save(folder / "obs-1.6.png", np.zeros((64, 64, 3), np.uint8))
    trace = read_trace(folder)
    with pytest.raises(RecordingError, match="64 x 64 pixels, but the pictures before"):
        list(compare_pictures(trace, replay(trace)))


@pytest.mark.parametrize(
    ("arguments", "words"), CASES["mistakes"], ids=[words for _, words in CASES["mistakes"]]
)
def test_a_mistake_is_one_sentence(arguments, words, folder, tmp_path, fidelity):
    places = {name: tmp_path / name for name in ("empty", "spoilt", "tableless")}
    for place in places.values():
        place.mkdir()
    record(places["spoilt"])
    (places["spoilt"] / "obs-1.6.png").write_text("no picture")
    record(places["tableless"]).unlink()
    assert words in fidelity(*(argument.format(folder=folder, **places) for argument in arguments)).sentence
