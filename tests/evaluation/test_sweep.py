"""A sweep over the values of one choice: runs with names of their own, one report, limits for all of them."""

import re

import pytest
from typer.testing import CliRunner

from arena import ConfigError, EvaluationError
from arena_llm.cli import app
from arena_llm.sweep import _left, play_sweep, sweep_of
from evaluation.generation.budget import RunBudget, RunLimits
from evaluation.log.files import find_logs
from evaluation.log.run import open_logs
from report.files import read_cards
from tests.cases import cases
from tests.llm_control.batteries import battery_of, eval_request
from tests.llm_control.provider import MODEL, answer

CASES = cases(__file__)

FAST = ("--image-size", "16", "--initial-idle-steps", "1")

battery = battery_of((20, 16), (24, 20))


@pytest.fixture
def asked(bodies_of, prices):
    """Requests of a local server, at a tenth of a cent each; with more tokens the model drives on."""
    return bodies_of(
        lambda sent: answer("Go(20);" if sent[-1]["max_tokens"] > 100 else "Turn(6);", tokens=1000)
    )


def swept(battery, *options, sweep="max_tokens=100,200"):
    folder = battery.parent
    command = ["eval", "--model", MODEL, "--testbed", str(battery), "--log-dir", str(folder / "logs"), *FAST]
    command += ["--max-scripts", "2", "--out", str(folder / "report"), "--sweep", sweep, *options]
    done = CliRunner().invoke(app, [*command, "--prices", str(folder / "prices.yaml")])
    return done, done.output + str(done.exception or "")


@pytest.mark.e2e
def test_each_value_is_a_run_of_its_own_and_one_report_has_all(battery, tmp_path, asked):
    done, said = swept(battery)
    assert done.exit_code == 0, said
    assert sorted(body["max_tokens"] for body in asked) == [100] * 4 + [200] * 3
    names = [f"{MODEL} max_tokens={value}" for value in (100, 200)]
    logs = open_logs([(None, path) for path in find_logs([tmp_path / "logs"])])
    assert {log.agent: log.choices.max_tokens for log in logs} == dict(zip(names, (100, 200), strict=True))
    first, second = read_cards(tmp_path / "report")
    assert [first.agent, second.agent] == names
    assert (first.passed, second.passed) == (0, 1)
    assert second.cost_per_pass_usd == pytest.approx(0.003)
    assert re.search(r"max_tokens=200 +│ +1/2 .* 0\.0030 │ +0\.0030", said)
    page = (tmp_path / "report" / "index.html").read_text()
    assert all(name in page for name in names)


@pytest.mark.e2e
def test_limits_hold_for_all_runs_and_the_same_command_continues(battery, asked):
    done, said = swept(battery, "--max-tokens-run", "5500", "--max-samples", "1")
    assert done.exit_code != 0
    # Four requests of the first run, and what is left allows two more.
    assert [body["max_tokens"] for body in asked] == [100] * 4 + [200] * 2
    assert f"{MODEL} max_tokens=200: A limit of the run was reached" in said
    assert "max_tokens=100: A limit" not in said
    # The second run has 4,000 of these, its own 2,000 included.
    done, said = swept(battery, "--max-tokens-run", "8000", "--resume")
    assert done.exit_code == 0, said
    assert [body["max_tokens"] for body in asked[6:]] == [200] * (len(asked) - 6)
    begun = len(asked)
    done, said = swept(battery, "--resume")
    assert (done.exit_code, len(asked)) == (0, begun)


def test_a_run_begins_with_what_the_others_left():
    spent = [RunBudget(tokens=30, cost=0.2), RunBudget(tokens=50, cost=0.9)]
    assert _left(RunLimits(100, 1.0, 60), spent, 45.0) == RunLimits(20, 0.0, 15.0)
    assert _left(RunLimits(), spent, 45.0) == RunLimits()


@pytest.mark.parametrize(("text", "told"), CASES["wrong"])
def test_what_is_wrong_is_said_before_anything_is_asked(text, told, battery, asked):
    done, said = swept(battery, sweep=text)
    assert done.exit_code != 0
    assert told in said
    assert asked == []
    assert not (battery.parent / "logs").exists()


def test_every_run_is_checked_before_the_first_is_played(battery, tmp_path):
    sweep = sweep_of("agent=direct,react", eval_request("arena/random", battery))
    with pytest.raises(EvaluationError, match="not a language model"):
        next(play_sweep(sweep, tmp_path / "logs", RunLimits()))
    assert not (tmp_path / "logs").exists()


def test_values_may_have_commas(battery):
    request = eval_request("arena/random", battery)
    sweep = sweep_of("tasks=01-04-03,01-06-02;01-06-02", request)
    assert [len(each.tasks) for each in sweep.requests.values()] == [2, 1]
    with pytest.raises(ConfigError, match="no task"):
        sweep_of("tasks=01-04-03;01-06-09", request)
