"""The benchmark beside other programs, on one scene. How fast anything is, no test says."""

import json
import signal
import subprocess
import time
from dataclasses import replace
from importlib.util import find_spec
from itertools import pairwise

import numpy as np
import pytest

from arena import load
from benchmarks.peers.contenders import CONTENDERS, Work, batch_contender
from benchmarks.peers.report import comparison_dict, print_comparison
from benchmarks.peers.rounds import Comparison, Rounds, Row, advances, compare, rows_of
from benchmarks.peers.scenery import HIDDEN, SCENE_FILE, Changes, place_of, scene_subject
from benchmarks.peers.tiny import TinyWorld
from benchmarks.profile import NAMES, print_profile, profile_dicts, profile_steps
from render import Renderer
from render.pyrender.solids import solids_of
from tests.benchmarks.command import COMMAND, bench, printed

TINY = Rounds(count=2, slice_s=0.0, warm_up=1)
SHIPPED = [c for c in CONTENDERS if not c.install.startswith("pip")]
OURS = CONTENDERS[0]


@pytest.fixture(scope="module")
def comparison():
    """Everything that needs no other package, and one that is not installed."""
    nobody = replace(CONTENDERS[1], name="nobody", module="no_such_program", install="pip install nothing")
    told = []
    contenders = [*SHIPPED, nobody]
    found = compare(contenders, TINY, 0, told.append)
    assert len(told) == advances(contenders, TINY)
    return found


def test_every_row_is_there_measured_or_with_a_reason(comparison):
    stored = json.loads(json.dumps(comparison_dict(comparison)))
    assert len(stored["rows"]) == 3 * 4 + 3 * 2 + 2 + 2
    for row in stored["rows"]:
        if row["name"] == "nobody":
            assert row["absent"] == "no_such_program is not installed; pip install nothing"
            assert (row["rates"], row["spread"]) == ([], None)
        else:
            assert row["absent"] is None
            assert len(row["rates"]) == TINY.count
            assert min(row["rates"]) > 0
            assert (row["arena_llm_is_times_faster"] is None) == (row["name"] == "arena-llm")
    assert {row["side"] for row in stored["rows"]} == {84, 128, 512, None}
    assert stored["about"]["arena-llm"]["opengl"]


def test_the_table_names_who_is_absent_and_what_each_draws(comparison):
    text = printed(print_comparison, comparison)
    assert "nobody did not run (frames): no_such_program is not installed; pip install nothing" in text
    assert "TinyRenderer, frames: the same things, floor and fence, lit, in plain colours" in text
    assert "…" not in text


@pytest.mark.parametrize("name", ["pyrender", "MiniWorld", "MiniWorld FourRooms"])
def test_an_optional_peer_is_measured_or_says_what_to_install(name):
    found = compare([c for c in CONTENDERS if c.name == name], TINY, 0)
    if find_spec(name.partition(" ")[0].lower()) is None:
        assert all(row.reason.endswith("pip install 'arena-llm[bench]'") for row in found.rows)
    else:
        assert all(len(row.rates) == TINY.count for row in found.rows)


def test_a_batch_is_measured():
    found = compare([batch_contender(3)], TINY, 0)
    assert {row.reason for row in found.rows} == {None}
    assert {row.times for row in found.rows} == {3}


def test_a_peer_that_dies_is_a_row_with_a_reason(tmp_path, monkeypatch):
    (tmp_path / "deadly.py").write_text("import os\nabout = os.abort\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    deadly = replace(CONTENDERS[1], name="deadly", module="deadly")
    found = compare([OURS, deadly], TINY, 0)
    reasons = {row.reason for row in found.rows if row.contender is deadly}
    assert reasons == {"its process ended without an answer, as a broken driver makes it"}
    assert all(row.rates for row in found.rows if row.contender is OURS)


def test_ratios_are_taken_round_by_round():
    ours, theirs = Row(OURS, Work.BARE, 0), Row(SHIPPED[-1], Work.BARE, 0)
    ours.rates, theirs.rates = [10.0, 30.0, 40.0], [10.0, 10.0, 20.0]
    found = Comparison([ours, theirs])
    assert ours.spread == (30, 10, 40)
    assert found.ratio(theirs) == (2, 1, 3)
    assert found.ratio(ours) is None


def test_rows_of_the_same_work_and_size_are_neighbours():
    keys = [(row.work, row.side) for row in rows_of(CONTENDERS)]
    assert len(dict.fromkeys(keys)) == sum(a != b for a, b in pairwise(keys)) + 1


def test_the_scene_has_fifty_things_and_nothing_to_complain_of():
    with scene_subject(0) as subject:
        scene = subject.episode.scene()
    assert len(scene.things) == 50
    assert len({thing.kind for thing in scene.things}) >= 15
    assert not load(SCENE_FILE).warnings


def test_only_what_moved_is_brought_over():
    with scene_subject(0) as subject:
        scene = subject.episode.scene()
        items = solids_of(scene, own_body=False)
        changes = Changes(items)
        assert changes.of(scene) == list(range(len(items)))
        assert changes.of(scene) == []
        moved = replace(scene, positions=scene.positions + np.eye(50)[:, 7:8])
        assert {items[number].instance for number in changes.of(moved)} == {7}
        gone = replace(moved, visible=np.arange(50) != 3)
        (number, *_) = changes.of(gone)
        assert items[number].instance == 3
        assert place_of(items[number], gone)[0][1] == HIDDEN


def test_others_see_the_same_things_at_the_same_places():
    """The red ball right in front of the agent covers the same pixels in both pictures."""
    with scene_subject(0) as subject:
        for _ in range(60):
            subject.step()
        scene = subject.episode.scene()
    ours = Renderer(256, 256).frame(scene).astype(int)
    theirs = TinyWorld(scene).picture(scene, 256, shadows=False).astype(int)
    # Ours is flat, so that the zones' deeper red does not count; theirs is shaded.
    red = [(abs(ours - (207, 89, 89)) < 5).all(axis=2), theirs[..., 0] > 1.9 * theirs[..., 1:].max(axis=2)]
    assert red[0].sum() > 500
    assert (red[0] & red[1]).sum() > 0.85 * (red[0] | red[1]).sum()


def test_the_profile_books_every_stage_once():
    profiles = profile_steps(TINY, 0, sides=(84,))
    (stored,) = json.loads(json.dumps(profile_dicts(profiles)))
    assert set(stored["milliseconds_per_step"]) == set(NAMES)
    for name, values in stored["milliseconds_per_step"].items():
        assert len(values) == TINY.count
        # Nothing in the scene needs Bullet but what the agent may push.
        assert min(values) > 0 or "Bullet" in name
    assert "together" in printed(print_profile, profiles)


def test_the_command_measures_the_profile_alone(tmp_path):
    path = tmp_path / "bench.json"
    result = bench("--quick", "--only", "profile", "--json", path)
    assert (result.returncode, result.stderr) == (0, "")
    assert "where a step's time goes" in result.stdout
    stored = json.loads(path.read_text())
    assert [profile["side"] for profile in stored["profile"]] == [84, 128, 512]
    assert [profile["setup"] for profile in stored["profile_tasks"]] == ["vector", "rays", "camera 84 x 84"]
    assert "were done without Bullet" in result.stdout
    assert stored["parts"] == []


def test_ctrl_c_ends_all_processes_and_keeps_what_there_is(tmp_path):
    path = tmp_path / "bench.json"
    command = [*COMMAND, "--only", "peers", "--json", str(path)]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 200
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(2.0)
    started.send_signal(signal.SIGINT)
    # The pipes end only when every process that has them is gone.
    said, complained = started.communicate(timeout=240)
    assert (started.returncode, complained) == (130, "Stopped after 0 of 1 parts.\n")
    assert "seed 0" in said
    rows = json.loads(path.read_text())["peers"]["rows"]
    assert {row["name"] for row in rows} == {contender.name for contender in CONTENDERS}


def test_without_opengl_one_sentence_says_what_to_install():
    result = bench("--only", "profile", "--only", "frames", GLCONTEXT_LINUX_LIBEGL="libnone.so")
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert "apt-get install libegl1" in result.stderr


def test_without_opengl_the_rest_is_measured(tmp_path, monkeypatch):
    monkeypatch.setenv("GLCONTEXT_LINUX_LIBEGL", "libnone.so")
    found = compare([OURS], TINY, 0)
    drawn = {Work.FRAMES, Work.CAMERA}
    assert all(bool(row.rates) == (row.work not in drawn) for row in found.rows)
    assert all("libegl1" in row.reason for row in found.rows if row.work in drawn)
