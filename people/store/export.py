"""A study as files: tidy tables with a codebook, recordings, and a folder in the style of BIDS."""

import json
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from arena.errors import ConfigError, EvaluationError
from arena.files import atomic_file
from evaluation.report_folder import FileNames, ReportFolder, write_facts
from evaluation.results import has_parquet
from evaluation.statistics import PERSON
from evaluation.suites import DEFAULT
from people.groups import together
from people.store.bids import write_bids
from people.store.columns import DTYPES, QUALITY, RESULTS, TABLES, Table, as_json, as_markdown, codebook
from people.store.quality import Quality, quality_of_trials
from people.store.results import people_results, suite_of
from people.store.store import Store
from people.store.tables import SuiteEpisode, Trial
from people.store.wide import FIXED, wide_table

ROWS_IN_MEMORY = 50_000
"""A limit, as a study with a hundred participants has millions of actions."""
WIDE = "participants_wide.csv"
FORMATS = ("csv", "parquet")


class Exported(NamedTuple):
    """Number of rows of each exported table, and number of recordings."""

    rows: dict[str, int]
    recordings: int

    def summary(self) -> str:
        """The numbers in words."""
        shown = {name: count for name, count in self.rows.items() if name in TABLES}
        counts = ", ".join(f"{count} {name}" for name, count in shown.items())
        return f"{counts}, {self.recordings} recordings"


def export(
    store: Store, study: str, out: Path, format: str = "csv", *, bids: bool = False, test: bool = False
) -> Exported:
    """Write a study into a folder; the files of an earlier export are replaced, others are not touched.

    `format` is "csv" or "parquet"; `test` includes those who only tried the study out.

    Raises InvalidRequest if there is no such study, ConfigError if the format is unknown or needs pyarrow and
    for `bids` of another suite than the arena, and EvaluationError if the folder cannot be written.
    """
    _check(store, study, format, bids)
    folder = ReportFolder(out)
    try:
        rows = {name: _write_table(store, study, folder, name, format, test) for name in TABLES}
        each = people_results(store, study, test=test)
        groups = together(each).drop(columns=PERSON)
        for name, frame in (("results", groups), ("results_by_participant", each)):
            # Always CSV, the format that `arena-llm compare` reads.
            rows[name] = _write_csv(folder.claim(f"{name}.csv"), iter([frame]))
        if (suite := suite_of(store, study)) != DEFAULT:
            write_facts(folder, {}, False, suite)
        wide, people = wide_table(store, study, test=test)
        rows["participants_wide"] = _write_csv(folder.claim(WIDE), iter([people]))
        book = codebook(study, {**tables_of(format), WIDE: wide})
        folder.write("codebook.json", as_json(book))
        folder.write("codebook.md", as_markdown(book))
        if about := _about_study(store, study):
            folder.write("study.json", as_json(about))
        recordings = _write_recordings(store, study, folder, test)
        if bids:
            write_bids(store, study, folder, people, test)
        folder.finish()
    except OSError as error:
        raise EvaluationError(f"{out}: cannot be written ({error.strerror or error})") from None
    finally:
        folder.close()
    return Exported(rows, recordings)


def export_zip(store: Store, study: str, *, bids: bool = False, test: bool = False) -> Path:
    """Write an export as a temporary ZIP file, which the caller must delete."""
    with tempfile.TemporaryDirectory(prefix="arena-export-") as folder:
        export(store, study, Path(folder) / study, bids=bids, test=test)
        handle, name = tempfile.mkstemp(prefix="arena-export-", suffix=".zip")
        with open(handle, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted((Path(folder) / study).rglob("*")):
                if path.is_file() and not path.name.startswith("."):
                    archive.write(path, path.relative_to(folder))
    return Path(name)


def tables_of(format: str) -> dict[str, Table]:
    """All tables of an export by the names of their files."""
    named = {f"{name}.{format}": table for name, table in TABLES.items()}
    results = {"results.csv": RESULTS, "results_by_participant.csv": RESULTS}
    # Its other columns are those of the study.
    return {**named, **results, WIDE: Table("participant", FIXED)}


def _check(store: Store, study: str, format: str, bids: bool) -> None:
    if format not in FORMATS:
        raise ConfigError(f"format: got {format!r}, expected one of: {', '.join(FORMATS)}")
    if bids and store.episodes(study):
        raise ConfigError("--bids: describes steps in the arena only; leave it out for another suite")
    if format == "parquet" and not has_parquet():
        raise ConfigError("format parquet: pyarrow not found; run: pip install 'arena-llm[parquet]'")
    store.check_study(study)


def _write_table(store: Store, study: str, folder: ReportFolder, name: str, format: str, test: bool) -> int:
    path, pieces = folder.claim(f"{name}.{format}"), frames(store, study, TABLES[name], test=test)
    return _write_csv(path, pieces) if format == "csv" else _write_parquet(path, pieces)


def frames(store: Store, study: str, table: Table, *, test: bool = False) -> Iterator[pd.DataFrame]:
    """A table of a study in pieces; there is at least one, which may be empty."""
    types = {column.name: DTYPES[column.type] for column in table.columns}
    with store.database.reading() as session:
        query = table.query(study, test).execution_options(yield_per=ROWS_IN_MEMORY)
        quality = quality_of_trials(session, study) if QUALITY[0] in table.columns else {}
        yield pd.DataFrame(columns=list(types)).astype(types)
        for rows in session.execute(query).partitions():
            values = [
                {name: _plain(value) for name, value in row._mapping.items()}
                | (quality.get(row.trial_id, Quality())._asdict() if quality else {})
                for row in rows
            ]
            yield pd.DataFrame(values, columns=list(types)).astype(types)


def _plain(value: Any) -> Any:
    return json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else value


def _write_csv(path: Path, pieces: Iterator[pd.DataFrame]) -> int:
    count = 0
    with atomic_file(path) as beside:
        for number, piece in enumerate(pieces):
            piece.to_csv(beside, mode="a", index=False, header=number == 0, lineterminator="\n")
            count += len(piece)
    return count


def _write_parquet(path: Path, pieces: Iterator[pd.DataFrame]) -> int:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    first = pa.Table.from_pandas(next(pieces), preserve_index=False)
    count = len(first)
    with atomic_file(path) as beside, ParquetWriter(beside, first.schema) as writer:
        writer.write_table(first)
        for piece in pieces:
            writer.write_table(pa.Table.from_pandas(piece, schema=first.schema, preserve_index=False))
            count += len(piece)
    return count


def _about_study(store: Store, study: str) -> dict[str, Any]:
    """What is noted about the study itself; empty if it has no file."""
    notes = store.study_notes(study)
    return (
        {"notes": [{"kind": each.kind, "at": each.at, "data": each.data} for each in notes]} if notes else {}
    )


def _write_recordings(store: Store, study: str, folder: ReportFolder, test: bool) -> int:
    count = 0
    codes, episodes = FileNames(), store.episodes(study)
    for person in store.participants(study, test=test):
        names = FileNames()
        for trial in store.trials(person.id):
            if content := _recording(store, trial, episodes.get(trial.id)):
                name = names.of(f"{trial.task_id}-{trial.trial}")
                folder.write(f"recordings/{codes.of(person.code)}/{name}.json", content)
                count += 1
    return count


def _recording(store: Store, trial: Trial, episode: SuiteEpisode | None) -> str | None:
    """What a finished trial is played again from; None for one that is not finished."""
    if episode:
        return episode.played if trial.finished_at is not None else None
    recording = store.recording(trial.id)
    return recording.model_dump_json() if recording else None
