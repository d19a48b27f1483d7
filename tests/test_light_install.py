"""The install without extras: environments, pictures and their commands need none of the other packages."""

import ast
import subprocess
import sys
from functools import cache
from importlib.metadata import packages_distributions, requires

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from arena.packages import EXTRAS
from testbed import find_tasks
from tests.test_project import PROJECT, PYPROJECT, ROOT, requirements

OURS = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
modules = cache(
    lambda: {module: {*map(canonicalize_name, names)} for module, names in packages_distributions().items()}
)
"""All that can be imported here besides the standard library, by the packages that install it."""

POSIX = {"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"}
"""Modules that Windows does not have."""

WITHOUT = """
import sys

class Without:
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Without())
"""
WITHOUT_POSIX = """
import os, signal

BLOCKED |= {"fcntl", "grp", "pwd", "resource", "syslog", "termios"}
for module, names in (
    (os, "O_CLOEXEC O_NONBLOCK chown fork getuid killpg register_at_fork sched_getaffinity setsid"),
    (signal, "SIGALRM SIGHUP SIGKILL SIGUSR1 pthread_sigmask setitimer"),
):
    for name in names.split():
        delattr(module, name)
"""
"""Takes from Python what Windows does not have."""

COMMAND = "from arena_llm.__main__ import main; main()"
TRAINING = """
import gymnasium
import arena
from testbed.curriculum import Generated, Levels

for observation, tasks in ((("rays", "vector"), Generated("1-10")), (("camera", "depth"), Levels("1"))):
    environment = gymnasium.make("arena-llm/Arena-v0", config=tasks, observation=observation)
    for seed in range(3):
        environment.reset(seed=seed)
        environment.step(3)
    environment.close()
print("trained")
"""


def needed(texts) -> set[str]:
    """The packages of requirements, and all that they require in turn."""
    found: set[str] = set()
    waiting = list(texts)
    while waiting:
        requirement = Requirement(waiting.pop())
        name = canonicalize_name(requirement.name)
        if name not in found and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
            found.add(name)
            waiting += requires(name) or []
    return found


@pytest.fixture(scope="module")
def light():
    """Runs a program that can import only what `pip install arena-llm` installs."""
    installed = needed(PROJECT["dependencies"])
    blocked = {module for module, names in modules().items() if not names & installed} - set(OURS)
    assert set(EXTRAS["eval"]) <= blocked

    def run(program, *arguments, cwd=None):
        text = f"BLOCKED = {blocked!r}\n{WITHOUT}\n{program}"
        command = [sys.executable, "-c", text, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)

    return run


@pytest.mark.parametrize("platform", ["", WITHOUT_POSIX], ids=["posix", "without"])
def test_commands_that_play_and_draw_need_neither_extras_nor_posix(light, tmp_path, platform):
    (tmp_path / "scripts.txt").write_text("Go(5);\n")
    tasks_of_level_1 = find_tasks((1,))[0].path.parent
    for line in (
        "run 01-01-01 --scripts scripts.txt --recording episode.json --frames frames",
        "replay episode.json --video episode.gif --view top --hud",
        "show 03-02-01 --out task.png",
        "eval --help",
        f"testbed check {tasks_of_level_1}",
    ):
        done = light(platform + COMMAND, *line.split(), cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, ""), line
    assert light(platform + TRAINING).stdout == "trained\n"


@pytest.mark.parametrize(
    "line",
    [
        *("eval --model arena/pixels", "estimate --model gpt-4o", "report .", "baselines"),
        *("probe --model gpt-4o", "testbed generate --count 1 --out fresh"),
        "dataset --agent oracle --size 2 --out data",
    ],
)
def test_a_command_that_needs_an_extra_names_it(light, tmp_path, line):
    done = light(COMMAND, *line.split(), cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("arena-llm: ")
    assert done.stderr.endswith(" not found; run: pip install 'arena-llm[eval]'\n")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_sentences_know_all_packages_of_an_extra(extra):
    names = {canonicalize_name(r.name) for r in requirements(PROJECT["optional-dependencies"][extra])}
    known = [modules().get(module, {module}) for inherited in EXTRAS for module in EXTRAS[inherited]]
    assert {name for name in names if not any(name in packages for packages in known)} == set()


def test_posix_is_imported_on_use_only():
    """Modules that Windows lacks are imported in functions, or where their absence is allowed for."""
    found = set()
    for package in OURS:
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                names = {alias.name for alias in getattr(node, "names", ()) if isinstance(alias, ast.alias)}
                if names & POSIX or getattr(node, "module", None) in POSIX:
                    found.add(str(path))
    assert found == set()
