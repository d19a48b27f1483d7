"""A file of the user that has the name of one of our packages is named, and what to do about it."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from base64 import urlsafe_b64encode
from hashlib import sha256
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


def wheel(folder, name, files):
    """A wheel of version 9.9 with files by name."""
    info = f"{name.replace('-', '_')}-9.9.dist-info"
    files = files | {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 9.9\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    hashes = {n: urlsafe_b64encode(sha256(text).digest()).decode().rstrip("=") for n, text in files.items()}
    record = "".join(f"{n},sha256={hashed},{len(files[n])}\n" for n, hashed in hashes.items())
    path = folder / f"{name.replace('-', '_')}-9.9-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for n, text in (files | {f"{info}/RECORD": f"{record}{info}/RECORD,,\n".encode()}).items():
            archive.writestr(n, text)
    return path


@pytest.fixture
def place(tmp_path):
    """A virtual environment: how to install, its pip and Python, wheels of ours and of another `render`."""
    code = [*ROOT.glob("arena/**/*.*"), *ROOT.glob("arena_llm/*.*"), *ROOT.glob("arena_llm/commands/*.py")]
    code += [ROOT / package / "__init__.py" for package in OURS[1:-1]]
    files = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in code if path.suffix != ".pyc"}
    ours = wheel(tmp_path, "arena-llm", files)
    other = wheel(tmp_path, "pictures-of-others", {"render/__init__.py": b"def draw(): ...\n"})
    venv.create(tmp_path / "venv", symlinks=True)
    python = tmp_path / "venv" / "bin" / "python"
    site = next((tmp_path / "venv" / "lib").glob("*/site-packages"))
    (site / "needed.pth").write_text(sysconfig.get_path("purelib"))
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    def pip(*arguments):
        command = [sys.executable, "-m", "pip", "--python", python, *arguments]
        subprocess.run(command, check=True, capture_output=True, env=environment)

    def run(*arguments):
        command = [python, "-W", "default", *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)

    def install(path):
        pip("install", "--no-index", "--no-deps", "--force-reinstall", "--no-compile", path)

    return install, pip, run, ours, other, site / "render" / "__init__.py"


REINSTALL = "pip install --force-reinstall --no-deps arena-llm"
NAMES = ("-m", "arena_llm.doctor_probe", "names")


@pytest.mark.e2e
def test_a_distribution_installed_over_ours_is_named_and_what_it_leaves(place):
    install, pip, run, ours, other, path = place
    install(ours)
    first = run("-c", "import arena")
    assert (first.returncode, first.stderr) == (0, "")
    assert run(*NAMES).stdout.strip() == '{"fault": "", "shared": ""}'
    install(other)
    remedy = f"run: pip uninstall --yes pictures-of-others; {REINSTALL}"
    replaced = f"{path} of arena-llm was replaced by the distribution pictures-of-others 9.9; {remedy}"
    assert f"UserWarning: {replaced}\n" in run("-c", "import arena").stderr
    for command in ("testbed", "doctor"):
        assert run("-m", "arena_llm", command).stderr == f"arena-llm: {replaced}\n"
    pip("uninstall", "--yes", "pictures-of-others")
    missing = (
        f"{path} of arena-llm is missing, as when a distribution with a package 'render' was uninstalled"
    )
    assert f"UserWarning: {missing}; run: {REINSTALL}\n" in run("-c", "import arena").stderr
    assert run("-m", "arena_llm", "doctor").stderr == f"arena-llm: {missing}; run: {REINSTALL}\n"
    install(ours)
    assert run("-c", "import arena").stderr == ""


@pytest.mark.e2e
def test_a_distribution_that_shares_a_package_is_listed_by_the_doctor(place):
    install, _, run, ours, other, path = place
    install(other)
    install(ours)
    assert '"shared": "render: also in pictures-of-others"' in run(*NAMES).stdout
    module = path.parents[1] / "arena" / "rules.py"
    module.write_text(module.read_text() + "# changed")
    assert "1 installed files are missing or replaced, such as arena/rules.py" in run(*NAMES).stdout


def test_a_distribution_found_before_ours_is_named(place, monkeypatch):
    install, _, _, _, other, path = place
    install(other)
    monkeypatch.syspath_prepend(path.parents[1])
    monkeypatch.delitem(sys.modules, "render", raising=False)
    said = f"{path.parent} of the distribution pictures-of-others 9.9 shadows the package 'render'"
    assert said in hidden("render")
    assert hidden("render").endswith("run: pip uninstall pictures-of-others")
