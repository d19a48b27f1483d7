"""A sample of a log: one episode, or a conversation over several, with what the model was sent."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

from arena.errors import EvaluationError
from evaluation.generation.stops import CAUSES
from evaluation.log.exchanges import EpisodeTalk, Talk, matched, parted, talk
from evaluation.log.schema import check_record
from evaluation.suite import ModelEnd, Suite


@dataclass(frozen=True, slots=True)
class Limit:
    """What ended the model's part of an episode before the episode was over.

    `kind` is Inspect's word for a `limit`, such as token or time, or a kind of stop; `said` is what the
    provider said.
    """

    kind: str
    limit: float | None = None
    said: str = ""

    @property
    def ended(self) -> str:
        """What ended it, in a few words."""
        return f"ended by {CAUSES.get(self.kind, f'the {self.kind} limit')}"

    def __str__(self) -> str:
        limit = f" ({self.limit:,g})" if self.limit is not None else ""
        return f"{self.ended}{limit}{f': {self.said}' if self.said else ''}"


@dataclass(frozen=True)
class LoggedSample:
    """A sample; `raw` is Inspect's, as far as it was read.

    `planned` are its tasks in the order of play, `together` says that they are in one conversation. `records`
    are the finished episodes by task, in the order in which they were played, as plain values; `faults` say
    by task what is wrong with them.
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
        """The sample itself. Raises EvaluationError if a record is faulty."""
        for fault in self.faults.values():
            raise fault
        return self

    @cached_property
    def problem(self) -> str | None:
        """Why messages cannot be matched to turns; None if they are."""
        if self.faults:
            return "an episode is broken, so messages are not matched to turns"
        return "it has fewer messages than turns, so these are not matched" if self.said is None else None

    @property
    def _replies(self) -> list[list[str]]:
        return [[turn["reply"] for turn in record["turns"]] for record in self.records.values()]

    @cached_property
    def said(self) -> Talk | None:
        """The exchanges of all turns; None if messages cannot be matched to turns."""
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
    def parts(self) -> Mapping[str, EpisodeTalk]:
        """What was said in each finished episode; empty if messages cannot be matched to turns."""
        if self.said is None:
            return {}
        first = self.choices.bounds().first_images
        parts = parted(self.said, list(map(len, self._replies)), first)
        return dict(zip(self.records, parts, strict=True))

    @property
    def drawn_by(self) -> str | None:
        """The renderer of the pictures that were sent, as far as the log says."""
        return (self.raw.metadata or {}).get("drawn_by")

    def limit_of(self, task_id: str) -> Limit | None:
        """The limit that ended the model's part in an episode; None if none did.

        Such an episode has no verdict: it was ended without the model, which says nothing about what the
        model would have done. In a conversation, only the episode that was being played was ended.
        """
        ended = self.records[task_id].get("model_end", ModelEnd.SOLVER) == ModelEnd.SOLVER
        return self.limit if ended else None

    def stopped(self, task_id: str) -> bool:
        """Whether a stop of the model ended an episode, so that its score has no verdict."""
        limit = self.limit_of(task_id)
        return limit is not None and limit.kind in CAUSES

    @property
    def limit(self) -> Limit | None:
        """What ended the model's part of the sample before it was over; None if nothing did."""
        if (limit := self.raw.limit) is not None:
            return Limit(str(limit.type), limit.limit)
        stopped = (self.raw.metadata or {}).get("stopped")
        return Limit(str(stopped["kind"]), said=str(stopped.get("said") or "")) if stopped else None

    def row(self, task_id: str) -> dict[str, Any]:
        """What a table of results has of a finished episode, from the score or else from its record.

        A conversation that an error ended has no score, but its finished episodes have everything that makes
        one.
        """
        score = next(iter((self.raw.scores or {}).values()), None)
        known: Mapping[str, Any] = (score.metadata if score else None) or {}
        row = (known.get("tasks") or {}).get(task_id) if self.together else known
        return dict(row) if row else row_of(self.records[task_id])

    def score_facts(self, task_id: str) -> dict[str, Mapping[str, Any]]:
        """What each of Inspect's scores says of an episode, by the score's name."""
        facts = {name: score.metadata or {} for name, score in (self.raw.scores or {}).items()}
        if not self.together:
            return facts
        return {name: (known.get("tasks") or {}).get(task_id) or {} for name, known in facts.items()}


def _opening_apart(said: Talk, own: int) -> Talk:
    """The exchanges without a demonstration that stands in the message of the first view.

    That message has `own` pictures of the episode; those before them are the demonstration's.
    """
    extra = len(said.exchanges[0].shown) - own if said.exchanges else 0
    if said.before or extra <= 0:
        return said
    first = said.exchanges[0]
    begun = replace(first, shown=first.shown[extra:])
    return replace(said, exchanges=(begun, *said.exchanges[1:]), before=first.shown[:extra])


def row_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """The row of results of an episode's record; version 0.2 kept it in the recording. May be incomplete."""
    names = ("total_reward", "passed", "outcome", "steps", "score")
    values = {**(record.get("recording") or {}), **record}
    return {name: values[name] for name in names if name in values} | {
        "turns": len(record.get("turns") or ())
    }


def replay_of(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """What reproduces a logged episode; version 0.2 called it the recording."""
    return record.get("replay") or record.get("recording") or {}


def logged_sample(raw: Any, suite: Suite, choices: Any, ours: bool, where: str) -> LoggedSample:
    """A sample that was read from a log; `where` is its place in words."""
    metadata = raw.metadata or {}
    together = "order" in metadata or choices.conversation == "run"
    if together:
        records = metadata.get("episodes") or {}
        planned = tuple(map(str, metadata.get("order") or metadata.get("tasks") or records))
    else:
        planned = (str(raw.id),)
        records = {planned[0]: metadata["episode"]} if metadata.get("episode") is not None else {}
    faults = {}
    for task_id, record in records.items():
        try:
            check_record(record, suite, f"{where}: {task_id}" if together else where)
        except EvaluationError as error:
            faults[task_id] = error
    return LoggedSample(suite, choices, ours, raw, planned, together, records, faults)
