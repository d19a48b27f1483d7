"""The episodes of a recording or a sample, replayed and compared."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pydantic import ValidationError

from arena import ArenaError, Episode
from arena.geometry.layout import episode_rng
from arena.recording import Recording
from arena.replay import Replay
from arena_llm.verify.battery import battery
from arena_llm.verify.comparison import Comparison, same
from arena_llm.verify.conversation import order_findings, score_findings
from arena_llm.verify.ends import end_findings
from arena_llm.verify.found import Run, Source
from arena_llm.verify.kept import Kept, KeptSample, arena, read_sample
from arena_llm.verify.options import Options
from arena_llm.verify.pictures import Pictures, unknown_choices
from arena_llm.verify.report import Checked, Finding
from arena_llm.verify.requests import Requests, told_missing
from llm_control.observations import ProtocolEye, eye
from llm_control.protocol import Protocol
from render.context import drawn_by


def verify(source: Source, options: Options) -> tuple[Checked, ...]:
    """Replay what a source holds and compare all that was logged of it; what is wrong is in the results.

    One result for a recording, one for each task of a sample.
    """
    if source.run is None:
        return (_of_recording(source, options),)
    protocol, notes = logged_protocol(source.run)
    try:
        kept = read_sample(source, protocol, options.frames)
    except ArenaError as error:
        return (Checked(str(source.path), source.sample or "", source.epoch - 1, problem=str(error)),)
    checking = _Sample(source, source.run, kept, protocol, options, notes)
    return checking.with_whole([checking.episode(place) for place in range(len(kept.planned))])


def logged_protocol(run: Run) -> tuple[Protocol, tuple[str, ...]]:
    """The logged protocol, as far as this version knows its fields, and a note where it does not."""
    known = {name: value for name, value in run.protocol.items() if name in Protocol.model_fields}
    try:
        return Protocol.model_validate(known), ()
    except ValidationError as error:
        reason = error.errors()[0]
        place = ".".join(map(str, reason["loc"]))
        note = f"its protocol is not of this version ({place}: {reason['msg']}): the paper's is taken"
        return Protocol(), (note,)


def _of_recording(source: Source, options: Options) -> Checked:
    base = Checked(str(source.path), source.path.stem, 0)
    try:
        kept = Kept(Recording.read(source.path))
        spec, _ = arena(source, kept.recording, options.task, options.testbed)
        with Replay(kept.recording, spec) as replay:
            replay.to_end()
            return _compared(base, kept, replay, [])
    except ArenaError as error:
        return replace(base, problem=str(error))


def _compared(base: Checked, kept: Kept, replay: Replay, findings: list[Finding]) -> Checked:
    """The result of a replay that is at its end."""
    ended = replay.episode
    return replace(
        base,
        task_id=kept.recording.task_id,
        trial=kept.recording.trial,
        turns=len(kept.turns),
        steps=ended.steps,
        passed=ended.passed if ended.done else None,
        findings=(*findings, *(Finding(None, *end) for end in replay.unlike())),
        versions=replay.other_versions(),
    )


@dataclass(frozen=True, slots=True)
class _Sample:
    """A sample of a log, whose episodes are verified one after another."""

    source: Source
    run: Run
    kept: KeptSample
    protocol: Protocol
    options: Options
    notes: tuple[str, ...]

    def episode(self, place: int) -> Checked:
        """The episode at a place of the sample, from 0."""
        task_id = self.kept.planned[place]
        base = Checked(
            str(self.source.path),
            task_id,
            self.source.epoch - 1,
            place=place + 1 if self.kept.together else None,
            scored=bool(self.kept.scores) and task_id in self.kept.plain,
        )
        try:
            kept = self.kept.episode(task_id)
            return replace(base, finished=False) if kept is None else self._verified(base, kept)
        except ArenaError as error:
            return replace(base, problem=str(error))

    def with_whole(self, every: list[Checked]) -> tuple[Checked, ...]:
        """The results, with what is wrong with the sample as a whole at its first episode."""
        if not every:
            return ()
        found, notes = order_findings(self.kept, self.source, self.protocol)
        found += score_findings(self.kept, every)
        first = every[0]
        every[0] = replace(first, findings=(*found, *first.findings), notes=(*first.notes, *notes))
        return tuple(every)

    def _verified(self, base: Checked, kept: Kept) -> Checked:
        spec, from_file = arena(self.source, kept.recording, self.options.task, self.options.testbed)
        notes = [] if from_file else ["no task file has its arena: that of the log was played"]
        drawn, unseen = self._pictures(kept)
        notes += [*unseen, *self._unread(kept)]
        with Replay(kept.recording, spec) as replay:
            findings = list(_placed(base, kept, self.protocol if self.run.protocol else None))
            findings += Comparison(kept, replay, self.protocol, drawn, self.run.ours).run()
            if self.run.protocol:
                findings += end_findings(kept, self.protocol, self.kept.limit is not None, self.run.ours)
            requests, wrong = self._requests(kept) if drawn else (0, [])
            checked = _compared(base, kept, replay, [*findings, *wrong])
            scores = tuple(_scores(kept, replay.episode))
        return replace(
            checked,
            task_id=base.task_id,
            trial=base.trial,
            pictures=drawn.compared if drawn else 0,
            requests=requests,
            findings=(*checked.findings, *scores),
            versions=(*checked.versions, *self._other_renderer(drawn)),
            notes=(*notes, *self.notes),
        )

    def _pictures(self, kept: Kept) -> tuple[Pictures | None, list[str]]:
        """What compares the pictures of an episode, or why they are not compared."""
        if not self.options.frames or not self.protocol.shows_images:
            return None, []
        if unknown := unknown_choices(self.run.protocol):
            return None, [f"pictures not compared: its protocol has choices of another version ({unknown})"]
        if not self.run.ours:
            return None, ["pictures not compared: another solver than ours wrote its messages"]
        if kept.talk is None:
            return None, [f"pictures not compared: {self.kept.problem}"]
        sight = self._eye(kept)
        if sight is None:
            return None, ["pictures not compared: the log does not have the other arenas that were shown"]
        drawn = Pictures(kept.talk.pictures, sight)
        said = self.kept.said
        if said and self.protocol.demonstration and kept.recording.task_id == next(iter(self.kept.plain)):
            drawn.demonstrate(said.before, self.protocol)
        return drawn, []

    def _eye(self, kept: Kept) -> ProtocolEye | None:
        tasks = {task.id: task for task in battery(self.source.path) or ()}
        if self.protocol.vision == "shuffled" and kept.recording.task_id not in tasks:
            return None
        task = tasks.get(kept.recording.task_id)
        if task is None:
            return ProtocolEye(self.protocol, (), episode_rng(self.protocol.seed, "", 0))
        return eye(self.protocol, task, tuple(tasks.values()), kept.recording.trial)

    def _unread(self, kept: Kept) -> Iterator[str]:
        """What of a log cannot be verified, or only where pictures are."""
        if not self.run.ours:
            yield "replies not compared: another solver than ours wrote its messages"
        elif kept.talk is None:
            yield f"replies not compared: {self.kept.problem}"
        if kept.model_end is None:
            yield "why the model's part ended is not in the log"
        if not self.run.protocol:
            yield "the log has no protocol, so seed and limits are not compared"
        if self.options.frames and kept.talk and self.run.ours and self.protocol.shows_images:
            yield from told_missing(kept.talk)

    def _requests(self, kept: Kept) -> tuple[int, list[Finding]]:
        assert kept.talk is not None
        check = Requests(self.kept, self.protocol)
        asked = [each for each in enumerate(kept.talk.exchanges, start=1) if each[1].request is not None]
        return len(asked), [found for each in asked for found in check.findings(*each)]

    def _other_renderer(self, drawn: Pictures | None) -> tuple[str, ...]:
        blind = self.protocol.vision == "blind"
        if drawn is None or blind or self.kept.drawn_by == drawn_by():
            return ()
        return (f"pictures by {self.kept.drawn_by or 'an unknown renderer'}, here {drawn_by()}",)


def _placed(base: Checked, kept: Kept, protocol: Protocol | None) -> Iterator[Finding]:
    """Whether the recording is that of the planned trial."""
    recording = kept.recording
    if recording.task_id != base.task_id:
        yield Finding(None, "task", recording.task_id, base.task_id)
    if recording.trial != base.trial:
        yield Finding(None, "trial", recording.trial, base.trial)
    if protocol and recording.seed != protocol.seed:
        yield Finding(None, "seed", recording.seed, protocol.seed)


def _scores(kept: Kept, episode: Episode) -> Iterator[Finding]:
    """Whether what Inspect's scores state of the episode is what the replay gives."""
    truth: dict[str, object] = {
        "total_reward": episode.total_reward,
        "passed": episode.passed if episode.done else None,
        "outcome": str(episode.outcome),
        "steps": episode.steps,
        "turns": len(kept.turns),
    }
    for name, facts in kept.score.items():
        for key, value in truth.items():
            if key in facts and not same(facts[key], value):
                yield Finding(None, f"score {name}: {key}", facts[key], value)
