"""A file of the user that has the name of one of our packages is named, and what to do about it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena import ShadowedError
from arena.packages import OURS, TRAINING, hidden

ROOT = Path(__file__).parents[2]
MAKE = """
import gymnasium
import arena

def main():
    environment = gymnasium.make(
        "arena-llm/Arena-v0", config={config!r}, observation={observation!r}, resolution=8
    )
    environment.reset(seed=1)
    environment.step(3)
    print("played")

if __name__ == "__main__":
    main()
"""
MAKE_MANY = (
    MAKE.replace("gymnasium.make(", "gymnasium.make_vec(")
    .replace("resolution=8", "resolution=8, num_envs=2, vectorization_mode='vector_entry_point'")
    .replace("step(3)", "step([3, 3])")
)


def python(folder, *arguments):
    """Python in a folder, with our packages behind it in the search path, as an installation has them."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "default::UserWarning"}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)


def program(folder, text, observation, name="script.py"):
    task = next((ROOT / "testbed").rglob("01-01-01.yaml"))
    (folder / name).write_text(text.format(config=str(task), observation=observation))
    return python(folder, name)


def shadow(folder, name):
    """A module, or a package if the name ends in a slash, of the user."""
    path = folder / (f"{name}__init__.py" if name.endswith("/") else name)
    path.parent.mkdir(exist_ok=True)
    path.write_text("def draw():\n    pass\n")
    return path.parent if name.endswith("/") else path


@pytest.mark.parametrize("name", ["render.py", "render/"])
@pytest.mark.parametrize("text", [MAKE, MAKE_MANY], ids=["one", "many"])
def test_a_camera_environment_names_what_hides_the_renderer(tmp_path, name, text):
    path = shadow(tmp_path, name)
    done = program(tmp_path, text, "camera")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("arena.errors.ShadowedError: ")
    assert f"{path} shadows the package 'render' of arena-llm" in last
    assert last.endswith("rename it")


def test_a_script_that_is_itself_named_so(tmp_path):
    done = program(tmp_path, MAKE, "camera", name="render.py")
    assert f"ShadowedError: {tmp_path / 'render.py'} shadows" in done.stderr.splitlines()[-1]


def test_what_hides_nothing_that_is_used_is_only_a_warning(tmp_path):
    path = shadow(tmp_path, "render.py")
    done = program(tmp_path, MAKE_MANY, "rays")
    assert (done.returncode, done.stdout) == (0, "played\n")
    assert done.stderr.count("Warning") == 1
    assert f"{path} shadows the package 'render'" in done.stderr


def test_a_folder_without_modules_hides_nothing(tmp_path):
    for name in OURS:
        (tmp_path / name).mkdir()
    done = program(tmp_path, MAKE, "camera")
    assert (done.returncode, done.stdout, done.stderr) == (0, "played\n", "")


def test_a_hidden_curriculum_is_named_before_its_import_fails(tmp_path):
    path = shadow(tmp_path, "testbed.py")
    (tmp_path / "script.py").write_text("import arena\nfrom testbed.curriculum import Generated\n")
    done = python(tmp_path, "script.py")
    assert done.returncode == 1
    assert f"script.py:1: UserWarning: {path} shadows the package 'testbed' of arena-llm" in done.stderr


@pytest.mark.parametrize("name", [f"{package}.py" for package in OURS if package != "arena_llm"] + ["arena/"])
def test_the_command_refuses_to_run_other_files_than_its_own(tmp_path, name):
    path = shadow(tmp_path, name)
    done = python(tmp_path, "-m", "arena_llm", "testbed", "--help")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("arena-llm: ")
    assert str(path) in done.stderr
    assert done.stderr.endswith("rename it\n")
    assert done.stderr.count("\n") == 1


def test_our_own_packages_are_not_hidden(monkeypatch, tmp_path):
    assert hidden() is None
    shadow(tmp_path, "report.py")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "report", raising=False)
    assert str(tmp_path / "report.py") in hidden("report")
    assert hidden(*TRAINING) is None
    assert issubclass(ShadowedError, ImportError)
