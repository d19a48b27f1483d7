"""What a finished log says of each trial, read sample by sample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from llm_control.protocol import Protocol
from llm_control.testbed_task import CONVERSATION
from testbed import Task as BatteryTask


@dataclass(frozen=True, slots=True)
class TrialResult:
    """One planned trial: its score, or why it has none.

    `passed` is None for an unmarked task and for a trial without a score; the latter has an `error`.
    """

    agent: str
    task_id: str
    level: int
    trial: int
    pass_mark: float | None
    total_reward: float | None = None
    passed: bool | None = None
    outcome: str | None = None
    steps: int | None = None
    turns: int | None = None
    error: str | None = None


class SampleOutcome(NamedTuple):
    """What came of a sample: an error, or what the scorer said; and a conversation's finished episodes."""

    error: str | None
    scored: dict[str, Any]
    episodes: Mapping[str, Mapping[str, Any]]


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
        error = sample.error.message if sample.error else None if sample.scores else "no score"
        scored = next(iter(sample.scores.values())).metadata if sample.scores else {}
        episodes = sample.metadata.get("episodes") or {}
        played.outcomes[str(sample.id), sample.epoch] = SampleOutcome(error, scored or {}, episodes)
        if sample.output and sample.output.model:
            played.answered.add(sample.output.model)
        sent = (event.config.temperature for event in sample.events if event.event == "model")
        played.temperatures.update(sent)
    return played


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
    if outcome.error is not None:
        kept = outcome.episodes.get(task.id)
        if kept is not None:
            return TrialResult(**base, **_finished(kept))
        return TrialResult(**base, error=outcome.error.splitlines()[0][:300])
    scored = outcome.scored
    if "tasks" in scored:
        scored = scored["tasks"].get(task.id, {"error": "not played in its conversation"})
    return TrialResult(**base, **scored)


def _finished(episode: Mapping[str, Any]) -> dict[str, Any]:
    """What is known of an episode of a conversation that was broken off later."""
    known = {name: episode["recording"][name] for name in ("total_reward", "passed", "outcome", "steps")}
    return {**known, "turns": len(episode["turns"])}
