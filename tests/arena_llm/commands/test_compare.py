"""`arena-llm compare` as a user meets it."""

import pytest

pytestmark = pytest.mark.e2e

RESULTS = (
    "agent,task_id,level,trial,pass_mark,total_reward,passed,outcome,steps,turns,error\n"
    "m/a,01-01-01,1,0,0,1,True,goal,9,1,\n"
)


def test_runs_are_compared_in_one_report(tmp_path, command):
    (tmp_path / "results.csv").write_text(RESULTS)
    (tmp_path / "b=c.csv").write_text(RESULTS.replace("True", "False"))
    runs = (f"first={tmp_path / 'results.csv'}", tmp_path / "b=c.csv")
    command("compare", *runs, "--out", tmp_path / "out").succeeded()
    table = (tmp_path / "out" / "levels.csv").read_text()
    assert "1,Food Retrieval,first,run,this run,1,1,1,1," in table
    assert "1,Food Retrieval,m/a,run,this run,1,1,1,0," in table
    assert f"first = {tmp_path / 'results.csv'}" in (tmp_path / "out" / "index.html").read_text()


def test_what_is_missing_is_played_once_and_then_compared(tmp_path, command):
    options = ["compare", "--run", "arena/random", "--tasks", "01-04-03", "--log-dir", tmp_path / "logs"]
    first = command(*options, "--out", tmp_path / "out")
    assert (first.returncode, first.stderr) == (0, "arena/random: playing 1 tasks\n")
    assert "Other tasks" in first.stdout
    assert "version" not in first.stdout
    again = command(*options, "--out", tmp_path / "out", "--with", "children")
    assert again.returncode == 0
    assert "already exists" in again.stderr
    assert "top ten" not in again.stdout.replace("top ten are chosen", "")
    assert len(list((tmp_path / "logs").glob("*.eval"))) == 1
