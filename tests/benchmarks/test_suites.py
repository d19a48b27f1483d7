"""Tables of suites: they have the columns of the shipped files, and wrong uses are sentences."""

import csv
from importlib.resources import files

import pytest
import typer
from typer.testing import CliRunner

from arena.errors import ConfigError
from benchmarks import boxing, est, references, run
from suites.boxing.suite import SCALE


def printed(command, *words):
    app = command if isinstance(command, typer.Typer) else typer.Typer()
    if app is not command:
        app.command()(command)
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("command", "file"), [("errors", "oracle"), ("baselines", "baselines"), ("verdicts", "verdicts")]
)
def test_boxing_prints_rows_as_the_suites_files_have_them(command, file):
    shipped = list(csv.reader(files("suites.boxing").joinpath(f"{file}.csv").read_text().splitlines()))
    found = list(csv.reader(printed(boxing.app, command, "--environment", "death", "--worlds", "2")))
    assert found[0] == shipped[0]
    assert [row[:3] for row in found[1:]] == [row[:3] for row in shipped if row[0] == "death"]
    assert {len(row) for row in found} == {len(shipped[0])}


def test_est_prints_its_agents_beside_the_paper():
    lines = printed(est.main, "--agent", "naive", "--episodes", "50", "--runs", "2")
    assert [line.split()[1] for line in lines if "naive" in line or "paper" in line] == ["naive", "paper"]
    assert "25.85" in "".join(lines)


def test_references_take_more_worlds(monkeypatch, tmp_path):
    table = tmp_path / "references.csv"
    table.write_text(files("suites.boxing").joinpath("references.csv").read_text())
    monkeypatch.setattr(references, "scale_of", lambda suite: SCALE._replace(table=table))
    printed(references.main, "boxing", "--agent", "ideal", "--group", "death-infection", "--set", "seeds=3")
    rows = {tuple(row[3:5]): row[5] for row in csv.reader(table.read_text().splitlines())}
    assert rows["death-infection", "ideal"] == "3"
    for wrong, reason in (("sed=3", "did you mean seed"), ("seeds=0", "seeds: got '?0")):
        with pytest.raises(ConfigError, match=reason):
            printed(references.main, "boxing", "--set", wrong)


def test_wrong_uses_are_sentences(monkeypatch, capsys):
    for command, name in ((boxing.app, "boxing"), (est.main, "est")):
        option = "--environment" if name == "boxing" else "--agent"
        words = [name, *(["errors"] if name == "boxing" else []), option, "nobody"]
        monkeypatch.setattr("sys.argv", words)
        with pytest.raises(SystemExit) as stopped:
            run(command, f"benchmarks.{name}")
        assert str(stopped.value).startswith(f"benchmarks.{name}: {option}: got 'nobody', expected one of ")
