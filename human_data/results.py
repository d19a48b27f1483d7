"""The results of a run as a table, and back from its file."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from arena.errors import EvaluationError
from llm_control.evaluate import TrialResult

_COLUMNS = tuple(TrialResult.__dataclass_fields__)
_TYPES = {"agent": "str", "task_id": "str", "level": "int64", "trial": "int64", "passed": "boolean"}


def results_frame(rows: Iterable[TrialResult]) -> pd.DataFrame:
    """One row per planned trial, columns as the fields of `TrialResult`; `passed` is a nullable boolean."""
    return pd.DataFrame([asdict(row) for row in rows], columns=list(_COLUMNS)).astype(_TYPES)


def read_results(path: Path, agent: str | None = None) -> pd.DataFrame:
    """The table of a report's `results.csv`; `agent` replaces the agent's name.

    Raises EvaluationError where the file is absent, is no CSV, or does not hold such a table.
    """
    try:
        frame = pd.read_csv(path, encoding="utf-8")
    except OSError as error:
        raise EvaluationError(
            f"{path}: cannot be read ({error.strerror or error}); name the results.csv of a report"
        ) from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise EvaluationError(
            f"{path}: no valid CSV ({str(error).strip()}); name the results.csv of a report"
        ) from None
    absent = [column for column in _COLUMNS if column not in frame.columns]
    if absent:
        raise EvaluationError(
            f"{path}:1: no column {', '.join(absent)}; got {', '.join(map(str, frame.columns))}; "
            "name the results.csv of a report"
        )
    if frame.empty:
        raise EvaluationError(f"{path}: holds no trials; evaluate a model first (arena-llm eval)")
    _check_rows(frame, path)
    frame = frame[list(_COLUMNS)].astype(_TYPES)
    frame["error"] = frame["error"].astype(object).where(frame["error"].notna(), None)
    return frame if agent is None else frame.assign(agent=agent)


def _check_rows(frame: pd.DataFrame, path: Path) -> None:
    whole = {column: pd.to_numeric(frame[column], errors="coerce") for column in ("level", "trial")}
    wrong = {
        "agent": frame["agent"].isna(),
        "task_id": frame["task_id"].isna() | frame.duplicated(["agent", "task_id", "trial"]),
        "level": whole["level"].isna() | (whole["level"] % 1 != 0),
        "trial": whole["trial"].isna() | (whole["trial"] % 1 != 0),
        "passed": ~frame["passed"].astype(str).isin(["True", "False", "nan", "<NA>"]),
    }
    expected = {
        "agent": "a name",
        "task_id": "a task, each trial of it once",
        "level": "a whole number",
        "trial": "a whole number",
        "passed": "True, False or nothing",
    }
    for column, bad in wrong.items():
        if bad.any():
            row = int(bad.argmax())
            raise EvaluationError(
                f"{path}:{row + 2}: {column}: got {str(frame[column].iloc[row])!r}, "
                f"expected {expected[column]}; evaluate again or mend the line"
            )
