"""Ways in besides `arena-llm eval`, and what Inspect AI shows: version, scores, and metrics by group."""

import math
import subprocess
import sys
from functools import partial
from pathlib import Path

import inspect_ai
import pytest
from click.testing import CliRunner
from inspect_ai._cli.main import inspect as inspect_command
from inspect_ai.agent import as_solver, react
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import get_model
from inspect_ai.scorer import SampleScore, Score
from inspect_ai.solver import basic_agent, generate

from arena_llm.verify import pass_rates
from evaluation.inspect_task.interface import InspectUserError
from evaluation.inspect_task.registry import registered
from evaluation.inspect_task.scoring import by_group, pass_rate, stderr
from evaluation.log.run import RunLog
from evaluation.statistics import pass_rates as pass_rates_of
from evaluation.verify.sources import Verdict
from llm_control.tools import act
from report.build import write_log_report
from report.comparison.page import summary_table
from report.comparison.read import read_run
from report.comparison.runs import shipped_groups
from report.comparison.whole import compare
from testbed.tasks import LEVELS_FOLDER, files_version, find_paths
from tests.cases import cases
from tests.evaluation.verify.logs import checked
from tests.llm_control.batteries import ARENA, battery_of, run, write_battery
from tests.llm_control.provider import answer
from tests.llm_control.replies import called, said

CASES = cases(__file__)

INSPECT = Path(sys.executable).with_name("inspect")
slow = partial(pytest.param, marks=pytest.mark.slow)

battery = battery_of((20, 16))


def sample_of(replies, solver, battery, logs):
    """What a solver makes of a task if its model gives these replies."""
    task = registered(ARENA)(folder=str(battery), protocol="tool-calling", image_size=32)
    model = get_model("mockllm/model", custom_outputs=replies)
    (log,) = inspect_ai.eval(task, model, solver=solver, display="none", log_dir=str(logs))
    (sample,) = log.samples
    assert sample.error is None, sample.error
    return sample


SOLVERS = {
    "react": lambda: as_solver(react(tools=[act()])),
    "basic_agent": lambda: basic_agent(tools=[act()]),
    "generate": generate,
}


@pytest.mark.parametrize("name", SOLVERS)
def test_any_solver_plays_by_the_tool_and_is_scored_by_us(name, battery, tmp_path):
    replies = [called("act", script="Turn(12); Turn(-12);"), called("act", script="Go(20);")]
    replies += [said("done")] if name == "generate" else [called("submit", answer="done")]
    sample = sample_of(replies, SOLVERS[name](), battery, tmp_path / "logs")
    score = sample.scores["episode_score"]
    assert (score.value, score.metadata["outcome"], score.metadata["turns"]) == (1.0, "goal", 2)
    assert sample.metadata["episode"]["model_end"] == "episode"


def test_a_solver_that_stops_early_lets_the_clock_run_down(battery, tmp_path):
    replies = [called("act", script="Turn(6);"), said("enough")]
    sample = sample_of(replies, generate(), battery, tmp_path / "logs")
    assert sample.scores["episode_score"].value == 0.0
    assert sample.scores["episode_score"].metadata["outcome"] == "health gone"
    assert sample.metadata["episode"]["model_end"] == "solver"


def test_a_message_limit_gives_one_pass_rate_everywhere(tmp_path):
    """Two tasks are passed by the first reply; a limit ends the third, which counts as failed."""
    folder = write_battery(tmp_path / "battery", (20, 16), (20, 18), (24, 20))
    answers = list(map(said, ["Go(20);"] * 2 + ["Turn(6);"] * 4))
    task = registered(ARENA)(folder=str(folder), image_size=32, max_scripts=9)
    model = get_model("mockllm/model", custom_outputs=answers)
    options = {"message_limit": 8, "max_samples": 1, "display": "none"}
    (log,) = inspect_ai.eval(task, model, **options, log_dir=str(tmp_path / "logs"))
    own = RunLog(Path(log.location))
    metrics = {name: each.value for name, each in log.results.scores[0].metrics.items()}
    assert metrics["pass_rate"] == own.pass_rate == pytest.approx(2 / 3)
    assert (metrics["judged_rate"], metrics["most"]) == (1, 1)
    assert [row.passed for row in own.results()] == [True, True, None]
    written = write_log_report([own], tmp_path / "report")
    (row,) = pass_rates_of(written.results.assign(level=0)).to_dict("records")
    assert (row["pass_rate"], row["judged_rate"], row["most"]) == pytest.approx((2 / 3, 1, 1))
    compared = compare(read_run(log.location), shipped_groups(["children"]))
    assert [*map(str, summary_table(compared).columns[1].cells)] == ["67 % (judged 100 [67 to 100])"]
    every = checked(own.path)
    assert {each.verdict for each in every} == {Verdict.AGREES}
    assert pass_rates([own], every) == ([], [])


def test_a_call_after_the_end_is_answered(battery, tmp_path):
    replies = [called("act", script="Go(20);"), called("act", script="Go(2);"), said("done")]
    sample = sample_of(replies, generate(), battery, tmp_path / "logs")
    results = [message.text for message in sample.messages if message.role == "tool"]
    assert "The episode is over" in results[0]
    assert "nothing more to do" in results[1]


@pytest.mark.parametrize(
    "line",
    [
        "arena_llm/testbed -T levels=1-2 -T protocol=several-images -T max_scripts=2",
        slow("arena_llm/testbed -T levels=1 -T tasks=01-01-01,01-01-02 -T icl=true"),
        slow("arena_llm/perception -T each=1"),
        slow("arena_llm/testbed -T protocol=tool-calling --solver arena_llm/react"),
    ],
    ids=["testbed", "tasks", "perception", "react"],
)
def test_inspects_own_command(line, tmp_path):
    arguments = line.split()
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


@pytest.mark.parametrize(("arguments", "told"), CASES["wrong"], ids=[told for _, told in CASES["wrong"]])
def test_inspects_command_says_what_is_wrong(arguments, told, tmp_path, monkeypatch):
    """In this process, which is quicker; how Inspect prints such an error, `test_suite_example` sees."""
    monkeypatch.chdir(tmp_path)
    model = [] if "--model" in arguments else ["--model", "arena/pixels"]
    task = [] if arguments[0].startswith("arena_llm/") else ["arena_llm/testbed"]
    where = ["--display", "plain", "--log-dir", str(tmp_path)]
    done = CliRunner().invoke(inspect_command, ["eval", *task, *arguments, *model, *where])
    assert isinstance(done.exception, InspectUserError)
    assert told in str(done.exception)
    assert list_eval_logs(str(tmp_path)) == []


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("vllm/some-model", "VLLM"),
        ("ollama/some-model", "OLLAMA"),
        ("openai-api/llamacpp/some-model", "LLAMACPP"),
    ],
)
def test_local_servers_speak_as_openai(model, name, battery, tmp_path, httpserver, monkeypatch, bodies_of):
    monkeypatch.setenv(f"{name}_BASE_URL", httpserver.url_for("/v1"))
    monkeypatch.setenv(f"{name}_API_KEY", "local")
    bodies = bodies_of(lambda _: answer("Go(20);"))
    result = run(battery, tmp_path / "logs", model, image_size=32)
    assert [row.passed for row in result.rows] == [True], result.rows
    assert bodies[0]["model"] == "some-model"
    assert any(part["type"] == "image_url" for part in bodies[0]["messages"][1]["content"])


SMALL = {"image_size": 16, "initial_idle_steps": 1, "max_scripts": 2}


def score(task: str, passed: bool | None, level: int) -> SampleScore:
    row = {"passed": passed, "score": None if passed is None else float(passed)}
    value = math.nan if passed is None else float(passed)
    return SampleScore(
        score=Score(value=value, metadata=row), sample_id=task, sample_metadata={"group": level}
    )


def test_variants_and_trials_of_a_task_are_one_cluster():
    scores = [score("10-01-01", True, 10)] * 2 + [score("10-01-02", True, 10), score("10-02-01", False, 10)]
    scores += [score("02-01-01", False, 2), score("02-01-02", True, 2), score("02-01-03", None, 2)]
    assert pass_rate()(scores) == pytest.approx(4 / 6)
    # Three tasks, with sums of deviations from the mean of 1, -2/3 and -1/3.
    squares = 1 + 4 / 9 + 1 / 9
    assert stderr()(scores) == pytest.approx(math.sqrt(squares * 3 / 2) / 6)
    found = by_group()(scores)
    assert list(found) == ["pass_rate 2", "pass_rate 10", "stderr 2", "stderr 10"]
    assert found["pass_rate 10"] == pytest.approx(3 / 4)
    assert found["stderr 10"] == pytest.approx(math.sqrt(2 * ((3 / 4) ** 2 * 2)) / 4)
    assert math.isnan(found["stderr 2"])


@pytest.mark.parametrize("conversation", ["episode", "run"])
def test_a_log_has_rates_by_level_rewards_and_replies(conversation, tmp_path):
    battery = write_battery(tmp_path / "battery", (20, 16), (24, 20), (20, 16))
    (battery / "01-21-01.yaml").rename(battery / "02-01-01.yaml")
    task = registered(ARENA)(folder=str(battery), conversation=conversation, **SMALL)
    replies = [said("Go(20);"), said("Turn(6);"), said("Turn(6);"), said("Turn(6);"), said("Go(20);")]
    model = get_model("mockllm/model", custom_outputs=replies)
    (log,) = inspect_ai.eval(task, model, display="none", log_dir=str(tmp_path / "logs"), max_samples=1)
    assert log.eval.task_version == files_version(battery) != files_version()
    metrics = {each.name: {k: m.value for k, m in each.metrics.items()} for each in log.results.scores}
    assert metrics["episode_score"]["pass_rate"] == pytest.approx(2 / 3)
    assert (metrics["episode_score"]["pass_rate 1"], metrics["episode_score"]["pass_rate 2"]) == (0.5, 1)
    assert metrics["episode_score"]["stderr 1"] == pytest.approx(0.5)
    assert metrics["replies"]["mean"] == pytest.approx(5 / 3)
    rows = [
        row
        for s in log.samples
        for row in (s.metadata.get("episodes") or {"": s.metadata["episode"]}).values()
    ]
    assert metrics["total_reward"]["mean"] == pytest.approx(sum(row["total_reward"] for row in rows) / 3)
    assert metrics["total_reward"]["stderr"] > 0


def test_what_a_limit_ended_has_no_reward_and_no_verdict(tmp_path):
    battery = write_battery(tmp_path / "battery", (20, 16), (24, 20))
    task = registered(ARENA)(folder=str(battery), max_tokens_per_episode=5, **SMALL)
    model = get_model(
        "mockllm/model", custom_outputs=[said("Turn(6);", 9), said("Go(20);", 1), said("Go(9);")]
    )
    (log,) = inspect_ai.eval(task, model, display="none", log_dir=str(tmp_path / "logs"), max_samples=1)
    limited, whole = sorted(log.samples, key=lambda sample: sample.limit is None)
    assert limited.limit.type == "token"
    values = {name: score.value for name, score in limited.scores.items()}
    assert values.pop("episode_score") == 0
    assert all(math.isnan(value) for value in values.values())
    assert [each.scored_samples for each in log.results.scores] == [2, 1, 1]
    metrics = {name: each.value for name, each in log.results.scores[0].metrics.items()}
    assert [metrics[name] for name in ("pass_rate", "judged_rate", "most")] == [0, 0, 0.5]
    assert whole.scores["replies"].value == whole.scores["episode_score"].metadata["turns"]


def test_the_version_of_the_battery_follows_from_its_files(tmp_path):
    for path in find_paths((1,)):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    version = files_version(tmp_path)
    assert ARENA.task_version(tmp_path) == version != ARENA.task_version(LEVELS_FOLDER)
    assert ARENA.task_version() == files_version(LEVELS_FOLDER)
    changed = tmp_path / "01-01-01.yaml"
    changed.write_text(changed.read_text() + "\n")
    assert files_version(tmp_path) != version
