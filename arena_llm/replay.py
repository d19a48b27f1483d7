"""A recording, found in a file or a log, and played again."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from pydantic import ValidationError

from arena import (
    ArenaSpec,
    ConfigError,
    Episode,
    EvaluationError,
    Event,
    Outcome,
    Recording,
    RecordingError,
    load,
)
from arena.episode import software_versions
from arena.recording import spec_sha256
from arena.taskfile.versions import Version
from evaluation.log.files import LARGE
from evaluation.log.run import RunLog
from evaluation.log.sample import replay_of
from testbed.check import task_files
from testbed.tasks import LEVELS_FOLDER

COMPARED = ("steps", "total_reward", "health", "outcome", "passed")
"""What of a replay's end must be as recorded."""


class Kept(NamedTuple):
    """A recording, and the folder of the task files that it was made with where that is known."""

    recording: Recording
    folder: Path | None


def find_recording(path: Path, sample: str | None = None, trial: int = 0) -> Kept:
    """The recording of a JSON file, or of an episode in a log of `arena-llm eval` (`.eval`).

    In a log `sample` is the task's id, which may be left out where there is one episode only, and `trial`
    counts from 0. Raises RecordingError where it cannot be read or is not there.
    """
    if path.suffix != ".eval":
        if sample is not None:
            raise RecordingError(f"{path}: --sample chooses from a log (.eval), and this is not one")
        return Kept(Recording.read(path), None)
    try:
        return _logged(RunLog(path), sample, trial)
    except EvaluationError as error:
        raise RecordingError(str(error)) from None


def _logged(log: RunLog, sample: str | None, trial: int) -> Kept:
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
    return Kept(recording, log.folder)


def _listed(there: Sequence[tuple[str, int]], most: int = 6) -> str:
    names = [f"{name} (trial {trial})" if trial else name for name, trial in there]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more if names else "no finished episodes"


def arena_of(recording: Recording, task: str | None = None, folder: Path | None = None) -> ArenaSpec:
    """The arena that a recording was made in, of whichever version of Animal-AI.

    `task` is its file, or an id in `folder`; left out, the recording's own id is looked up there. The
    shipped battery is the folder where none is given.

    Raises ConfigError where there is no such file or it is broken, RecordingError where the file holds
    another arena.
    """
    path = _task_path(task or recording.task_id.partition("#")[0], folder or LEVELS_FOLDER)
    broken: list[ConfigError] = []
    for version in Version:
        try:
            arenas = load(path, version).arenas.values()
        except ConfigError as error:
            broken.append(error)
            continue
        for spec in arenas:
            if spec_sha256(spec) == recording.spec_sha256:
                return spec
    if len(broken) == len(Version):
        raise broken[0]
    raise RecordingError(
        f"{path}: not the arena of the recording, which is of task {recording.task_id} as arena-llm "
        f"{recording.versions.get('arena-llm', '(unknown)')} read it; name its file by --task"
    )


def _task_path(name: str, folder: Path) -> Path:
    if name.endswith((".yaml", ".yml")):
        return Path(name)
    found = [path for path in task_files(folder) if path.stem == name] if folder.is_dir() else []
    if not found:
        where = "the shipped battery" if folder == LEVELS_FOLDER else str(folder)
        raise ConfigError(f"no task {name!r} in {where}; name the recording's task file by --task FILE.yaml")
    return found[0]


class Replay:
    """A recording's episode, played again from its actions; a context manager that frees the physics.

    Raises RecordingError where its agents are not those of the arena, LayoutError where that cannot be
    built.
    """

    def __init__(self, recording: Recording, spec: ArenaSpec) -> None:
        self.recording = recording
        self.episode = Episode(spec, task_id=recording.task_id, seed=recording.seed, trial=recording.trial)
        self.happened: tuple[Event, ...] = ()
        """What the last step brought the first agent."""
        if len(recording.others) != len(self.episode.agents) - 1:
            self.episode.close()
            raise RecordingError(
                f"the recording has {len(recording.others) + 1} agents, its arena {len(self.episode.agents)}"
            )

    def play(self) -> Iterator[Episode]:
        """The episode before its first step and after each; it is stopped at the end where it was."""
        yield self.episode
        for actions in self.recording.steps_taken():
            if self.episode.done:
                break
            self.happened = self.episode.step_all(actions)[0].events
            yield self.episode
        if self.recording.outcome is Outcome.STOPPED:
            self.episode.stop()

    def unlike(self) -> tuple[tuple[str, object, object], ...]:
        """Name, recorded and replayed value of what of the end is not as recorded, once all is played."""
        again = self.episode.recording()
        ends = [(name, getattr(self.recording, name), getattr(again, name)) for name in COMPARED]
        return tuple(end for end in ends if end[1] != end[2])

    def differences(self) -> tuple[str, ...]:
        """The same as sentences; empty for a faithful replay."""
        return tuple(f"{name}: recorded {_told(kept)}, got {_told(got)}" for name, kept, got in self.unlike())

    def other_versions(self) -> tuple[str, ...]:
        """The software that decides an episode's bits, where it is not what recorded this one."""
        here, there = software_versions(), self.recording.versions
        return tuple(
            f"{name} {there.get(name, 'unknown')}, here {here[name]}"
            for name in here
            if here[name] != there.get(name)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.episode.close()


def _told(value: object) -> str:
    return "nothing" if value is None else str(value)
