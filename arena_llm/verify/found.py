"""Which episodes there are to verify: in logs, in recordings, in folders of both."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.errors import RecordingError
from arena.recording import Recording


@dataclass(frozen=True, slots=True)
class Run:
    """What a log says once for all its episodes.

    `protocol` holds the choices of `llm_control.choices.Protocol` as they were logged; `ours` says whether
    our own solver played; `pass_rate` is the logged one, None where there is none.
    """

    path: Path
    protocol: Mapping[str, Any] = field(default_factory=dict)
    ours: bool = True
    folder: Path | None = None
    pass_rate: float | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """What is read at once: a recording's file, or a sample of a log (`run`, `sample`, `epoch` from 1).

    A sample is one episode, or a conversation over several.
    """

    path: Path
    run: Run | None = None
    sample: str | None = None
    epoch: int = 1


@dataclass(frozen=True, slots=True)
class Found:
    """The episodes, the logs they are from, and the files of folders that are neither log nor recording."""

    sources: tuple[Source, ...]
    runs: tuple[Run, ...]
    passed_over: tuple[Path, ...]


def find_sources(targets: Iterable[Path]) -> Found:
    """The episodes of logs (`.eval`), of recordings (JSON) and of folders with their subfolders.

    Raises RecordingError for a target that is neither, a log that cannot be read, and where there is none.
    """
    sources: list[Source] = []
    runs: list[Run] = []
    passed_over: list[Path] = []
    for path, named in _files(targets):
        if path.suffix == ".eval":
            run = _run(path)
            runs.append(run)
            sources += _samples(run)
        elif named or _is_recording(path):
            sources.append(Source(path))
        else:
            passed_over.append(path)
    if not sources:
        raise RecordingError(
            f"nothing to verify in {', '.join(map(str, targets))}: expected logs (.eval) with finished "
            "episodes, recordings of `run --recording` (JSON), or folders of them"
        )
    return Found(tuple(sources), tuple(runs), tuple(passed_over))


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


def _is_recording(path: Path) -> bool:
    try:
        Recording.read(path)
    except RecordingError:
        return False
    return True


def _run(path: Path) -> Run:
    """A log's facts."""
    from inspect_ai.log import read_eval_log

    try:
        header = read_eval_log(str(path), header_only=True)
    except Exception as error:  # a file that is no log fails anywhere in Inspect
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise RecordingError(f"{path}: cannot be read as a log of arena-llm eval ({reason})") from None
    folder = header.eval.task_args.get("folder")
    return Run(
        path,
        protocol=dict(parameters(header).get("protocol") or {}),
        ours=any(step.solver.rpartition("/")[2] == "play_episode" for step in header.plan.steps),
        folder=Path(folder) if folder else None,
        pass_rate=_pass_rate(header) if header.status == "success" else None,
    )


def parameters(header: Any) -> dict[str, Any]:
    """What the task's setup was made with: the protocol and the tasks; empty where the log has none."""
    steps = [step for step in header.plan.steps if "protocol" in (step.params or {})]
    return dict(steps[0].params) if steps else {}


def _pass_rate(header: Any) -> float | None:
    scores = header.results.scores if header.results else []
    rates = [score.metrics["pass_rate"].value for score in scores if "pass_rate" in score.metrics]
    return rates[0] if rates else None


def _samples(run: Run) -> Sequence[Source]:
    from inspect_ai.log import read_eval_log_sample_summaries

    try:
        summaries = read_eval_log_sample_summaries(str(run.path))
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise RecordingError(f"{run.path}: its episodes cannot be listed ({reason})") from None
    sources = [Source(run.path, run, str(s.id), s.epoch) for s in summaries]
    # The log has them as they were finished.
    return sorted(sources, key=lambda source: (str(source.sample), source.epoch))
