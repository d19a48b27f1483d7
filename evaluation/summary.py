"""Summary of a run: choices, requests as sent, and results of trials. `RunSummary` has it all; the run card,
a submission and the pages of a report are views of it."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, Field

from evaluation.log.episodes import LoggedEpisode
from evaluation.log.run import RunLog
from evaluation.results import GROUP, TrialResult, results_frame
from evaluation.statistics import pass_rates

CARDS_FILE = "run_card.json"
"""File in a report's folder with the card of each run."""


class Requests(BaseModel, frozen=True, extra="forbid"):
    """Requests that were sent with the same parameters."""

    parameters: dict[str, Any] | None = Field(
        description="parameters by the provider's names, without the seed if there are several; None if the "
        "log lacks the request"
    )
    seeds: int = Field(ge=0, description="number of different seeds")
    requests: int = Field(ge=1, description="answered requests with these parameters")


class RunCard(BaseModel, frozen=True, extra="forbid"):
    """Facts needed to judge or repeat a run."""

    version: Literal[1] = 1
    suite: str
    agent: str
    model: str
    answered_by: tuple[str, ...] = Field(description="model names in the provider's answers")
    began: str = Field(description="ISO 8601")
    log: str
    task_version: str = Field(default="", description="version of the suite's tasks, as in the Inspect task")
    scoring: int | None = Field(default=None, description="version of the suite's scoring, if it has one")
    software: dict[str, tuple[str, ...]]
    choices: dict[str, Any]
    prompts_sha256: str | None = Field(description="SHA-256 of all texts, None if they are not logged")
    tasks: dict[str, str | None] = Field(description="SHA-256 of each task's file by id")
    trials: int = Field(description="planned trials of each task")
    sent: tuple[Requests, ...]
    planned: int
    judged: int
    passed: int
    missing: int = Field(default=0, description="planned trials without a verdict, unmarked ones left out")
    pass_rate: float | None = Field(default=None, description="pass rate, missing trials failed")
    judged_rate: float | None = Field(default=None, description="pass rate of the trials with a verdict")
    most: float | None = Field(default=None, description="pass rate if all missing trials had passed")
    without_verdict: dict[str, int] = Field(description="trials without a verdict, by reason")
    failed_attempts: int = Field(description="requests that failed and were repeated")
    relaunches: int = Field(description="trials that were restarted")
    resumes: int = Field(description="continuations of the run")
    replies: int
    invalid_replies: int
    repaired_replies: int
    input_tokens: int
    output_tokens: int
    reasoning_tokens: int
    cost_usd: float | None = Field(description="cost in US dollars, None if a price is unknown")
    cost_per_pass_usd: float | None = Field(
        description="cost per passed trial in US dollars, None without any"
    )
    partial: str = Field(description="premature end of the run, empty if complete")


@dataclass(slots=True)
class RunSummary:
    """Log of a run, with facts known after reading all episodes. `versions` is by software."""

    log: RunLog
    answered_by: set[str] = field(default_factory=set)
    versions: dict[str, set[str]] = field(default_factory=dict)
    groups: set[int | str] = field(default_factory=set)
    sent: Counter[str] = field(default_factory=Counter)
    without_verdict: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=lambda: Counter(dict.fromkeys(COUNTED, 0)))
    costs: list[float | None] = field(default_factory=list)
    limited: int = 0
    results: list[TrialResult] = field(default_factory=list)

    def episodes(self) -> Iterator[LoggedEpisode]:
        """Yield every planned trial of the log and count it. Raises EvaluationError as `RunLog`."""
        for episode in self.log.episodes():
            self._add(episode)
            yield episode

    def _add(self, episode: LoggedEpisode) -> None:
        if episode.answered_by:
            self.answered_by.add(episode.answered_by)
        self.groups.add(episode.result.group)
        self.sent += episode.sent
        self.limited += episode.limit is not None
        self.results.append(episode.result)
        if episode.status is not None:
            self.without_verdict[episode.status] += 1
        for name, version in (episode.replay.get("versions") or {}).items():
            self.versions.setdefault(name, set()).add(version)
        self.counts.update({name: int(count(episode)) for name, count in COUNTED.items()})
        if episode.usage.input_tokens or episode.usage.output_tokens:
            self.costs.append(episode.usage.cost)

    @property
    def requests(self) -> tuple[Requests, ...]:
        """Parameters sent, the most frequent first."""
        alike: dict[str, Counter[int | None]] = {}
        for sent, number in self.sent.items():
            parameters = json.loads(sent)
            seed = parameters.pop("seed", None) if parameters else None
            alike.setdefault(json.dumps(parameters), Counter())[seed] += number
        return tuple(
            _requests(json.loads(sent), seeds)
            for sent, seeds in sorted(alike.items(), key=lambda each: -each[1].total())
        )

    @property
    def cost(self) -> float | None:
        """US dollars of all episodes; None if a price is unknown."""
        known = [cost for cost in self.costs if cost is not None]
        return sum(known) if len(known) == len(self.costs) else None

    @property
    def card(self) -> RunCard:
        """Build the machine-readable card."""
        log, passed, cost = self.log, self.counts["passed"], self.cost
        counts: dict[str, Any] = dict(self.counts)
        packages: Mapping[str, str] = log.header.eval.packages
        software = {name: tuple(sorted(found)) for name, found in self.versions.items()}
        return RunCard(
            suite=log.suite.name,
            agent=log.agent,
            model=log.model,
            answered_by=tuple(sorted(self.answered_by)),
            began=str(log.header.eval.created),
            log=log.path.name,
            task_version=str(log.header.eval.task_version or ""),
            scoring=log.metadata.get("scoring"),
            software={name: (version,) for name, version in packages.items()} | software,
            choices=log.choices.model_dump(mode="json"),
            prompts_sha256=log.prompts().sha256 if log.parameters.get("texts") else None,
            tasks={task_id: log.logged_tasks.get(task_id, {}).get("sha256") for task_id in log.task_ids},
            trials=log.trials,
            sent=self.requests,
            planned=log.planned,
            without_verdict=dict(self.without_verdict),
            resumes=log.resumes,
            cost_usd=cost,
            cost_per_pass_usd=cost / passed if cost is not None and passed else None,
            partial=log.partial,
            **counts,
            **self._rates,
        )

    @property
    def _rates(self) -> dict[str, Any]:
        """Compute the pass rate over all tasks, and bounds for missing trials."""
        (row,) = pass_rates(results_frame(self.results).assign(**{GROUP: 0})).to_dict("records")
        names = ("missing", "pass_rate", "judged_rate", "most")
        return {name: None if math.isnan(row[name]) else row[name] for name in names}


COUNTED: Mapping[str, Callable[[LoggedEpisode], int | bool]] = {
    "judged": lambda e: e.result.passed is not None,
    "passed": lambda e: bool(e.result.passed),
    "failed_attempts": lambda e: e.failed_attempts,
    "relaunches": lambda e: e.relaunches,
    "replies": lambda e: len(e.turns),
    "invalid_replies": lambda e: e.invalid_replies,
    "repaired_replies": lambda e: e.repaired_replies,
    "input_tokens": lambda e: e.usage.input_tokens,
    "output_tokens": lambda e: e.usage.output_tokens,
    "reasoning_tokens": lambda e: e.usage.reasoning_tokens,
}
"""Quantities summed over episodes, by the card's names."""


def _requests(parameters: dict[str, Any] | None, seeds: Counter[int | None]) -> Requests:
    """Describe requests that differ only in the seed."""
    different = [seed for seed in seeds if seed is not None]
    own = {"seed": different[0]} if len(seeds) == len(different) == 1 else {}
    known = None if parameters is None else parameters | own
    return Requests(parameters=known, seeds=len(different), requests=seeds.total())


def sent_words(sent: Sequence[Requests]) -> str:
    """Describe the sent parameters; empty if no request was answered."""
    return "; or ".join(
        _parameters(each) + (f" ({each.requests} requests)" if len(sent) > 1 else "") for each in sent
    )


def _parameters(sent: Requests) -> str:
    if sent.parameters is None:
        return "unknown parameters, as the log does not have the requests themselves"
    named = ", ".join(f"{name} {_value(value)}" for name, value in sorted(sent.parameters.items()))
    return (named or "no parameters") + (f", {sent.seeds} seeds" if sent.seeds > 1 else "")


def _value(value: object) -> str:
    """Format a value as in JSON, without quotes and trailing zeros."""
    if isinstance(value, float):
        return f"{value:g}"
    return value if isinstance(value, str) else json.dumps(value)
