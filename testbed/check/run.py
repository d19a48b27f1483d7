"""Check many files in several processes, with reports in the order of the files."""

from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path

from arena.errors import ArenaError, ConfigError, EvaluationError
from arena.parallel import in_order
from testbed.check.report import FileReport, Options, check_file

_SUFFIXES = (".yaml", ".yml")


def task_files(target: Path) -> tuple[Path, ...]:
    """The file itself, or every YAML file of a folder and its subfolders, sorted by path.

    Raises ConfigError if there is none.
    """
    if target.is_file():
        return (target,)
    if not target.is_dir():
        raise ConfigError(f"{target}: no such file or folder")
    found = sorted(path for path in target.rglob("*") if path.suffix in _SUFFIXES and path.is_file())
    if not found:
        raise ConfigError(f"{target}: no task files (*.yaml) in this folder")
    return tuple(found)


def check_files(
    target: Path, paths: Sequence[Path], options: Options, jobs: int = 1
) -> Generator[FileReport, None, None]:
    """Check files of `target` in `jobs` processes; reports come in the order of `paths`.

    Closing the iterator stops the work after the files already begun. Raises ArenaError if a process dies.
    """
    work = [(path, options, _plan(target, path, options.svg)) for path in paths]
    done = 0
    try:
        with closing(in_order(_check, work, min(jobs, len(paths)))) as reports:
            for report in reports:
                yield report
                done += 1
    except EvaluationError:
        raise ArenaError(
            f"{paths[done]}: the process that checked this file, or one near it, died; "
            "find the file with --jobs 1, and mind the memory"
        ) from None


def _check(work: tuple[Path, Options, Path | None]) -> FileReport:
    return check_file(*work)


def _plan(target: Path, path: Path, folder: Path | None) -> Path | None:
    """The file of a task's floor plan: the folders below `target` are kept."""
    if folder is None:
        return None
    inside = path.relative_to(target) if target.is_dir() else Path(path.name)
    return folder / inside.with_suffix(".svg")
