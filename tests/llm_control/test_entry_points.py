"""Ways in besides `arena-llm eval`: Inspect's own command, any of its agents, and local model servers."""

import json
import subprocess
import sys
from pathlib import Path

import inspect_ai
import pytest
from inspect_ai.agent import as_solver, react
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import basic_agent, generate
from werkzeug import Request as HttpRequest
from werkzeug import Response

from llm_control.registry import act
from llm_control.registry import testbed as battery_task
from tests.llm_control.batteries import run, write_battery
from tests.llm_control.test_evaluate import openai_reply

INSPECT = Path(sys.executable).with_name("inspect")


@pytest.fixture
def battery(tmp_path):
    return write_battery(tmp_path / "battery", (20, 16))


def call(name, **arguments):
    output = ModelOutput.for_tool_call("mockllm/model", name, arguments)
    output.usage = ModelUsage(input_tokens=0, output_tokens=0, total_tokens=0)
    return output


def text(words):
    output = ModelOutput.from_content("mockllm/model", words)
    output.usage = ModelUsage(input_tokens=0, output_tokens=0, total_tokens=0)
    return output


SOLVERS = {
    "react": lambda: as_solver(react(tools=[act()])),
    "basic_agent": lambda: basic_agent(tools=[act()]),
    "generate": generate,
}


@pytest.mark.parametrize("name", SOLVERS)
def test_any_solver_plays_by_the_tool_and_is_scored_by_us(name, battery, tmp_path):
    replies = [call("act", script="Turn(12); Turn(-12);"), call("act", script="Go(20);")]
    replies += [text("done")] if name == "generate" else [call("submit", answer="done")]
    task = battery_task(folder=str(battery), protocol="tool-calling", image_size=32)
    model = get_model("mockllm/model", custom_outputs=replies)
    (log,) = inspect_ai.eval(
        task, model, solver=SOLVERS[name](), display="none", log_dir=str(tmp_path / "logs")
    )
    (sample,) = log.samples
    assert sample.error is None, sample.error
    score = sample.scores["pass_mark"]
    assert (score.value, score.metadata["outcome"], score.metadata["turns"]) == (1.0, "goal", 2)
    assert sample.metadata["episode"]["model_end"] == "episode"


def test_a_solver_that_stops_early_lets_the_clock_run_down(battery, tmp_path):
    task = battery_task(folder=str(battery), protocol="tool-calling", image_size=32)
    model = get_model("mockllm/model", custom_outputs=[call("act", script="Turn(6);"), text("enough")])
    (log,) = inspect_ai.eval(task, model, solver=generate(), display="none", log_dir=str(tmp_path / "logs"))
    (sample,) = log.samples
    assert sample.scores["pass_mark"].value == 0.0
    assert sample.scores["pass_mark"].metadata["outcome"] == "health gone"
    assert sample.metadata["episode"]["model_end"] == "solver"


def test_a_call_after_the_end_is_answered(battery, tmp_path):
    replies = [call("act", script="Go(20);"), call("act", script="Go(2);"), text("done")]
    task = battery_task(folder=str(battery), protocol="tool-calling", image_size=32)
    model = get_model("mockllm/model", custom_outputs=replies)
    (log,) = inspect_ai.eval(task, model, solver=generate(), display="none", log_dir=str(tmp_path / "logs"))
    results = [message.text for message in log.samples[0].messages if message.role == "tool"]
    assert "The episode is over" in results[0]
    assert "nothing more to do" in results[1]


@pytest.mark.parametrize(
    "arguments",
    [
        ["arena_llm/testbed", "-T", "levels=1-3", "-T", "protocol=several-images", "-T", "max_scripts=2"],
        ["arena_llm/testbed", "-T", "levels=1", "-T", "tasks=01-01-01,01-01-02", "-T", "icl=true"],
        ["arena_llm/perception", "-T", "each=1"],
        ["arena_llm/testbed", "-T", "protocol=tool-calling", "--solver", "arena_llm/react"],
    ],
    ids=["testbed", "tasks", "perception", "react"],
)
def test_inspects_own_command(arguments, tmp_path):
    command = [str(INSPECT), "eval", *arguments, "--model", "arena/pixels", "--limit", "2"]
    done = subprocess.run(
        [*command, "-T", "image_size=64", "--display", "plain", "--log-dir", str(tmp_path)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (info,) = list_eval_logs(str(tmp_path))
    log = read_eval_log(info)
    assert log.eval.task_registry_name == arguments[0]
    assert log.status == "success"
    assert len(log.samples) == 2
    assert all(sample.scores for sample in log.samples)


def test_inspects_command_says_what_is_wrong(tmp_path):
    done = subprocess.run(
        [str(INSPECT), "eval", "arena_llm/testbed", "--model", "arena/pixels", "-T", "max_scrpts=2"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode != 0
    assert "did you mean max_scripts?" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("model", "variables"),
    [
        ("vllm/some-model", ("VLLM_BASE_URL", "VLLM_API_KEY")),
        ("ollama/some-model", ("OLLAMA_BASE_URL", "OLLAMA_API_KEY")),
        ("openai-api/llamacpp/some-model", ("LLAMACPP_BASE_URL", "LLAMACPP_API_KEY")),
    ],
    ids=["vllm", "ollama", "llama.cpp"],
)
def test_local_servers_that_speak_as_openai_does(
    model, variables, battery, tmp_path, httpserver, monkeypatch
):
    monkeypatch.setenv(variables[0], httpserver.url_for("/v1"))
    monkeypatch.setenv(variables[1], "local")
    bodies = []

    def serve(request: HttpRequest) -> Response:
        bodies.append(request.get_json())
        return Response(json.dumps(openai_reply("Go(20);")), content_type="application/json")

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(serve)
    result = run(battery, tmp_path / "logs", model, image_size=32)
    assert [row.passed for row in result.rows] == [True], result.rows
    assert bodies[0]["model"] == "some-model"
    assert any(part["type"] == "image_url" for part in bodies[0]["messages"][1]["content"])
