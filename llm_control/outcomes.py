"""What a finished log says of each trial, read sample by sample."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from evaluation.inspect_task.scoring import limit_of, logged_row
from evaluation.inspect_task.task import CONVERSATION
from evaluation.results import TrialResult
from llm_control.choices import Protocol
from testbed import Task as BatteryTask


class SampleOutcome(NamedTuple):
    """What came of a sample: fields of `TrialResult` for each task that was played, and else why not."""

    told: dict[str, dict[str, Any]]
    otherwise: str


class Played(NamedTuple):
    """What the results need of a log's samples: by id and epoch what came of each, and what was sent."""

    outcomes: dict[tuple[str, int], SampleOutcome]
    answered: set[str]
    temperatures: set[float | None]


def read_played(location: str) -> Played:
    """Read a log sample by sample: with their pictures they are large."""
    from inspect_ai.log import read_eval_log_samples

    played = Played({}, set(), set())
    for sample in read_eval_log_samples(location, all_samples_required=False):
        played.outcomes[str(sample.id), sample.epoch] = _outcome(sample)
        if sample.output and sample.output.model:
            played.answered.add(sample.output.model)
        sent = (event.config.temperature for event in sample.events if event.event == "model")
        played.temperatures.update(sent)
    return played


def _outcome(sample: Any) -> SampleOutcome:
    together = "order" in sample.metadata
    if together:
        records = sample.metadata.get("episodes") or {}
    else:
        records = {str(sample.id): sample.metadata.get("episode")}
    told: dict[str, dict[str, Any]] = {}
    for task_id, kept in records.items():
        if kept is not None and (limit := limit_of(sample, kept)):
            played = {"steps": kept["recording"]["steps"], "turns": len(kept["turns"])}
            told[task_id] = {**played, "error": str(limit)}
        elif together:
            told[task_id] = logged_row(kept)
    if sample.error is not None or not sample.scores:
        message = sample.error.message if sample.error else "no score"
        return SampleOutcome(told, message.splitlines()[0][:300])
    if not together:
        told = {str(sample.id): next(iter(sample.scores.values())).metadata} | told
    return SampleOutcome(told, "not played in its conversation")


def rows(
    played: Played, model: str, tasks: Sequence[BatteryTask], protocol: Protocol
) -> tuple[TrialResult, ...]:
    """One row for each task and trial that was asked for, in this order."""
    together = protocol.conversation == "run"
    return tuple(
        _row(played.outcomes.get((CONVERSATION if together else task.id, trial + 1)), model, task, trial)
        for task in tasks
        for trial in range(protocol.trials)
    )


def _row(outcome: SampleOutcome | None, model: str, task: BatteryTask, trial: int) -> TrialResult:
    base: dict[str, Any] = {
        "agent": model,
        "task_id": task.id,
        "level": task.level,
        "trial": trial,
        "pass_mark": task.spec.pass_mark,
    }
    if outcome is None:
        return TrialResult(**base, error="not run")
    return TrialResult(**base, **outcome.told.get(task.id, {"error": outcome.otherwise}))
