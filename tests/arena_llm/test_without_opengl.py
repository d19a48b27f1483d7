"""What needs no picture works on a machine that cannot draw; what needs one says so in a sentence."""

import csv
import os
import subprocess
import sys
from functools import partial

import pytest

from tests.command import run_fresh

TASK = """
arenas:
  0: !Arena
    timeLimit: 60
    passMark: 0
    items:
    - !Item
      name: Agent
      positions: [!Vector3 {x: 20, y: 0, z: 5}]
      rotations: [0]
    - !Item
      name: GoodGoal
      positions: [!Vector3 {x: 20, y: 0, z: 20}]
      sizes: [!Vector3 {x: 2, y: 2, z: 2}]
"""


BROKEN = {"GLCONTEXT_LINUX_LIBEGL": "libnone.so"}

arena_llm = partial(run_fresh, **BROKEN)


@pytest.fixture
def battery(tmp_path):
    folder = tmp_path / "battery"
    folder.mkdir()
    (folder / "01-01-01.yaml").write_text(TASK)
    return folder


def test_an_environment_without_a_camera_plays(battery):
    program = f"""
import gymnasium, arena
config = {str(battery / "01-01-01.yaml")!r}
env = gymnasium.make("arena-llm/Arena-v0", config=config, observation=("rays", "vector"))
env.reset(seed=1)
print(sorted(env.step(3)[0]))
"""
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | BROKEN)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "['rays', 'vector']\n"


@pytest.mark.slow
def test_files_are_checked_and_agents_with_rays_play(battery, tmp_path):
    checked = arena_llm("testbed", "check", battery, "--svg", tmp_path / "plans", "--jobs", 1)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert list((tmp_path / "plans").rglob("*.svg"))
    out, logs = tmp_path / "out", tmp_path / "logs"
    options = ("--model", "arena/braitenberg", "--testbed", battery, "--log-dir", logs)
    assert arena_llm("eval", *options, "--out", out).returncode == 0
    with (out / "results.csv").open() as file:
        assert [row["task_id"] for row in csv.DictReader(file)] == ["01-01-01"]
    assert arena_llm("verify", logs).returncode == 0


def test_scripts_are_played_and_only_their_pictures_need_opengl(battery, tmp_path):
    scripts = tmp_path / "scripts.txt"
    scripts.write_text("Go(3);\n")
    options = (battery / "01-01-01.yaml", "--scripts", scripts)
    played = arena_llm("run", *options)
    assert (played.returncode, played.stderr) == (0, "")
    assert played.stdout.count("\n") == 1
    drawn = arena_llm("run", *options, "--frames", tmp_path / "pictures")
    assert drawn.returncode == 1
    assert drawn.stdout == ""
    is_the_sentence(drawn.stderr)


def test_an_evaluation_is_refused_before_an_episode_is_spent(battery, tmp_path):
    options = ("--model", "arena/random", "--testbed", battery, "--log-dir", tmp_path / "logs")
    result = arena_llm("eval", *options)
    assert result.returncode == 1
    is_the_sentence(result.stderr)
    assert not list((tmp_path / "logs").glob("*.eval"))


def test_a_recording_is_compared_without_its_pictures(unity_recording):
    result = arena_llm("fidelity", "--trace", unity_recording)
    assert (result.returncode, result.stderr) == (0, "")
    assert "Only health, events and positions: no picture can be drawn" in result.stdout
    sheet = arena_llm("fidelity", "--trace", unity_recording, "--sheet", "sheet.png")
    assert sheet.returncode == 1
    is_the_sentence(sheet.stderr)


def is_the_sentence(text):
    assert text.startswith("arena-llm: no picture can be drawn without a screen (libnone.so not loaded); ")
    assert "apt-get install libegl1 libgl1-mesa-dri" in text
    assert text.count("\n") == 1
