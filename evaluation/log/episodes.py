"""One episode as a log has it, of a sample of its own or of a conversation over several."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from typing import Any

from pydantic import ValidationError

from arena import Recording
from evaluation.inspect_task.scoring import Limit, limit_of, logged_row
from evaluation.log.exchanges import EpisodeTalk, Request, first_pictures, matched, parted, talk
from evaluation.results import TrialResult
from llm_control.choices import Protocol

NOT_RUN = "not run"
"""The error of a trial that the log does not have."""

NOT_REACHED = "not played in its conversation"
"""How the error of a task begins that its conversation did not come to."""

_KEY = re.compile(r"\b(?:sk|key|AIza|gsk|hf|xai)[-_A-Za-z0-9*]{12,}")
"""What keys of providers look like; an error's text may repeat one."""

_SCORED = ("total_reward", "passed", "outcome", "steps", "turns")


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of an episode, and its price in US dollars where the log knows it."""

    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class LoggedEpisode:
    """One planned trial as the log has it; `recording` and `turns` are absent where it was not finished.

    `turns` are those of `llm_control.play.Turn` as plain values; `seconds` is the time it took, waiting
    included; `stops` counts why the model's replies ended; `temperatures` are those that were sent. `talk` is
    what the model was sent, None where that cannot be matched to the turns. `place` is the place in its
    conversation, from 1, None for an episode of its own. An episode that a `limit` ended has no verdict;
    `ran_down` is what the log has of its end, after the clock ran down.
    """

    result: TrialResult
    turns: tuple[Mapping[str, Any], ...] = ()
    recording: Recording | None = None
    usage: Usage = field(default_factory=Usage)
    seconds: float | None = None
    stops: Counter[str] = field(default_factory=Counter)
    temperatures: frozenset[float | None] = frozenset()
    answered_by: str | None = None
    talk: EpisodeTalk | None = None
    place: int | None = None
    limit: Limit | None = None
    ran_down: TrialResult | None = None


def logged_episode(base: Mapping[str, Any], sample: Any, protocol: Protocol, ours: bool) -> LoggedEpisode:
    """The episode of a sample of its own; `base` are the facts of `TrialResult` that were known before."""
    if sample.error is not None or not sample.scores:
        failed = TrialResult(**base, error=_reason(sample))
        return LoggedEpisode(failed, usage=_usage(sample), seconds=sample.total_time)
    plain = sample.metadata.get("episode") or {}
    score = next(iter(sample.scores.values())).metadata or {}
    outputs = [event.output for event in sample.events if event.event == "model" and event.output]
    episode = LoggedEpisode(
        _result(base, score),
        tuple(plain.get("turns") or ()),
        _recording(plain.get("recording")),
        _usage(sample),
        sample.total_time,
        Counter(str(output.stop_reason) for output in outputs if output.choices),
        frozenset(event.config.temperature for event in sample.events if event.event == "model"),
        sample.output.model if sample.output else None,
        next(iter(_parts(sample, {"": plain}, protocol, ours).values()), None),
    )
    return _limited(episode, sample, plain)


def logged_conversation(
    bases: Mapping[str, Mapping[str, Any]], sample: Any, protocol: Protocol, ours: bool
) -> Iterator[LoggedEpisode]:
    """The episodes of a conversation in the order in which they were played, then the tasks not reached."""
    records: dict[str, Any] = sample.metadata.get("episodes") or {}
    order = [str(task_id) for task_id in sample.metadata.get("order") or bases]
    parts = _parts(sample, records, protocol, ours)
    ends = _ends(parts, order, sample)
    scores = next(iter((sample.scores or {}).values()), None)
    rows: dict[str, Any] = ((scores.metadata if scores else None) or {}).get("tasks") or {}
    for place, task_id in enumerate(order, start=1):
        base = bases.get(task_id)
        if base is None:
            continue
        plain = records.get(task_id)
        if plain is None:
            yield LoggedEpisode(TrialResult(**base, error=_unreached(sample)), place=place)
            continue
        episode = _of_conversation(base, plain, rows.get(task_id), parts.get(task_id))
        episode = replace(episode, place=place, seconds=ends.get(task_id))
        yield _limited(
            replace(episode, answered_by=sample.output.model if sample.output else None), sample, plain
        )


def _of_conversation(
    base: Mapping[str, Any], plain: Mapping[str, Any], row: Mapping[str, Any] | None, own: EpisodeTalk | None
) -> LoggedEpisode:
    turns, recording = tuple(plain.get("turns") or ()), _recording(plain.get("recording"))
    # A conversation that an error ended has no score, but its finished episodes have all that makes one.
    facts = row or (logged_row(plain) if recording else {})
    requests = list(_requests(own)) if own else []
    return LoggedEpisode(
        _result(base, facts),
        turns,
        recording,
        _usage_of([request.usage for request in requests if request.usage]),
        stops=Counter(request.stop_reason for request in requests),
        temperatures=frozenset(request.temperature for request in requests),
        talk=own,
    )


def _result(base: Mapping[str, Any], score: Mapping[str, Any]) -> TrialResult:
    known: dict[str, Any] = {key: score.get(key) for key in _SCORED}
    return TrialResult(**base, **known)


def _limited(episode: LoggedEpisode, sample: Any, plain: Mapping[str, Any]) -> LoggedEpisode:
    """The episode without a verdict where a limit ended the model's part in it."""
    limit = limit_of(sample, plain)
    if limit is None:
        return episode
    unjudged = replace(episode.result, passed=None, total_reward=None, outcome=None, error=str(limit))
    return replace(episode, result=unjudged, limit=limit, ran_down=episode.result)


def _unreached(sample: Any) -> str:
    if sample.error is not None:
        return f"{NOT_REACHED}: {_reason(sample)}"
    if sample.limit is not None:
        return f"{NOT_REACHED}, which was {Limit(str(sample.limit.type), sample.limit.limit)}"
    return NOT_REACHED


def _parts(sample: Any, records: Mapping[str, Any], protocol: Protocol, ours: bool) -> dict[str, EpisodeTalk]:
    """What was said in each episode; empty where it cannot be matched to the turns."""
    try:
        replies = [[str(turn["reply"]) for turn in plain["turns"]] for plain in records.values()]
    except (KeyError, TypeError):
        return {}
    said = matched(talk(sample, ours), [text for each in replies for text in each], protocol.demonstration)
    if said is None:
        return {}
    first = first_pictures(protocol)
    return dict(zip(records, parted(said, list(map(len, replies)), first), strict=True))


def _requests(own: EpisodeTalk) -> Iterator[Request]:
    seen: set[int] = set()
    for each in own.exchanges:
        # Several calls of one reply share its request.
        if each.request is not None and each.message not in seen:
            seen.add(each.message)
            yield each.request
    if own.unplayed is not None:
        yield own.unplayed


def _ends(parts: Mapping[str, EpisodeTalk], order: list[str], sample: Any) -> dict[str, float]:
    """Seconds from each episode's first request to the next one's, or to the end."""
    begun = {
        task_id: first.began
        for task_id in order
        if task_id in parts and (first := next(_requests(parts[task_id]), None)) is not None
    }
    end = datetime.fromisoformat(str(sample.completed_at)) if sample.completed_at else None
    times = [*begun.items(), *([("", end)] if end else [])]
    return {one: max((after - at).total_seconds(), 0.0) for (one, at), (_, after) in pairwise(times)}


def _recording(plain: Any) -> Recording | None:
    try:
        return Recording.model_validate(plain)
    except ValidationError:
        return None


def _usage(sample: Any) -> Usage:
    return _usage_of(list((sample.model_usage or {}).values()))


def _usage_of(uses: list[Any]) -> Usage:
    """Of all models or requests of an episode together; the price is unknown where one's is."""
    costs = [use.total_cost for use in uses]
    cached = sum((use.input_tokens_cache_read or 0) + (use.input_tokens_cache_write or 0) for use in uses)
    return Usage(
        sum(use.input_tokens for use in uses) + cached,
        sum(use.output_tokens for use in uses),
        sum(use.reasoning_tokens or 0 for use in uses),
        sum(costs) if costs and None not in costs else None,
    )


def _reason(sample: Any) -> str:
    """Why a sample has no score: what the provider said last, or else the error that ended it."""
    if sample.error is None:
        return "no score"
    said = [event.error for event in sample.events or () if event.event == "model" and event.error]
    repeated = "ModelGenerateError" in sample.error.message and said
    text = said[-1] if repeated else sample.error.message
    return without_keys((text.strip().splitlines() or ["unknown error"])[0][:300])


def without_keys(text: str) -> str:
    """A text without what looks like a provider's key."""
    return _KEY.sub("[key]", text)
