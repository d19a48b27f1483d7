"""The file of a submission: written from a log, read again, and compared with a log."""

import json
import math
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from pydantic import ValidationError

from arena.errors import EvaluationError
from arena.files import MAX_DATA_BYTES, file_sha256, read_bytes, write_file
from evaluation.log.episodes import LoggedEpisode
from evaluation.log.run import RunLog
from evaluation.results import results_frame
from evaluation.run_card import RunFacts, run_card
from evaluation.submission.checks import problems
from evaluation.submission.model import Submission, Submitter, Trial, rates_of


def submission(log: RunLog, submitter: Submitter, partial: str = "") -> Submission:
    """The submission of a log; `partial` says how it ended before its end.

    Raises EvaluationError if the log is broken or has no planned trial, and if what it states of its trials
    contradicts itself or the tasks.
    """
    facts = RunFacts()
    trials, results = [], []
    for episode in log.episodes():
        facts.add(episode)
        trials.append(_trial(episode))
        results.append(episode.result)
    if not results:
        raise EvaluationError(f"{log.path}: holds no planned trial; evaluate a model first (arena-llm eval)")
    try:
        made = Submission(
            submitter=submitter,
            log_sha256=sha256_of(log.path),
            own_tasks=log.folder is not None,
            card=run_card(log, facts, partial),
            rates=tuple(rates_of(results_frame(results))),
            results=tuple(trials),
        )
    except (ValidationError, TypeError, ValueError) as error:
        raise EvaluationError(f"{log.path}: states what no run gives: {_first(error)}") from None
    refuse(made, log.path, "the log was changed, or its tasks were")
    return made


def read_submission(path: Path) -> Submission:
    """A submission from its file.

    Raises EvaluationError if it cannot be read or does not agree with itself or with the tasks.
    """
    try:
        plain = json.loads(read_bytes(path, MAX_DATA_BYTES), parse_constant=_refuse, parse_float=_finite)
        made = Submission.model_validate(plain)
    except OSError as error:
        raise EvaluationError(f"{path}: cannot be read ({error.strerror or error})") from None
    except (ValueError, RecursionError) as error:  # pydantic's and JSON's are ValueErrors
        raise EvaluationError(
            f"{path}: {_first(error)}; write it by arena-llm submission, and change nothing in it"
        ) from None
    refuse(made, path, "write it by arena-llm submission, and change nothing in it")
    return made


def refuse(made: Submission, path: Path, advice: str) -> None:
    """Raise EvaluationError if a submission contradicts itself or the tasks that it names."""
    for problem in problems(made):
        raise EvaluationError(f"{path}: {problem}; {advice}")


def write_submission(made: Submission, path: Path) -> None:
    """Write a submission. Raises EvaluationError if the file cannot be written."""
    write_file(path, made.model_dump_json(indent=1) + "\n")


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file of any size. Raises EvaluationError if it cannot be read."""
    try:
        return file_sha256(path)
    except OSError as error:
        raise EvaluationError(f"{path}: cannot be read ({error.strerror or error})") from None


def _trial(episode: LoggedEpisode) -> Trial:
    known = asdict(episode.result)
    values = {name: known[name] for name in known if name != "agent"}
    try:
        return Trial(**values, missing=episode.status)
    except ValidationError as error:
        place = f"{episode.result.task_id}, trial {episode.result.trial}"
        raise EvaluationError(f"{place}: the log states what no run gives: {_first(error)}") from None


def _refuse(word: str) -> float:
    raise ValueError(f"got {word}, expected finite numbers")


def _finite(text: str) -> float:
    return value if math.isfinite(value := float(text)) else _refuse(text)


def _first(error: Exception) -> str:
    """The first thing that is wrong, with its place."""
    if not isinstance(error, ValidationError):
        return (str(error).splitlines() or [type(error).__name__])[0][:200]
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc'])) or 'as a whole'}: {first['msg']}"


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
