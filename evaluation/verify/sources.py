"""Sources of episodes to verify, and results of verification."""

import platform
from collections.abc import Callable, Iterable, Iterator
from contextlib import chdir, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from arena.errors import ArenaError, EvaluationError, RecordingError

if TYPE_CHECKING:
    from evaluation.log.run import RunLog


class Verdict(StrEnum):
    """Result of an episode's verification."""

    AGREES = "agrees"
    DIFFERS = "differs"
    OTHER_SOFTWARE = "differs, as made with other software"
    """Other versions compute other bits; a changed log cannot be distinguished."""
    UNFINISHED = "not finished"
    """Unrecorded: the episode failed or was stopped, as logged."""
    UNVERIFIED = "could not be verified"


@dataclass(frozen=True, slots=True)
class Finding:
    """Value that differs from the replay. `turn` counts from 1, None for the whole episode; `logged` and
    `replayed` are plain values."""

    turn: int | None
    what: str
    logged: object
    replayed: object


@dataclass(frozen=True, slots=True)
class Checked:
    """Verified episode: source, comparisons, and differences.

    `versions` names the software that is not the log's; `notes` are further facts for the reader; `requests`
    counts the replies whose requests were compared. `place` is the episode's in its conversation, from 1.
    `passed` is the replay's verdict, `scored` says if Inspect counts one, `missing` that it counts as failed
    without one. `problem` explains a missing verification.
    """

    source: str
    task_id: str
    trial: int
    turns: int = 0
    steps: int = 0
    pictures: int = 0
    requests: int = 0
    place: int | None = None
    passed: bool | None = None
    findings: tuple[Finding, ...] = ()
    versions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    problem: str | None = None
    finished: bool = True
    scored: bool = False
    missing: bool = False

    @property
    def verdict(self) -> Verdict:
        """Summarise the result, and the known reason for differences."""
        if not self.finished:
            return Verdict.UNFINISHED
        if self.problem:
            return Verdict.UNVERIFIED
        if not self.findings:
            return Verdict.AGREES
        return Verdict.OTHER_SOFTWARE if self.versions else Verdict.DIFFERS

    @property
    def name(self) -> str:
        """Name task and trial, for people."""
        return f"{self.task_id}, trial {self.trial}" if self.trial else self.task_id


class Options(NamedTuple):
    """Options of a verification.

    `frames`: also compare pictures. `folder`: of the task files. `task`: that of all recordings.
    """

    frames: bool = False
    folder: Path | None = None
    task: str | None = None


class Source(NamedTuple):
    """Unit of reading: a recording's file, or a log's sample. A sample is one episode, or a conversation over
    several."""

    path: Path
    sample: str | None = None
    epoch: int = 1

    def __str__(self) -> str:
        return " ".join(str(part) for part in (self.path, self.sample) if part)


class Found(NamedTuple):
    """Episodes found, their logs, and unrelated files of folders."""

    sources: tuple[Source, ...]
    logs: "tuple[RunLog, ...]"
    skipped: tuple[Path, ...]


def find_sources(targets: Iterable[Path], is_recording: Callable[[Path], bool]) -> Found:
    """Find episodes in logs (`.eval`), recordings (JSON) and folders with subfolders. Raises RecordingError
    for a target that is neither, a log that cannot be read, and if none are found."""
    files = list(_files(targets))

    from evaluation.log.files import is_of_probes
    from evaluation.log.run import RunLog

    sources: list[Source] = []
    logs: list[RunLog] = []
    skipped: list[Path] = []
    for path, named in files:
        if path.suffix == ".eval" and (named or not is_of_probes(path)):
            try:
                log = RunLog(path)
                # The log has its samples in the order in which they were finished.
                sources += [Source(path, sample, epoch) for sample, epoch in log.samples()]
            except EvaluationError as error:
                raise RecordingError(str(error)) from None
            logs.append(log)
        elif named or (path.suffix != ".eval" and is_recording(path)):
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
    """Yield each file once, and if it was named itself."""
    seen: set[Path] = set()
    for target in targets:
        if not target.exists():
            raise RecordingError(f"{target}: no such file or folder")
        inside = sorted(p for p in target.rglob("*") if p.suffix in (".eval", ".json") and p.is_file())
        for path in inside if target.is_dir() else [target]:
            if path.resolve() not in seen:
                seen.add(path.resolve())
                yield path, path == target


class LocatedSource(NamedTuple):
    """Source with absolute paths of the files and folders for its verification.

    Workers may be on other machines, and logs are too large to be sent with each of their episodes.
    `working_folder` is the one that the command was given in.
    """

    source: Source
    files: tuple[Path, ...]
    working_folder: Path

    def __str__(self) -> str:
        return str(self.source)


def located(source: Source, options: Options) -> LocatedSource:
    """Add the required files to a source."""
    named = (source.path, options.folder, options.task)
    paths = (Path(each) for each in named if each is not None)
    return LocatedSource(source, tuple(p.absolute() for p in paths if p.exists()), Path.cwd())


def verify_located(
    found: LocatedSource, options: Options, verify: Callable[[Source, Options], tuple[Checked, ...]]
) -> tuple[Checked, ...]:
    """Run `verify`; raise EvaluationError if this machine does not see the files."""
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
    """Make the result for an unreadable source."""
    return (Checked(str(source.path), source.sample or "", source.epoch - 1, problem=str(error)),)
