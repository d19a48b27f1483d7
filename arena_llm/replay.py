"""Recordings in files and logs, and their arenas."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from arena import ArenaSpec, ConfigError, EvaluationError, Recording, RecordingError, load
from arena.taskfile.versions import Version
from testbed.check import task_files
from testbed.tasks import SHIPPED_FOLDER

if TYPE_CHECKING:
    from evaluation.log.run import RunLog


def find_recording(path: Path, sample: str | None = None, trial: int = 0) -> tuple[Recording, Path | None]:
    """Read the recording of a JSON file, or of an episode in a log of `arena-llm eval` (`.eval`).

    With it comes the folder of its task files if the log names it.
    In a log, `sample` is the task's id, optional if the log has only one episode, and `trial` counts from 0.
    Raises RecordingError if there is no such recording or it cannot be read.
    """
    if path.suffix != ".eval":
        if sample is not None:
            raise RecordingError(f"{path}: --sample chooses from a log (.eval), and this is not one")
        return Recording.read(path), None
    from evaluation.log.run import RunLog

    try:
        return _logged(RunLog(path), sample, trial)
    except EvaluationError as error:
        raise RecordingError(str(error)) from None


def _logged(log: "RunLog", sample: str | None, trial: int) -> tuple[Recording, Path | None]:
    from evaluation.log.episodes import replay_of
    from evaluation.log.files import LARGE

    there = [(name, epoch - 1) for name, epoch in log.samples()]
    if sample is None and len(there) == 1:
        sample, trial = there[0]
    if sample is None or (sample, trial) not in there:
        asked = "no --sample is given" if sample is None else f"no trial {trial} of {sample}"
        raise RecordingError(f"{log.path}: {asked}; the log has {_listed(there)}")
    record = log.sample(sample, trial + 1, LARGE).records.get(sample)
    if record is None:
        raise RecordingError(f"{log.path}: the episode {sample} was not finished, so it has no recording")
    try:
        recording = Recording.model_validate(replay_of(record))
    except ValidationError as error:
        reason = str(error).splitlines()[0]
        raise RecordingError(f"{log.path}: the recording of {sample} is broken: {reason}") from None
    return recording, log.folder


def _listed(there: Sequence[tuple[str, int]], most: int = 6) -> str:
    names = [f"{name} (trial {trial})" if trial else name for name, trial in there]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more if names else "no finished episodes"


def arena_of(recording: Recording, task: str | None = None, folder: Path | None = None) -> ArenaSpec:
    """Find the arena of a recording, in any version of Animal-AI.

    `task` is its file, or an id in `folder` (default: the recording's own id); the default are the
    shipped tasks.

    Raises ConfigError for a missing or broken file, RecordingError if the file has another arena.
    """
    path = _task_path(task or recording.task_id.partition("#")[0], folder or SHIPPED_FOLDER)
    broken: list[ConfigError] = []
    for version in Version:
        try:
            arenas = load(path, version, lenient=True).arenas.values()
        except ConfigError as error:
            broken.append(error)
            continue
        for spec in arenas:
            if recording.is_of(spec):
                return spec
    if len(broken) == len(Version):
        raise broken[0]
    raise RecordingError(
        f"{path}: not the arena of the recording, which is of task {recording.task_id} as arena-llm "
        f"{recording.versions.get('arena-llm', '(unknown)')} read it; name its file with --task"
    )


def _task_path(name: str, folder: Path) -> Path:
    if name.endswith((".yaml", ".yml")):
        return Path(name)
    found = [path for path in task_files(folder) if path.stem == name] if folder.is_dir() else []
    if not found:
        where = "the shipped tasks" if folder == SHIPPED_FOLDER else str(folder)
        raise ConfigError(
            f"no task {name!r} in {where}; name the recording's task file with --task FILE.yaml"
        )
    return found[0]
