"""Scaled scores in reports and comparisons: the same from a log, a report and a submission, or a reason."""

import json

import pandas as pd
import pytest

from evaluation.evaluate import evaluate
from evaluation.log.run import RunLog
from evaluation.request import EvalRequest
from evaluation.scale.scaled import OVERALL
from evaluation.submission import Submitter, submission, write_submission
from evaluation.suites import get_suite
from report.build import write_log_report
from report.comparison.page import write_comparison
from report.comparison.read import read_run, read_runs_apart
from report.comparison.whole import compare
from report.tables import scaled_lines
from tests.llm_control.batteries import run, write_battery


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """Logs of silence and of the best agent on the same episodes of EST."""
    folder, suite = tmp_path_factory.mktemp("est"), get_suite("est")
    asked = {name: EvalRequest(suite, f"est/{name}", choices={"episodes": 4}) for name in ("silent", "ideal")}
    return {name: evaluate(each, folder / name, display="none").path for name, each in asked.items()}


@pytest.fixture(scope="module")
def report(logs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    return write_log_report([RunLog(path) for path in logs.values()], folder)


def whole(table):
    return table[table["group"] == OVERALL].set_index("agent")["scaled"].to_dict()


def test_a_report_has_a_scaled_score_beside_the_raw_figures(report):
    scaled = whole(pd.read_csv(report.page.parent / "scaled.csv"))
    assert scaled["est/silent"] == 0
    assert scaled == pytest.approx(whole(report.scaled.table))
    page = report.page.read_text("utf-8")
    assert "From floor to best" in page
    assert "counts as 0" in page
    assert any(line.startswith("est/silent: scaled score 0.00") for line in scaled_lines(report.scaled))


def test_a_comparison_has_the_same_from_logs_and_from_their_report(logs, report, tmp_path):
    runs = [compare(read_runs_apart([(None, str(place)) for place in places]), ())
            for places in (logs.values(), [report.page.parent])]  # fmt: skip
    for compared in runs:
        assert whole(compared.scaled.table) == pytest.approx(whole(report.scaled.table))
    page = write_comparison(runs[0], tmp_path, title="Both", facts={})
    assert "From floor to best" in page.read_text("utf-8")
    assert whole(pd.read_csv(tmp_path / "scaled.csv")) == pytest.approx(whole(report.scaled.table))


def test_a_submission_says_which_scoring_it_has(logs, report, tmp_path):
    write_submission(submission(RunLog(logs["ideal"]), Submitter(name="A")), tmp_path / "s.json")
    compared = compare(read_run(str(tmp_path / "s.json")), ())
    expected = whole(report.scaled.table)["est/ideal"]
    assert whole(compared.scaled.table) == pytest.approx({"est/ideal": expected})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"tasks": "000000000000"}, "its tasks are of version 000000000000"),
        ({"scoring": 0}, "it was scored by version 0"),
        ({"conditions": "machine = ten"}, "it was played with machine = ten"),
        (None, "do not name the version of their scoring"),
    ],
)
def test_a_report_of_another_version_has_a_reason_instead(report, tmp_path, change, says):
    facts = json.loads((report.page.parent / "run.json").read_text("utf-8"))
    bases = {agent: known | (change or {}) for agent, known in facts["bases"].items()}
    (tmp_path / "run.json").write_text(json.dumps(facts | {"bases": bases if change else None}), "utf-8")
    (tmp_path / "results.csv").write_bytes((report.page.parent / "results.csv").read_bytes())
    compared = compare(read_run(str(tmp_path)), ())
    assert compared.scaled.table.empty
    assert [says in reason for reason in compared.scaled.reasons] == [True, True]


def test_task_files_of_ones_own_have_no_scaled_score(logs, tmp_path):
    done = run(write_battery(tmp_path / "own", (20, 20)), tmp_path / "logs", "arena/random", max_scripts=1)
    made = write_log_report([done.run], tmp_path / "report")
    assert made.scaled.table.empty
    assert "its tasks are of version" in made.scaled.reasons[0]
