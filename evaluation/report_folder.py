"""Report folders: replace the report's own files and touch no others."""

import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, Self

from arena.errors import EvaluationError
from arena.files import read_text, write_file
from evaluation.paired import other_tasks
from evaluation.scale.scaled import Basis

LIST = ".arena-llm-report"
"""File that lists the report's own files, one path a line."""

FACTS = "run.json"
"""Facts on a report's results that the table lacks."""

_OF_VERSION_0_2 = (
    *("report", "run", "results", "levels", "spread", "ranking", "items", "capacities", "differences"),
    *("tasks", "ranks", "outperformed", "correlations", "comparisons"),
)
"""Files of a report without a list, without their endings."""


def check_writable(folder: Path, option: str = "--log-dir") -> None:
    """Raise EvaluationError if an option's folder cannot be made or written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = error.strerror or os.strerror(error.errno or 0)
        raise EvaluationError(
            f"{folder}: cannot write there ({reason}); choose another with {option}"
        ) from None


class ReportFolder:
    """Writes a report's files and replaces those of an earlier report.

    As a context manager it finishes the report at the end of its block. Raises EvaluationError if the folder
    cannot be written, or has a file of the same name that is not a report's.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._written: dict[str, None] = {}
        try:
            path.mkdir(parents=True, exist_ok=True)
            listed = _listed(path)
            self._list = (path / LIST).open("a", encoding="utf-8")
        except OSError as error:
            raise self._refused(path, error) from None
        self._earlier = {name for name in listed if _is_inside(name)}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is None:
            self.finish()
        self.close()

    def write(self, name: str, content: str | bytes) -> Path:
        """Write a file, named by its path in the folder (forward slashes)."""
        target = self.claim(name)
        write_file(target, content)
        return target

    def claim(self, name: str) -> Path:
        """Reserve the path of a file that another library writes."""
        target = self.path / name
        if name not in self._earlier and name not in self._written and target.exists():
            raise EvaluationError(
                f"{target}: this file exists and is not part of a report; choose another folder with --out"
            )
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if name not in self._written:
                # Listed first, so that a killed run leaves only listed files.
                self._list.write(f"{name}\n")
                self._list.flush()
        except OSError as error:
            raise self._refused(target, error) from None
        self._written[name] = None
        return target

    def finish(self) -> None:
        """Remove files of an earlier report that this one did not write."""
        self._list.close()
        try:
            for name in sorted(self._earlier - set(self._written)):
                (self.path / name).unlink(missing_ok=True)
                _remove_empty((self.path / name).parent, self.path)
        except OSError as error:
            raise self._refused(self.path, error) from None
        write_file(self.path / LIST, "".join(f"{name}\n" for name in self._written))

    def close(self) -> None:
        """Keep the files after an error or Ctrl-C, for the next report."""
        self._list.close()

    def _refused(self, path: Path, error: Exception) -> EvaluationError:
        reason = getattr(error, "strerror", None) or error
        return EvaluationError(f"{path}: the report cannot be written ({reason}); choose another with --out")


def _listed(path: Path) -> list[str]:
    """List an earlier report's files; version 0.2 kept no list."""
    if (path / LIST).is_file():
        return read_text(path / LIST).splitlines()
    if not ((path / "report.html").is_file() and (path / "run.json").is_file()):
        return []
    return [file.name for file in path.iterdir() if file.stem in _OF_VERSION_0_2]


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return bool(name) and not path.is_absolute() and ".." not in path.parts


def _remove_empty(folder: Path, top: Path) -> None:
    while folder != top and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def write_facts(
    folder: ReportFolder,
    facts: Mapping[str, str],
    original: bool,
    suite: str,
    digests: Sequence[Mapping[str, str]] = (),
    bases: Mapping[str, Basis | None] = MappingProxyType({}),
) -> None:
    """Write facts for `arena-llm compare`; `original` and `suite` as in `Run`.

    `digests` are those of each run's tasks; they are kept if no two runs have other tasks under one id.
    `bases` say by agent which references hold.
    """
    tasks = {task: digest for each in digests for task, digest in each.items()}
    same = all(digests) and not any(other_tasks(tasks, each) for each in digests)
    known: dict[str, Any] = {"suite": suite, "original": original, "facts": dict(facts)}
    known |= {"tasks": tasks} if tasks and same else {}
    held = {agent: found._asdict() for agent, found in bases.items() if found is not None}
    known |= {"bases": held} if held else {}
    folder.write(FACTS, json.dumps(known, indent=1, ensure_ascii=False) + "\n")


class FileNames:
    """Names for files and folders on all systems, one for each text."""

    separator = "-"

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def of(self, text: str) -> str:
        """Name a text. No two texts share one, even if case is ignored."""
        if text not in self._names:
            plain, taken = self._plain(text), {name.lower() for name in self._names.values()}
            numbered = (f"{plain}{self.separator}{number}" for number in range(2, len(taken) + 2))
            self._names[text] = next(name for name in (plain, *numbered) if name.lower() not in taken)
        return self._names[text]

    def _plain(self, text: str) -> str:
        return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.") or "unnamed"
