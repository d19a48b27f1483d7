"""Machine code is what the sources and their constants say, whatever is on the disk."""

import importlib
import os
import shutil
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from arena import ACTIONS, Episode
from arena.gym.vector_env import ArenaVectorEnv
from arena.kernel import compiled, contacts
from arena.kernel.compiled import Sums, frozen
from render.kernel.tables import _as_file, _of_file, tables
from testbed import find_tasks
from testbed.curriculum import Levels

ROOT = Path(__file__).parents[2]
MODULES = [
    importlib.import_module(f"arena.kernel.{path.stem}").__name__
    for path in sorted((ROOT / "arena/kernel").glob("[a-z]*.py"))
    if "@compiled" in path.read_text(encoding="utf-8")
]
CONSTANTS = sorted(
    {
        (function.function.__module__, name)
        for module in MODULES
        for function in compiled._FUNCTIONS[module]
        for name, value in frozen(function.function)
        if isinstance(value, int | float | np.generic)
    }
)

HEIGHT = """
import numpy as np
from arena.kernel.contacts import _boundary
from arena.kernel.tables import CONTACT
found = np.zeros(48, CONTACT)
count = _boundary(20.0, 0.5, 20.0, 0.5, found)
print(count, found[0].gap)
"""
"""Prints the gap between the floor and a sphere of radius 0.5 m at a height of 0.5 m."""

TOGETHER = f"""
from concurrent.futures import ThreadPoolExecutor
import arena.kernel.contacts
with ThreadPoolExecutor(4) as threads:
    list(threads.map(lambda _: exec({HEIGHT!r}, {{}}), range(4)))
"""
"""Prints the gap in each of four threads; three call while the first compiles or reads."""

COMPILING = "Compiling machine code, once (up to 20 s)."
UNUSED = "import sys; print(sys.modules.keys() & {'scipy.linalg', 'numba.np.arrayobj'})"


def child(code, cache, path=ROOT, **more):
    """Start a process that has its own cache folder."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(path)} | more
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env=environment,
        cwd=path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def said(process):
    """What a process prints, on both streams, once it has ended well."""
    out, error = process.communicate(timeout=300)
    assert process.returncode == 0, error
    return out.strip(), error.strip()


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A cache folder that two processes have filled at the same time, and what they printed."""
    folder = tmp_path_factory.mktemp("cache")
    both = [child(HEIGHT, folder) for _ in range(2)]
    (out, error), other = map(said, both)
    assert (out, error) == other
    assert error == COMPILING
    return folder, out


def stored(folder):
    return sorted(folder.rglob("*.bin"))


def test_a_later_process_reads_what_is_there(filled):
    folder, out = filled
    before = {path: path.stat().st_mtime_ns for path in stored(folder)}
    assert said(child(HEIGHT + UNUSED, folder)) == (f"{out}\nset()", "")
    assert {path: path.stat().st_mtime_ns for path in stored(folder)} == before
    assert len(before) > 1


def test_threads_that_call_at_once_wait_for_the_first(filled, tmp_path):
    folder, out = filled
    for cache, told in ((folder, ""), (tmp_path, COMPILING)):
        printed, error = said(child(TOGETHER, cache))
        assert (sorted("".join(printed.split())), error) == (sorted(4 * "".join(out.split())), told)


def test_a_constant_of_another_module_is_never_that_of_older_code(filled, tmp_path):
    folder, out = filled
    shutil.copytree(ROOT / "arena", tmp_path / "arena", ignore=shutil.ignore_patterns("__pycache__"))
    source = tmp_path / "arena/geometry/shapes.py"
    text = source.read_text(encoding="utf-8")
    assert text.count("\nFLOOR_Y = -0.01\n") == 1
    source.write_text(text.replace("\nFLOOR_Y = -0.01\n", "\nFLOOR_Y = -0.015\n"), encoding="utf-8")
    assert out == f"1 {0.5 + 0.01 - 0.5}"
    assert said(child(HEIGHT, folder, tmp_path)) == (f"1 {0.5 + 0.015 - 0.5}", COMPILING)
    assert said(child(HEIGHT, folder)) == (out, "")


def sums():
    return {module: Sums(compiled._FUNCTIONS)[module] for module in MODULES}


def test_every_constant_is_in_the_name(monkeypatch):
    before = sums()
    for module, name in CONSTANTS:
        value = getattr(importlib.import_module(module), name)
        with monkeypatch.context() as patch:
            patch.setattr(f"{module}.{name}", type(value)(value + 1))
            assert Sums(compiled._FUNCTIONS)[module] != before[module], name


def test_what_is_compiled_in_is_found_wherever_it_comes_from(monkeypatch):
    some = {"FLOOR_Y", "ARENA_SIZE", "DEFAULT_FRICTION", "TICK_S", "AGENT_RADIUS", "_FORWARD", "_RIGHT"}
    assert some <= {name for _, name in CONSTANTS}
    before = sums()
    monkeypatch.setattr(contacts, "FLOOR_Y", -0.2)
    changed = {module for module, each in sums().items() if each != before[module]}
    assert {"arena.kernel.contacts", "arena.kernel.motion", "arena.kernel.casts"} <= changed
    assert "arena.kernel.solver" not in changed
    monkeypatch.setattr(np, "__version__", "0.0")
    assert not set(sums().values()) & set(before.values())


def test_what_could_change_unnoticed_is_not_compiled(monkeypatch):
    monkeypatch.setattr(contacts, "FLOOR_Y", {"y": 0.0})
    with pytest.raises(
        TypeError, match=r"^arena.kernel.contacts.FLOOR_Y: got \{'y': 0.0\}, expected a number"
    ):
        sums()


def damaged(content):
    """Files cut short, changed in one bit, or full of zeros, as after a crash."""
    half = len(content) // 2
    flipped = content[:half] + bytes([content[half] ^ 1]) + content[half + 1 :]
    return (flipped, b"", content[:20], content[:32], content[:half], content[:-1], bytes(len(content)))


class Target:
    """As much of Numba's target as names a file."""

    def codegen(self):
        return self

    def magic_tuple(self):
        return ()


def test_damaged_files_are_not_read(filled, tmp_path, recwarn, monkeypatch):
    monkeypatch.setattr(compiled, "_TOLD", set())
    code = compiled.StoredCode(damaged, tmp_path)
    assert code.load_overload((), Target()) is None
    for each in damaged(stored(filled[0])[0].read_bytes()):
        code._path((), Target()).write_bytes(each)
        assert code.load_overload((), Target()) is None
    assert len(recwarn) == 1
    for each in damaged(_as_file(*tables())):
        (tmp_path / "tables").write_bytes(each)
        with pytest.raises(ValueError, match=r"damaged|empty"):
            _of_file(tmp_path / "tables")


def test_damaged_files_are_replaced_and_it_is_said_once(filled, tmp_path):
    folder, out = filled
    own = tmp_path / "cache"
    shutil.copytree(folder, own)
    before = {path: path.read_bytes() for path in stored(own)}
    for number, (path, content) in enumerate(before.items()):
        path.write_bytes(damaged(content)[number % 2])
    again, error = said(child(HEIGHT, own))
    assert again == out
    assert len(error.splitlines()) == 1
    assert error.startswith("arena-llm:0: RuntimeWarning: machine code: ")
    assert error.endswith("damaged; it is compiled and stored again")
    assert said(child(HEIGHT, own)) == (out, "")


LIMITED = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))"
FULL = """
import errno, os, pathlib
def write_bytes(path, content):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
pathlib.Path.write_bytes = write_bytes
"""


@pytest.mark.parametrize(
    ("before", "inside", "reason"),
    [
        (LIMITED, ".", "File too large"),
        (FULL, ".", "No space left on device"),
        ("", "file", "Not a directory|File exists"),
    ],
    ids=["quota", "full disk", "no folder"],
)
def test_without_room_nothing_is_stored_and_it_is_said_once(filled, tmp_path, before, inside, reason):
    (tmp_path / "file").touch()
    out, error = said(child(before + HEIGHT, tmp_path / inside))
    assert out == filled[1]
    assert error.splitlines()[0] == COMPILING
    assert len(error.splitlines()) == 2
    assert any(
        f"({each}); every process compiles the physics again" in error for each in reason.split("|")
    ), error
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "file"]


def test_code_that_nobody_uses_is_removed_some_day(tmp_path):
    names = {"used": 99, "new": 1, "old": compiled.UNUSED_DAYS + 1}
    folders = {name: tmp_path / f"kernel-{sha256(name.encode()).hexdigest()[:16]}" for name in names}
    folders["other"] = tmp_path / "kernel-of-the-user"
    for name, folder in folders.items():
        folder.mkdir()
        (folder / "code.bin").touch()
        long_ago = time.time() - names.get(name, 999) * 24 * 3600
        os.utime(folder, (long_ago, long_ago))
    compiled._remove_unused(tmp_path, [folders["used"], tmp_path / "kernel-missing"])
    assert {name for name, folder in folders.items() if folder.exists()} == {"used", "new", "other"}
    assert time.time() - folders["used"].stat().st_mtime < 60
    compiled._remove_unused(tmp_path / "missing", [])


def played(steps=15):
    """The sum of all that short episodes return, some with balls that roll, and a vector environment's."""
    told, tasks = sha256(), {task.id: task for task in find_tasks((1, 5))}
    for task in ("01-01-01", "05-07-02"):
        run = Episode(tasks[task].spec, task_id=task, seed=3)
        for number in range(steps):
            if not run.done:
                run.step(ACTIONS[(3, 4, 3, 5, 7)[number // 3]])
                told.update(repr((run.position, run.velocity, run.yaw, run.health)).encode())
                told.update(run.scene().positions.tobytes())
        run.close()
    envs = ArenaVectorEnv(3, Levels("1"), observation=("rays", "vector"))
    envs.reset(seed=1)
    for number in range(steps):
        seen, rewards, *_ = envs.step(np.array([3, 4, 5 + number % 2]))
        told.update(seen["rays"].tobytes() + seen["vector"].tobytes() + rewards.tobytes())
    envs.close()
    return told.hexdigest()


def test_the_kernel_is_plain_python_for_debuggers(tmp_path):
    code = (
        "from tests.arena.test_machine_code import played, contacts\n"
        "print(played(), type(contacts.find_contacts).__name__)"
    )
    assert said(child(code, tmp_path, NUMBA_DISABLE_JIT="1")) == (f"{played()} function", "")
    assert list(tmp_path.iterdir()) == []
