"""Whole runs by the command, with a real SDK: what a model is sent, and a run that is killed and resumed."""

import json
import re

import pytest
from inspect_ai.log import read_eval_log

from tests.command import newest, run
from tests.llm_control.provider import MODEL, answer

KEY = {"OPENAI_API_KEY": "none"}


@pytest.fixture
def provider(openai):
    """A server that answers what is asked for; the value is the list of requests' messages."""
    asked: list[list] = []

    def serve(request):
        asked.append(json.loads(request.data)["messages"])
        shown = str(asked[-1][-1]["content"])
        number = len(asked)
        if "Experiment" in shown and "what is its design" in shown:
            design = "1, 2" if "student" in shown else f"{number % 5}.5"
            return answer(f"<thought>{number}</thought><observe>{design}</observe>")
        return answer(f"<answer>{'It grows to about 2.' if 'are over' in shown else 0.5}</answer>")

    openai(serve)
    return asked


def test_questions_leave_the_history_and_a_novice_has_none(provider, tmp_path):
    chosen = ("--environments", "dugongs,irt", "--seeds", 1, "--experiments", 2, "--questions", 2)
    more = ("--novice", "--tasks", "dugongs-prediction-0", "--log-dir", tmp_path)
    done = run("eval", "--suite", "boxing", "--model", MODEL, *chosen, *more, **KEY)
    assert done.returncode == 0, done.stderr
    # Two questions before the first and after each of two experiments, an explanation, two questions.
    assert [len(each) for each in provider] == [2, 2, 2, 4, 4, 4, 6, 6, 6, 1, 1]
    experiment, last = provider[5], provider[8]
    assert [m["role"] for m in experiment] == ["system", "user", "assistant", "user"]
    assert "Dugongs are sea cows" in str(experiment[1]["content"])
    assert sum("<observe>" in str(m["content"]) for m in last if m["role"] == "assistant") == 2
    assert "It grows to about 2." in str(provider[-1][0]["content"])
    assert "Dugongs are" not in str(provider[-1])


def test_a_narrator_and_a_novice_are_other_models(openai, tmp_path):
    asked: dict[str, list] = {"gpt-4o": [], "gpt-4o-mini": []}

    def serve(request):
        body = json.loads(request.data)
        asked[body["model"]].append(body["messages"])
        shown = str(body["messages"][-1]["content"])
        if "what is its design" in shown:
            return answer("<observe>50, 50, 50, 0.34, 0.33, 0.33, 1</observe>", tokens=10)
        if "You take part in a study" in shown:
            return answer("They seem rather glad.", tokens=100)
        first = 9 if "You have seen none" in shown else 5
        return answer(f"<answer>{first}, 4, 3, 2, 1, 2, 3, 4</answer>", tokens=10)

    openai(serve)
    short = ("--environments", "emotions", "--seeds", 1, "--experiments", 2, "--evaluations", 0)
    others = ("--narrator", "gpt-4o-mini", "--novice-model", "gpt-4o-mini", "--novice")
    folder = ("--agent", "hypothesizer", "--questions", 1, "--log-dir", tmp_path)
    done = run("eval", "--suite", "boxing", "--model", MODEL, *short, *others, *folder, **KEY)
    assert done.returncode == 0, done.stderr
    narrated, again, novice = asked["gpt-4o-mini"]
    assert [len(each) for each in (narrated, again, novice)] == [1, 1, 1]
    assert re.search(r"The player is \w.* disappointed", str(narrated))
    assert "5, 4, 3, 2, 1" in str(novice)
    after = [str(each) for each in asked["gpt-4o"] if "They seem rather glad." in str(each)]
    assert after
    assert not any("The player is" in each or "You take part" in each for each in after)
    (sample,) = read_eval_log(str(newest(tmp_path))).samples
    turns = sample.metadata["episode"]["turns"]
    kinds = [turn["kind"] for turn in turns]
    assert kinds == ["predict", "act", "narrate", "act", "narrate", "predict", "explain", "predict"]
    assert [turn["error"] for turn in turns] == [None] * len(turns)
    # What answered last is the scientist, not the novice.
    assert sample.output.completion == turns[-2]["reply"] != turns[-1]["reply"]
    assert sample.model_usage["openai/gpt-4o-mini"].total_tokens == 210
    verified = run("verify", newest(tmp_path), "--jobs", 1)
    assert "1 of 1 episodes: agrees" in verified.stdout, verified.stdout + verified.stderr
    run("report", newest(tmp_path), "--out", tmp_path / "report").succeeded()
