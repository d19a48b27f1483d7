"""Box's Apprentice: programs in PyMC, what the model is sent of them, tokens, resume."""

import asyncio
import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from inspect_ai.log import read_eval_log

from arena import packages
from arena.errors import ConfigError
from evaluation.choices.effective import effective
from evaluation.estimate import estimate
from evaluation.evaluate import evaluate
from evaluation.generation.budget import RunLimits, spent_before
from evaluation.request import EvalRequest
from evaluation.verify.sources import Verdict
from report.build import write_log_report
from suites.boxing.apprentice import confine, fit, program_in
from suites.boxing.apprentice.sandbox import run_confined
from suites.boxing.suite import SUITE
from tests.evaluation.agents.scripted import MODEL, TOKENS, content
from tests.evaluation.verify.logs import checked
from tests.llm_control.provider import answer

confined = pytest.mark.skipif(confine.lacking() is not None, reason=str(confine.lacking()))
needs_pymc = pytest.mark.skipif(find_spec("pymc") is None, reason="PyMC is not installed")

DUGONGS = """
import numpy as np
import pymc as pm

age = np.array([each["design"][0] for each in observations])
length = np.array([each["outcome"][0] for each in observations])
with pm.Model() as model:
    final, less = pm.Normal("final", 2, 1), pm.HalfNormal("less", 2)
    kept = pm.Beta("kept", 2, 2)
    pm.Normal("length", final - less * kept**age, 0.25, observed=length)
    pm.Deterministic("oldest", final - less * kept**5)
"""

REPLIES = {
    "some thoughts\n```python\nx = 1\n```\nmore": "x = 1\n",
    "```\na\n```\nbetter:\n```py\nb\n```": "b\n",
    "```python\nx = '''\ncut off": "x = '''\ncut off",
    "No change.": None,
    "```python\n```": None,
}


@pytest.mark.parametrize("reply", REPLIES)
def test_the_last_block_of_a_reply_is_its_program(reply):
    assert program_in(reply) == REPLIES[reply]


def request(**choices):
    quick = {"tasks": "dugongs-prediction-0", "experiments": 2, "questions": 1, "evaluations": "2"}
    chosen = {**quick, "agent": "apprentice", "programs": "1", "drafts": 2, **choices}
    return EvalRequest(SUITE, MODEL, choices=chosen)


def test_what_an_apprentice_excludes_and_needs(monkeypatch, tmp_path):
    with pytest.raises(ConfigError, match="its programs belong to one episode"):
        effective(SUITE, None, {"agent": "apprentice", "conversation": "run"})
    with pytest.raises(ConfigError, match=r"agent: got 'apprentise', expected .*or 'apprentice'"):
        effective(SUITE, None, {"agent": "apprentise"})
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr(packages, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"pymc not found; run: pip install 'arena-llm\[pymc\]'"):
        evaluate(request(), tmp_path, display="none")


def test_only_runs_with_it_have_its_texts_and_choices():
    plain = request(agent="direct")
    assert request().prompts.texts().keys() - plain.prompts.texts().keys() >= {"apprentice_program"}
    assert not {"programs", "drafts"} & EvalRequest(SUITE, MODEL).effective.choices.planned().keys()
    assert estimate(request()).calls == estimate(plain).calls + 2 * 2


@pytest.mark.slow
@confined
@needs_pymc
def test_a_model_is_fitted_and_its_posterior_and_predictions_are_printed():
    rng = np.random.default_rng(0)
    ages = rng.uniform(0, 5, 10)
    lengths = 2 - 1.5 * 0.4**ages + rng.normal(0, 0.25, 10)
    pairs = zip(ages.tolist(), lengths.tolist(), strict=True)
    seen = [{"design": [age], "outcome": [length]} for age, length in pairs]
    then = Path(fit.__file__).read_text(encoding="utf-8")
    found = asyncio.run(run_confined(DUGONGS, {"observations": seen}, then))
    assert found.worked, found.text
    rows = dict(line.strip().split(": ", 1) for line in found.text.splitlines() if line.startswith("  "))
    mean, sd, low, high, r_hat = map(float, rows["oldest"].split())
    assert low < mean < high
    assert abs(mean - (2 - 1.5 * 0.4**5)) < 3 * sd < 0.6
    assert r_hat < 1.1
    observed, mean, low, high = map(float, rows["length[3]"].split())
    assert observed == pytest.approx(lengths[3], abs=1e-3)
    assert low < observed < high


@pytest.fixture
def model(openai):
    """Answers what it is asked for, with these programs in turn; the value is that and the requests."""
    programs: list[str] = []
    asked: list[list] = []

    def serve(request):
        asked.append(json.loads(request.data)["messages"])
        last = content(asked[-1][-1])
        if "Write a statistical model" in last:
            text = f"```python\n{programs.pop(0)}\n```" if programs else "It needs no improvement."
        elif "what is its design" in last:
            text = f"Thought: far out.\n\nAction: <observe>{len(asked) % 5}</observe>"
        else:
            text = "Thought: so.\n\nAction: <answer>1.8</answer>"
        return answer(text, tokens=TOKENS)

    openai(serve)
    return programs, asked


@confined
@needs_pymc
def test_an_episode_is_played_with_programs_that_fail_and_work(model, tmp_path):
    programs, asked = model
    programs += ["1 / 0", DUGONGS]
    log = evaluate(request(novice=True), tmp_path / "logs", display="none")
    shown = ["\n".join(map(content, messages)) for messages in asked]
    # Two programs after the first experiment, one request without a program after the last.
    kinds = ["program" if "Write a statistical model" in each else "reply" for each in shown]
    assert kinds == ["reply", *["program"] * 2, "reply", "program", *["reply"] * 3]
    assert '"outcome": [' in shown[1]
    assert "Dugongs are sea cows" in shown[1]
    assert "Your last program" not in shown[1]
    assert "1 / 0\n```\n\nResult:\n\nline 1: 1 / 0\nZeroDivisionError" in shown[2]
    assert "Posterior: mean sd" in shown[3]
    assert "kept**age" in shown[4]
    assert all("Posterior: mean sd" in each for each in shown[5:7])
    assert "are over" in shown[6]
    # A novice has nothing but the explanation.
    assert "Posterior" not in shown[7]
    assert len(asked[7]) == 1
    (sample,) = read_eval_log(str(log.path)).samples
    logged = sample.metadata["agent"]["programs"]
    assert [(each["experiments"], each["worked"]) for each in logged] == [(1, False), (1, True)]
    assert sum(usage.total_tokens for usage in sample.model_usage.values()) == len(asked) * TOKENS
    assert spent_before(log.path).tokens == len(asked) * TOKENS
    assert len(asked) <= estimate(request(novice=True)).calls
    assert [each.verdict for each in checked(log.path)] == [Verdict.AGREES]
    written = write_log_report([log], tmp_path / "report")
    pages = [page.read_text() for page in written.page.parent.rglob("*.html")]
    assert any("kept**age" in page and "ZeroDivisionError" in page for page in pages)


@confined
@needs_pymc
def test_a_stopped_run_goes_on_and_asks_no_question_twice(model, tmp_path):
    programs, asked = model
    programs += ["1 / 0"] * 100
    evaluate(request(), tmp_path, display="none", limits=RunLimits(tokens=4 * TOKENS))
    assert len(asked) == 4
    log = evaluate(request(), tmp_path, display="none", resume=True)
    # Two experiments, two programs after each, and a question.
    assert len(asked) == 2 + 2 * 2 + 1
    (sample,) = read_eval_log(str(log.path)).samples
    assert len(sample.metadata["agent"]["programs"]) == 4
