"""The episodes to verify, in logs, recordings and folders of both, and what a verification found."""

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
    """What came of an episode's verification."""

    AGREES = "agrees"
    DIFFERS = "differs"
    OTHER_SOFTWARE = "differs, as made with other software"
    """Other versions compute other bits; whether the log was changed as well cannot be known."""
    UNFINISHED = "not finished"
    """The log has no recording of it: it failed or was stopped, which the log says."""
    UNVERIFIED = "could not be verified"


@dataclass(frozen=True, slots=True)
class Finding:
    """One value that is not what the replay gives.

    `turn` counts from 1, None for the whole episode; `logged` and `replayed` are plain values.
    """

    turn: int | None
    what: str
    logged: object
    replayed: object


@dataclass(frozen=True, slots=True)
class Checked:
    """A verified episode: its source, what was compared, and what differs.

    `versions` names the software that is not the log's; `notes` what a reader should know besides;
    `requests` counts the replies for which it was compared what the model was sent. `place` is the
    episode's in its conversation, from 1. `passed` is the replay's verdict, `scored` says whether
    Inspect counts one, `missing` that it counts as failed without one. `problem` says why an episode has no
    verification.
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
        """Whether all agrees, and if not, what is known of the reason."""
        if not self.finished:
            return Verdict.UNFINISHED
        if self.problem:
            return Verdict.UNVERIFIED
        if not self.findings:
            return Verdict.AGREES
        return Verdict.OTHER_SOFTWARE if self.versions else Verdict.DIFFERS

    @property
    def name(self) -> str:
        """Task and trial, for people."""
        return f"{self.task_id}, trial {self.trial}" if self.trial else self.task_id


class Options(NamedTuple):
    """`frames`: also compare pictures. `folder`: of the task files. `task`: that of all recordings."""

    frames: bool = False
    folder: Path | None = None
    task: str | None = None


class Source(NamedTuple):
    """What is read together: a recording's file, or a sample of a log (`sample`, `epoch` from 1).

    A sample is one episode, or a conversation over several.
    """

    path: Path
    sample: str | None = None
    epoch: int = 1

    def __str__(self) -> str:
        return " ".join(str(part) for part in (self.path, self.sample) if part)


class Found(NamedTuple):
    """The episodes, the logs they are from, and the files of folders that are neither log nor recording."""

    sources: tuple[Source, ...]
    logs: "tuple[RunLog, ...]"
    skipped: tuple[Path, ...]


def find_sources(targets: Iterable[Path], is_recording: Callable[[Path], bool]) -> Found:
    """The episodes of logs (`.eval`), of recordings (JSON) and of folders with their subfolders.

    Raises RecordingError for a target that is neither, a log that cannot be read, and if there is none.
    """
    files = list(_files(targets))

    from evaluation.log.run import RunLog

    sources: list[Source] = []
    logs: list[RunLog] = []
    skipped: list[Path] = []
    for path, named in files:
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


class LocatedSource(NamedTuple):
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
