"""Many files, checked in several processes, in the order in which they are given."""

import multiprocessing
import signal
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path

from arena.errors import ArenaError, ConfigError
from testbed.check.report import FileReport, Options, check_file

_SUFFIXES = (".yaml", ".yml")


def task_files(target: Path) -> tuple[Path, ...]:
    """The file itself, or every YAML file of a folder and its subfolders, sorted by path.

    Raises ConfigError where there is none.
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

    Closing the iterator stops the work; files that were begun are finished. Raises ArenaError where a
    process dies.
    """
    plans = [_plan(target, path, options.svg) for path in paths]
    if jobs == 1 or len(paths) < 2:
        for path, plan in zip(paths, plans, strict=True):
            yield check_file(path, options, plan)
        return
    pool = ProcessPoolExecutor(min(jobs, len(paths)), multiprocessing.get_context("spawn"))
    try:
        with _interrupts_ignored():
            work = [
                pool.submit(check_file, path, options, plan) for path, plan in zip(paths, plans, strict=True)
            ]
        for path, future in zip(paths, work, strict=True):
            yield _result(path, future)
    finally:
        pool.shutdown(cancel_futures=True)


def _plan(target: Path, path: Path, folder: Path | None) -> Path | None:
    """Where the plan of a file goes: the folders below `target` are kept."""
    if folder is None:
        return None
    inside = path.relative_to(target) if target.is_dir() else Path(path.name)
    return folder / inside.with_suffix(".svg")


def _result(path: Path, future: Future[FileReport]) -> FileReport:
    try:
        return future.result()
    except BrokenProcessPool:
        raise ArenaError(
            f"{path}: the process that checked this file, or one near it, died; "
            "find the file with --jobs 1, and mind the memory"
        ) from None


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Processes started here inherit that Ctrl-C is ignored: only the first process answers it."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
