"""Episodes that a limit or an error ended are shown as such: never as failures, never as zeros."""

from itertools import repeat

import pandas as pd
import pytest

from evaluation.log.run import RunLog, open_logs
from evaluation.results import read_results
from report.build import write_log_report
from tests.llm_control.batteries import run, write_battery
from tests.llm_control.provider import MODEL, answer, failure


@pytest.fixture
def report(tmp_path, openai):
    """Plays three tasks against a server that answers so many requests, and gives the report's folder."""
    battery = write_battery(tmp_path / "battery", (20, 16), (24, 20), (16, 24))

    def make(answers=1000, **choices):
        served = repeat(answer("Turn(6);", tokens=1000), answers)
        openai(lambda _: next(served, failure(400, "no more of it")))
        short = {"image_size": 16, "initial_idle_steps": "1", "max_scripts": 3, "relaunches": 0}
        log = run(battery, tmp_path / "logs", MODEL, **short, **choices).log
        write_log_report(open_logs([("m", log)]), tmp_path / "report", frames=True)
        return tmp_path / "report", RunLog(log)

    return make


def test_an_episode_that_a_limit_ended_has_no_verdict_and_no_reward_as_pages_say(report):
    folder, _ = report(tasks="01-04-03", max_tokens_per_episode=1500)
    row = read_results(folder / "results.csv").iloc[0]
    assert pd.isna(row["passed"])
    assert pd.isna(row["total_reward"])
    assert row["error"] == "ended by the token limit (1,500)"
    episode = pd.read_csv(folder / "episodes.csv").iloc[0]
    assert (episode["limit"], episode["status"]) == ("token", "ended by the token limit")
    assert pd.isna(episode["failure"])
    index = (folder / "index.html").read_text("utf-8")
    assert "No episode failed." in index
    assert "1 episode ended by a limit (1 by the token limit)" in index
    assert "<td>ended by the token limit</td>" in index
    page = (folder / "episodes" / "m" / "01-04-03_1.html").read_text("utf-8")
    assert "No verdict: ended by the token limit (1,500)" in page
    assert "this is not a failure" in page
    assert "This reply arrived, but was not played because of the limit:" in page
    assert "Turn 2, not played" in page
    assert "✗" not in page


def test_a_limit_in_a_conversation_concerns_its_episode_and_those_after(report):
    folder, log = report(conversation="run", max_tokens_per_episode=4500)
    results = read_results(folder / "results.csv")
    assert results["passed"].notna().tolist() == [True, False, False]
    assert results["error"].tolist()[1:] == [
        "ended by the token limit (4,500)",
        "not played in its conversation, which was ended by the token limit (4,500)",
    ]
    status = pd.read_csv(folder / "episodes.csv")["status"].tolist()
    assert status[1:] == ["ended by the token limit", "not played"]
    usage = [each.usage.input_tokens + each.usage.output_tokens for each in log.episodes()]
    # The reply that went over the limit was paid for in the episode that it ended.
    assert usage == [3000, 2000, 0]


def test_an_error_is_told_in_the_providers_words(report):
    folder, log = report(answers=3)
    errors = [each.result.error for each in log.episodes()]
    assert [error is None for error in errors].count(True) < 3
    assert any("no more of it" in (error or "") for error in errors)
    assert not any("Request" in (error or "") for error in errors)
    index = (folder / "index.html").read_text("utf-8")
    assert "Partial run" in index
    assert "m (partial run)" in index
    assert "<td>ended by an error</td>" in index
    for page in folder.glob("episodes/m/*.html"):
        assert "Partial run" in page.read_text("utf-8")


def test_a_whole_run_has_no_word_of_limits(report):
    folder, _ = report(tasks="01-04-03")
    index = (folder / "index.html").read_text("utf-8")
    assert "ended by a limit (1" not in index
    assert "Without a verdict" not in index
    assert read_results(folder / "results.csv").iloc[0]["passed"] is not pd.NA
