"""Every option of `arena-llm eval` takes effect."""

import csv
import json
import shutil

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log
from typer.testing import CliRunner

import evaluation.estimate
import evaluation.evaluate
import evaluation.request
from arena import EvaluationError
from arena.taskfile.versions import Version
from arena_llm.cli import app
from evaluation.generation.budget import RunLimits
from evaluation.suites import chosen_tasks
from llm_control.choices import ArenaChoices
from llm_control.suite import SUITE
from testbed import task_named
from tests.cases import cases
from tests.llm_control.batteries import battery_of

CASES = cases(__file__)

GIVEN = CASES["given"]
"""What is written behind each option (None: it is a switch), and what it means."""

NEEDS = {
    "commands": ["--one-step"],
    "after_loop": ["--loop-turns", "9"],
    "tools": ["--replies", "tools"],
    "order": ["--conversation", "run"],
    "agent": ["--memory-turns", "9"],
    "max_scripts": ["--loop-turns", "50"],
}
"""What some choices are impossible without."""


battery = battery_of((20, 16), (24, 20))


@pytest.fixture
def asked(monkeypatch):
    """What the command asks to be evaluated; nothing is played."""
    found = {}

    def evaluate(request, log_dir, **named):
        found.update(request=request, log_dir=log_dir, **named)
        raise EvaluationError("not played in this test")

    monkeypatch.setattr(evaluation.evaluate, "evaluate", evaluate)
    # These would read texts and tasks, which these tests name without having them.
    monkeypatch.setattr(evaluation.request.EvalRequest, "refuse_early", lambda self: None)
    monkeypatch.setattr(evaluation.estimate, "estimate", lambda *asked: None)
    return found


def invoke(*arguments):
    return CliRunner().invoke(app, ["eval", *map(str, arguments)])


def test_every_choice_of_a_protocol_is_an_option_of_the_table():
    assert set(GIVEN) == set(ArenaChoices.model_fields)


@pytest.mark.parametrize("name", GIVEN)
def test_a_choice_arrives(name, asked):
    written, meant = GIVEN[name]
    meant = tuple(meant) if isinstance(meant, list) else meant
    option = [f"--{name.replace('_', '-')}", *([] if written is None else [written])]
    said = invoke("--model", "arena/random", *option, *NEEDS.get(name, ()))
    assert str(said.exception) == "not played in this test", said.output
    choices = asked["request"].effective.choices
    assert getattr(choices, name) == meant != ArenaChoices.model_fields[name].default
    others = {key for key in NEEDS.get(name, ()) if key.startswith("--")}
    changed = {key for key, value in choices if value != ArenaChoices.model_fields[key].default}
    assert changed == {name} | {key[2:].replace("-", "_") for key in others}


@pytest.mark.parametrize("name", [name for name, (written, _) in GIVEN.items() if written is None])
def test_a_switch_can_be_turned_off_again(name, asked, tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(f"{name}: yes\n")
    for option, meant in (([], True), ([f"--no-{name.replace('_', '-')}"], False)):
        invoke("--model", "arena/random", "--protocol", file, *option)
        assert getattr(asked["request"].effective.choices, name) is meant


def test_options_of_the_command_arrive(asked, battery, tmp_path):
    given = {
        "--log-dir": tmp_path / "l", "--prices": tmp_path / "p", "--prompt": tmp_path / "t",
        "--prompts": tmp_path / "s",
        "--testbed": battery, "--max-cost": 0.5, "--max-tokens-run": 6, "--time-limit-run": 7,
    }  # fmt: skip
    (tmp_path / "p").write_text("some/model: {input: 1, output: 1}\n")
    invoke("--model", "arena/random", "--resume", *(part for pair in given.items() for part in pair))
    request = asked["request"]
    assert (request.model, request.folder, request.prompt) == ("arena/random", battery, tmp_path / "t")
    assert request.texts == tmp_path / "s"
    assert (asked["log_dir"], asked["prices"], asked["resume"]) == (tmp_path / "l", tmp_path / "p", True)
    assert asked["limits"] == RunLimits(tokens=6, cost=0.5, seconds=7)
    assert not request.effective.choices.demonstration
    invoke("--model", "arena/random", "--icl")
    assert (asked["limits"], asked["resume"], asked["prices"]) == (RunLimits(), False, None)
    assert asked["request"].effective.choices.demonstration


def test_show_plays_nothing_and_says_where_a_choice_comes_from(battery, tmp_path):
    logs = tmp_path / "logs"
    chosen = ("--protocol", "blind", "--trials", 9, "--testbed", battery)
    said = invoke("--show", *chosen, "--log-dir", logs).output
    rows = {line.split("│")[1].strip(): line for line in said.splitlines() if line.count("│") > 3}
    assert "preset blind" in rows["vision"]
    assert "option" in rows["trials"]
    assert "default" in rows["seed"]
    assert str(battery)[:20] in rows["testbed"]
    assert not logs.exists()


SHORT = ["--model", "arena/random", "--tasks", "01-04-03", "--max-scripts", 1, "--image-size", 32]


@pytest.mark.e2e
def test_a_run_writes_its_report_where_it_should_and_uses_prompt_and_seed(battery, tmp_path):
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Walk like a crab.")
    logs, out = tmp_path / "logs", tmp_path / "elsewhere"
    common = [*SHORT, "--testbed", battery]
    assert invoke(*common, "--log-dir", logs, "--out", out, "--prompt", prompt).exit_code == 0
    assert (out / "index.html").is_file()
    (info,) = list_eval_logs(str(logs))
    assert read_eval_log(info).samples[0].messages[0].text.startswith("Walk like a crab.")
    assert [path.suffix for path in logs.iterdir()] == [".eval"]
    assert invoke(*common, "--seed", 3, "--log-dir", tmp_path / "b").exit_code == 0
    (info,) = list_eval_logs(str(tmp_path / "b"))
    (sample,) = read_eval_log(info).samples
    assert "crab" not in sample.messages[0].text
    assert sample.metadata["episode"]["replay"]["seed"] == 3
    assert len(list((tmp_path / "b").glob("*/index.html"))) == 1


def test_the_version_of_animal_ai_is_that_of_the_arena(battery):
    tasks = [chosen_tasks(SUITE, ArenaChoices(animal_ai=name), battery)[0] for name in ("3.1.3", "4")]
    assert [task.content.spec.version for task in tasks] == [Version.V3, Version.V4]


def test_a_limit_on_the_cost_says_which_prices_it_rests_on(battery, tmp_path):
    prices = tmp_path / "prices.yaml"
    prices.write_text("as_of: 2031-05-04\nmockllm/model: {input: 1, output: 1}\n")
    common = ["--model", "mockllm/model", *SHORT[2:], "--testbed", battery, "--prices", prices]
    said = invoke(*common, "--max-cost", 1, "--log-dir", tmp_path / "logs")
    note = "$1 in, $1 out, as of 2031-05-04, not verified; edit "
    assert f"{note}{prices}." in said.output
    page = next((tmp_path / "logs").glob("*/index.html")).read_text()
    # A report goes to others, who have other folders.
    assert f"{note}{prices.name}." in page
    (info,) = list_eval_logs(str(tmp_path / "logs"))
    assert note in json.dumps(read_eval_log(info, header_only=True).eval.metadata)


@pytest.mark.e2e
def test_an_agent_of_steps_is_a_row_of_the_table(tmp_path):
    tasks, out = tmp_path / "tasks", tmp_path / "out"
    tasks.mkdir()
    for level in (1, 3):
        shutil.copy(task_named(f"{level:02d}-01-01").path, tasks)
    given = ("--model", "arena/held", "--testbed", tasks, "--trials", 2, "--log-dir", tmp_path / "logs")
    said = invoke(*given, "--out", out)
    assert said.exit_code == 0, said.output
    with (out / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4
    assert {row["passed"] for row in rows} <= {"True", "False"}
    assert "Random Action agent 2024" not in said.output
    assert "No comparison with children" in said.output
    for level in ("1", "3"):
        passes = sum(row["passed"] == "True" for row in rows if row["level"] == level)
        assert f"{passes}/2" in said.output
