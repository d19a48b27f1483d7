"""Programs of the original, run unchanged: as a program, this module lets them import `arena.animalai`."""

import enum
import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partialmethod
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock
from xml.etree import ElementTree

import arena.animalai
from arena.errors import EvaluationError

LIMIT_S = 1200.0
NOT_RUN = "not run: "
OLDER = {"version": "3.1.3", "channels_first": False}
"""Environment options that programs for animalai 3 expect."""

KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT", "NUMBA_CACHE_DIR")
"""Variables that such a process keeps: no keys, tokens or addresses."""


@contextmanager
def copied(folder: Path) -> Iterator[Path]:
    """Copy a folder without its history into a temporary one."""
    with tempfile.TemporaryDirectory(prefix="arena-llm-") as beside:
        copy = Path(beside, folder.resolve().name)
        shutil.copytree(folder, copy, symlinks=True, ignore=shutil.ignore_patterns(".git", "__pycache__"))
        yield copy


def run(cwd: Path, *target: str, limit_s: float = LIMIT_S, **settings: Any) -> tuple[bool, str]:
    """Run a script, or `-m` and a module, with the settings of `main`, within a time limit.

    Returns whether it failed, and the last line that it printed.
    """
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    env = {**kept, "PYTHONPATH": str(Path(__file__).parents[2]), **settings.get("variables", {})}
    command = [sys.executable, "-uPm", "arena_llm.fidelity.foreign", json.dumps(settings), *target]
    with tempfile.TemporaryFile() as content:
        to: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": content, "stderr": subprocess.STDOUT}
        process = subprocess.Popen(command, cwd=cwd, env=env, start_new_session=True, **to)
        try:
            failed = bool(process.wait(limit_s))
        except subprocess.TimeoutExpired:
            failed = False
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        content.seek(0)
        lines = content.read()[-9999:].decode("utf-8", "replace").strip().splitlines()
        return failed, (lines or ["nothing was printed"])[-1]


def run_tests(cwd: Path, *arguments: str, **settings: Any) -> dict[str, str]:
    """Run tests by pytest; return failure messages by name, after `NOT_RUN` if the test's files are missing.

    Raises EvaluationError if pytest ends without a report.
    """
    report = cwd.parent / "report.xml"
    report.unlink(missing_ok=True)
    options = ("-p", "no:cacheprovider", "--continue-on-collection-errors", f"--junitxml={report}")
    _, said = run(cwd, "-m", "pytest", *options, *arguments, **settings)
    if not report.is_file():
        raise EvaluationError(f"needs pytest, which ended without a report: {said}")
    cases = ElementTree.parse(report).iter("testcase")
    return {f"{case.get('classname')}::{case.get('name')}": _problem(case) for case in cases}


def _problem(case: ElementTree.Element) -> str:
    text = " ".join(f"{each.get('message')} {each.text}" for each in case if each.tag in ("failure", "error"))
    lacks = bool(re.search(r"(testConfigs|data)/.*No such file|No such file.*(testConfigs|data)/", text))
    return f"{NOT_RUN}skipped" if case.find("skipped") is not None else NOT_RUN * lacks + text


def _old_format(self: Any, spec: str) -> str:
    return format(self.value if isinstance(self, str) else str(self), spec)  # type: ignore[attr-defined]


def main(given: str, *target: str) -> None:
    """Run `target` with settings, a JSON object.

    `defaults`: of an environment; `own`: with the original's own scaffolds; `empty`: modules replaced by ones
    without content; `old_enums`: as in Python 3.10; `keep`: a folder for arenas that the program removes.
    """
    settings, package, name = json.loads(given), arena.animalai, "arena.animalai"
    ours = {each.removeprefix(name): sys.modules[each] for each in sys.modules if each.startswith(name)}
    tops = ("animalai", "animalai.envs", "mlagents_envs", "mlagents_envs.envs")
    sys.modules |= {f"{top}{rest}": module for top in tops for rest, module in ours.items()}
    unity = ("gym_unity", "gym_unity.envs", "mlagents_envs.envs.unity_gym_env")
    sys.modules |= dict.fromkeys(unity, package.wrappers)
    sys.modules |= dict.fromkeys(settings.get("empty", ()), MagicMock())
    if settings.get("own"):
        package.__path__.insert(0, str(Path("animalai").resolve()))
    if settings.get("old_enums"):
        enum.Enum.__format__ = _old_format  # type: ignore[assignment, method-assign]
    env: Any = package.AnimalAIEnvironment
    env.__init__ = partialmethod(env.__init__, **settings.get("defaults", {}))

    def watch(event: str, args: tuple[Any, ...]) -> None:
        if event == "os.remove" and "keep" in settings and str(args[0]).endswith(".yml"):
            shutil.copy(args[0], settings["keep"])
        if event == "socket.connect" and not str(args[1]).startswith(("('127.0.0.1'", "('::1'", "/")):
            raise PermissionError(f"{args[1]}: programs of the original have no network here")

    sys.addaudithook(watch)
    is_module = target[0] == "-m"
    sys.argv = list(target[is_module:])
    sys.path.insert(0, os.getcwd())
    (runpy.run_module if is_module else runpy.run_path)(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main(*sys.argv[1:])
