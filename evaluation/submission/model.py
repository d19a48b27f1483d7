"""What the file of a submission holds, the rates that follow from it, and the order of several."""

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from evaluation.results import GROUP, TrialResult, results_frame
from evaluation.run_card import RunCard
from evaluation.statistics import RATES, pass_rates

OVERALL = "all"
"""The group of all tasks together."""

Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 in hexadecimal."""


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Trial(_Plain):
    """The result of one planned trial; `passed` is None without a verdict, which then has an `error`."""

    task_id: str
    group: int | str = Field(description="of the task; in the arena its level")
    trial: int = Field(ge=0)
    pass_mark: float | None
    total_reward: float | None
    passed: bool | None
    outcome: str | None
    steps: int | None = Field(ge=0)
    turns: int | None = Field(ge=0)
    score: float | None
    error: str | None
    metrics: dict[str, float] = Field(default={}, description="further ones of the suite's headline")
    missing: str | None = Field(None, description="why there is no verdict, as the card counts it; schema 2")


class GroupRate(_Plain):
    """The pass rate of a group of tasks, missing trials as failed, with its 95 % interval over tasks.

    In files of schema 1 some have `pass_rate` of the trials with a verdict, and none of the fields that may
    be absent.
    """

    group: int | str = Field(description=f"{OVERALL} for all tasks")
    tasks: int = Field(ge=0)
    planned: int | None = Field(None, ge=0, description="planned trials of tasks with a criterion")
    trials: int = Field(ge=0, description="with a verdict")
    passes: int = Field(ge=0)
    missing: int = Field(ge=0, description="planned trials without a verdict")
    pass_rate: float | None = Field(ge=0, le=1)
    low: float | None = Field(ge=0, le=1)
    high: float | None = Field(ge=0, le=1)
    judged_rate: float | None = Field(None, ge=0, le=1, description="of the trials with a verdict")
    most: float | None = Field(None, ge=0, le=1, description="pass rate if all missing trials had passed")


class Submitter(_Plain):
    """Who submits, in their own words; nothing of it is checked."""

    name: str = Field(min_length=1, max_length=200)
    contact: str = ""
    notes: str = Field("", description="for example on what the model was trained on")


class Submission(_Plain):
    """One run: its card, the result of every planned trial, and the rates that follow from them."""

    schema_version: Literal[1, 2] = 2
    submitter: Submitter
    log_sha256: Digest | None = Field(None, description="of the log's file; schema 2 has it")
    card: RunCard
    own_tasks: bool = Field(description="whether the tasks come from a folder that the user named")
    rates: tuple[GroupRate, ...]
    results: tuple[Trial, ...] = Field(min_length=1)

    def frame(self) -> pd.DataFrame:
        """The results with the columns of `results_frame`."""
        return results_frame(
            TrialResult(agent=self.card.agent, **trial.model_dump(exclude={"missing"}))
            for trial in self.results
        )


def schema() -> str:
    """The JSON schema of a submission."""
    return json.dumps(Submission.model_json_schema(), indent=1)


_EXACT = 1e-9
"""How far a rate may be from the quotient of its counts."""


def rates_of(results: pd.DataFrame) -> Iterator[GroupRate]:
    """Of all tasks, then of each group; `results` has the columns of `results_frame`."""
    everything = pass_rates(results.assign(**{GROUP: 0})).assign(**{GROUP: OVERALL})
    for row in (*everything.to_dict("records"), *pass_rates(results).to_dict("records")):
        known: dict[str, Any] = {str(key): value for key, value in row.items() if key not in ("agent", GROUP)}
        for name in RATES:
            known[name] = None if math.isnan(known[name]) else float(known[name])
        yield GroupRate(group=row[GROUP], **known)


def recomputed(made: Submission) -> tuple[GroupRate, ...]:
    """The rates of a submission by this version's statistics, whichever version wrote the file."""
    return tuple(rates_of(made.frame()))


def rate_problems(made: Submission) -> Iterator[str]:
    """What in the rates does not follow from the counts, and in the counts not from the results.

    Intervals need only contain their rate: they are those of the statistics of the version that wrote them.
    """
    expected = {rate.group: rate for rate in recomputed(made)}
    stated = {rate.group: rate for rate in made.rates}
    if list(stated) != list(expected) or len(made.rates) != len(stated):
        yield "rates: they do not follow from the results: expected all tasks together, then each group"
        return
    for group, rate in stated.items():
        for name, value in _expected(rate, expected[group]).items():
            if not _equal(getattr(rate, name), value):
                got = getattr(rate, name)
                yield f"rates of {group}: they do not follow from the results: {name}: got {got}, not {value}"
        ends = (rate.low, rate.pass_rate, rate.high)
        known = [end for end in ends if end is not None]
        if len(known) == len(ends) and not known[0] - _EXACT <= known[1] <= known[2] + _EXACT:
            interval = f"{rate.low} to {rate.high}"
            yield f"rates of {group}: the interval {interval} does not contain {rate.pass_rate}"


def _expected(stated: GroupRate, counted: GroupRate) -> dict[str, float | None]:
    """What is compared; version 0.2 counted tasks and rates of the trials with a verdict only."""
    if stated.planned is None:
        return {"trials": counted.trials, "passes": counted.passes, "pass_rate": counted.judged_rate}
    names = ("tasks", "planned", "trials", "passes", "missing", "pass_rate", "judged_rate", "most")
    return {name: getattr(counted, name) for name in names}


def _equal(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= _EXACT


class Entry(NamedTuple):
    """A submission and its rank, which it shares with those of the same rate."""

    rank: int
    path: Path
    made: Submission


def ranked(found: Sequence[tuple[Path, Submission]]) -> list[tuple[str, list[Entry]]]:
    """The submissions of each set of tasks and trials, the best first, under a title."""
    boards: dict[str, list[tuple[Path, Submission]]] = {}
    for path, made in found:
        boards.setdefault(_title(made), []).append((path, made))
    return [(title, _entries(board)) for title, board in boards.items()]


def _entries(board: Sequence[tuple[Path, Submission]]) -> list[Entry]:
    rated = sorted(((_rate(made), path, made) for path, made in board), key=lambda each: -each[0])
    return [Entry(1 + sum(other > rate for other, _, _ in rated), path, made) for rate, path, made in rated]


def _rate(made: Submission) -> float:
    rate = recomputed(made)[0].pass_rate
    return -1.0 if rate is None else rate


def _title(made: Submission) -> str:
    """The suite, the tasks by number and SHA-256, and the trials."""
    card = made.card
    listed = "".join(f"{task_id} {digest}\n" for task_id, digest in sorted(card.tasks.items()))
    digest = hashlib.sha256(listed.encode()).hexdigest()[:12]
    return f"{card.suite}: {len(card.tasks)} tasks ({digest}), trials of each: {card.trials}"
