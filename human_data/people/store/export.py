"""A study as files: tidy tables with a codebook, recordings, and a BIDS-like folder."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from arena.errors import ConfigError, EvaluationError
from evaluation.report_folder import FileNames, ReportFolder
from evaluation.results import has_parquet
from human_data.people.store import codebook
from human_data.people.store.bids import write_bids
from human_data.people.store.columns import DTYPES, RESULTS, TABLES, Table
from human_data.people.store.results import people_results
from human_data.people.store.store import Store

ROWS_AT_ONCE = 50_000
"""Rows in memory: a study of a hundred people has millions of actions."""
FORMATS = ("csv", "parquet")


class Exported(NamedTuple):
    """How many rows each table of an export has, and how many recordings there are."""

    rows: dict[str, int]
    recordings: int


def export(store: Store, study: str, out: Path, format: str = "csv", *, bids: bool = False) -> Exported:
    """Write a study into a folder; what an earlier export left there is replaced, nothing else is touched.

    `format` is "csv" or "parquet". Raises Refused where there is no such study, ConfigError where the format
    is unknown or needs pyarrow, and EvaluationError where the folder cannot be written.
    """
    _check(store, study, format)
    folder = ReportFolder(out)
    try:
        rows = {name: _write_table(store, study, folder, name, format) for name in TABLES}
        for name, agent in (("results", "person"), ("results_by_participant", None)):
            frame = people_results(store, study, agent)
            rows[name] = len(frame)
            # CSV in any case: `arena-llm compare` reads it.
            _write(folder, f"{name}.csv", iter([frame]), "csv")
        book = codebook.codebook(study, tables_of(format))
        folder.write("codebook.json", codebook.as_json(book))
        folder.write("codebook.md", codebook.as_markdown(book))
        recordings = _write_recordings(store, study, folder)
        if bids:
            write_bids(store, study, folder)
        folder.finish()
    except OSError as error:
        raise EvaluationError(f"{out}: cannot be written ({error.strerror or error})") from None
    finally:
        folder.close()
    return Exported(rows, recordings)


def tables_of(format: str) -> dict[str, Table]:
    """All tables of an export by the names of their files."""
    named = {f"{name}.{format}": table for name, table in TABLES.items()}
    return {**named, "results.csv": RESULTS, "results_by_participant.csv": RESULTS}


def _check(store: Store, study: str, format: str) -> None:
    if format not in FORMATS:
        raise ConfigError(f"format: got {format!r}, expected one of: {', '.join(FORMATS)}")
    if format == "parquet" and not has_parquet():
        raise ConfigError("format parquet: pyarrow not found; run: pip install 'arena-llm[parquet]'")
    store.check_study(study)


def _write_table(store: Store, study: str, folder: ReportFolder, name: str, format: str) -> int:
    return _write(folder, f"{name}.{format}", frames(store, study, TABLES[name]), format)


def frames(store: Store, study: str, table: Table) -> Iterator[pd.DataFrame]:
    """A table of a study piece by piece, at least one, which may be empty."""
    types = {column.name: DTYPES[column.type] for column in table.columns}
    with store.database.reading() as session:
        query = table.query(study).execution_options(yield_per=ROWS_AT_ONCE)
        yield pd.DataFrame(columns=list(types)).astype(types)
        for rows in session.execute(query).partitions():
            texts = [[_flat(value) for value in row] for row in rows]
            yield pd.DataFrame(texts, columns=list(types)).astype(types)


def _flat(value: Any) -> Any:
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else value


def _write(folder: ReportFolder, name: str, pieces: Iterator[pd.DataFrame], format: str) -> int:
    path = folder.claim(name)
    return _write_csv(path, pieces) if format == "csv" else _write_parquet(path, pieces)


def _write_csv(path: Path, pieces: Iterator[pd.DataFrame]) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        for number, piece in enumerate(pieces):
            piece.to_csv(file, index=False, header=number == 0, lineterminator="\n")
            count += len(piece)
    return count


def _write_parquet(path: Path, pieces: Iterator[pd.DataFrame]) -> int:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    first = pa.Table.from_pandas(next(pieces), preserve_index=False)
    count = len(first)
    with ParquetWriter(path, first.schema) as writer:
        writer.write_table(first)
        for piece in pieces:
            writer.write_table(pa.Table.from_pandas(piece, schema=first.schema, preserve_index=False))
            count += len(piece)
    return count


def _write_recordings(store: Store, study: str, folder: ReportFolder) -> int:
    count = 0
    people = FileNames()
    for person in store.participants(study):
        names = FileNames()
        for trial in store.trials(person.id):
            if recording := store.recording(trial.id):
                name = names.of(f"{trial.task_id}-{trial.trial}")
                folder.write(f"recordings/{people.of(person.code)}/{name}.json", recording.model_dump_json())
                count += 1
    return count
