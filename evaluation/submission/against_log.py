"""A submission beside the log that it was made of."""

from collections.abc import Iterator

from evaluation.log.run import RunLog
from evaluation.submission.file import sha256_of, submission
from evaluation.submission.model import Submission, Trial

_NOT_THE_LOGS = frozenset({"log", "resumes", "partial", "cost_per_pass_usd"})
"""What of the card depends on the log's place or repeats other values."""


def log_problems(made: Submission, log: RunLog) -> Iterator[str]:
    """What in a submission is not what the log gives, one sentence each.

    Raises EvaluationError if the log is broken or contradicts itself.
    """
    if made.log_sha256 is not None and made.log_sha256 != (got := sha256_of(log.path)):
        yield f"log_sha256: names {made.log_sha256[:12]}..., that of this log is {got[:12]}..."
    again = submission(log, made.submitter)
    if made.own_tasks != again.own_tasks:
        yield f"own_tasks: got {made.own_tasks}, the log has {again.own_tasks}"
    older = {"sent"} if made.schema_version == 1 else set()
    for name in sorted(made.card.model_fields_set - _NOT_THE_LOGS - older):
        if (stated := getattr(made.card, name)) != (there := getattr(again.card, name)):
            yield f"card.{name}: got {_short(stated)}, the log has {_short(there)}"
    trials = {(trial.task_id, trial.trial): trial for trial in again.results}
    for trial in made.results:
        yield from _unlike(trial, trials.pop((trial.task_id, trial.trial), None))
    if trials:
        yield f"results: {len(trials)} trials of the log are absent"


def _unlike(trial: Trial, logged: Trial | None) -> Iterator[str]:
    place = f"results: {trial.task_id}, trial {trial.trial}"
    if logged is None:
        yield f"{place}: the log has no such trial"
        return
    for name in sorted(trial.model_fields_set):
        if (stated := getattr(trial, name)) != (there := getattr(logged, name)):
            yield f"{place}: {name}: got {_short(stated)}, the log has {_short(there)}"


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
