"""What the file of a submission holds; whether it is true is checked elsewhere."""

import json
from typing import Annotated, Literal

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from evaluation.results import TrialResult, results_frame
from evaluation.run_card import RunCard

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
