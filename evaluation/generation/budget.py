"""Limits on a run's spending, and admission under a cost limit. Once a limit is reached no episode begins and
no reply is requested; a cost limit admits only episodes that the remaining sum covers to their end."""

import re
import time
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio

from evaluation.engines.backend import InUse
from evaluation.generation.stops import FinalError

NOT_PLAYED = "not played: "
"""Start of the error of an episode that a run limit prevented."""

STOPPED = "stopped: "
"""Start of the error of an episode that a run limit interrupted."""

_LIMIT = re.compile(
    r"the run's limit of (\$?)(\d+(?:\.\d+)?(?:e[+-]\d+)?)( tokens| s)? (?:is reached|covers no)"
)


class LimitReached(FinalError):
    """The run has reached a limit."""


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Limits of a whole run, resumed parts included; None means no limit.

    `tokens` sent and received, `cost` in US dollars, `seconds` of this command (a resumed run's clock starts
    again). Each running episode ends at its next reply after a limit, so at most one reply of each exceeds
    it. Under a cost limit, `Admission` admits only episodes that it covers.
    """

    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


@dataclass(slots=True)
class RunBudget:
    """Spending of a run: `tokens`, and `cost` in US dollars."""

    limits: RunLimits = RunLimits()
    tokens: int = 0
    cost: float = 0.0
    begun: float = field(default_factory=time.monotonic)

    def spend(self, usage: Any) -> None:
        """Count a reply's or an episode's usage. Without a price it costs nothing."""
        if usage is not None:
            self.tokens += usage.total_tokens
            self.cost += usage.total_cost or 0.0

    def check(self, begun: bool = False) -> None:
        """Raise LimitReached if no episode may begin, or, once `begun`, continue."""
        limits, seconds = self.limits, time.monotonic() - self.begun
        if limits.tokens is not None and self.tokens >= limits.tokens:
            reached = f"{limits.tokens} tokens"
        elif limits.cost is not None and self.cost >= limits.cost:
            reached = f"${limits.cost:g}"
        elif limits.seconds is not None and seconds >= limits.seconds:
            reached = f"{limits.seconds:g} s"
        else:
            return
        raise LimitReached(
            f"{STOPPED if begun else NOT_PLAYED}the run's limit of {reached} is reached; "
            "to continue, raise it and use --resume"
        )

    def passed_by(self) -> str:
        """Describe the spending and its excess over the limits."""
        limits, spent = self.limits, [f"{self.tokens:,} tokens"]
        over = []
        if limits.cost is not None:
            spent.insert(0, f"${self.cost:.4f}")
            over += [f"the limit of ${limits.cost:g} was passed by ${max(self.cost - limits.cost, 0):.4f}"]
        if limits.tokens is not None:
            passed = max(self.tokens - limits.tokens, 0)
            over += [f"the limit of {limits.tokens:,} tokens was passed by {passed:,}"]
        return "; ".join([f"{' and '.join(spent)} were spent", *over]) + "."


def limits_in(text: str) -> RunLimits | None:
    """Read the run limit in an episode's error; None without one."""
    match = _LIMIT.search(text)
    if match is None:
        return None
    amount = float(match[2])
    if match[1]:
        return RunLimits(cost=amount)
    return RunLimits(seconds=amount) if match[3] == " s" else RunLimits(tokens=int(amount))


def spent_before(log: Path) -> RunBudget:
    """Sum a run's spending up to a log, including its earlier parts.

    The journal of replies knows all, but is removed when the run is complete. Of the logs, an episode that a
    resumed run took over or continued counts once.
    """
    from evaluation.generation.journal import Journal, find_journal
    from evaluation.log.files import logs_of_task, read_header, read_summaries

    header, found = read_header(log), dict[Any, Any]()
    journal = find_journal(log, header)
    for path in sorted(logs_of_task(log.parent, header.eval.task_id)):
        for each in read_summaries(path).values():
            # Before there were journals, an episode restarted from its beginning.
            found[(journal is None and each.uuid) or (each.id, each.epoch)] = each
    of_episodes, others = RunBudget(), RunBudget()
    for each in found.values():
        for usage in each.model_usage.values():
            of_episodes.spend(usage)
    if journal is not None:
        replies = Journal(journal, (header.eval.metadata or {}).get("fingerprint", ""))
        others = RunBudget(tokens=replies.tokens, cost=replies.cost)
    else:
        # Only the run's own sum includes restarted trials; a killed run has no sum.
        for usage in header.stats.model_usage.values():
            others.spend(usage)
    return max(of_episodes, others, key=lambda spent: spent.tokens)


_ROUNDING = 1e-9
"""US dollars by which sums of prices may differ."""


@dataclass(eq=False, slots=True)
class Running:
    """Running episode: expected `prices` of its requests, and the number `asked`. Without `patient` it never
    waits, because its time is limited."""

    prices: Sequence[float] | None
    patient: bool
    asked: int = 0
    cost: float = 0.0


@dataclass(slots=True)
class Admission:
    """Admits episodes, and their next replies, within a cost limit.

    `prices` has the expected price of each request of a sample, by the sample's id; otherwise an episode is
    expected to cost as much as the dearest finished one (`dearest`). If requests cost more than expected, so
    do all that follow. Until that is known the first episode is played alone; later the oldest running
    episodes take precedence. Without a cost limit nothing waits.
    """

    budget: RunBudget = field(default_factory=RunBudget)
    prices: Mapping[str, Sequence[float]] = field(default_factory=dict)
    dearest: float = 0.0
    _running: dict[str, Running] = field(default_factory=dict)
    _waiting: list[anyio.Event] = field(default_factory=list)
    _paid: float = 0.0
    _expected: float = 0.0

    async def begin(self, key: str, sample: str, patient: bool, asked: int = 0, cost: float = 0.0) -> None:
        """Admit a sample's episode under a key. If `patient`, wait for others first.

        An interrupted run has already `asked` that many replies, for that `cost`. Raises LimitReached if the
        rest does not cover the others.
        """
        self.budget.check()
        episode = Running(self.prices.get(sample), patient, asked, cost)
        while not self._admits(episode):
            if not self._running or not patient:
                raise LimitReached(self._refusal(episode))
            await self._change()
            self.budget.check()
        self._running[key] = episode
        _EPISODE.set(episode)

    async def next(self) -> None:
        """Wait for permission to request a reply. Raises LimitReached if all is spent."""
        episode = _EPISODE.get()
        while episode is not None and episode.patient and not self._covers(episode):
            await self._change()
        self.budget.check(begun=True)

    def paid(self, usage: Any, aside: bool = False) -> None:
        """Count a reply's usage. Requests `aside`, such as a judge's, have no expected prices."""
        before = self.budget.cost
        self.budget.spend(usage)
        cost, episode = self.budget.cost - before, _EPISODE.get()
        if episode is not None and episode in self._running.values():
            episode.cost += cost
            if not aside:
                self._learn(episode, cost)
        self._changed()

    def end(self, key: str, finished: bool) -> None:
        """Record that an episode is over, and if it was `finished`."""
        episode = self._running.pop(key, None)
        if episode is not None:
            self.dearest = max(self.dearest, episode.cost * finished)
            self._changed()

    def _learn(self, episode: Running, cost: float) -> None:
        if episode.prices is not None:
            self._paid += cost
            self._expected += sum(episode.prices[episode.asked : episode.asked + 1])
        episode.asked += 1

    def _admits(self, episode: Running) -> bool:
        limit = self.budget.limits.cost
        if limit is None:
            return True
        unknown = not self._expected if episode.prices is not None else not self.dearest
        free = self.prices and not any(map(any, self.prices.values()))
        if unknown and self._running and not free:
            return False
        return self._left(list(self._running.values())) + _ROUNDING >= self._ahead(episode)

    def _covers(self, episode: Running) -> bool:
        """Return whether an episode is covered after all older ones. The oldest always is."""
        running = list(self._running.values())
        older = running[: running.index(episode)] if episode in running else []
        if self.budget.limits.cost is None or not older:
            return True
        return self._left(older) + _ROUNDING >= self._ahead(episode)

    def _left(self, episodes: Sequence[Running]) -> float:
        """Compute the US dollars neither spent nor needed to finish these episodes."""
        assert self.budget.limits.cost is not None
        return self.budget.limits.cost - self.budget.cost - sum(map(self._ahead, episodes))

    def _ahead(self, episode: Running) -> float:
        """Predict the US dollars that an episode will still cost."""
        if episode.prices is None:
            return max(self.dearest - episode.cost, 0.0)
        factor = max(self._paid / self._expected, 1.0) if self._expected else 1.0
        return sum(episode.prices[episode.asked :]) * factor

    def _refusal(self, episode: Running) -> str:
        left = max(self._left(list(self._running.values())), 0.0)
        return (
            f"{NOT_PLAYED}what is left of the run's limit of ${self.budget.limits.cost:g} covers no further "
            f"episode: ${left:.4f} are left, and about ${self._ahead(episode):.4f} are "
            "needed; to continue, raise it and use --resume"
        )

    async def _change(self) -> None:
        event = anyio.Event()
        self._waiting.append(event)
        await event.wait()

    def _changed(self) -> None:
        waiting, self._waiting = self._waiting, []
        for event in waiting:
            event.set()


_EPISODE: ContextVar[Running | None] = ContextVar("episode", default=None)
"""Episode of the current sample."""

admission = InUse(Admission())
"""Admission of the current run; Inspect's own command runs without limits."""
