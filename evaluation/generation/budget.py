"""Limits on what a whole run spends: no episode begins after one is reached."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.errors import EvaluationError

NOT_PLAYED = "not played: "
"""How the error of an episode begins that a limit kept from beginning."""


class LimitReached(EvaluationError):
    """The run has spent what it may; episodes not begun stay unplayed."""


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What a run may spend in all, resumed parts included; None means no limit.

    `tokens` sent and received, `cost` in US dollars, `seconds` of this command (a resumed run's clock
    starts again). Episodes that are being played when a limit is reached are played to their end.
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

    def check(self) -> None:
        """Raise LimitReached if the run may not begin another episode."""
        limits, seconds = self.limits, time.monotonic() - self.begun
        if limits.tokens is not None and self.tokens >= limits.tokens:
            reached = f"{limits.tokens} tokens is reached ({self.tokens} spent)"
        elif limits.cost is not None and self.cost >= limits.cost:
            reached = f"${limits.cost:g} is reached (${self.cost:.4f} spent)"
        elif limits.seconds is not None and seconds >= limits.seconds:
            reached = f"{limits.seconds:g} s is reached"
        else:
            return
        raise LimitReached(
            f"{NOT_PLAYED}the run's limit of {reached}; to continue, raise it and use --resume"
        )


_open: list[RunBudget] = [RunBudget()]
"""The budget of the run in progress is the last; Inspect's own command runs without limits."""


def run_budget() -> RunBudget:
    """The budget of the run in progress."""
    return _open[-1]


@contextmanager
def spending(limits: RunLimits, earlier: RunBudget) -> Iterator[RunBudget]:
    """A run under limits; what it spent before it was interrupted is in `earlier`."""
    _open.append(RunBudget(limits, earlier.tokens, earlier.cost))
    try:
        yield _open[-1]
    finally:
        _open.pop()


def spent_before(log: Path) -> RunBudget:
    """What was spent on a run by the time of a log, which may be one of a resumed run in its folder.

    An episode that a resumed run took over from the earlier log counts once.
    """
    from evaluation.log.files import logs_of_task, read_header, read_summaries

    found: dict[str, Any] = {}
    for path in logs_of_task(log.parent, read_header(log).eval.task_id):
        for each in read_summaries(path).values():
            found[each.uuid or f"{path} {each.id} {each.epoch}"] = each
    spent = RunBudget()
    for each in found.values():
        for usage in each.model_usage.values():
            spent.spend(usage)
    return spent
