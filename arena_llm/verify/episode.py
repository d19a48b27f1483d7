"""One episode, replayed and compared."""

import math
from collections.abc import Iterator

from pydantic import ValidationError

from arena import ArenaError, Episode
from arena_llm.replay import Replay
from arena_llm.verify.comparison import Comparison, same
from arena_llm.verify.found import Source
from arena_llm.verify.kept import Kept, arena, read_kept
from arena_llm.verify.options import Options
from arena_llm.verify.pictures import Pictures, altering
from arena_llm.verify.report import Checked, Finding
from llm_control.protocol import Protocol
from render.context import drawn_by


def verify(source: Source, options: Options) -> Checked:
    """Replay an episode and compare all that was logged of it; what is wrong is in the result."""
    task_id, trial = source.sample or source.path.stem, source.epoch - 1
    try:
        kept = read_kept(source, options.frames)
        if kept is None:
            return Checked(str(source.path), task_id, trial, finished=False)
        return _verified(source, kept, options)
    except ArenaError as error:
        return Checked(str(source.path), task_id, trial, problem=str(error))


def _verified(source: Source, kept: Kept, options: Options) -> Checked:
    spec, from_file = arena(source, kept.recording, options.task, options.testbed)
    protocol, unknown = _protocol(source)
    notes = [] if from_file else ["no task file has its arena: that of the log was played"]
    drawn = None
    if options.frames and source.run:
        drawn, note = _pictures(kept, source, protocol)
        notes += note
    with Replay(kept.recording, spec) as replay:
        findings = [*_placed(source, kept, protocol)]
        findings += Comparison(kept, replay, protocol, drawn, _replies_are_scripts(source)).run()
        findings += [Finding(None, *end) for end in replay.unlike()]
        findings += _scores(kept, replay.episode)
        ended = replay.episode
    others = (*replay.other_versions(), *_other_renderer(drawn, kept))
    return Checked(
        str(source.path),
        source.sample or kept.recording.task_id,
        source.epoch - 1 if source.run else kept.recording.trial,
        turns=len(kept.turns),
        steps=ended.steps,
        pictures=drawn.compared if drawn else 0,
        passed=ended.passed if ended.done else None,
        findings=tuple(findings),
        versions=others,
        notes=(*notes, *unknown),
    )


def _protocol(source: Source) -> tuple[Protocol, tuple[str, ...]]:
    """The logged protocol, as far as this version knows its fields, and a note where it does not."""
    logged = dict(source.run.protocol) if source.run else {}
    known = {name: value for name, value in logged.items() if name in Protocol.model_fields}
    try:
        return Protocol.model_validate(known), ()
    except ValidationError as error:
        reason = error.errors()[0]
        place = ".".join(map(str, reason["loc"]))
        return Protocol(), (
            f"its protocol is not of this version ({place}: {reason['msg']}): the paper's is taken",
        )


def _pictures(kept: Kept, source: Source, protocol: Protocol) -> tuple[Pictures | None, list[str]]:
    altered = altering(source.run.protocol if source.run else {})
    if altered:
        return None, [f"pictures not compared: its protocol changes them ({altered})"]
    if source.run and not source.run.ours:
        return None, ["pictures not compared: another solver than ours wrote its messages"]
    return Pictures(kept.pictures, protocol), []


def _other_renderer(drawn: Pictures | None, kept: Kept) -> tuple[str, ...]:
    if drawn is None or kept.drawn_by == drawn_by():
        return ()
    return (f"pictures by {kept.drawn_by or 'an unknown renderer'}, here {drawn_by()}",)


def _replies_are_scripts(source: Source) -> bool:
    """Whether a reply's text is the script that was played, as it is with our own solver."""
    return source.run is not None and source.run.ours and source.run.protocol.get("replies", "text") == "text"


def _placed(source: Source, kept: Kept, protocol: Protocol) -> Iterator[Finding]:
    """Whether the recording is that of the planned trial."""
    if source.run is None:
        return
    recording = kept.recording
    if recording.task_id != source.sample:
        yield Finding(None, "task", recording.task_id, source.sample)
    if recording.trial != source.epoch - 1:
        yield Finding(None, "trial", recording.trial, source.epoch - 1)
    if source.run.protocol and recording.seed != protocol.seed:
        yield Finding(None, "seed", recording.seed, protocol.seed)


def _scores(kept: Kept, episode: Episode) -> Iterator[Finding]:
    """Whether Inspect's scores are what the replay is worth."""
    passed = episode.passed if episode.done else None
    truth: dict[str, object] = {
        "total_reward": episode.total_reward,
        "passed": passed,
        "outcome": str(episode.outcome),
        "steps": episode.steps,
        "turns": len(kept.turns),
    }
    for name, score in (kept.scores or {}).items():
        metadata = score.metadata or {}
        for key, value in truth.items():
            if key in metadata and not same(metadata[key], value):
                yield Finding(None, f"score {name}: {key}", metadata[key], value)
        value = math.nan if passed is None else float(passed)
        if name == "pass_mark" and not same(score.value, value):
            yield Finding(None, f"score {name}", score.value, value)
