"""Replay of a sample's episodes and comparison with everything logged."""

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from inspect_ai.model import ContentImage
from pydantic_core import to_jsonable_python

from arena.errors import ArenaError, EvaluationError, RecordingError
from evaluation.agents.agents import turns_since_step
from evaluation.by_hand.played import PlayedEpisode
from evaluation.capabilities import replayed
from evaluation.choices.run_choices import RunChoices, kept_images
from evaluation.episode import conversation_order
from evaluation.generation.memory import collage, sent
from evaluation.inspect_task.scoring import LIMIT, NUMBERS, mean_of, without_verdict
from evaluation.log.episodes import LoggedSample, replay_of
from evaluation.log.exchanges import Request, Talk, agent_facts, picture, picture_slots
from evaluation.log.run import RunLog
from evaluation.log.schema import Turn, check
from evaluation.prompts import PromptSet
from evaluation.suite import EpisodeSetup, Frame, ModelEnd, Observation, Record, Suite, TaskSpec
from evaluation.suites import find_task
from evaluation.verify.sources import Checked, Finding, Options, Source, unverified
from render.image import as_sent


def unlike_picture(turn: int | None, what: str, uri: str | None, frame: Frame) -> Iterator[Finding]:
    """Yield deviations of a logged picture from the frame: uint8 (H, W, 3)."""
    if uri is None:
        yield Finding(turn, what, "none", _hash(frame))
        return
    try:
        logged = picture(uri)
    except (ValueError, OSError) as error:
        yield Finding(turn, what, f"no picture ({str(error)[:60]})", _hash(frame))
        return
    if logged.shape != frame.shape:
        yield Finding(turn, what, _size(logged), _size(frame))
    elif not np.array_equal(logged, frame):
        apart = np.abs(logged.astype(np.int16) - frame).max(axis=2)
        most = f"{np.count_nonzero(apart)} pixels differ, by up to {apart.max()}"
        yield Finding(turn, what, f"{_hash(logged)} ({most})", _hash(frame))


def _size(frame: Frame) -> str:
    return f"{frame.shape[1]} x {frame.shape[0]} pixels"


def _hash(frame: Frame) -> str:
    return hashlib.sha256(np.ascontiguousarray(frame).tobytes()).hexdigest()[:12]


Row = Mapping[str, Any]


def unlike(logged: Row, again: Record) -> Iterator[Finding]:
    """Yield deviations of a record, turn by turn and as a whole."""
    played = to_jsonable_python(again.as_dict(), inf_nan_mode="constants")
    for number, (turn, other) in enumerate(zip(logged["turns"], played["turns"], strict=False), start=1):
        yield from _fields(number, turn, other)
    recorded = {k: v for k, v in replay_of(logged).items() if k != "versions"}
    yield from _fields(None, recorded, played["replay"])
    whole = {k: v for k, v in logged.items() if k in played and k not in ("turns", "replay", "model_end")}
    yield from (f for f in _fields(None, whole, played) if f.what not in recorded)


def _fields(turn: int | None, logged: Row, played: Row) -> Iterator[Finding]:
    for name, value in played.items():
        if name in logged and not same(logged[name], value):
            yield Finding(turn, name, logged[name], value)


def same(logged: object, played: object) -> bool:
    """Compare to the bit; two NaN are equal."""
    both_nan = isinstance(logged, float) and isinstance(played, float) and math.isnan(logged)
    return logged == played or (both_nan and math.isnan(played))  # type: ignore[arg-type]


class Requests:
    """Compares the requests of one sample with those its conversation implies."""

    def __init__(self, sample: LoggedSample, choices: RunChoices) -> None:
        self._messages, self._choices = sample.raw.messages, choices
        self._attachments: Mapping[str, str] = sample.raw.attachments or {}
        self._plan = agent_facts(sample.raw).get("plan") or ()
        said = sample.said.exchanges if sample.said else ()
        # Exactly one message, the first view, is between the opening and the first reply.
        self._opening = said[0].message - 1 if said else 0

    def _turns(self, number: int, place: int) -> int | None:
        """Maximum number of earlier turns to send."""
        limit = self._choices.memory_turns
        if self._choices.agent != "plan-execute":
            return limit
        since = turns_since_step(self._plan, number, self._messages[self._opening : place])
        return since if limit is None else min(limit, since)

    def findings(self, number: int, place: int, request: Request) -> Iterator[Finding]:
        """Yield deviations in the request for the reply at a place."""
        choices = self._choices
        memory = self._turns(number, place), choices.memory_characters, choices.short_turns
        messages = sent(self._messages[:place], self._opening, *memory)
        there = [uri for uri in picture_slots(messages, self._attachments) if uri is not None]
        rule = request.budget or self._choices.images
        kept = kept_images(rule, len(there))
        if rule == "collage" and len(there) > 1:
            yield from _collage_findings(number, there, request)
            return
        expected = tuple(uri if place in kept else None for place, uri in enumerate(there))
        if request.collage or request.slots != expected:
            yield Finding(
                number, "pictures sent", described(request.slots, there), described(expected, there)
            )


def _collage_findings(number: int, there: list[str], request: Request) -> Iterator[Finding]:
    if request.collage is None or len(request.slots) != len(there):
        yield Finding(number, "pictures sent", described(request.slots, there), f"{len(there)} in one")
        return
    whole = collage([ContentImage(image=uri) for uri in there])
    yield from unlike_picture(number, "collage", request.collage, picture(whole.image))


def described(slots: tuple[str | None, ...], there: list[str]) -> str:
    """Describe which pictures of the conversation were sent."""
    kept = [str(n) for n, slot in enumerate(slots, start=1) if slot is not None]
    other = sum(slot is not None and slot not in there for slot in slots)
    strange = f", {other} of them not in the conversation" if other else ""
    return f"{', '.join(kept) or 'none'} of {len(slots)}{strange}"


def missing_requests(talk: Talk) -> Iterator[str]:
    """Note replies of an episode whose requests are not logged."""
    missing = sum(each.request is None for each in talk.exchanges)
    if missing:
        yield (
            f"what was sent for {missing} of its replies is not in the log: they were kept from an earlier, "
            "interrupted attempt"
        )


class Replies:
    """Plays the replies of logged turns and compares them.

    `said` is the logged conversation, None if it is not compared. With `frames` pictures are compared too, of
    which `pictures` counts the compared ones; `drawn_by` is the renderer here. Raises RenderError if a
    picture is needed and cannot be drawn.
    """

    def __init__(
        self, setup: EpisodeSetup, turns: Sequence[Mapping[str, Any]], said: Talk | None, frames: bool
    ) -> None:
        self.frames = frames
        self._setup, self._turns, self._said = setup._replace(draws=self.frames), turns, said
        self.findings: list[Finding] = []
        self.pictures = 0
        self.drawn_by: str | None = None

    def compare_opening(self, logged: Sequence[str], episodes: int) -> None:
        """Compare pictures before the first observation, such as a demonstration's."""
        if not self.frames:
            return
        messages = self._setup.suite.opening(self._setup.choices, self._setup.prompts, episodes)
        parts = [p for m in messages if not isinstance(m.content, str) for p in m.content]
        shown = [picture(part.image) for part in parts if part.type == "image"]
        self._compare_pictures(None, "picture of the opening", logged, shown)

    def play(self) -> Record:
        """Play all replies, and end the episode."""
        refused = self._setup.prompts["no_call"].text
        with closing(self._setup.suite.open(self._setup)) as environment:
            observation = environment.begin()
            self._compare(1, observation)
            for number, turn in enumerate(self._turns, start=1):
                if observation.done:
                    end = f"over after turn {number - 1}"
                    self.findings.append(Finding(None, "turns", len(self._turns), end))
                    break
                text = str(turn["reply"])
                no_call = self._setup.choices.replies == "tools" and turn.get("error") == refused
                observation = environment.refuse(text, refused) if no_call else environment.reply(text)
                self._compare_reply(number, text)
                self._compare(number + 1, observation)
            return environment.finish()

    def _compare_reply(self, number: int, text: str) -> None:
        """Compare a turn's reply with the model's message or tool call."""
        if self._said is not None and number <= len(self._said.exchanges):
            sent = self._said.exchanges[number - 1].reply
            if text != sent:
                self.findings.append(Finding(number, "reply", text, sent))

    def _compare(self, turn: int, observation: Observation) -> None:
        """Compare an observation with the log before a turn's reply. The last is not shown."""
        self.drawn_by = observation.drawn_by or self.drawn_by
        if self._said is None or (observation.done and turn > 1):
            return
        place = turn - 1
        exchanges = self._said.exchanges
        shown = exchanges[place].shown if place < len(exchanges) else self._said.rest
        told = exchanges[place].told if place < len(exchanges) else self._said.told_last
        for part in observation.parts:
            if isinstance(part, str) and part not in told:
                self.findings.append(Finding(turn, "observation", told, part))
        if self.frames:
            kind = self._setup.choices.image_format
            drawn = [as_sent(part, kind) for part in observation.parts if not isinstance(part, str)]
            self._compare_pictures(turn, "picture", shown, drawn)

    def _compare_pictures(
        self, turn: int | None, what: str, logged: Sequence[str], drawn: Sequence[Any]
    ) -> None:
        for place, frame in enumerate(drawn):
            uri = logged[place] if place < len(logged) else None
            self.pictures += uri is not None
            self.findings += unlike_picture(turn, what, uri, frame)
        if len(logged) > len(drawn):
            self.findings.append(Finding(turn, f"{what}s", len(logged), len(drawn)))


def verify_sample(source: Source, options: Options) -> tuple[Checked, ...]:
    """Replay and compare a sample's episodes; one result per task."""
    assert source.sample is not None
    try:
        log = _log(source.path, source.path.stat().st_mtime_ns)
        # Events repeat the requests of every reply, so they are read only if needed.
        unused = {"store"} if options.frames else {"store", "events"}
        sample = log.sample(source.sample, source.epoch, frozenset(unused))
        prompts = log.prompts()
    except ArenaError as error:
        return unverified(source, error)
    checking = SampleCheck(source, log, sample, prompts, options)
    return checking.with_whole([checking.episode(place) for place in range(len(sample.planned))])


@lru_cache(maxsize=2)
def _log(path: Path, changed_ns: int) -> RunLog:
    return RunLog(path)


class SampleCheck:
    """Sample whose episodes are verified one after another."""

    def __init__(
        self, source: Source, log: RunLog, sample: LoggedSample, prompts: PromptSet, options: Options
    ) -> None:
        self._source, self._log, self._sample = source, log, sample
        self._prompts, self._options = prompts, options
        self._choices, reason = log.read_choices()
        self._notes = [reason] if reason else []
        self._rows: list[dict[str, Any]] = []

    def episode(self, place: int) -> Checked:
        """Verify the episode at a place of the sample, from 0."""
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
        """Add faults of the whole sample to its first episode's result."""
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
        """Replay the episode from its replies, or by its self-playing agent. The last value says if requests
        are compared too."""
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
        """Find the task of an episode in its file or the log."""
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
        return logged, ["no task file has its task: the task in the log was played"]

    def _other_tasks(self, notes: list[str]) -> tuple[TaskSpec, ...]:
        if not self._choices.needs_all_tasks:
            return ()
        every = self._log.all_tasks()
        if every is None:
            notes.append("pictures not compared: the log does not have the other tasks that were shown")
        return every or ()

    def _frames(self, notes: list[str], matched: bool) -> bool:
        """Decide on comparing pictures; a note explains omissions."""
        if not self._options.frames or not self._choices.bounds().first_images or not matched:
            return False
        unknown = [k for k in self._log.logged_choices if k not in type(self._choices).model_fields]
        if unknown:
            named = ", ".join(f"{name}={self._log.logged_choices[name]}" for name in unknown)
            notes.append(f"pictures not compared: its protocol has choices of another version ({named})")
        return not any(note.startswith("pictures not compared") for note in notes)

    def _unread(self, task_id: str, logged: Row) -> Iterator[str]:
        """Yield parts of a log that need pictures, or are unverifiable."""
        if not self._sample.ours:
            yield "messages not compared: another solver wrote them"
        elif self._sample.problem:
            yield f"messages not compared: {self._sample.problem}"
        if logged.get("model_end") is None:
            yield "why the model's part ended is not in the log"
        if not self._log.logged_choices:
            yield "the log has no choices, so the defaults are used"
        part = self._sample.parts.get(task_id)
        if self._options.frames and part and self._sample.ours and self._choices.bounds().first_images:
            yield from () if self._log.harness else missing_requests(part)

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
        asked = [(n, e.message, e.request) for n, e in enumerate(part.exchanges, start=1) if e.request]
        return len(asked), [found for each in asked for found in check.findings(*each)]

    def _scores(self, task_id: str, row: Row) -> Iterator[Finding]:
        """Compare Inspect's scores of the episode with the replay."""
        for name, facts in self._sample.score_facts(task_id).items():
            for key, value in row.items():
                if key in facts and not same(facts[key], value):
                    yield Finding(None, f"score {name}: {key}", facts[key], value)

    def _other_software(self, logged: Row, replies: Replies | None) -> Iterator[str]:
        if there := replay_of(logged).get("versions"):
            yield from _other_versions(there, self._log.suite)
        if replies and replies.drawn_by and self._sample.drawn_by != replies.drawn_by:
            yield f"pictures by {self._sample.drawn_by or 'an unknown renderer'}, here {replies.drawn_by}"

    def _order(self) -> tuple[list[Finding], list[str]]:
        """Compare the order of a conversation with the choices; note unknowns."""
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
        """Compare the score's value with the replayed episodes of the sample."""
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
    """Verify the file of a `PlayedEpisode`. Raises RecordingError if it cannot be replayed."""
    played = PlayedEpisode.read(path)
    base = Checked(str(path), str(played.task.get("id", path.stem)), played.trial)
    if played.record is None:
        return replace(base, finished=False)
    try:
        check(list[Turn], played.record.get("turns"), "its turns are broken")
    except EvaluationError as error:
        raise RecordingError(str(error)) from None
    turns, (setup, notes) = played.record["turns"], _setup(played)
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
        versions=tuple(_other_versions(played.versions, setup.suite)),
        notes=notes,
    )


def _setup(played: PlayedEpisode) -> tuple[EpisodeSetup, tuple[str, ...]]:
    """Set up the episode, with the suite's own task unless it differs."""
    setup = played.setup()
    try:
        own = find_task(setup.suite, setup.task.id, setup.choices, None)
    except ArenaError:
        own = None
    if own is not None and own.sha256 == setup.task.sha256:
        return setup._replace(task=own), ()
    return setup, ("the suite has no such task: that of the file was played",)


def _other_versions(there: Mapping[str, str], suite: Suite) -> Iterator[str]:
    """Yield the software whose version here differs from the player's."""
    for name, here in suite.versions().items():
        if here != (played := there.get(name, "unknown")):
            yield f"{name} {played}, here {here}"
