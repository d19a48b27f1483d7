"""What is asked for: the model's name; and the plan file, which is written before a run and never changed."""

import hashlib
import json

import pytest
from typer.testing import CliRunner

from arena import ConfigError, EvaluationError
from arena_llm.cli import app
from evaluation.log.run import open_logs
from evaluation.request import deviations, model_name, read_plan, settle_plan
from report.build import plan_sentence
from tests.cases import cases
from tests.command import KEYS
from tests.llm_control.batteries import ARENA, battery_of, eval_request

CASES = cases(__file__)

battery = battery_of((20, 16), (24, 20))


def sentence(battery, tmp_path, name, *more):
    """What the report says of a run with the plan of the folder."""
    logs = tmp_path / name
    given = ["eval", "--model=arena/random", "--max-scripts=1", f"--plan={tmp_path / 'plan.json'}"]
    said = CliRunner().invoke(app, [*given, f"--testbed={battery}", f"--log-dir={logs}", *more])
    return plan_sentence(open_logs([(None, next(logs.glob("*.eval")))])[0]), said.output


@pytest.mark.e2e
def test_a_run_is_as_planned_or_says_where_not(battery, tmp_path):
    first, _ = sentence(battery, tmp_path, "a")
    assert "as planned" in first
    before = (tmp_path / "plan.json").read_bytes()
    second, said = sentence(battery, tmp_path, "b", "--seed", "3")
    assert "deviated" in second
    assert "protocol seed: 0 was planned, 3 was used" in second
    assert "protocol seed: 0 was planned, 3 was used" in said
    # Missing trials are a deviation, too.
    third, _ = sentence(battery, tmp_path, "c", "--max-tokens-run", "0")
    assert "trials: 2 were planned, 0 have a score" in third
    assert (tmp_path / "plan.json").read_bytes() == before


def test_each_kind_of_deviation_is_told(battery, tmp_path):
    planned = eval_request("arena/random", battery).plan()
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Play.")
    other = eval_request("arena/pixels", battery).plan()
    assert [d.split(":")[0] for d in deviations(planned, other)] == ["model"]
    own = eval_request("arena/random", battery, prompt).plan()
    assert [d.split(":")[0] for d in deviations(planned, own)] == ["prompts"]
    task = battery / "01-04-03.yaml"
    task.write_text(task.read_text() + "# changed\n")
    (battery / "01-06-02.yaml").rename(battery / "01-07-02.yaml")
    told = list(deviations(planned, eval_request("arena/random", battery).plan()))
    assert len(told) == 3
    assert "was planned" in told[0]
    assert told[1] == "task 01-06-02: planned, but not used"
    assert told[2] == "task 01-07-02: not planned"


def test_a_plan_is_there_before_anything_is_asked_and_holds_every_choice(battery, tmp_path):
    path = tmp_path / "deep" / "plan.json"
    settle_plan(path, eval_request("arena/random", battery))
    plan = json.loads(path.read_text())
    assert plan["protocol"]["retries"] == 3
    assert set(plan["tasks"]) == {"01-04-03", "01-06-02"}
    assert len(plan["prompts"]) == 64


def test_a_plan_of_before_a_choice_was_added_is_that_of_its_default(battery):
    """So that a run that began earlier is resumed."""
    request = eval_request("arena/random", battery)
    plan = request.plan()
    assert set(request.effective.choices.model_fields_set) == set()
    left_out = set(type(request.effective.choices).model_fields) - set(plan["protocol"])
    assert left_out == {"memory_characters", "agent", "beliefs"}
    facts = json.dumps({"suite": "arena", **plan}, sort_keys=True)
    assert request.fingerprint == hashlib.sha256(facts.encode()).hexdigest()
    limited = eval_request("arena/random", battery, choices={"memory_characters": 9})
    assert list(deviations(plan, limited.plan())) == ["protocol memory_characters: not planned"]
    assert limited.fingerprint != request.fingerprint


@pytest.mark.parametrize("text", ["", "{", "[]", '{"model": "a/b"}', '{"model": 3}'])
def test_a_file_that_is_no_plan_is_refused(text, tmp_path):
    path = tmp_path / "plan.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"plan.json:\d+: not a plan"):
        read_plan(path)


def test_a_plan_that_cannot_be_written_says_so(battery, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(EvaluationError, match="cannot be written"):
        settle_plan(tmp_path / "file" / "plan.json", eval_request("arena/random", battery))


@pytest.mark.parametrize(("given", "key", "full"), CASES["names"])
def test_names_map_to_providers(given, key, full, monkeypatch):
    if key:
        monkeypatch.setenv(key, "k")
    assert model_name(ARENA, given) == full


@pytest.mark.parametrize(
    ("given", "client", "missing"),
    [
        *(("gpt-4o", {}, "set OPENAI_API_KEY"), ("claude-x", {}, "set ANTHROPIC_API_KEY")),
        ("gemini-x", {"google-genai": "2.0"}, "set GOOGLE_API_KEY"),
        ("gemini-x", {}, r"run: pip install 'arena-llm\[google\]'"),
    ],
)
def test_a_missing_key_or_client_is_named(given, client, missing, monkeypatch):
    monkeypatch.setattr("evaluation.request.installed", lambda *_: client)
    for name in (*KEYS, "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(EvaluationError, match=missing):
        model_name(ARENA, given)


@pytest.mark.parametrize("given", ["frob", "", "/x", "x/", "arena/other"])
def test_an_unknown_model_says_how_to_write_one(given):
    with pytest.raises(EvaluationError, match=r"arena/pixels"):
        model_name(ARENA, given)
