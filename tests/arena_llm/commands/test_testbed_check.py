"""`arena-llm testbed check` as a user meets it."""

import json
import shutil

import pytest

from testbed.tasks import LEVELS_FOLDER
from tests.command import interrupted, run, start

GOOD = "arenas: {0: {timeLimit: 250, passMark: -1}}\n"
ODD = "arenas: {0: {timeLimit: 250}}\n"
OLD = "arenas: {0: {t: 250, passMark: -1}}\n"
BROKEN = "arenas:\n  0:\n    tt: 3\n"


@pytest.fixture
def folder(tmp_path):
    for name, text in {"1-good": GOOD, "2-broken": BROKEN, "3-odd": ODD, "4-old": OLD}.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path


def check(*arguments):
    return run("testbed", "check", *arguments)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_broken_file_among_good_ones(folder, jobs):
    result = check(folder, "--jobs", jobs)
    assert (result.returncode, result.stderr) == (1, "")
    lines = [line.removeprefix(f"{folder}/") for line in result.stdout.splitlines()]
    assert lines[0] == "1-good.yaml: ok"
    assert lines[1].startswith("2-broken.yaml:3: error: arenas.0: unknown key 'tt'")
    assert lines[1].endswith("[unreadable]")
    assert lines[2].startswith("3-odd.yaml:1: warning: arenas.0: no pass mark")
    assert lines[3] == "4-old.yaml:1: note: arenas.0.t: now spelled timeLimit [old-key]"
    assert lines[-1] == "4 files: 1 error, 1 warning, 1 note"


@pytest.mark.parametrize(("name", "status"), [("1-good", 0), ("2-broken", 1), ("3-odd", 0), ("4-old", 0)])
def test_only_errors_fail(folder, name, status):
    assert check(folder / f"{name}.yaml").returncode == status


def test_quiet_leaves_out_what_is_well(folder):
    lines = check(folder, "--quiet").stdout.splitlines()
    files = [line for line in lines if line.startswith(str(folder))]
    assert [line[len(str(folder)) + 1] for line in files] == ["2", "3"]
    assert lines[-1] == "4 files: 1 error, 1 warning, 1 note"


def test_json_holds_the_same(folder):
    result = check(folder, "--format", "json")
    assert result.returncode == 1
    found = json.loads(result.stdout)
    codes = [[each["code"] for each in file["findings"]] for file in found["files"]]
    assert codes == [[], ["unreadable"], ["no-pass-mark"], ["old-key"]]
    assert found["codes"]["unreadable"] == {"level": "error", "findings": 1, "files": 1}
    assert found["checked"] == 4


def test_upgrade_rewrites_once_and_says_what(folder):
    first = check(folder, "--upgrade", "--quiet")
    assert f"{folder}/4-old.yaml:1: changed: t -> timeLimit" in first.stdout
    assert first.stdout.splitlines()[-1] == "4 files: 1 error, 1 warning, 0 notes; 1 rewritten"
    assert (folder / "4-old.yaml").read_text() == OLD.replace("t:", "timeLimit:", 1)
    assert (folder / "2-broken.yaml").read_text() == BROKEN
    assert "changed" not in check(folder, "--upgrade").stdout


def test_plans_are_drawn_for_what_can_be_built(folder, tmp_path):
    check(folder, "--svg", tmp_path / "plans")
    assert sorted(path.stem for path in (tmp_path / "plans").iterdir()) == ["1-good", "3-odd", "4-old"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_stops_between_files(tmp_path, jobs):
    task = next(LEVELS_FOLDER.rglob("*.yaml"))
    for number in range(600):
        shutil.copy(task, tmp_path / f"{number:03d}.yaml")
    process = start("testbed", "check", tmp_path, "--jobs", jobs)
    errors = interrupted(process, process.stdout.readline)
    assert errors.startswith("Stopped after")
    assert errors.endswith("of 600 files.\n")
