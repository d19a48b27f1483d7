"""Which episodes there are to verify: in logs, in recordings, in folders of both."""

import platform
from collections.abc import Callable, Iterable, Iterator
from contextlib import chdir, nullcontext
from dataclasses import dataclass
from pathlib import Path

from arena.errors import ArenaError, EvaluationError, RecordingError
from evaluation.log.run import RunLog
from evaluation.verify.result import Checked


@dataclass(frozen=True, slots=True)
class Options:
    """`frames`: also compare pictures. `folder`: of the task files. `task`: that of all recordings."""

    frames: bool = False
    folder: Path | None = None
    task: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """What is read together: a recording's file, or a sample of a log (`sample`, `epoch` from 1).

    A sample is one episode, or a conversation over several.
    """

    path: Path
    sample: str | None = None
    epoch: int = 1

    def __str__(self) -> str:
        return " ".join(str(part) for part in (self.path, self.sample) if part)


@dataclass(frozen=True, slots=True)
class Found:
    """The episodes, the logs they are from, and the files of folders that are neither log nor recording."""

    sources: tuple[Source, ...]
    logs: tuple[RunLog, ...]
    skipped: tuple[Path, ...]


def find_sources(targets: Iterable[Path], is_recording: Callable[[Path], bool]) -> Found:
    """The episodes of logs (`.eval`), of recordings (JSON) and of folders with their subfolders.

    Raises RecordingError for a target that is neither, a log that cannot be read, and if there is none.
    """
    sources: list[Source] = []
    logs: list[RunLog] = []
    skipped: list[Path] = []
    for path, named in _files(targets):
        if path.suffix == ".eval":
            try:
                log = RunLog(path)
                # The log has its samples in the order in which they were finished.
                sources += [Source(path, sample, epoch) for sample, epoch in log.samples()]
            except EvaluationError as error:
                raise RecordingError(str(error)) from None
            logs.append(log)
        elif named or is_recording(path):
            sources.append(Source(path))
        else:
            skipped.append(path)
    if not sources:
        raise RecordingError(
            f"nothing to verify in {', '.join(map(str, targets))}: expected logs (.eval) with finished "
            "episodes, recordings of `run --recording` (JSON), or folders of them"
        )
    return Found(tuple(sources), tuple(logs), tuple(skipped))


def _files(targets: Iterable[Path]) -> Iterator[tuple[Path, bool]]:
    """Each file once, and whether it was named itself."""
    seen: set[Path] = set()
    for target in targets:
        if not target.exists():
            raise RecordingError(f"{target}: no such file or folder")
        inside = sorted(p for p in target.rglob("*") if p.suffix in (".eval", ".json") and p.is_file())
        for path in inside if target.is_dir() else [target]:
            if path.resolve() not in seen:
                seen.add(path.resolve())
                yield path, path == target


@dataclass(frozen=True, slots=True)
class LocatedSource:
    """A source with the files and folders that its verification needs, absolute.

    Workers may be on other machines, and logs are too large to be sent with each of their episodes.
    `working_folder` is the one that the command was given in.
    """

    source: Source
    files: tuple[Path, ...]
    working_folder: Path

    def __str__(self) -> str:
        return str(self.source)


def located(source: Source, options: Options) -> LocatedSource:
    """A source with the files that it needs."""
    named = (source.path, options.folder, options.task)
    paths = (Path(each) for each in named if each is not None)
    return LocatedSource(source, tuple(p.absolute() for p in paths if p.exists()), Path.cwd())


def verify_located(
    found: LocatedSource, options: Options, verify: Callable[[Source, Options], tuple[Checked, ...]]
) -> tuple[Checked, ...]:
    """As `verify`; raises EvaluationError if this machine does not see the files."""
    for path in found.files:
        if not path.exists():
            raise EvaluationError(
                f"{path}: is not on {platform.node()}; `verify --engine ray` needs logs and task files at "
                "the same place on every machine, as on a shared disk"
            )
    # A worker's own folder is another one, and results name the paths that were given.
    with chdir(found.working_folder) if found.working_folder.is_dir() else nullcontext():
        return verify(found.source, options)


def unverified(source: Source, error: ArenaError) -> tuple[Checked, ...]:
    """The result for a source that cannot be read."""
    return (Checked(str(source.path), source.sample or "", source.epoch - 1, problem=str(error)),)
