"""`arena-llm doctor` on a working machine, and on broken ones."""

import json
import os
import sys
from functools import partial

import numpy as np
import pytest

from arena_llm.commands.doctor import State, answer, probed, python_check, requirement
from arena_llm.doctor_probe import fault_of
from tests.command import run_fresh

doctor = partial(run_fresh, "doctor")


@pytest.mark.e2e
def test_a_working_machine_is_reported():
    result = doctor()
    assert (result.returncode, result.stderr) == (0, "")
    assert "Arenas can be played and drawn here." in result.stdout
    for words in ("60 steps, run twice: the same bits", "the same bytes as on every machine"):
        assert words in result.stdout


@pytest.mark.e2e
def test_json_has_every_check():
    found = json.loads(doctor("--json").stdout)
    assert found["ok"] is True
    names = [check["name"] for check in found["checks"]]
    assert names[:2] == ["Python", "arena-llm"]
    assert {"numba", "gymnasium", "physics", "picture"} <= set(names)
    assert all(set(check) == {"name", "state", "found", "remedy"} for check in found["checks"])


def broken_yaml(tmp_path):
    (tmp_path / "yaml.py").write_text('raise ImportError("libfoo.so: no such file")\n')
    return {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", os.getcwd())])}


@pytest.mark.e2e
def test_the_doctor_runs_where_arena_llm_does_not(tmp_path):
    result = doctor("--json", **broken_yaml(tmp_path))
    assert (result.returncode, result.stderr) == (1, "")
    found = {check["name"]: check["state"] for check in json.loads(result.stdout)["checks"]}
    assert (found["physics"], found["numpy"]) == ("broken", "ok")
    assert "pip install --force-reinstall numba" in result.stdout
    assert "repair the packages first" in result.stdout


def test_other_commands_say_in_a_sentence_what_cannot_be_imported(tmp_path):
    said = run_fresh("testbed", "check", "x", **broken_yaml(tmp_path)).sentence
    assert said.startswith("arena-llm: libfoo.so: no such file; ")


CRASHES = {
    "import os; os.abort()": "the process was ended by a signal: Aborted",
    "import time; time.sleep(60)": "no answer within 1 s",
    "raise SystemExit(3)": "exit status 3",
    "print('no JSON')": "exit status 0",
    "1 / 0": "ZeroDivisionError: division by zero",
}


@pytest.mark.parametrize(("program", "fault"), CRASHES.items(), ids=CRASHES.values())
def test_whatever_a_driver_does_is_a_finding(program, fault):
    timeout_s = 1.0 if "sleep" in program else 60.0
    assert answer([sys.executable, "-c", program], timeout_s=timeout_s)["fault"] == fault


def test_a_picture_must_show_something_and_the_same_twice():
    picture = np.random.default_rng(0).integers(0, 256, (8, 8, 3), np.uint8)
    assert "the same everywhere (all 7)" in fault_of(np.full((8, 8, 3), 7), np.full((8, 8, 3), 7))
    assert "two different pictures" in fault_of(picture, 255 - picture)
    assert "other machines draw other bytes" in fault_of(picture, picture.copy())


def test_a_wrong_picture_is_broken():
    black = probed("picture", {"fault": "the picture is black"}, "well")
    assert black.state is State.BROKEN
    assert black.remedy


def test_python_must_be_one_that_is_supported():
    assert python_check((3, 11)).state is State.OK
    assert python_check((3, 10)).state is python_check((3, 14)).state is State.BROKEN
    assert "3.11 to 3.13" in python_check((3, 10)).remedy


REQUIREMENTS = {
    "numpy>=1.26": ("numpy", None),
    'pettingzoo>=1.24; extra == "multi"': ("pettingzoo", "multi"),
    "pybullet-arm64>=3.2.7; sys_platform != 'linux'": ("pybullet-arm64", None),
    "Pillow>=10; python_version < '4' and extra == 'test'": ("pillow", "test"),
}


@pytest.mark.parametrize(("line", "expected"), REQUIREMENTS.items(), ids=REQUIREMENTS)
def test_requirements_are_read_with_their_extra(line, expected):
    assert requirement(line) == expected
