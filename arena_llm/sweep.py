"""Sweep: the same run with several values of one choice, each with its own log and name."""

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from arena.errors import ConfigError, EvaluationError
from evaluation.evaluate import checked, earlier_log, evaluate
from evaluation.generation.budget import RunBudget, RunLimits, spent_before
from evaluation.log.run import RunLog
from evaluation.request import EvalRequest


class Sweep(NamedTuple):
    """Runs of a sweep over a choice, by names such as `gpt-4o max_tokens=100`."""

    choice: str
    requests: Mapping[str, EvalRequest]

    @property
    def folder(self) -> str:
        """Name the report's folder, the same for the same command."""
        prints = "".join(request.fingerprint for request in self.requests.values())
        return f"sweep_{self.choice}_{hashlib.sha256(prints.encode()).hexdigest()[:8]}"


def sweep_of(text: str, request: EvalRequest) -> Sweep:
    """Parse a sweep, `CHOICE=VALUE,VALUE,...`; with a semicolon, values may have commas.

    Raises ConfigError for anything else, for a choice that the request has already, and as the requests do
    for unknown choices, wrong values and missing tasks.
    """
    name, equals, listed = text.partition("=")
    name = name.strip().replace("-", "_")
    name = request.suite.choices.short_names.get(name, name)
    values = [value.strip() for value in listed.split(";" if ";" in listed else ",")]
    if not equals or not name or len(values) < 2 or not all(values):
        raise ConfigError(f"--sweep: got {text!r}, expected two or more values: CHOICE=VALUE,VALUE")
    if name in request.long(request.choices):
        raise ConfigError(f"--sweep: {name} is an option of this command too; leave one of them out")
    requests = {
        f"{request.model} {name}={value}": replace(request, choices={**request.choices, name: value})
        for value in values
    }
    try:
        prints = {each.fingerprint for each in requests.values()}
    except ConfigError as error:
        raise ConfigError(f"--sweep: {error}") from None
    if len(prints) < len(values):
        raise ConfigError(f"--sweep: got {text!r}, expected values that differ from one another")
    return Sweep(name, requests)


def play_sweep(
    sweep: Sweep, log_dir: Path, limits: RunLimits, resume: bool = False, **options: Any
) -> Iterator[RunLog]:
    """Play the runs one after another and yield their logs; `options` are those of `evaluate`.

    The `limits` hold for all runs together: each may spend what the others have left. With `resume`, runs
    that are finished are kept, unfinished ones are continued, and the others are begun.

    Raises as `evaluate` does, and EvaluationError if there is nothing to resume.
    """
    begun, notes = time.monotonic(), options.pop("notes", {})
    logs = {name: earlier_log(each, log_dir) if resume else None for name, each in sweep.requests.items()}
    if resume and not any(logs.values()):
        raise EvaluationError(f"{log_dir}: no run of this sweep to resume; leave out --resume")
    for request in sweep.requests.values():
        checked(request, limits, options.get("prices"))
    for name, request in sweep.requests.items():
        found = logs[name]
        if found is None or not found[1]:
            others = (spent_before(log[0]) for other, log in logs.items() if log and other != name)
            mine = _left(limits, others, time.monotonic() - begun)
            about = {**notes, "name": name}
            log = evaluate(request, log_dir, resume=bool(found), limits=mine, notes=about, **options)
            logs[name] = found = log.path, log.complete
        yield RunLog(found[0], name)


def _left(limits: RunLimits, spent: Iterable[RunBudget], seconds: float) -> RunLimits:
    """Compute the rest of the limits."""
    every = list(spent)
    tokens, cost = sum(each.tokens for each in every), sum(each.cost for each in every)
    return RunLimits(
        None if limits.tokens is None else max(limits.tokens - tokens, 0),
        None if limits.cost is None else max(limits.cost - cost, 0.0),
        None if limits.seconds is None else max(limits.seconds - seconds, 0.0),
    )
