"""The file of a submission: written from a log, and read again."""

import json
import math
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
from evaluation.submission.model import Submission, Submitter, Trial
from evaluation.submission.rates import rates_of


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
