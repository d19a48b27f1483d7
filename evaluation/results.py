"""Results of a run as a table, written and read."""

import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from importlib.util import find_spec
from pathlib import Path
from textwrap import shorten
from typing import Any

import pandas as pd

from arena.errors import EvaluationError
from arena.files import MAX_DATA_BYTES, read_bytes

GROUP = "level"
"""Column of the task's group, under version 0.2's name."""

OF_PEOPLE = {
    **dict.fromkeys(("participant", "kind", "condition", "block", "suite", "mode"), "str"),
    **{"order": "Int64", "seconds": "Float64", "poor_picture": "boolean"},
    **dict.fromkeys(("animal_ai", "task_sha256"), "str"),
}
"""Further columns of a study's results, with pandas types. Participant, place in the study, suite and file of
the task, time and quality, version of Animal-AI."""


def column(meaning: str, kind: str | None = None, **default: Any) -> Any:
    """Define a results.csv column in `TrialResult`; `kind` is its pandas type."""
    return field(metadata={"meaning": meaning, "kind": kind}, **default)


@dataclass(frozen=True, slots=True)
class TrialResult:
    """Score of a planned trial, or the reason for its absence.

    `passed` is None for an unmarked task and for a trial without a score; the latter has an `error`.
    `metrics` are further ones of the suite's `headline`, each a column of a table.
    """

    agent: str = column("name of the run's agent, by default the model", "str")
    task_id: str = column("id of the task", "str")
    group: int | str = column("group of the task, in the arena its level", "int64")
    trial: int = column("number of the trial, from 0", "int64")
    pass_mark: float | None = column("total reward from which the trial counts as passed; empty without one")
    total_reward: float | None = column("total reward of the episode", default=None)
    passed: bool | None = column(
        "verdict; empty without one, which counts as failed if the task has a criterion",
        "boolean",
        default=None,
    )
    outcome: str | None = column("reason for the episode's end", default=None)
    steps: int | None = column("environment steps", default=None)
    turns: int | None = column("replies", default=None)
    score: float | None = column("score from 0 to 1", default=None)
    error: str | None = column("reason for a missing score", default=None)
    metrics: Mapping[str, float] = field(default_factory=dict)


_FIELDS = {
    GROUP if each.name == "group" else each.name: each for each in fields(TrialResult) if each.metadata
}

RESULT_COLUMNS = {name: str(each.metadata["meaning"]) for name, each in _FIELDS.items()}
"""Columns of results.csv, the fields of `TrialResult`, with their meanings. The suite's metrics follow."""

_COLUMNS = tuple(RESULT_COLUMNS)
_TYPES = {name: each.metadata["kind"] for name, each in _FIELDS.items() if each.metadata["kind"]}
_WORDED = _TYPES | {GROUP: "str"}
_WHOLE = (GROUP, "trial")
_MEASURED = ("pass_mark", "total_reward", "steps", "turns")


def results_frame(rows: Iterable[TrialResult]) -> pd.DataFrame:
    """Tabulate trials, one row each; `passed` is a nullable boolean. Columns are the fields of `TrialResult`.
    The column of the group is `GROUP`; those of `metrics` are the last."""
    plain = [result_row(row) for row in rows]
    columns = dict.fromkeys((*_COLUMNS, *(name for row in plain for name in row)))
    frame = pd.DataFrame(plain, columns=list(columns))
    return frame.astype(_TYPES if frame[GROUP].map(lambda group: isinstance(group, int)).all() else _WORDED)


def result_of(row: Mapping[str, Any], metrics: Iterable[str] = ()) -> TrialResult:
    """Convert a table row to a result; `metrics` are its further columns."""
    found = {name: row[name] for name in metrics if name not in _FIELDS and row.get(name) is not None}
    return TrialResult(**{each.name: row[name] for name, each in _FIELDS.items()}, metrics=found)


def result_row(result: TrialResult) -> dict[str, Any]:
    """Convert a result to a table row."""
    plain = asdict(result)
    metrics: dict[str, Any] = plain.pop("metrics")
    return {GROUP if name == "group" else name: value for name, value in plain.items()} | metrics


def read_results(path: Path, *, worded: bool = False) -> pd.DataFrame:
    """Read a report's `results.csv` or a `.parquet` file.

    `worded`: groups may be words instead of numbers, as in suites other than the arena; always in tables with
    a column `suite`. Raises EvaluationError if the file is absent, cannot be read, or does not hold such a
    table.
    """
    frame = _read_parquet(path) if path.suffix == ".parquet" else _read_csv(path)
    return checked_results(frame, path, worded=worded)


_NAMES = {"agent", *(name for name, kind in OF_PEOPLE.items() if kind == "str")}


def _read_csv(path: Path) -> pd.DataFrame:
    try:
        data = read_bytes(path, MAX_DATA_BYTES)
        # Names such as 007 and None stay unchanged.
        names = pd.read_csv(io.BytesIO(data), usecols=_NAMES.__contains__, dtype="str", keep_default_na=False)
        return pd.read_csv(io.BytesIO(data), encoding="utf-8").assign(**names)
    except OSError as error:
        raise EvaluationError(
            f"{path}: cannot be read ({error.strerror or error}); name the results.csv of a report"
        ) from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise EvaluationError(
            f"{path}: not valid CSV ({str(error).strip()}); name the results.csv of a report"
        ) from None


def _read_parquet(path: Path) -> pd.DataFrame:
    if find_spec("pyarrow") is None:
        raise EvaluationError(f"{path}: pyarrow not found; run: pip install 'arena-llm[parquet]'")
    try:
        return pd.read_parquet(io.BytesIO(read_bytes(path, MAX_DATA_BYTES)), engine="pyarrow")
    except OSError as error:
        raise EvaluationError(f"{path}: cannot be read ({error.strerror or error})") from None
    except ValueError as error:  # pyarrow's own errors are ValueErrors
        raise EvaluationError(f"{path}: not valid Parquet ({str(error).splitlines()[0]})") from None


def checked_results(frame: pd.DataFrame, path: Path, *, worded: bool = False) -> pd.DataFrame:
    """Check that a table from `path` has results, `worded` as for `read_results`. Raises EvaluationError."""
    absent = [column for column in _COLUMNS if column not in frame.columns and column != "score"]
    if absent:
        got = shorten(", ".join(map(str, frame.columns)), 300, placeholder=" ...")
        raise EvaluationError(
            f"{path}:1: no column {', '.join(absent)}; got {got}; name the results.csv of a report"
        )
    if frame.empty:
        raise EvaluationError(
            f"{path}: holds no trials (practice does not count); evaluate a model first (arena-llm eval)"
        )
    worded = (worded or "suite" in frame) and not pd.api.types.is_numeric_dtype(frame[GROUP])
    _check_rows(frame, path, ("trial",) if worded else _WHOLE)
    # Version 0.2 had no column of scores.
    metrics = [name for name in frame.select_dtypes("number") if name not in (*_COLUMNS, *OF_PEOPLE)]
    people = {name: kind for name, kind in OF_PEOPLE.items() if name in frame}
    types = (_WORDED if worded else _TYPES) | people
    return frame.reindex(columns=[*_COLUMNS, *metrics, *people]).astype(types)


def refuse_twins(agents: Iterable[tuple[str, object]]) -> None:
    """Raise EvaluationError if the same agent has results in two places."""
    owners: dict[str, object] = {}
    for agent, place in agents:
        if agent in owners:
            raise EvaluationError(
                f"{place}: {owners[agent]} has results of {agent!r} too; distinguish them with NAME=FILE"
            )
        owners[agent] = place


def _faults(frame: pd.DataFrame, whole: tuple[str, ...]) -> Iterator[tuple[str, "pd.Series[bool]", str]]:
    """Yield columns with their wrong rows and the expected values."""
    for name in ("agent", *({"participant"} & {*frame})):
        yield name, frame[name].isna() | (frame[name] == ""), "a name"
    yield "task_id", frame["task_id"].isna(), "the id of a task"
    yield GROUP, frame[GROUP].isna(), "a group of tasks"
    for name in ("passed", *({"poor_picture"} & {*frame})):
        said = frame[name].astype(str).isin(["True", "False"])
        yield name, frame[name].notna() & ~said, "True, False or nothing"
    for name in (*whole, *({"order"} & {*frame})):
        yield name, ~(pd.to_numeric(frame[name], errors="coerce") % 1 == 0), "a whole number"
    for name in (*_MEASURED, *({"seconds"} & {*frame})):
        unread = pd.to_numeric(frame[name], errors="coerce").isna()
        yield name, unread & frame[name].notna(), "a number or nothing"


def _check_rows(frame: pd.DataFrame, path: Path, whole: tuple[str, ...]) -> None:
    for column, bad, expected in _faults(frame, whole):
        if bad.any():
            row = int(bad.argmax())
            raise EvaluationError(
                f"{path}:{row + 2}: {column}: got {str(frame[column].iloc[row])!r}, expected {expected}; "
                "evaluate again or correct the line"
            )
    twice = frame.duplicated(["agent", *({"participant"} & {*frame}), "task_id", "trial"])
    if twice.any():
        agent, task, trial = frame.loc[twice, ["agent", "task_id", "trial"]].iloc[0]
        raise EvaluationError(
            f"{path}:{int(twice.argmax()) + 2}: trial {trial} of task {task} by {agent} is duplicated"
        )


def has_parquet() -> bool:
    """Return whether the optional extra `parquet` is installed."""
    return find_spec("pyarrow") is not None
