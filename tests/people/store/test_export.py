"""Exports are complete, documented, replayable, and without the tokens."""

import csv
import json
import re
from pathlib import Path

import pandas as pd
import pytest

from arena import ArenaError, EvaluationError, Recording, Replay
from evaluation.groups import together
from evaluation.results import OF_PEOPLE, read_results, results_frame
from people.store import InvalidRequest, Store
from people.store.columns import BIDS_ACTIONS, BIDS_PARTICIPANTS, DTYPES
from people.store.export import export, people_results, tables_of
from people.store.tables import STUDY_CODE, Base
from people.study.progress import used_cells
from report.comparison.levels import compare_levels
from report.comparison.read import read_run
from tests.people.store.played import SOLUTION, TAKEN, TASK, recording
from tests.people.store.study import fill

ACTIONS_OF_STUDY = 3 * len(TAKEN) + len(SOLUTION)


@pytest.fixture
def filled(store):
    fill(store)
    return store


@pytest.fixture
def small(tmp_path):
    with Store(str(tmp_path / "small.db")) as store:
        fill(store)
        yield store


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_tables_of_a_study_are_whole_and_of_no_other(filled, tmp_path):
    done = export(filled, "study", tmp_path / "out")
    tables = {name: pd.read_csv(tmp_path / "out" / f"{name}.csv") for name in done.rows}
    assert {name: len(table) for name, table in tables.items()} == done.rows
    assert (done.rows["participants"], done.rows["trials"], done.recordings) == (2, 4, 2)
    assert done.rows["actions"] == ACTIONS_OF_STUDY
    actions = tables["actions"]
    assert list(actions[(actions.participant == "Quokka-1") & (actions.trial == 1)].action) == list(SOLUTION)
    assert (actions.move * 3 + actions.rotate == actions.action).all()
    assert tables["answers"].value[0] == '=1+1, "quoted"\nsecond line ä'
    assert json.loads(tables["notes"].data[0]) == {"text": "I agree ä"}
    assert json.loads(tables["participants"].link[0]) == {"PROLIFIC_PID": "5f3eabc"}
    rewards = [recording().total_reward, recording(1, SOLUTION).total_reward]
    assert list(tables["trials"].total_reward[:2]) == rewards
    assert not any(b"Elsewhere" in content for content in files(tmp_path / "out").values())


def test_no_token_leaves_the_store(filled, tmp_path):
    people = filled.participants("study")
    for format in ("csv", "parquet"):
        export(filled, "study", tmp_path / format, format, bids=True)
        for name, content in files(tmp_path / format).items():
            assert not any(person.token.encode() in content for person in people), name
            assert "token" not in name
            assert b"token" not in content, name


def test_conditions_are_exported_and_the_cells_of_the_design_counted(store, tmp_path):
    cells = [("easy", 1, {"near": 0, "far": 1}), ("easy", 1, {"near": 0, "far": 1}), ("hard", 0, {"near": 0})]
    for number, (condition, block_row, rows) in enumerate(cells):
        person = store.add_participant(f"P{number}", "study")
        note = {"tasks": [], "row": 0, "condition": condition, "block_row": block_row, "rows": rows}
        store.note(person.id, "order", note)
    plain = store.add_participant("P9", "study")
    store.note(plain.id, "order", {"tasks": [], "row": 3})
    left = store.add_participant("P10", "study")
    store.note(left.id, "order", {"tasks": [], "row": 4})
    store.note(left.id, "withdrawn", {"stage": "x"})
    assert sorted(used_cells(store, "study"), key=str) == [
        ("easy", 1, {"near": 0, "far": 1}, 2), ("hard", 0, {"near": 0}, 1), (None, 0, {"test": 3}, 1),
    ]  # fmt: skip
    export(store, "study", tmp_path)
    with (tmp_path / "participants.csv").open(encoding="utf-8", newline="") as file:
        assert [row["condition"] for row in csv.DictReader(file)] == ["easy", "easy", "hard", "", ""]


def test_what_belongs_to_the_study_is_no_participant(small, tmp_path):
    people = [each.code for each in small.participants("study")]
    small.note(small.add_participant(STUDY_CODE, "study").id, "consent", {"agreed": False})
    assert [each.code for each in small.participants("study")] == people
    assert export(small, "study", tmp_path / "out", bids=True).rows["participants"] == len(people)
    written = files(tmp_path / "out")
    assert [note["data"] for note in json.loads(written.pop("study.json"))["notes"]] == [{"agreed": False}]
    assert not [name for name, content in written.items() if STUDY_CODE.encode() in content]
    with pytest.raises(InvalidRequest, match="no participant '_study'"):
        small.delete_participant("study", STUDY_CODE)
    assert len(small.study_notes("study")) == 1


def test_every_column_is_described(small, tmp_path):
    export(small, "study", tmp_path)
    book = json.loads((tmp_path / "codebook.json").read_text("utf-8"))
    assert set(book["tables"]) == {path.name for path in tmp_path.glob("*.csv")} == set(tables_of("csv"))
    text = (tmp_path / "codebook.md").read_text("utf-8")
    assert f"## Scores\n\n{book['scores']}\n" in text
    for name, table in book["tables"].items():
        with (tmp_path / name).open(encoding="utf-8", newline="") as file:
            assert next(csv.reader(file)) == [column["name"] for column in table["columns"]]
        for column in table["columns"]:
            assert column["type"] in DTYPES, column
            assert column["unit"], column
            assert len(column["description"]) > 5, column
            assert f"| {' | '.join(column[key] for key in ('name', 'type', 'unit', 'description'))} |" in text
    columns = {column["name"] for column in book["tables"]["results.csv"]["columns"]}
    assert columns == {*results_frame([]).columns, *OF_PEOPLE}


def test_every_column_of_the_database_is_described():
    for table in Base.metadata.sorted_tables:
        for column in table.columns:
            assert column.comment, column
    assert all(column.description and column.unit for column in (*BIDS_ACTIONS, *BIDS_PARTICIPANTS))


def test_parquet_holds_the_same_with_types(filled, tmp_path):
    export(filled, "study", tmp_path / "csv")
    export(filled, "study", tmp_path / "parquet", "parquet")
    for file, table in tables_of("parquet").items():
        if not file.endswith(".parquet"):
            continue
        types = {column.name: DTYPES[column.type] for column in table.columns}
        kept = pd.read_parquet(tmp_path / "parquet" / file)
        assert dict(kept.dtypes.astype(str)) == types, file
        text = pd.read_csv(tmp_path / "csv" / file.replace("parquet", "csv"), dtype=types)
        pd.testing.assert_frame_equal(kept, text)


def test_recordings_replay(small, tmp_path):
    export(small, "study", tmp_path)
    paths = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("01-01-01*.json"))
    assert paths == ["recordings/Quokka-1/01-01-01-0.json", "recordings/Quokka-1/01-01-01-1.json"]
    for path in paths:
        with Replay(Recording.read(tmp_path / path), TASK.spec) as replay:
            replay.to_end()
            assert not replay.differences()


def test_people_are_compared_like_models(small, tmp_path):
    export(small, "study", tmp_path)
    results = read_results(tmp_path / "results.csv")
    columns = ["participant", "agent", "mode", "order", "trial", "passed", "error"]
    rows = results[columns].astype(object)
    assert rows.where(rows.notna(), None).to_numpy().tolist() == [
        ["Quokka-1", "person", "keys", 1, 0, True, None],
        ["Quokka-1", "person", "scripts", 2, 1, None, "broken off"],
        ["quokka_1", "person", "keys", 1, 0, None, "broken off"],
    ]
    assert "person (scripts)" in set(compare_levels(together(results))["who"])
    assert list(people_results(small, "another")["error"]) == ["broken off"]
    place = str(tmp_path / "small.db")
    with pytest.raises(EvaluationError, match="holds 2 studies; name one of another, study"):
        read_run(place)
    (run,) = read_run(f"{place}#another", "people")
    assert (run.agent, len(run.results)) == ("people", 1)


def test_bids_folder(small, tmp_path):
    export(small, "study", tmp_path, bids=True)
    top = tmp_path / "bids"
    description = json.loads((top / "dataset_description.json").read_text("utf-8"))
    assert {"Name", "BIDSVersion", "DatasetType"} <= set(description)
    people = pd.read_csv(top / "participants.tsv", sep="\t")
    # To BIDS only letters and digits count, and some file systems fold case: Quokka1 is taken.
    assert list(people.participant_id) == ["sub-Quokka1", "sub-quokka1x2"]
    assert set(json.loads((top / "participants.json").read_text("utf-8"))) == set(people.columns)
    tables = sorted(path.relative_to(top).as_posix() for path in top.rglob("*_beh.tsv"))
    assert tables == [
        *(f"sub-Quokka1/beh/sub-Quokka1_task-010101_run-{run}_beh.tsv" for run in (1, 2, 3)),
        "sub-quokka1x2/beh/sub-quokka1x2_task-010101_run-1_beh.tsv",
    ]
    steps = pd.read_csv(top / tables[1], sep="\t")
    sidecar = json.loads((top / tables[1]).with_suffix(".json").read_text("utf-8"))
    assert list(steps.action) == list(SOLUTION)
    assert set(steps.columns) <= set(sidecar)
    assert (sidecar["TaskName"], sidecar["Passed"]) == ("01-01-01", True)


def test_an_export_again_leaves_nothing_of_a_deleted_participant(small, tmp_path):
    out = tmp_path / "out"
    export(small, "study", out, bids=True)
    (out / "mine.txt").write_text("mine")
    first = files(out)
    export(small, "study", out, bids=True)
    assert files(out) == first
    small.delete_participant("study", "Quokka-1")
    export(small, "study", out, bids=True)
    left = files(out)
    assert left["mine.txt"] == b"mine"
    assert not re.search("Quokka-1|5f3eabc", str(left))


def test_export_errors(small, tmp_path):
    with pytest.raises(ArenaError, match="no study 'other'; the database has: another, study"):
        export(small, "other", tmp_path / "out")
    with pytest.raises(ArenaError, match="format: got 'xlsx', expected one of: csv, parquet"):
        export(small, "study", tmp_path / "out", "xlsx")
    assert not (tmp_path / "out").exists()
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ArenaError, match="cannot be written"):
        export(small, "study", tmp_path / "file")
    (tmp_path / "trials.csv").write_text("mine")
    with pytest.raises(ArenaError, match=r"trials\.csv: this file exists and is not part of a report"):
        export(small, "study", tmp_path)
