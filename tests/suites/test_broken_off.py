"""Reports of every suite over episodes that failed, were cut off by a limit, or were never begun."""

import csv
from itertools import count

import pytest

from tests.command import run
from tests.llm_control.provider import MODEL, answer, failure
from tests.suites.discoveryworld.worlds import needs_package
from tests.suites.scienceworld.simulation import needs_java

SUITES = {
    "arena": ("--tasks", "01-01-01,01-01-02", "--max-scripts", 8),
    "est": ("--tasks", "est-00001,est-00002"),
    "boxing": ("--tasks", "dugongs-prediction-0,dugongs-prediction-1", "--experiments", 4, "--questions", 2),
    "scienceworld": ("--tasks", "4-1,4-3", "--variations", 1),
    "discoveryworld": ("--tasks", "proteomics-easy-0,proteomics-easy-1"),
}
NEEDS = {"scienceworld": needs_java, "discoveryworld": needs_package}
CAUSES = {
    "ended by an error": (),
    "ended by the token limit": ("--max-tokens-per-episode", 250),
    "stopped by the run's limit": ("--max-tokens-run", 250),
}
SLOW = {cause: pytest.mark.slow for cause in CAUSES if cause != "ended by the token limit"}
EACH = [pytest.param(name, marks=[NEEDS[name]] if name in NEEDS else []) for name in SUITES]


@pytest.fixture
def broken(httpserver, monkeypatch, tmp_path):
    """Runs two tasks of a suite that break off for a cause; returns the folder with the log."""

    def run_(suite, cause):
        numbers = count(1)

        def serve(_):
            return (
                failure(400)
                if cause == "ended by an error" and next(numbers) > 3
                else answer("hm", tokens=100)
            )

        httpserver.expect_request("/v1/chat/completions").respond_with_handler(serve)
        monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
        chosen = ("--suite", suite, "--model", MODEL, "--max-samples", 1)
        more = (*SUITES[suite], *CAUSES[cause], "--log-dir", tmp_path / "logs")
        done = run("eval", *chosen, *more, OPENAI_API_KEY="none")
        assert "Traceback" not in done.stderr, done.stderr
        return tmp_path / "logs"

    return run_


@pytest.mark.parametrize("cause", [pytest.param(cause, marks=SLOW.get(cause, ())) for cause in CAUSES])
@pytest.mark.parametrize("suite", EACH)
def test_episodes_that_broke_off_have_a_report(suite, cause, broken, tmp_path):
    made = run("report", broken(suite, cause), "--out", tmp_path / "report")
    assert (made.returncode, made.stderr) == (0, ""), made.stderr
    rows = list(csv.DictReader((tmp_path / "report" / "episodes.csv").read_text().splitlines()))
    assert [row["passed"] for row in rows] == ["", ""]
    assert rows[0]["status"] == cause
    assert (rows[0]["turns"] == "2") is (cause == "ended by the token limit")
