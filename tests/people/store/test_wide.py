"""One row per participant, and the questionnaires of BIDS: they have what the other tables have."""

import json

import pandas as pd
import pytest

from people.store import Store
from people.store.export import export
from people.store.tables import CONFIG, STUDY_CODE
from tests.cases import cases
from tests.people.store.played import SOLUTION, TAKEN, append, begin, finish, recording, rows

CASES = cases(__file__)


@pytest.fixture
def exported(tmp_path):
    """A study in which one participant has done all, one has left, and one has only tried it out."""
    with Store(str(tmp_path / "small.db")) as store:
        study = store.add_participant(STUDY_CODE, "study")
        store.note(study.id, CONFIG, {"version": 1, "study": {"questionnaires": CASES["pages"]}})
        one = store.add_participant("P1", "study", {"PID": "x", "S": "s"})
        other = store.add_participant("P2", "study")
        for person in (one, other, store.add_participant("test-1", "study", test=True)):
            store.note(person.id, "consent", {"agreed": True, "version": "3"})
            store.answer(person.id, "free", "why", "=1\ttab\nline")
        for item, value in (("sure", "No"), ("age", "9,5"), ("tired", "2")):
            store.answer(one.id, "mood-1", item, value)
        store.answer(other.id, "mood-1", "age", "")
        for position, actions in ((-1, SOLUTION), (0, TAKEN), (1, SOLUTION)):
            trial = begin(store, one, position=position)
            append(store, rows(trial, actions))
            finish(store, trial, recording(trial.trial, actions))
        append(store, rows(begin(store, other)))
        store.note(one.id, "completed", {"ending": "late"})
        store.note(other.id, "withdrawn")
        export(store, "study", tmp_path / "out", bids=True)
    return tmp_path / "out"


def test_a_row_has_everything_about_a_participant(exported):
    wide = pd.read_csv(exported / "participants_wide.csv").set_index("participant")
    assert list(wide.index) == ["P1", "P2"]
    one, other = wide.loc["P1"], wide.loc["P2"]
    assert list(one["trials":"practice_passed"]) == [2, 1, 1, 1, 1, 1]
    assert (one["ending"], other["ending"], one["consent_version"]) == ("late", "withdrawn", 3)
    assert (one["link.PID"], one["link.S"], one["mood-1.tired"], one["mood-1.age"]) == ("x", "s", 2, 9.5)
    assert one["free.why"] == "=1\ttab\nline"
    asked = [name.removeprefix("mood-1.") for name in wide if name.startswith("mood-1.")]
    assert asked == ["tired", "age", "sure"]
    assert (one["01-01-01.position"], one["01-01-01.steps_played"]) == (0, len(TAKEN))
    assert one["steps_played"] == len(TAKEN) + 2 * len(SOLUTION)
    assert other[["mood-1.age", "link.PID", "01-01-01.passed", "pass_rate"]].isna().all()
    by_person = pd.read_csv(exported / "results.csv").groupby("participant")
    assert list(by_person["passed"].sum()) == list(wide["passed"])
    assert list(by_person["passed"].count()) == list(wide["judged"])
    assert list(by_person.size()) == list(wide["trials"])


def test_its_columns_are_in_the_codebook(exported):
    book = json.loads((exported / "codebook.json").read_text("utf-8"))["tables"]["participants_wide.csv"]
    columns = {column["name"]: column for column in book["columns"]}
    assert list(columns) == list(pd.read_csv(exported / "participants_wide.csv", nrows=0))
    tired = columns["mood-1.tired"]
    assert tired["description"] == "How tired | awake are you? (1: not; 3: very)"
    types = {"mood-1.tired": "integer", "mood-1.age": "number", "free.why": "text"}
    assert {name: columns[name]["type"] for name in types} == types
    assert columns["mood-1.age"]["unit"] == "years"
    text = (exported / "codebook.md").read_text("utf-8")
    assert "| mood-1.tired | integer | none | How tired \\| awake are you?" in text


def test_questionnaires_are_phenotype_files(exported):
    folder = exported / "bids" / "phenotype"
    assert sorted(path.name for path in folder.iterdir()) == [
        "free.json", "free.tsv", "mood1.json", "mood1.tsv",
    ]  # fmt: skip
    lines = [line.split("\t") for line in (folder / "mood1.tsv").read_text("utf-8").splitlines()]
    assert lines == [
        ["participant_id", "tired", "age", "sure"],
        ["sub-P1", "2", "9.5", "No"], ["sub-P2", "n/a", "n/a", "n/a"],
    ]  # fmt: skip
    assert (folder / "free.tsv").read_text("utf-8").splitlines()[1] == "sub-P1\t=1 tab line"
    described = json.loads((folder / "mood1.json").read_text("utf-8"))
    assert described["MeasurementToolMetadata"] == {"Description": "How are you?"}
    assert described["tired"]["Levels"] == {"1": "not", "2": "2", "3": "very"}
    assert (described["age"]["Units"], described["sure"]["Levels"]) == ("years", {"Yes": "Yes", "No": "No"})
    people = pd.read_csv(exported / "bids" / "participants.tsv", sep="\t")
    assert {line[0] for line in lines[1:]} <= set(people.participant_id)


def test_answers_of_another_kind_are_text(tmp_path):
    with Store(str(tmp_path / "small.db")) as store:
        study = store.add_participant(STUDY_CODE, "study")
        store.note(study.id, CONFIG, {"version": 1, "study": {"questionnaires": CASES["pages"]}})
        store.answer(store.add_participant("P1", "study").id, "mood-1", "age", "nine")
        store.answer(store.add_participant("P2", "study").id, "mood-1", "age", "9")
        export(store, "study", tmp_path / "out")
    assert list(pd.read_csv(tmp_path / "out" / "participants_wide.csv")["mood-1.age"]) == ["nine", "9"]
