"""Log files: which there are, and how they are opened, each fault as one sentence."""

from pathlib import Path
from typing import Any

from arena.errors import EvaluationError


def read_header(path: Path) -> Any:
    """What a log of the testbed says once for all. Raises EvaluationError where it is none."""
    from inspect_ai.log import read_eval_log

    if not path.is_file():
        raise EvaluationError(f"{path}: no such log; expected a file ending in .eval, or a folder of them")
    try:
        header = read_eval_log(str(path), header_only=True)
    except Exception as error:  # whatever is in the file, Inspect's reader may raise anything
        raise EvaluationError(
            f"{path}: cannot be read as a log of Inspect AI ({str(error).splitlines()[0][:200]}); "
            "name a whole .eval file; a run that was killed is completed by its command with --resume"
        ) from None
    if not header.eval.task.endswith("testbed"):
        raise EvaluationError(f"{path}: a log of the task {header.eval.task!r}, expected 'testbed'")
    return header


def read_summaries(path: Path) -> dict[tuple[str, int], Any]:
    """The samples in brief, by id and epoch from 1. Raises EvaluationError where they cannot be listed."""
    from inspect_ai.log import read_eval_log_sample_summaries

    try:
        return {(str(s.id), s.epoch): s for s in read_eval_log_sample_summaries(str(path))}
    except Exception as error:
        raise EvaluationError(
            f"{path}: its episodes cannot be listed ({str(error).splitlines()[0][:200]}); a run that was "
            "killed is completed by its own command with --resume"
        ) from None


def read_sample(path: Path, summary: Any, unused: frozenset[str]) -> Any:
    """A whole sample but for its `unused` parts. Raises EvaluationError where it is damaged."""
    from inspect_ai.log import read_eval_log_sample

    try:
        return read_eval_log_sample(str(path), id=summary.id, epoch=summary.epoch, exclude_fields=set(unused))
    except Exception as error:
        raise EvaluationError(
            f"{path}: episode {summary.id}, trial {summary.epoch}: cannot be read "
            f"({str(error).splitlines()[0][:200]}); the file is damaged"
        ) from None


def find_logs(paths: list[Path]) -> list[Path]:
    """The logs among files and folders; of a folder, the newest of each run that was resumed.

    Raises EvaluationError for a folder without logs, and for a table of results.
    """
    found: list[Path] = []
    for path in paths:
        if path.suffix == ".csv":
            raise EvaluationError(
                f"{path}: a table, no log of arena-llm eval; arena-llm compare takes tables"
            )
        found += _newest(path) if path.is_dir() else [path]
    return list(dict.fromkeys(found))


def _newest(folder: Path) -> list[Path]:
    from inspect_ai.log import list_eval_logs

    infos = list_eval_logs(str(folder), recursive=False, descending=True)
    newest: dict[str, Path] = {}
    for info in infos:
        newest.setdefault(info.task_id, Path(info.name.removeprefix("file://")))
    if not newest:
        raise EvaluationError(f"{folder}: no logs (*.eval) in this folder; run arena-llm eval first")
    return sorted(newest.values())
