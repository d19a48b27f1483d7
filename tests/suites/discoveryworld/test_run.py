"""Whole runs by the command with a real SDK: a model, its judge, what they cost, verification, report."""

import json

import pytest
from inspect_ai.log import read_eval_log

from evaluation.log.run import RunLog
from report.comparison.read import read_run
from report.comparison.whole import compare
from tests.command import newest, run
from tests.llm_control.provider import MODEL, answer, failure
from tests.suites.setups import needs_package

pytestmark = needs_package

JUDGE = "openai/gpt-4o-mini"
KEY = {"OPENAI_API_KEY": "none"}
TAKE = '{"action": "PICKUP", "arg1": "proteomics meter"}'
REPLIES = ("I think the vortisquid is odd.\nturn(west)", TAKE, "hm")


@pytest.fixture
def provider(openai):
    """A server that plays and judges; `asked` and `judged` are the requests, `verdict` the judge's answer."""

    class Provider:
        verdict = staticmethod(lambda: answer("They say so.\nyes", tokens=100))

    made = Provider()
    made.asked, made.judged = [], []

    def serve(request):
        asked = json.loads(request.data)
        if asked["model"] == JUDGE.partition("/")[2]:
            made.judged.append(asked)
            return made.verdict()
        made.asked.append(asked)
        return answer(REPLIES[(len(made.asked) - 1) % len(REPLIES)], tokens=10)

    openai(serve)
    return made


def eval_(folder, *more):
    task = ("eval", "--suite", "discoveryworld", "--tasks", "proteomics-easy-0", "--steps", 3)
    return (*task, "--model", MODEL, "--log-dir", folder, *more)


def test_a_model_plays_and_another_judges_once(provider, command, tmp_path):
    done = run(*eval_(tmp_path / "logs", "--judge", "gpt-4o-mini", "--trials", 2, "--max-samples", 1), **KEY)
    assert done.returncode == 0, done.stderr
    log = newest(tmp_path / "logs")
    first, second = read_eval_log(str(log)).samples
    for sample in (first, second):
        record = sample.metadata["episode"]
        assert (record["knowledge"], record["turns"][2]["error"] is None) == (1.0, False)
        assert sample.scores["episode_score"].metadata["knowledge"] == 1.0
    # Both wrote the same notes.
    assert (len(provider.asked), len(provider.judged)) == (6, 1)
    assert "I think the vortisquid is odd." in str(provider.judged)
    assert first.model_usage[JUDGE].total_tokens == 100
    assert first.model_usage[JUDGE].total_cost > 0
    assert first.model_usage[MODEL].total_tokens == 30
    # What a judge said last is no reply that was lost.
    assert [each.talk.unplayed for each in RunLog(log).episodes()] == [None, None]
    verified = command("verify", log, "--jobs", 1)
    assert "2 of 2 episodes: agrees" in verified.stdout, verified.stdout + verified.stderr
    command("report", log, "--out", tmp_path / "report").succeeded()
    page = (tmp_path / "report" / "index.html").read_text()
    assert "Knowledge with the paper" in page
    order = [page.index(words) for words in ("completion", "procedure", "knowledge", "Sent with")]
    assert order == sorted(order)
    for table in (tmp_path / "report", tmp_path / "report" / "results.csv", log):
        runs = compare(read_run(str(table)), ())
        means = runs.tables["headlines"].set_index("metric")["mean"]
        assert list(means.index) == ["completion", "procedure", "knowledge"]
        assert (means["completion"], means["knowledge"]) == (0, 1)
    assert done.stdout.index("knowledge") < done.stdout.index("by theme")
    pages = "".join(page.read_text() for page in (tmp_path / "report").rglob("*.html"))
    assert "What was found out" in pages


@pytest.mark.e2e
def test_a_judge_reads_the_thoughts_of_an_agent(provider, command, monkeypatch, tmp_path):
    monkeypatch.setitem(globals(), "REPLIES", ("The gascurve is like the others.\nAction: turn(west)",))
    done = command(*eval_(tmp_path, "--judge", JUDGE, "--agent", "react"))
    assert done.returncode == 0, done.stderr
    assert "Step 3: The gascurve is like the others." in str(provider.judged)
    (sample,) = read_eval_log(str(newest(tmp_path))).samples
    assert [turn["reply"] for turn in sample.metadata["episode"]["turns"]] == ["turn(west)"] * 3


def test_a_judge_that_fails_costs_the_metric_and_not_the_episode(provider, tmp_path):
    provider.verdict = lambda: failure(400, "no such judge")
    done = run(*eval_(tmp_path, "--judge", JUDGE), **KEY)
    assert done.returncode == 0, done.stderr
    (sample,) = read_eval_log(str(newest(tmp_path))).samples
    record = sample.metadata["episode"]
    assert "knowledge" not in record
    assert "no such judge" in record["replay"]["judge"]["failed"]
    assert record["steps"] == 3


@pytest.mark.slow
def test_a_conversation_is_judged_task_by_task_and_once_if_it_is_resumed(provider, tmp_path):
    more = ("--conversation", "run", "--judge", JUDGE)
    arguments = list(eval_(tmp_path, *more))
    arguments[arguments.index("proteomics-easy-0")] = "proteomics-easy-0,proteomics-easy-1"
    assert run(*arguments, "--max-tokens-run", 115, **KEY).returncode == 1
    assert (len(provider.asked), len(provider.judged)) == (3, 1)
    done = run(*arguments, "--resume", **KEY)
    assert done.returncode == 0, done.stderr
    (sample,) = read_eval_log(str(newest(tmp_path))).samples
    assert [record["knowledge"] for record in sample.metadata["episodes"].values()] == [1.0, 1.0]
    assert (len(provider.asked), len(provider.judged)) == (6, 2)
    assert list(tmp_path.glob("*.replies.jsonl")) == []
