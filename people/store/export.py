"""A study as files: tables with codebook, recordings, and BIDS folder."""

import json
import re
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from arena.errors import ConfigError
from arena.files import atomic_file
from evaluation.analysis import analysis_files
from evaluation.groups import PEOPLE
from evaluation.report_folder import FileNames, ReportFolder
from evaluation.results import OF_PEOPLE, TrialResult, has_parquet, results_frame
from evaluation.suites import DEFAULT
from people.store import columns as book
from people.store.columns import DTYPES, TABLES, Asked, Column, Table, as_json
from people.store.participation import participations
from people.store.quality import quality_of_trials
from people.store.store import Store
from people.store.tables import Participant, SuiteEpisode, Trial
from testbed.tasks import level_of


def people_results(store: Store, study: str, *, test: bool = False) -> pd.DataFrame:
    """One row per trial without practice; columns as of `evaluation.results.results_frame`, and `OF_PEOPLE`.
    All people are the agent `PEOPLE`; `test` includes those who only tried the study out."""
    rows: list[TrialResult] = []
    known: list[dict[str, Any]] = []
    episodes, parts = store.episodes(study), participations(store, study, test=test)
    quality, times = quality_of_trials(store, study), store.reply_times(study)
    for person in store.participants(study, test=test):
        counts: Counter[str] = Counter()
        trials = (trial for trial in store.trials(person.id) if trial.position >= 0)
        for place, trial in enumerate(trials, 1):
            episode = episodes.get(trial.id)
            rows.append(_row(trial, person.agent or PEOPLE, counts[trial.task_id], episode))
            counts[trial.task_id] += 1
            found = {name: getattr(trial, name) for name in ("block", "mode", "animal_ai", "task_sha256")}
            found |= {"participant": person.code, "kind": person.kind, "order": place}
            found |= {"condition": parts[person.id].condition, "suite": episode.suite if episode else DEFAULT}
            # A model's pace says nothing about the task.
            found["seconds"] = None if person.agent else times.get(trial.id, trial.seconds_played)
            found["poor_picture"] = quality.get(trial.id, {}).get("poor_picture")
            known.append(found)
    further = pd.DataFrame(known, columns=list(OF_PEOPLE))
    texts = {name: "" for name, kind in OF_PEOPLE.items() if kind == "str"}
    return results_frame(rows).assign(**further.fillna(texts).astype(OF_PEOPLE))


def _row(trial: Trial, agent: str, number: int, episode: SuiteEpisode | None) -> TrialResult:
    return TrialResult(
        agent=agent,
        group=json.loads(episode.played)["task"]["group"] if episode else level_of(Path(trial.task_id)),
        trial=number,
        turns=episode.turns if episode else None,
        score=episode.score if episode else None,
        error=None if trial.outcome else "broken off",
        **{name: getattr(trial, name) for name in OF_TRIAL},
    )


OF_TRIAL = ("task_id", "pass_mark", "total_reward", "passed", "outcome", "steps")
"""Columns that a result takes from its trial unchanged."""


Page = tuple[str, list[str], list[list[Any]], dict[str, Any]]
"""A table: name, column names, rows, and description of columns."""


def phenotype(
    store: Store, study: str, people: Sequence[Participant], subject: Callable[[str], str]
) -> Iterator[Page]:
    """Yield the pages that were answered. `subject` is the label of the participant with a code."""
    answers = {person.code: store.answers(person.id) for person in people}
    given = sorted((answer for each in answers.values() for answer in each), key=lambda answer: answer.at)
    values = {
        code: {(answer.page, answer.item): answer.value for answer in each} for code, each in answers.items()
    }
    for page, asked in groupby(book.asked_items(store, study, given), key=lambda each: each.page):
        items = list(asked)
        rows = [
            [
                f"sub-{subject(code)}",
                *(_in_cell(each.value(mine.get((page, each.item), ""))) for each in items),
            ]
            for code, mine in values.items()
            if any(name == page for name, _ in mine)
        ]
        yield page, ["participant_id", *(each.item for each in items)], rows, _described(items)


def _in_cell(value: Any) -> Any:
    """A value without tabs and line breaks, which would end a cell."""
    return re.sub(r"\s+", " ", value).strip() if isinstance(value, str) else value


def _described(items: Sequence[Asked]) -> dict[str, Any]:
    title = items[0].title or items[0].page
    described: dict[str, Any] = {
        "MeasurementToolMetadata": {"Description": title},
        "participant_id": {"Description": "Name of the participant's folder"},
    }
    for each in items:
        levels, unit = each.question.levels, getattr(each.question, "unit", "")
        described[each.item] = {
            "Description": each.ask,
            **({"Levels": levels} if levels else {}),
            **({"Units": unit} if unit else {}),
        }
    return described


BIDS = "1.10.0"
TYPES = {"text": "string", "integer": "integer", "number": "number", "boolean": "boolean"}
TOP = "bids"
TRIAL_COLUMNS = (
    *("block", "mode", "seed", "animal_ai", "spec_sha256", "pass_mark", "begun_at", "finished_at"),
    *("ended_by", "steps_played", "seconds_played", "steps", "total_reward", "health", "outcome", "passed"),
)


class Labels(FileNames):
    """Unique labels that consist of letters and digits only, as BIDS requires."""

    separator = "x"

    def _plain(self, text: str) -> str:
        return re.sub(r"[^A-Za-z0-9]", "", text) or "x"


def write_bids(
    store: Store, study: str, folder: ReportFolder, wide: pd.DataFrame, test: bool = False
) -> None:
    """Write a study below `bids`. There is a table with a description of the steps or replies of each trial,
    and of each questionnaire. `wide` has a row for each participant."""
    subjects, tasks = Labels(), Labels()
    participants = store.participants(study, test=test)
    episodes = store.episodes(study)
    for person in participants:
        for trial in store.trials(person.id):
            about, rows = _steps(store, trial) if trial.id not in episodes else _replies(store, trial)
            subject, task = subjects.of(person.code), tasks.of(trial.task_id)
            name = f"{TOP}/sub-{subject}/beh/sub-{subject}_task-{task}_run-{trial.trial + 1}_beh"
            facts = {name.title().replace("_", ""): getattr(trial, name) for name in TRIAL_COLUMNS}
            folder.write(f"{name}.tsv", _tsv([column.name for column in about], rows))
            folder.write(f"{name}.json", as_json({"TaskName": trial.task_id, **facts, **_columns(about)}))
    description = {
        "Name": study,
        "BIDSVersion": BIDS,
        "DatasetType": "raw",
        "GeneratedBy": [{"Name": "arena-llm", "Version": version("arena-llm")}],
    }
    folder.write(f"{TOP}/dataset_description.json", as_json(description))
    folder.write(f"{TOP}/README", f"Behaviour of people, models and policies: study {study}.\n")
    names = [column.name for column in book.BIDS_PARTICIPANTS]
    known = wide.rename(columns={"participant": "code"})[names[1:]].astype(object)
    plain = known.where(known.notna(), None)
    rows = [(f"sub-{subjects.of(row[0])}", *row) for row in plain.itertuples(index=False)]
    folder.write(f"{TOP}/participants.tsv", _tsv(names, rows))
    folder.write(f"{TOP}/participants.json", as_json(_columns(book.BIDS_PARTICIPANTS)))
    pages = Labels()
    for page, columns, answers, described in phenotype(store, study, participants, subjects.of):
        name = f"{TOP}/phenotype/{pages.of(page)}"
        folder.write(f"{name}.tsv", _tsv(columns, answers))
        folder.write(f"{name}.json", as_json(described))


Rows = tuple[Sequence[Column], Iterable[Sequence[Any]]]


def _steps(store: Store, trial: Trial) -> Rows:
    return book.BIDS_ACTIONS, (
        (round(row.at - trial.begun_at, 6), row.step, row.action, row.action // 3, row.action % 3)
        for row in store.actions(trial.id)
    )


def _replies(store: Store, trial: Trial) -> Rows:
    """Return the replies of a trial of another suite."""
    return book.BIDS_REPLIES, (
        (
            round(row.shown_at - trial.begun_at, 6),
            *(round(row.at - row.shown_at, 6), row.turn, _in_cell(row.reply), row.reward),
        )
        for row in store.replies(trial.id)
    )


def _columns(columns: Iterable[Column]) -> dict[str, Any]:
    return {
        column.name: {
            "Description": column.description,
            "Format": TYPES[column.type],
            **({} if column.unit == "none" else {"Units": column.unit}),
        }
        for column in columns
    }


def _tsv(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = ["\t".join(names)]
    lines += ["\t".join("n/a" if value is None else str(value) for value in row) for row in rows]
    return "\n".join([*lines, ""])


ROWS_IN_MEMORY = 50_000
"""Maximum rows in memory. A study with a hundred participants has millions of actions."""
WIDE = "participants_wide.csv"
FORMATS = ("csv", "parquet")


class Exported(NamedTuple):
    """Number of rows of each exported table, and number of recordings."""

    rows: dict[str, int]
    recordings: int

    def summary(self) -> str:
        """Return the numbers in words."""
        shown = {name: count for name, count in self.rows.items() if name in TABLES}
        counts = ", ".join(f"{count} {name}" for name, count in shown.items())
        return f"{counts}, {self.recordings} recordings"


def export(
    store: Store, study: str, out: Path, format: str = "csv", *, bids: bool = False, test: bool = False
) -> Exported:
    """Write a study into a folder. The files of an earlier export are replaced, others are not touched.

    `format` is "csv" or "parquet"; `test` includes those who only tried the study out.

    Raises InvalidRequest if there is no such study, ConfigError if the format is unknown or needs pyarrow,
    and EvaluationError if the folder cannot be written.
    """
    _check(store, study, format)
    with ReportFolder(out) as folder:
        rows = {name: _write_table(store, study, folder, name, format, test) for name in TABLES}
        results = people_results(store, study, test=test)[book.RESULTS.names]
        # Always CSV, the format that `arena-llm compare` reads.
        rows["results"] = _write_csv(folder.claim("results.csv"), iter([results]))
        for name, text in analysis_files(study, results).items():
            folder.write(name, text)
        wide, people = book.wide_table(store, study, test=test)
        rows["participants_wide"] = _write_csv(folder.claim(WIDE), iter([people]))
        said = book.codebook(study, {**tables_of(format), WIDE: wide})
        folder.write("codebook.json", as_json(said))
        folder.write("codebook.md", book.as_markdown(said))
        # A study without a file has none.
        if notes := store.study_notes(study):
            about = [{"kind": each.kind, "at": each.at, "data": each.data} for each in notes]
            folder.write("study.json", as_json({"notes": about}))
        recordings = _write_recordings(store, study, folder, test)
        if bids:
            write_bids(store, study, folder, people, test)
    return Exported(rows, recordings)


def export_zip(store: Store, study: str, *, bids: bool = False, test: bool = False) -> Path:
    """Write an export as a temporary ZIP file. The caller must delete it."""
    with tempfile.TemporaryDirectory(prefix="arena-export-") as folder:
        export(store, study, Path(folder) / study, bids=bids, test=test)
        handle, name = tempfile.mkstemp(prefix="arena-export-", suffix=".zip")
        with open(handle, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted((Path(folder) / study).rglob("*")):
                if path.is_file() and not path.name.startswith("."):
                    archive.write(path, path.relative_to(folder))
    return Path(name)


def tables_of(format: str) -> dict[str, Table]:
    """Return all tables of an export by the names of their files."""
    named = {f"{name}.{format}": table for name, table in TABLES.items()}
    # Other columns of the wide table are those of the study.
    return {**named, "results.csv": book.RESULTS, WIDE: Table("participant", book.FIXED)}


def _check(store: Store, study: str, format: str) -> None:
    if format not in FORMATS:
        raise ConfigError(f"format: got {format!r}, expected one of: {', '.join(FORMATS)}")
    if format == "parquet" and not has_parquet():
        raise ConfigError("format parquet: pyarrow not found; run: pip install 'arena-llm[parquet]'")
    store.check_study(study)


def _write_table(store: Store, study: str, folder: ReportFolder, name: str, format: str, test: bool) -> int:
    path, pieces = folder.claim(f"{name}.{format}"), frames(store, study, TABLES[name], test=test)
    return _write_csv(path, pieces) if format == "csv" else _write_parquet(path, pieces)


def frames(store: Store, study: str, table: Table, *, test: bool = False) -> Iterator[pd.DataFrame]:
    """Yield a table of a study in pieces. There is at least one, which may be empty."""
    types = {column.name: DTYPES[column.type] for column in table.columns}
    quality = quality_of_trials(store, study) if book.QUALITY[0] in table.columns else {}
    with store.database.reading() as session:
        query = table.query(study, test).execution_options(yield_per=ROWS_IN_MEMORY)
        yield pd.DataFrame(columns=list(types)).astype(types)
        for rows in session.execute(query).partitions():
            values = [
                {name: _plain(value) for name, value in row._mapping.items()}
                | (quality.get(row.trial_id, {}) if quality else {})
                for row in rows
            ]
            yield pd.DataFrame(values, columns=list(types)).astype(types)


def _plain(value: Any) -> Any:
    return json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else value


def _write_csv(path: Path, pieces: Iterator[pd.DataFrame]) -> int:
    count = 0
    with atomic_file(path) as temporary:
        for number, piece in enumerate(pieces):
            piece.to_csv(temporary, mode="a", index=False, header=number == 0, lineterminator="\n")
            count += len(piece)
    return count


def _write_parquet(path: Path, pieces: Iterator[pd.DataFrame]) -> int:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    first = pa.Table.from_pandas(next(pieces), preserve_index=False)
    count = len(first)
    with atomic_file(path) as temporary, ParquetWriter(temporary, first.schema) as writer:
        writer.write_table(first)
        for piece in pieces:
            writer.write_table(pa.Table.from_pandas(piece, schema=first.schema, preserve_index=False))
            count += len(piece)
    return count


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
    """Return the recording for replaying a finished trial. None for one that is not finished."""
    if episode:
        return episode.played if trial.finished_at is not None else None
    recording = store.recording(trial.id)
    return recording.model_dump_json() if recording else None
