"""Recordings of `arena-llm run` and of people, played again and compared."""

from pathlib import Path

from arena import Recording
from arena.errors import ArenaError
from arena.replay import Replay
from arena_llm.replay import arena_of
from evaluation.by_hand.played import PlayedEpisode
from evaluation.verify.sources import Checked, Finding, Options, Source, unverified


def is_recording(path: Path) -> bool:
    """Whether a file holds a recording."""
    return _holds(path, Recording) or _holds(path, PlayedEpisode)


def _holds(path: Path, kind: type[Recording] | type[PlayedEpisode]) -> bool:
    try:
        kind.read(path)
    except ArenaError:
        return False
    return True


def verify(source: Source, options: Options) -> tuple[Checked, ...]:
    """One result for a recording, one for each task of a sample; what is wrong is in the results."""
    if source.sample is None:
        return _recording(source, options)
    from evaluation.verify.sample import verify_sample

    return verify_sample(source, options)


def _recording(source: Source, options: Options) -> tuple[Checked, ...]:
    try:
        if _holds(source.path, PlayedEpisode):
            from evaluation.verify.sample import verify_played

            return (verify_played(source.path),)
        recording = Recording.read(source.path)
        spec = arena_of(recording, options.task, options.folder)
        with Replay(recording, spec) as replay:
            ended = replay.to_end()
            return (
                Checked(
                    str(source.path),
                    recording.task_id,
                    recording.trial,
                    steps=ended.steps,
                    passed=ended.passed if ended.done else None,
                    findings=tuple(Finding(None, *end) for end in replay.unlike()),
                    versions=replay.other_versions(),
                ),
            )
    except ArenaError as error:
        return unverified(Source(source.path, source.path.stem), error)
