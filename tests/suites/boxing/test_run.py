"""Whole runs by the command, with a real SDK: what a model is sent, and a run that is killed and resumed."""

import json
import re

import pytest
from inspect_ai.log import read_eval_log

from tests.command import command, killed_when, run
from tests.llm_control.provider import MODEL, answer

__all__ = ["command"]


KEY = {"OPENAI_API_KEY": "none"}


@pytest.fixture
def provider(httpserver, monkeypatch):
    """A server that answers what is asked for; the value is the list of requests' messages."""
    asked: list[list] = []

    def serve(request):
        asked.append(json.loads(request.data)["messages"])
        shown = str(asked[-1][-1]["content"])
        number = len(asked)
        if "Experiment" in shown and "what is its design" in shown:
            design = "1, 2" if "student" in shown else f"{number % 5}.5"
            return answer(f"<thought>{number}</thought><observe>{design}</observe>")
        return answer(
            "<answer>It grows to about 2.</answer>" if "are over" in shown else "<answer>0.5</answer>"
        )

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(serve)
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    return asked


def eval_(folder, *more):
    chosen = ("--environments", "dugongs,irt", "--seeds", 1, "--experiments", 2, "--questions", 2)
    return ("eval", "--suite", "boxing", "--model", MODEL, *chosen, "--log-dir", folder, *more)


def newest(folder):
    return max(folder.glob("*.eval"), key=lambda path: path.stat().st_mtime)


def test_a_killed_run_is_resumed_verified_and_reported(provider, tmp_path):
    arguments = eval_(tmp_path / "logs", "--novice", "--max-samples", 1)
    killed_when(lambda: len(provider) >= 14, *arguments)
    resumed = run(*arguments, "--resume", **KEY)
    assert resumed.returncode == 0, resumed.stderr
    log = read_eval_log(str(newest(tmp_path / "logs")))
    assert sorted(sample.id for sample in log.samples) == ["dugongs-prediction-0", "irt-prediction-0"]
    verified = run("verify", newest(tmp_path / "logs"))
    assert "2 of 2 episodes: agrees" in verified.stdout, verified.stdout + verified.stderr
    made = run("report", newest(tmp_path / "logs"), "--out", tmp_path / "report")
    assert (made.returncode, made.stderr) == (0, "")
    page = (tmp_path / "report" / "index.html").read_text()
    assert re.search(r"Novice beside scientist.*Calibration of probabilities", page, re.DOTALL)


def test_questions_leave_the_history_and_a_novice_has_none(provider, tmp_path):
    done = run(*eval_(tmp_path, "--novice", "--tasks", "dugongs-prediction-0"), **KEY)
    assert done.returncode == 0, done.stderr
    # Two questions before the first and after each of two experiments, an explanation, two questions.
    assert [len(each) for each in provider] == [2, 2, 2, 4, 4, 4, 6, 6, 6, 1, 1]
    experiment, last = provider[5], provider[8]
    assert [m["role"] for m in experiment] == ["system", "user", "assistant", "user"]
    assert "Dugongs are sea cows" in str(experiment[1]["content"])
    assert sum("<observe>" in str(m["content"]) for m in last if m["role"] == "assistant") == 2
    assert "It grows to about 2." in str(provider[-1][0]["content"])
    assert "Dugongs are" not in str(provider[-1])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--model", "boxing/oracle"), "the offline agents are boxing/random, boxing/eig"),
        (("--model", "boxing/eig", "--environments", "rats"), "environments: got 'rats'"),
        (("--model", "boxing/eig", "--environments", "irt", "--goals", "source"), "no task"),
        (("--model", "boxing/eig", "--mode", "new"), "mode: got 'new'"),
        (("--model", "boxing/eig", "--evaluations", "one"), "evaluations"),
    ],
)
def test_wrong_arguments_are_said(arguments, said, tmp_path, command):
    failed = command("eval", "--suite", "boxing", *arguments, "--log-dir", tmp_path)
    assert failed.returncode != 0
    assert said in failed.stderr
    assert "Traceback" not in failed.stderr
