"""Reports of every suite over episodes that a limit cut off."""

import csv

import pytest

from tests.llm_control.provider import MODEL, answer
from tests.suites.setups import each_of

SUITES = {
    "arena": ("--tasks", "01-01-01,01-01-02", "--max-scripts", 8),
    "est": ("--tasks", "est-00001,est-00002"),
    "laboratory": ("--tasks", "11-01-01,11-02-01"),
    "boxing": ("--tasks", "dugongs-prediction-0,dugongs-prediction-1", "--experiments", 4, "--questions", 2),
    "scienceworld": ("--tasks", "4-1,4-3", "--variations", 1),
    "discoveryworld": ("--tasks", "proteomics-easy-0,proteomics-easy-1"),
}


@pytest.mark.e2e
@pytest.mark.parametrize("suite", each_of(SUITES))
def test_episodes_that_a_limit_cut_off_have_a_report(suite, command, openai, tmp_path):
    openai(lambda _: answer("hm", tokens=100))
    chosen = ("--suite", suite, "--model", MODEL, *SUITES[suite], "--max-tokens-per-episode", 250)
    played = command("eval", *chosen, "--max-samples", 1, "--log-dir", tmp_path / "logs")
    assert "have no score" in played.stderr
    command("report", tmp_path / "logs", "--out", tmp_path / "report").succeeded()
    rows = list(csv.DictReader((tmp_path / "report" / "episodes.csv").read_text().splitlines()))
    assert [row["passed"] for row in rows] == ["", ""]
    assert (rows[0]["status"], rows[0]["turns"]) == ("ended by the token limit", "2")
