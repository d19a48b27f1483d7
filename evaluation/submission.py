"""A run as a file to submit: the run card, every trial's result, and the rates that follow from them."""

import json
import math
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, Self

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from arena.errors import EvaluationError
from arena.files import MAX_DATA_BYTES, read_bytes, write_file
from evaluation.log.run import RunLog
from evaluation.results import GROUP, TrialResult, results_frame
from evaluation.run_card import RunCard, RunFacts, run_card
from evaluation.statistics import RATES, pass_rates

OVERALL = "all"
"""The group of all tasks together."""


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Trial(_Plain):
    """The result of one planned trial; `passed` is None without a verdict, which then has an `error`."""

    task_id: str
    group: int | str = Field(description="of the task; in the arena its level")
    trial: int = Field(ge=0)
    pass_mark: float | None
    total_reward: float | None
    passed: bool | None
    outcome: str | None
    steps: int | None
    turns: int | None
    score: float | None
    error: str | None
    metrics: dict[str, float] = Field(default={}, description="further ones of the suite's headline")


class GroupRate(_Plain):
    """The pass rate of a group of tasks, missing trials as failed, with its 95 % interval over tasks."""

    group: int | str = Field(description=f"{OVERALL} for all tasks")
    tasks: int
    planned: int = Field(description="planned trials of tasks with a criterion")
    trials: int = Field(description="with a verdict")
    passes: int
    missing: int = Field(description="planned trials without a verdict")
    pass_rate: float | None = Field(ge=0, le=1)
    low: float | None = Field(ge=0, le=1)
    high: float | None = Field(ge=0, le=1)
    judged_rate: float | None = Field(ge=0, le=1, description="of the trials with a verdict")
    most: float | None = Field(ge=0, le=1, description="pass rate if all missing trials had passed")


class Submitter(_Plain):
    """Who submits, in their own words; nothing of it is checked."""

    name: str = Field(min_length=1, max_length=200)
    contact: str = ""
    notes: str = Field("", description="for example on what the model was trained on")


class Submission(_Plain):
    """One run. Rates and counts must follow from the results, and the results' tasks be those of the card."""

    schema_version: Literal[1] = 1
    submitter: Submitter
    card: RunCard
    own_tasks: bool = Field(description="whether the tasks come from a folder that the user named")
    rates: tuple[GroupRate, ...]
    results: tuple[Trial, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        for problem in _problems(self):
            raise ValueError(problem)
        return self

    def frame(self) -> pd.DataFrame:
        """The results with the columns of `results_frame`."""
        return results_frame(_result(trial, self.card.agent) for trial in self.results)


def submission(log: RunLog, submitter: Submitter, partial: str = "") -> Submission:
    """The submission of a log; `partial` says how it ended before its end.

    Raises EvaluationError if the log is broken or has no planned trial.
    """
    facts = RunFacts()
    results = []
    for episode in log.episodes():
        facts.add(episode)
        results.append(episode.result)
    if not results:
        raise EvaluationError(f"{log.path}: holds no planned trial; evaluate a model first (arena-llm eval)")
    return Submission(
        submitter=submitter,
        own_tasks=log.folder is not None,
        card=run_card(log, facts, partial),
        rates=tuple(_rates(results_frame(results))),
        results=tuple(_trial(result) for result in results),
    )


def read_submission(path: Path) -> Submission:
    """A submission from its file.

    Raises EvaluationError if it cannot be read or does not agree with itself.
    """
    try:
        return Submission.model_validate_json(read_bytes(path, MAX_DATA_BYTES))
    except OSError as error:
        raise EvaluationError(f"{path}: cannot be read ({error.strerror or error})") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "as a whole"
        raise EvaluationError(
            f"{path}: {place}: {first['msg']}; write it by arena-llm submission, and change nothing in it"
        ) from None


def write_submission(made: Submission, path: Path) -> None:
    """Write a submission. Raises EvaluationError if the file cannot be written."""
    write_file(path, made.model_dump_json(indent=1) + "\n")


def schema() -> str:
    """The JSON schema of a submission."""
    return json.dumps(Submission.model_json_schema(), indent=1)


def _trial(result: TrialResult) -> Trial:
    known = asdict(result)
    return Trial(**{name: known[name] for name in known if name != "agent"})


def _result(trial: Trial, agent: str) -> TrialResult:
    return TrialResult(agent=agent, **trial.model_dump())


def _rates(results: pd.DataFrame) -> Iterator[GroupRate]:
    """Of all tasks, then of each group."""
    everything = pass_rates(results.assign(**{GROUP: 0})).assign(**{GROUP: OVERALL})
    for row in (*everything.to_dict("records"), *pass_rates(results).to_dict("records")):
        known: dict[str, Any] = {str(key): value for key, value in row.items() if key not in ("agent", GROUP)}
        for name in RATES:
            known[name] = None if math.isnan(known[name]) else float(known[name])
        yield GroupRate(group=row[GROUP], **known)


def _problems(made: Submission) -> Iterator[str]:
    """What in a submission does not follow from its results, one sentence each."""
    card, results = made.card, made.results
    trials = {(trial.task_id, trial.trial) for trial in results}
    if len(trials) < len(results):
        yield "results: a trial of a task stands there twice"
    planned = {(task, trial) for task in card.tasks for trial in range(card.trials)}
    if trials != planned:
        yield f"results: got {len(trials)} trials, expected {len(planned)}: those of the card's tasks"
    verdicts = [trial.passed for trial in results if trial.passed is not None]
    for name, counted in (("planned", len(results)), ("judged", len(verdicts)), ("passed", sum(verdicts))):
        if (stated := getattr(card, name)) != counted:
            yield f"card.{name}: got {stated}, the results have {counted}"
    if any(
        (trial.passed is None) != (trial.error is not None) and trial.pass_mark is not None
        for trial in results
    ):
        yield "results: a trial without a verdict has an error, and no other"
    if [*map(_key, made.rates)] != [*map(_key, _rates(made.frame()))]:
        yield "rates: they do not follow from the results"


def _key(rate: GroupRate) -> tuple[object, ...]:
    known = rate.model_dump().values()
    return tuple(round(value, 6) if isinstance(value, float) else value for value in known)
