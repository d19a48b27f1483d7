"""The episodes of a sample, played again and compared with everything that was logged of them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, RecordingError
from evaluation.by_hand.played import PlayedEpisode
from evaluation.capabilities import replayed
from evaluation.inspect_task.metrics import LIMIT
from evaluation.inspect_task.scoring import NUMBERS, mean_of, without_verdict
from evaluation.inspect_task.task import conversation_order
from evaluation.log.episodes import LoggedSample, replay_of
from evaluation.log.run import RunLog
from evaluation.prompts import PromptSet
from evaluation.selection import find_task
from evaluation.suite import EpisodeSetup, ModelEnd, Record, TaskSpec
from evaluation.verify.records import Replies, Requests, Row, missing_requests, same, turns_of, unlike
from evaluation.verify.sources import Checked, Finding, Options, Source, unverified

_LONG = frozenset({"events", "store"})
"""Parts of a sample that are read only if they are needed; events repeat what was sent for every reply."""


def verify_sample(source: Source, options: Options) -> tuple[Checked, ...]:
    """Play the episodes of a sample again and compare them; one result for each task."""
    assert source.sample is not None
    try:
        log = _log(source.path, source.path.stat().st_mtime_ns)
        sample = log.sample(source.sample, source.epoch, _LONG - ({"events"} if options.frames else set()))
        prompts = log.prompts()
    except ArenaError as error:
        return unverified(source, error)
    checking = SampleCheck(source, log, sample, prompts, options)
    return checking.with_whole([checking.episode(place) for place in range(len(sample.planned))])


@lru_cache(maxsize=2)
def _log(path: Path, changed_ns: int) -> RunLog:
    return RunLog(path)


class SampleCheck:
    """A sample whose episodes are verified one after another."""

    def __init__(
        self, source: Source, log: RunLog, sample: LoggedSample, prompts: PromptSet, options: Options
    ) -> None:
        self._source, self._log, self._sample = source, log, sample
        self._prompts, self._options = prompts, options
        self._choices, reason = log.read_choices()
        self._notes = [reason] if reason else []
        self._rows: list[dict[str, Any]] = []

    def episode(self, place: int) -> Checked:
        """The episode at a place of the sample, from 0."""
        sample, task_id = self._sample, self._sample.planned[place]
        base = Checked(
            str(self._source.path),
            task_id,
            self._source.epoch - 1,
            place=place + 1 if sample.together else None,
            scored=bool(sample.raw.scores) and task_id in sample.records,
        )
        if task_id not in sample.records:
            # A scored conversation counts the episodes that it did not reach as failed.
            return replace(base, finished=False, missing=sample.together and bool(sample.raw.scores))
        if (fault := sample.faults.get(task_id)) is not None:
            return replace(base, problem=str(fault))
        try:
            return self._verified(base, sample.records[task_id])
        except (ArenaError, NotImplementedError) as error:
            return replace(base, problem=str(error))

    def with_whole(self, every: list[Checked]) -> tuple[Checked, ...]:
        """The results, with what is wrong with the sample as a whole at its first episode."""
        if not every:
            return ()
        found, notes = self._order()
        found += self._score(every)
        first = every[0]
        every[0] = replace(first, findings=(*found, *first.findings), notes=(*first.notes, *notes))
        return tuple(every)

    def _verified(self, base: Checked, logged: Row) -> Checked:
        turns = logged["turns"]
        task, notes = self._task(base.task_id)
        setup = EpisodeSetup(
            self._log.suite, task, base.trial, self._choices, self._prompts, self._other_tasks(notes)
        )
        again, replies, frames = self._again(setup, logged, turns, base.task_id, notes)
        findings = [*(replies.findings if replies else ()), *unlike(logged, again)]
        findings += self._end(logged, again)
        requests, wrong = self._requests(base.task_id) if frames else (0, [])
        # Logs of version 0.2 counted the verdict of an episode that a limit ended.
        unjudged = self._sample.stopped(base.task_id) or LIMIT in self._sample.row(base.task_id)
        limit = self._sample.limit_of(base.task_id)
        row = again.row()
        if unjudged:
            row = without_verdict(row, limit.kind if limit else None)
        self._rows.append(row)
        return replace(
            base,
            turns=len(turns),
            steps=int(again.metrics.get("steps", 0)),
            passed=row["passed"],
            missing=unjudged and row["score"] is not None,
            pictures=replies.pictures if replies else 0,
            requests=requests,
            findings=(*findings, *wrong, *self._scores(base.task_id, row)),
            versions=tuple(self._other_software(logged, replies)),
            notes=(*notes, *self._notes),
        )

    def _again(
        self, setup: EpisodeSetup, logged: Row, turns: Sequence[Row], task_id: str, notes: list[str]
    ) -> tuple[Record, Replies | None, bool]:
        """The episode played again, from its replies or as the suite replays an agent without replies.

        The last value says whether what was sent is compared too.
        """
        if self._choices.acts or self._log.player:
            return replayed(setup, logged), None, False
        sample = self._sample
        part = sample.parts.get(task_id) if sample.ours else None
        notes += self._unread(task_id, logged)
        frames = self._frames(notes, part is not None)
        replies = Replies(setup, turns, part, frames)
        if sample.said and task_id == next(iter(sample.records)):
            replies.compare_opening(sample.said.before, len(sample.planned))
        return replies.play(), replies, frames

    def _task(self, task_id: str) -> tuple[TaskSpec, list[str]]:
        """The task of an episode: that of its file, or of the log if no file has it any more."""
        logged = self._log.task(task_id)
        sha256 = logged.sha256 if logged else (self._sample.raw.metadata or {}).get("sha256")
        folder = self._options.folder or self._log.folder
        try:
            found = find_task(self._log.suite, task_id, self._choices, folder)
        except ArenaError:
            found = None
        if found is not None and sha256 in (None, found.sha256):
            return found, []
        if logged is None:
            raise RecordingError(
                f"{task_id}: its file is not the one that was played, and the log does not have the task"
            )
        return logged, ["no task file has its task: that of the log was played"]

    def _other_tasks(self, notes: list[str]) -> tuple[TaskSpec, ...]:
        if not self._choices.needs_all_tasks:
            return ()
        every = self._log.all_tasks()
        if every is None:
            notes.append("pictures not compared: the log does not have the other tasks that were shown")
        return every or ()

    def _frames(self, notes: list[str], matched: bool) -> bool:
        """Whether pictures are compared; a note says why not."""
        if not self._options.frames or not self._choices.bounds().first_images or not matched:
            return False
        unknown = [k for k in self._log.logged_choices if k not in type(self._choices).model_fields]
        if unknown:
            named = ", ".join(f"{name}={self._log.logged_choices[name]}" for name in unknown)
            notes.append(f"pictures not compared: its protocol has choices of another version ({named})")
        return not any(note.startswith("pictures not compared") for note in notes)

    def _unread(self, task_id: str, logged: Row) -> Iterator[str]:
        """What of a log cannot be verified, or only if pictures are."""
        if not self._sample.ours:
            yield "messages not compared: another solver than ours wrote them"
        elif self._sample.problem:
            yield f"messages not compared: {self._sample.problem}"
        if logged.get("model_end") is None:
            yield "why the model's part ended is not in the log"
        if not self._log.logged_choices:
            yield "the log has no choices, so the defaults are taken"
        part = self._sample.parts.get(task_id)
        if self._options.frames and part and self._sample.ours and self._choices.bounds().first_images:
            yield from missing_requests(part)

    def _end(self, logged: Row, again: Record) -> Iterator[Finding]:
        end, what = logged.get("model_end"), "end of the model's part"
        if end is None or self._choices.acts:
            return
        if end != again.model_end:
            yield Finding(None, what, end, str(again.model_end))
        elif end == ModelEnd.SOLVER and self._sample.ours and self._sample.limit is None:
            yield Finding(None, what, end, "no limit is logged that would end it")

    def _requests(self, task_id: str) -> tuple[int, list[Finding]]:
        part = self._sample.parts[task_id]
        check = Requests(self._sample, self._choices)
        asked = [each for each in enumerate(part.exchanges, start=1) if each[1].request is not None]
        return len(asked), [found for each in asked for found in check.findings(*each)]

    def _scores(self, task_id: str, row: Row) -> Iterator[Finding]:
        """Whether what Inspect's scores state of the episode is what playing it again gives."""
        for name, facts in self._sample.score_facts(task_id).items():
            for key, value in row.items():
                if key in facts and not same(facts[key], value):
                    yield Finding(None, f"score {name}: {key}", facts[key], value)

    def _other_software(self, logged: Row, replies: Replies | None) -> Iterator[str]:
        there, here = replay_of(logged).get("versions") or {}, self._log.suite.versions()
        for name in here if there else ():
            if here[name] != there.get(name):
                yield f"{name} {there.get(name, 'unknown')}, here {here[name]}"
        if replies and replies.drawn_by and self._sample.drawn_by != replies.drawn_by:
            yield f"pictures by {self._sample.drawn_by or 'an unknown renderer'}, here {replies.drawn_by}"

    def _order(self) -> tuple[list[Finding], list[str]]:
        """What of the order of a conversation is not as chosen, and what cannot be said about it."""
        sample = self._sample
        if not sample.together:
            return [], []
        found, played = [], list(sample.records)
        if played != list(sample.planned[: len(played)]):
            expected = ", ".join(sample.planned[: len(played)])
            found.append(Finding(None, "episodes", ", ".join(played), expected))
        tasks = self._log.all_tasks()
        if tasks is None:
            return found, ["the order of its conversation is not verified: the log does not have all tasks"]
        order = [task.id for task in conversation_order(self._choices, tasks, self._source.epoch - 1)]
        if order != list(sample.planned):
            found.append(Finding(None, "order", ", ".join(sample.planned), ", ".join(order)))
        return found, []

    def _score(self, every: Sequence[Checked]) -> Iterator[Finding]:
        """Whether the value of the score is what the episodes of the sample are worth, played again."""
        if any(each.problem for each in every):
            return
        whole = [row for row in self._rows if LIMIT not in row]
        values = {name: mean_of(whole, number) for name, number in NUMBERS.items()}
        # Version 0.2 called the score pass_mark.
        values |= dict.fromkeys(("episode_score", "pass_mark"), mean_of(self._rows, "score"))
        for name, value in values.items():
            score = (self._sample.raw.scores or {}).get(name)
            if score is not None and not same(score.value, value):
                yield Finding(None, f"score {name}", score.value, value)


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
        own = find_task(setup.suite, setup.task.id, setup.choices, None)
    except ArenaError:
        own = None
    if own is not None and own.sha256 == setup.task.sha256:
        return setup._replace(task=own), ()
    return setup, ("the suite has no such task: that of the file was played",)


def _other_software(played: PlayedEpisode, setup: EpisodeSetup) -> Iterator[str]:
    for name, here in setup.suite.versions().items():
        if here != (there := played.versions.get(name, "unknown")):
            yield f"{name} {there}, here {here}"
