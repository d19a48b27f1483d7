"""`arena-llm people` as a user meets it."""

import pandas as pd
import pytest
from typer.testing import CliRunner

from arena_llm.cli import app
from people.store import Store
from tests.cases import cases
from tests.people.store.study import fill

CASES = cases(__file__)


@pytest.fixture
def db(tmp_path):
    path = tmp_path / "study.db"
    with Store(str(path)) as store:
        fill(store)
    return path


def people(*arguments, answer=None):
    return CliRunner().invoke(app, ["people", *map(str, arguments)], input=answer)


def test_participants_are_listed(db):
    result = people("participants", "--db", db)
    assert result.exit_code == 0
    lines = {tuple(line.replace("│", " ").split()[:5]) for line in result.stdout.splitlines()}
    assert ("study", "Quokka-1", "3", "2", "1") in lines
    assert ("another", "Elsewhere", "1", "0", "0") in lines
    assert "Elsewhere" not in people("participants", "--db", db, "--study", "study").stdout


def test_export(db, tmp_path):
    out = tmp_path / "out"
    result = people("export", "--db", f"sqlite:///{db}", "--study", "study", "--out", out, "--bids")
    assert result.exit_code == 0
    assert "2 participants, 4 trials" in result.stdout
    assert "2 recordings" in result.stdout
    assert len(pd.read_csv(out / "trials.csv")) == 4
    assert (out / "bids" / "dataset_description.json").is_file()
    again = people("export", "--db", db, "--study", "study", "--out", out, "--format", "parquet")
    assert again.exit_code == 0
    assert len(pd.read_parquet(out / "trials.parquet")) == 4
    assert not (out / "bids").exists()


def test_deletion_is_asked_for(db):
    refused = people("delete", "Quokka-1", "--db", db, "--study", "study", answer="n\n")
    assert refused.exit_code == 1
    assert "Delete Quokka-1 of study with 3 trials, for good?" in refused.stdout
    with Store(str(db)) as store:
        assert len(store.participants("study")) == 2
    done = people("delete", "Quokka-1", "--db", db, "--study", "study", answer="y\n")
    assert done.exit_code == 0
    assert "Deleted: 1 participants, 3 trials" in done.stdout
    assert people("delete", "quokka_1", "--db", db, "--study", "study", "--yes").exit_code == 0
    with Store(str(db)) as store:
        assert store.studies() == ["another"]


@pytest.mark.parametrize(("arguments", "text"), CASES["mistakes"])
def test_errors(db, arguments, text, command):
    assert text in command("people", *arguments if "--db" in arguments else (*arguments, "--db", db)).sentence
