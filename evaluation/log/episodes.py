"""Samples of a log and their episodes, one for each planned trial."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Self

from arena.errors import EvaluationError
from evaluation.generation.budget import NOT_PLAYED, STOPPED
from evaluation.generation.stops import CAUSES, FAILED
from evaluation.log.exchanges import (
    JUDGE,
    OTHER,
    Request,
    Talk,
    agent_facts,
    matched,
    parameters_of,
    parted,
    talk,
)
from evaluation.log.schema import check_record, check_score
from evaluation.results import TrialResult
from evaluation.suite import ModelEnd, Suite


class Limit(NamedTuple):
    """Early end of the model's part in an episode. `kind` is Inspect's word for a `limit`, such as token or
    time, or a kind of stop; `said` quotes the provider."""

    kind: str
    limit: float | None = None
    said: str = ""

    @property
    def ended(self) -> str:
        """Describe the end in a few words."""
        return f"ended by {CAUSES.get(self.kind, f'the {self.kind} limit')}"

    def __str__(self) -> str:
        limit = f" ({self.limit:,g})" if self.limit is not None else ""
        return f"{self.ended}{limit}{f': {self.said}' if self.said else ''}"


@dataclass(frozen=True)
class LoggedSample:
    """Sample of a log. `raw` is Inspect's, as far as it was read.

    `planned` are its tasks in playing order, `together` marks a conversation. `records` are the finished
    episodes by task, in playing order, as plain values; `faults` are their errors by task.
    """

    suite: Suite
    choices: Any
    ours: bool
    raw: Any
    planned: tuple[str, ...]
    together: bool
    records: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    faults: Mapping[str, EvaluationError] = field(default_factory=dict)

    def sound(self) -> Self:
        """Return the sample itself. Raises EvaluationError if a record is faulty."""
        for fault in self.faults.values():
            raise fault
        return self

    @cached_property
    def problem(self) -> str | None:
        """Explain if messages cannot be matched to turns; otherwise None."""
        if self.faults:
            return "an episode is broken, so messages are not matched to turns"
        return "it has fewer messages than turns, so these are not matched" if self.said is None else None

    @property
    def _replies(self) -> list[list[str]]:
        return [[turn["reply"] for turn in record["turns"]] for record in self.records.values()]

    @cached_property
    def said(self) -> Talk | None:
        """Match the exchanges of all turns; None if messages do not match."""
        if self.faults:
            return None
        replies = [text for each in self._replies for text in each]
        demonstration = bool(getattr(self.choices, "demonstration", False))
        said = matched(talk(self.raw, self.suite, self.ours, self.choices), replies, demonstration)
        if said is None or not demonstration:
            return said
        unplayed = next((i for i, each in enumerate(self._replies) if each), 0)
        return _opening_apart(said, self.choices.bounds().first_images * (1 + unplayed))

    @cached_property
    def parts(self) -> Mapping[str, Talk]:
        """Split the exchanges by finished episode. Empty if messages do not match turns."""
        if self.said is None:
            return {}
        first = self.choices.bounds().first_images
        return dict(zip(self.records, parted(self.said, list(map(len, self._replies)), first), strict=True))

    @property
    def drawn_by(self) -> str | None:
        """Name the renderer of the sent pictures, as far as logged."""
        return (self.raw.metadata or {}).get("drawn_by")

    def limit_of(self, task_id: str) -> Limit | None:
        """Find the limit that ended the model's part in an episode. Such an episode has no verdict: it was
        ended without the model. In a conversation, only the running episode was ended."""
        ended = self.records[task_id].get("model_end", ModelEnd.SOLVER) == ModelEnd.SOLVER
        return self.limit if ended else None

    def stopped(self, task_id: str) -> bool:
        """Return whether a model stop left an episode without a verdict."""
        limit = self.limit_of(task_id)
        return limit is not None and limit.kind in CAUSES

    @property
    def limit(self) -> Limit | None:
        """Find the early end of the model's part, if any."""
        if (limit := self.raw.limit) is not None:
            return Limit(str(limit.type), limit.limit)
        stopped = (self.raw.metadata or {}).get("stopped")
        return Limit(str(stopped["kind"]), said=str(stopped.get("said") or "")) if stopped else None

    def row(self, task_id: str) -> dict[str, Any]:
        """Build the results row of a finished episode from score or record. A conversation that an error
        ended has no score, but its finished episodes have complete rows."""
        return dict(self.scored(task_id) or row_of(self.records[task_id]))

    def scored(self, task_id: str) -> Mapping[str, Any]:
        """Read an episode in the first of Inspect's scores; empty without one."""
        return next(iter(self.score_facts(task_id).values()), {})

    def score_facts(self, task_id: str) -> dict[str, Mapping[str, Any]]:
        """Read an episode in each of Inspect's scores, by the score's name."""
        facts = {name: score.metadata or {} for name, score in (self.raw.scores or {}).items()}
        if not self.together:
            return facts
        return {name: (known.get("tasks") or {}).get(task_id) or {} for name, known in facts.items()}


def _opening_apart(said: Talk, own: int) -> Talk:
    """Remove a demonstration from the message of the first view. That message has `own` pictures of the
    episode; those before them are the demonstration's."""
    extra = len(said.exchanges[0].shown) - own if said.exchanges else 0
    if said.before or extra <= 0:
        return said
    first = said.exchanges[0]
    begun = first._replace(shown=first.shown[extra:])
    return said._replace(exchanges=(begun, *said.exchanges[1:]), before=first.shown[:extra])


def row_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Read the results row in a record, perhaps incomplete. Version 0.2 kept it in the recording."""
    names = ("total_reward", "passed", "outcome", "steps", "score")
    values = {**(record.get("recording") or {}), **record}
    return {name: values[name] for name in names if name in values} | {
        "turns": len(record.get("turns") or ())
    }


def replay_of(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Read the replay data of a record. Version 0.2 called it the recording."""
    return record.get("replay") or record.get("recording") or {}


def logged_sample(raw: Any, suite: Suite, choices: Any, ours: bool, where: str) -> LoggedSample:
    """Read a sample from a log; `where` is its place in words."""
    metadata = raw.metadata or {}
    together = "order" in metadata or choices.conversation == "run"
    if together:
        records = metadata.get("episodes") or {}
        planned = tuple(map(str, metadata.get("order") or metadata.get("tasks") or records))
    else:
        planned = (str(raw.id),)
        records = {planned[0]: metadata["episode"]} if metadata.get("episode") is not None else {}
    faults: dict[str, EvaluationError] = {}
    sample = LoggedSample(suite, choices, ours, raw, planned, together, records, faults)
    for task_id in {*planned, *records}:
        place = f"{where}: {task_id}" if together else where
        try:
            if task_id in records:
                check_record(records[task_id], suite, place)
            check_score(sample.scored(task_id), row_of(records.get(task_id) or {}), place)
        except EvaluationError as error:
            faults[task_id] = error
    return sample


NOT_RUN = "not run"
"""Error of a trial missing in the log."""

NOT_REACHED = "not played in its conversation"
"""Start of the error of a task not reached in its conversation."""

_KEY = re.compile(r"\b(?:sk|key|AIza|gsk|hf|xai)[-_A-Za-z0-9*]{12,}")
"""Pattern of providers' keys, which an error's text may repeat."""

_NAMED = re.compile(r"\w+\((['\"])(.*)\1\)")
"""Error as Inspect logs it: its class, and its text in quotes."""

_SCORED = ("total_reward", "passed", "outcome", "steps", "turns", "score")

_NO_METRICS = (*_SCORED, "replay", "recording", "model_end", "invalid_replies")
"""Record entries that are results or replay data, not metrics."""


class Usage(NamedTuple):
    """Tokens of an episode, with the price in US dollars if known."""

    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class LoggedEpisode:
    """Planned trial in the log; `turns` and `replay` are empty if unfinished.

    `turns` and `replay` are those of the suite's `Record`, as plain values; `seconds` includes waiting;
    `stops` counts stop reasons of the replies; `sent` counts answered requests by their parameters
    (`parameters_of`), none for offline agents. `failed_attempts` are requests that failed, `relaunches`
    restarts of the sample; of a conversation, the first episode has both for all. `agent` holds logged facts
    of the agent, such as its plan or memory (`Calls.log`). `talk` has the model's requests, None if they do
    not match the turns. `place` is the place in its conversation, from 1, None for an episode of its own. An
    episode that a `limit` ended has no verdict; `ran_down` is the logged part of its end. `metrics` are the
    record's numbers that `result` does not have, none if a limit ended it.
    """

    result: TrialResult
    turns: tuple[Mapping[str, Any], ...] = ()
    replay: Mapping[str, Any] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    seconds: float | None = None
    stops: Counter[str] = field(default_factory=Counter)
    sent: Counter[str] = field(default_factory=Counter)
    failed_attempts: int = 0
    relaunches: int = 0
    answered_by: str | None = None
    talk: Talk | None = None
    place: int | None = None
    limit: Limit | None = None
    ran_down: TrialResult | None = None
    agent: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)

    @property
    def invalid_replies(self) -> int:
        """Number of unusable replies."""
        return sum(turn.get("error") is not None for turn in self.turns)

    @property
    def repaired_replies(self) -> int:
        """Number of replies with corrected slips."""
        return sum(bool(turn.get("repairs")) for turn in self.turns)

    @property
    def status(self) -> str | None:
        """Explain a missing verdict in a few words; None with one."""
        error = self.result.error or ""
        if self.result.passed is not None:
            return None
        if self.limit is not None:
            return self.limit.ended
        if error.startswith((NOT_RUN, NOT_REACHED)) or NOT_PLAYED in error:
            return "not played"
        if STOPPED in error:
            return "stopped by the run's limit"
        return "ended by an error" if error else "unmarked"


def logged_episode(base: Mapping[str, Any], sample: LoggedSample) -> LoggedEpisode:
    """Read a single episode; `base` are facts of `TrialResult` known before."""
    raw = sample.raw
    if raw.error is not None or not raw.scores:
        failed = TrialResult(**base, error=_reason(raw))
        usage = _usage(list((raw.model_usage or {}).values()))
        return LoggedEpisode(failed, usage=usage, seconds=raw.total_time, **_faults(raw))
    task_id = sample.planned[0]
    asked = [event for event in raw.events or () if event.event == "model"]
    own = [event for event in asked if event.role not in (JUDGE, OTHER)]
    answered = [event for event in own if event.output and event.output.choices]
    record = sample.records.get(task_id)
    episode = LoggedEpisode(
        _result(
            base, sample.row(task_id) if record else next(iter(raw.scores.values())).metadata or {}, sample
        ),
        usage=_usage(list((raw.model_usage or {}).values())),
        seconds=raw.total_time,
        stops=Counter(str(event.output.stop_reason) for event in answered),
        sent=Counter(filter(None, (parameters_of(e) for e in answered if not e.error))),
        **_faults(raw),
        answered_by=raw.output.model if raw.output else None,
    )
    return episode if record is None else _finished(episode, sample, task_id)


def logged_conversation(
    bases: Mapping[str, Mapping[str, Any]], sample: LoggedSample
) -> Iterator[LoggedEpisode]:
    """Yield a conversation's episodes in playing order, then the tasks not reached."""
    raw = sample.raw
    ends = _ends(sample.parts, sample.planned, raw)
    for place, task_id in enumerate(sample.planned, start=1):
        base = bases.get(task_id)
        if base is None:
            continue
        if task_id not in sample.records:
            yield LoggedEpisode(TrialResult(**base, error=_unreached(sample)), place=place)
            continue
        own = sample.parts.get(task_id)
        requests = list(_requests(own)) if own else []
        episode = LoggedEpisode(
            _result(base, sample.row(task_id), sample),
            usage=_usage([request.usage for request in requests if request.usage]),
            seconds=ends.get(task_id),
            stops=Counter(request.stop_reason for request in requests),
            sent=Counter(request.parameters for request in requests if request.parameters),
            answered_by=raw.output.model if raw.output else None,
            place=place,
            **(_faults(raw) if place == 1 else {}),
        )
        yield _finished(episode, sample, task_id)


def _faults(sample: Any) -> dict[str, Any]:
    """Count failed requests and restarts of a sample."""
    tries = [*(sample.error_retries or ()), sample]
    told = (e.data for each in tries for e in each.events or () if e.event == "info")
    return {
        "failed_attempts": sum(isinstance(data, dict) and FAILED in data for data in told),
        "relaunches": sum(not _same_end(*pair) for pair in pairwise(tries)),
    }


def _same_end(before: Any, after: Any) -> bool:
    """Return whether a restart repeated the final error of the previous attempt."""
    asked = any(event.event == "model" for event in after.events or ())
    return not asked and _error_text(before) == _error_text(after)


def _error_text(attempt: Any) -> str | None:
    error = attempt if hasattr(attempt, "message") else attempt.error
    return error.message if error is not None else None


def _finished(episode: LoggedEpisode, sample: LoggedSample, task_id: str) -> LoggedEpisode:
    """Add the record to an episode. Without a verdict if a limit ended it."""
    record = sample.records[task_id]
    episode = replace(
        episode,
        turns=tuple(record.get("turns") or ()),
        replay=replay_of(record),
        talk=sample.parts.get(task_id),
        agent=agent_facts(sample.raw),
        metrics={name: value for name, value in record.items() if name not in _NO_METRICS},
    )
    limit = sample.limit_of(task_id)
    if limit is None:
        return episode
    unjudged = replace(
        episode.result, passed=None, total_reward=None, outcome=None, score=None, error=str(limit), metrics={}
    )
    return replace(episode, result=unjudged, limit=limit, ran_down=episode.result, metrics={})


def _result(base: Mapping[str, Any], row: Mapping[str, Any], sample: LoggedSample) -> TrialResult:
    known: dict[str, Any] = {key: row.get(key) for key in _SCORED}
    further = [name for name in sample.suite.headline.values() if name not in _SCORED]
    metrics = {name: row[name] for name in further if row.get(name) is not None}
    return TrialResult(**base, **known, metrics=metrics)


def _unreached(sample: LoggedSample) -> str:
    if sample.raw.error is not None:
        return f"{NOT_REACHED}: {_reason(sample.raw)}"
    return f"{NOT_REACHED}, which was {sample.limit}" if sample.limit is not None else NOT_REACHED


def _requests(own: Talk) -> Iterator[Request]:
    seen: set[int] = set()
    for each in own.exchanges:
        # Several calls of one reply share its request.
        if each.request is not None and each.message not in seen:
            seen.add(each.message)
            yield each.request
    if own.unplayed is not None:
        yield own.unplayed


def _ends(parts: Mapping[str, Talk], order: tuple[str, ...], sample: Any) -> dict[str, float]:
    """Time the episodes of a conversation in seconds, between first requests."""
    begun = {
        task_id: first
        for task_id in order
        if (own := parts.get(task_id)) is not None
        and (first := next((each.began for each in _requests(own)), None)) is not None
    }
    end = datetime.fromisoformat(str(sample.completed_at)) if sample.completed_at else None
    times = [*begun.items(), *([("", end)] if end else [])]
    return {one: max((after - at).total_seconds(), 0.0) for (one, at), (_, after) in pairwise(times)}


def _usage(uses: list[Any]) -> Usage:
    """Sum the usage of all models or requests. Unknown prices make the sum unknown."""
    costs = [use.total_cost for use in uses]
    cached = sum((use.input_tokens_cache_read or 0) + (use.input_tokens_cache_write or 0) for use in uses)
    return Usage(
        sum(use.input_tokens for use in uses) + cached,
        sum(use.output_tokens for use in uses),
        sum(use.reasoning_tokens or 0 for use in uses),
        sum(costs) if costs and None not in costs else None,
    )


def _reason(sample: Any) -> str:
    """Explain a missing score: the provider's last error, or the final one."""
    if sample.error is None:
        return "no score"
    said = [event.error for event in sample.events or () if event.event == "model" and event.error]
    repeated = any(name in sample.error.message for name in ("ModelGenerateError", "RetryError")) and said
    text = said[-1] if repeated else sample.error.message
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    line = lines[-1 if repeated else 0] if lines else "unknown error"
    named = _NAMED.fullmatch(line)
    return without_keys((named[2].replace("\\'", "'") if named else line)[:300])


def without_keys(text: str) -> str:
    """Remove text that resembles a provider's key."""
    return _KEY.sub("[key]", text)
