"""Caps on what a whole run spends: no episode begins after one is reached."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from arena.errors import EvaluationError

NOT_PLAYED = "not played: "
"""How the error of an episode begins that a cap kept from beginning."""


class CapReached(EvaluationError):
    """The run has spent what it may; what is not begun stays unplayed."""


@dataclass(frozen=True, slots=True)
class Caps:
    """What a run may spend in all, resumed parts included; None is no cap.

    `tokens` sent and received, `cost` in US dollars, `seconds` of this command (a resumed run's clock begins
    anew). Episodes that are being played when a cap is reached are played to their end.
    """

    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


@dataclass(slots=True)
class Purse:
    """What a run has spent: `tokens`, and `cost` in US dollars."""

    caps: Caps = Caps()
    tokens: int = 0
    cost: float = 0.0
    begun: float = field(default_factory=time.monotonic)

    def spend(self, usage: Any) -> None:
        """Count a reply's or an episode's usage; without a price it costs nothing."""
        if usage is not None:
            self.tokens += usage.total_tokens
            self.cost += usage.total_cost or 0.0

    def check(self) -> None:
        """Raise CapReached where the run may not begin another episode."""
        caps, seconds = self.caps, time.monotonic() - self.begun
        if caps.tokens is not None and self.tokens >= caps.tokens:
            reached = f"{caps.tokens} tokens is reached ({self.tokens} spent)"
        elif caps.cost is not None and self.cost >= caps.cost:
            reached = f"${caps.cost:g} is reached (${self.cost:.4f} spent)"
        elif caps.seconds is not None and seconds >= caps.seconds:
            reached = f"{caps.seconds:g} s is reached"
        else:
            return
        raise CapReached(f"{NOT_PLAYED}the run's cap of {reached}; a higher one with --resume goes on")


_open: list[Purse] = [Purse()]
"""The purse of the run in progress is the last; Inspect's own command runs without caps."""


def purse() -> Purse:
    """The purse of the run in progress."""
    return _open[-1]


@contextmanager
def spending(caps: Caps, earlier: Purse) -> Iterator[Purse]:
    """A run under caps; what it spent before it was broken off is in `earlier`."""
    _open.append(Purse(caps, earlier.tokens, earlier.cost))
    try:
        yield _open[-1]
    finally:
        _open.pop()


def spent_before(location: str) -> Purse:
    """What was spent on a run by the time of a log, which may be one of a resumed run in its folder.

    An episode that a resumed run took over from the earlier log counts once.
    """
    from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample_summaries

    task_id = read_eval_log(location, header_only=True).eval.task_id
    log_dir = location.rpartition("/")[0]
    found: dict[str, Any] = {}
    for info in list_eval_logs(log_dir, recursive=False):
        if info.task_id == task_id:
            for each in read_eval_log_sample_summaries(info):
                found[each.uuid or f"{info.name} {each.id} {each.epoch}"] = each
    spent = Purse()
    for each in found.values():
        for usage in each.model_usage.values():
            spent.spend(usage)
    return spent
