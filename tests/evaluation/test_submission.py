"""A submission: written from a log, read again, and refused if it does not agree with itself."""

import hashlib
import json
import shutil

import pytest
from jsonschema import Draft202012Validator

from arena.errors import EvaluationError
from evaluation.submission import Submitter, read_submission, schema, submission, write_submission
from report.comparison.read import read_run
from testbed import originals as batteries
from tests.llm_control.batteries import run, write_battery

SMALL = {"image_size": 16, "initial_idle_steps": "1", "max_scripts": 3}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A submission of two trials of two tasks."""
    home = tmp_path_factory.mktemp("submitted")
    log = run(
        write_battery(home / "battery", (20, 16), (24, 20)), home / "logs", "arena/pixels", trials=2, **SMALL
    ).run
    made = submission(log, Submitter(name="A. Tester", notes="no training"))
    write_submission(made, home / "submission.json")
    return home / "submission.json", log, made


def test_it_has_the_card_every_trial_and_the_rates_of_the_log(written):
    path, log, made = written
    assert read_submission(path) == made
    assert (made.card.agent, made.card.planned, made.card.tasks) == ("arena/pixels", 4, log.digests)
    assert {(row.task_id, row.trial): row.passed for row in log.results()} == {
        (trial.task_id, trial.trial): trial.passed for trial in made.results
    }
    assert made.rates[0].group == "all"
    assert made.rates[0].pass_rate == pytest.approx(log.pass_rate)
    assert [rate.group for rate in made.rates[1:]] == [1]


def test_it_follows_its_published_schema_and_gives_no_arena_away(written):
    text = written[0].read_text()
    Draft202012Validator(json.loads(schema())).validate(json.loads(text))
    assert "GoodGoal" not in text


def test_it_can_be_compared_as_its_log_is(written):
    path, log, _ = written
    (run_,), (same,) = read_run(str(path)), read_run(str(log.path))
    assert run_.task_rates.equals(same.task_rates.reset_index(drop=True))
    assert (run_.animal_ai, run_.digests) == (same.animal_ai, same.digests)


CHANGES = {
    "rates of all: they do not follow": lambda made: made["rates"][0].update(pass_rate=0.9),
    "rates: they do not follow": lambda made: made["rates"].pop(),
    "card.passed: got 9": lambda made: made["card"].update(passed=9),
    "expected 4: those of the card's tasks": lambda made: made["results"].pop(),
    "is duplicated": lambda made: made["results"].__setitem__(1, made["results"][0]),
    "results.0.passed": lambda made: made["results"][0].update(passed="perhaps"),
    "submitter.name": lambda made: made["submitter"].update(name=""),
    "schema_version": lambda made: made.update(schema_version=3),
}


@pytest.mark.parametrize("words", CHANGES)
def test_what_does_not_agree_is_refused_with_its_place(words, written, tmp_path):
    made = json.loads(written[0].read_text())
    CHANGES[words](made)
    (tmp_path / "changed.json").write_text(json.dumps(made))
    with pytest.raises(EvaluationError) as refused:
        read_submission(tmp_path / "changed.json")
    assert words in str(refused.value)
    assert str(tmp_path / "changed.json") in str(refused.value)


def test_the_fetched_original_is_known_by_its_digests(tmp_path, monkeypatch, command):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    kept = batteries.kept_folder("original")
    kept.parent.mkdir(parents=True)
    write_battery(kept, (20, 16), (24, 20))
    files = {path.stem: hashlib.sha256(path.read_bytes()).hexdigest() for path in kept.iterdir()}
    monkeypatch.setattr(batteries, "digests", lambda _: files)
    part = tmp_path / "part"
    part.mkdir()
    shutil.copy(kept / "01-04-03.yaml", part)
    for folder, tasks in ((kept, 2), (part, 1)):
        log = run(folder, tmp_path / f"logs {tasks}", "arena/random", **SMALL).log
        out = tmp_path / f"{tasks}.json"
        assert "not checked" not in command("submission", log, "--out", out, "--name", "A. Tester").stdout
        made = json.loads(out.read_text())
        assert (made["own_tasks"], len(made["results"])) == (True, tasks)
        for row in made["results"]:
            row["pass_mark"] = -9.0
        (tmp_path / "low.json").write_text(json.dumps(made))
        refused = command("submission", "check", tmp_path / "low.json")
        assert "pass_mark: got -9.0, the task has 0.0" in refused.stderr or "the reward is" in refused.stderr
    kept.rename(tmp_path / "elsewhere")
    said = " ".join(command("submission", "check", tmp_path / "2.json").stdout.split())
    assert "they are files of the battery original, which is not on this computer" in said


def test_the_command_writes_and_checks(written, tmp_path, command):
    out = tmp_path / "new" / "mine.json"
    command("submission", written[1].path, "--out", out, "--name", "A. Tester").succeeded()
    assert read_submission(out).submitter.name == "A. Tester"
    assert "agrees with its results" in command("submission", "check", out).stdout
    assert "and with its log." in command("submission", "check", out, "--log", written[1].path).stdout
    assert command("submission", "check", out, "--replay").returncode == 2
    assert json.loads(command("submission", "--schema").stdout)["title"] == "Submission"
    assert command("submission", written[1].path).returncode == 2
    assert "cannot be read" in command("submission", "check", tmp_path / "absent.json").stderr
