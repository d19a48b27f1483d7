"""Limits on what a whole run spends: once one is reached no episode begins and no reply is asked for."""

import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.generation.stops import FinalError

NOT_PLAYED = "not played: "
"""How the error of an episode begins that a limit of the run kept from beginning."""

STOPPED = "stopped: "
"""How the error of an episode begins that was being played when a limit of the run was reached."""

_LIMIT = re.compile(
    r"the run's limit of (\$?)(\d+(?:\.\d+)?(?:e[+-]\d+)?)( tokens| s)? (?:is reached|covers no)"
)


class LimitReached(FinalError):
    """The run has spent what it may."""


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What a run may spend in all, resumed parts included; None means no limit.

    `tokens` sent and received, `cost` in US dollars, `seconds` of this command (a resumed run's clock
    starts again). Each episode that is being played when a limit is reached ends at its next reply, so at
    most one reply of each passes the limit. Under a limit on the cost, `Admission` admits only episodes that
    it covers.
    """

    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


@dataclass(slots=True)
class RunBudget:
    """What a run has spent: `tokens`, and `cost` in US dollars."""

    limits: RunLimits = RunLimits()
    tokens: int = 0
    cost: float = 0.0
    begun: float = field(default_factory=time.monotonic)

    def spend(self, usage: Any) -> None:
        """Count a reply's or an episode's usage; without a price it costs nothing."""
        if usage is not None:
            self.tokens += usage.total_tokens
            self.cost += usage.total_cost or 0.0

    def check(self, begun: bool = False) -> None:
        """Raise LimitReached if the run may not begin another episode, or continue one that has `begun`."""
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
        """How much was spent, and by how much that passes the limits, in a sentence."""
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
    """The limit of the run that an episode's error names; None if it names none."""
    match = _LIMIT.search(text)
    if match is None:
        return None
    amount = float(match[2])
    if match[1]:
        return RunLimits(cost=amount)
    return RunLimits(seconds=amount) if match[3] == " s" else RunLimits(tokens=int(amount))


def spent_before(log: Path) -> RunBudget:
    """What was spent on a run by the time of a log, which may be one of a resumed run in its folder.

    The journal of replies knows all, but is removed when the run is complete. Of the logs an episode that a
    resumed run took over or continued counts once.
    """
    from evaluation.generation.journal import Journal, journal_beside
    from evaluation.log.files import logs_of_task, read_header, read_summaries

    header, found = read_header(log), dict[Any, Any]()
    beside = journal_beside(log, header)
    for path in sorted(logs_of_task(log.parent, header.eval.task_id)):
        for each in read_summaries(path).values():
            # Before there were journals, an episode was played anew.
            found[(beside is None and each.uuid) or (each.id, each.epoch)] = each
    of_episodes, others = RunBudget(), RunBudget()
    for each in found.values():
        for usage in each.model_usage.values():
            of_episodes.spend(usage)
    if beside is not None:
        replies = Journal(beside, (header.eval.metadata or {}).get("fingerprint", ""))
        others = RunBudget(tokens=replies.tokens, cost=replies.cost)
    else:
        # Only the run's own sum has what restarted trials spent; a run that was killed has none.
        for usage in header.stats.model_usage.values():
            others.spend(usage)
    return max(of_episodes, others, key=lambda spent: spent.tokens)
