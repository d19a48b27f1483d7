"""The episode of a person, played again from its replies and compared."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from arena.errors import ArenaError
from evaluation.by_hand.played import PlayedEpisode
from evaluation.suite import EpisodeSetup
from evaluation.verify.observations import Replies
from evaluation.verify.records import turns_of, unlike
from evaluation.verify.result import Checked, Finding


def verify_played(path: Path) -> Checked:
    """The result for the file of a `PlayedEpisode`. Raises RecordingError if it cannot be played again."""
    played = PlayedEpisode.read(path)
    base = Checked(str(path), str(played.task.get("id", path.stem)), played.trial)
    if played.record is None:
        return replace(base, finished=False)
    turns, (setup, notes) = turns_of(played.record), _setup(played)
    replies = Replies(setup, turns, None, frames=False)
    again = replies.play()
    findings = [*replies.findings, *unlike(played.record, again)]
    end = played.record.get("model_end")
    if end != again.model_end:
        findings.append(Finding(None, "end of the person's part", end, str(again.model_end)))
    return replace(
        base,
        turns=len(turns),
        steps=int(again.metrics.get("steps", 0)),
        passed=again.passed,
        findings=tuple(findings),
        versions=tuple(_other_software(played, setup)),
        notes=notes,
    )


def _setup(played: PlayedEpisode) -> tuple[EpisodeSetup, tuple[str, ...]]:
    """What the episode depends on, with the suite's own task unless that is another one."""
    setup = played.setup()
    try:
        own = setup.suite.find_task(setup.task.id, setup.choices, None)
    except ArenaError:
        own = None
    if own is not None and own.sha256 == setup.task.sha256:
        return setup._replace(task=own), ()
    return setup, ("the suite has no such task: that of the file was played",)


def _other_software(played: PlayedEpisode, setup: EpisodeSetup) -> Iterator[str]:
    for name, here in setup.suite.versions().items():
        if here != (there := played.versions.get(name, "unknown")):
            yield f"{name} {there}, here {here}"
