"""Log files, opened by this module alone, with one-sentence errors."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from arena.errors import ConfigError, EvaluationError, first_line
from evaluation.suite import Suite
from evaluation.suites import suite_of_task

LARGE = frozenset({"events", "messages", "attachments", "store"})
"""Sample parts with pictures, read only on demand."""


def check_log(path: Path) -> None:
    """Raise EvaluationError if there is no file."""
    if not path.is_file():
        raise EvaluationError(f"{path}: no such log; expected a file ending in .eval, or a folder of them")


def read_header(path: Path) -> Any:
    """Read a log's header. Raises EvaluationError if it is no log."""
    check_log(path)

    from inspect_ai.log import read_eval_log

    try:
        return read_eval_log(str(path), header_only=True)
    except Exception as error:  # Inspect's reader may raise anything, whatever is in the file
        raise EvaluationError(
            f"{path}: cannot be read as a log of Inspect AI ({first_line(error)[:200]}); "
            "name a whole .eval file; a run that was killed is completed by its command with --resume"
        ) from None


def suite_of(path: Path, header: Any) -> Suite:
    """Find a log's suite. Raises EvaluationError if it is not installed."""
    try:
        return suite_of_task(header.eval.task)
    except ConfigError:
        raise EvaluationError(
            f"{path}: a log of the task {header.eval.task!r}, which belongs to no installed suite; "
            "`arena-llm suites` lists them"
        ) from None


def read_summaries(path: Path) -> dict[tuple[str, int], Any]:
    """Read the sample summaries, by id and epoch from 1. Raises EvaluationError if they cannot be listed."""
    from inspect_ai.log import read_eval_log_sample_summaries

    try:
        return {(str(s.id), s.epoch): s for s in read_eval_log_sample_summaries(str(path))}
    except Exception as error:
        raise EvaluationError(
            f"{path}: its episodes cannot be listed ({first_line(error)[:200]}); a run that was "
            "killed is completed by its own command with --resume"
        ) from None


def read_sample(path: Path, sample: str, epoch: int, unused: frozenset[str]) -> Any:
    """Read a whole sample except for its `unused` parts. Raises EvaluationError if it is damaged."""
    from inspect_ai.log import read_eval_log_sample

    try:
        return read_eval_log_sample(str(path), id=sample, epoch=epoch, exclude_fields=set(unused))
    except Exception as error:
        raise EvaluationError(
            f"{path}: episode {sample}, trial {epoch}: cannot be read ({first_line(error)[:200]}); "
            "the file is damaged"
        ) from None


def headers(folder: Path) -> Iterator[tuple[Path, Any]]:
    """Yield the logs of a folder with their headers, the newest first."""
    from inspect_ai.log import list_eval_logs, read_eval_log

    for info in list_eval_logs(str(folder), descending=True) if folder.is_dir() else ():
        path = local_path(info.name)
        try:
            header = read_eval_log(info, header_only=True)
        except Exception as error:  # another run's broken file does not stop this one
            print(f"{path}: left out, cannot be read ({first_line(error)[:200]})", file=sys.stderr)
        else:
            yield path, header


def is_of_probes(path: Path) -> bool:
    """Return whether a log is one of `arena-llm probe`. False for one that cannot be read."""
    try:
        return str(read_header(path).eval.task).endswith("perception")
    except EvaluationError:
        return False


def recovered(path: Path) -> Path:
    """Add a killed process's finished episodes to its log, if possible."""
    from inspect_ai.log import recover_eval_log

    if read_header(path).status == "started":
        try:
            recover_eval_log(str(path), overwrite=True)
        except Exception:  # nothing beyond the file's content: continue from the file
            return path
    return path


def find_logs(paths: Sequence[Path]) -> list[Path]:
    """Find the logs among files and folders. Of a resumed run the newest. Raises EvaluationError for a folder
    without logs, for a table of results, and if there is no file."""
    found: list[Path] = []
    for path in paths:
        if path.suffix == ".csv":
            raise EvaluationError(
                f"{path}: a table, not a log of arena-llm eval; arena-llm compare takes tables"
            )
        if path.is_dir():
            found += _newest(path)
        else:
            check_log(path)
            found.append(path)
    return list(dict.fromkeys(found))


def _newest(folder: Path) -> list[Path]:
    from inspect_ai.log import list_eval_logs

    newest: dict[str, Path] = {}
    for info in list_eval_logs(str(folder), recursive=False, descending=True):
        newest.setdefault(info.task_id, local_path(info.name))
    if not newest:
        raise EvaluationError(f"{folder}: no logs (*.eval) in this folder; run arena-llm eval first")
    return sorted(newest.values())


def logs_of_task(folder: Path, task_id: str) -> list[Path]:
    """Find the logs of one run in a folder, including resumed parts."""
    from inspect_ai.log import list_eval_logs

    infos = list_eval_logs(str(folder), recursive=False)
    return [local_path(info.name) for info in infos if info.task_id == task_id]


def local_path(location: str) -> Path:
    """Convert Inspect's location of a log to a path."""
    return Path(location.removeprefix("file://"))
