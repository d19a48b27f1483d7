"""Limits of tokens, cost and time: of an episode by Inspect's sample limits, of a run between episodes."""

import time

import anyio
import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelUsage

from arena import ConfigError, EvaluationError
from evaluation.estimate import sample_prices
from evaluation.generation.budget import Admission, LimitReached, RunBudget, RunLimits, spent_before
from evaluation.generation.prices import Price, load_prices, price_of
from evaluation.log.run import open_logs
from tests.cases import cases
from tests.llm_control.batteries import battery_of, eval_request, evaluated, run, write_battery
from tests.llm_control.provider import MODEL, answer, failure

CASES = cases(__file__)

SMALL = {"image_size": 16, "initial_idle_steps": "1", "max_scripts": 5}

battery = battery_of((20, 16), (24, 20), (16, 24))


@pytest.fixture
def asked(bodies_of):
    return bodies_of(lambda _: answer("Turn(6);", tokens=1000))


def limited(battery, logs, limits, prices=None, resume=False, model=MODEL, max_samples=None, **choices):
    request = eval_request(model, battery, choices={**SMALL, **choices})
    return evaluated(request, logs, limits=limits, prices=prices, resume=resume, max_samples=max_samples)


@pytest.mark.parametrize(
    ("limit", "value", "kind"),
    [("max_tokens_per_episode", 1500, "token"), ("max_cost_per_episode", 0.0015, "cost")],
)
def test_a_limit_of_an_episode_ends_the_models_part(limit, value, kind, battery, tmp_path, asked, prices):
    result = limited(battery, tmp_path / "logs", RunLimits(), prices, tasks="01-04-03", **{limit: value})
    assert len(asked) == 2
    assert (result.rows[0].passed, result.rows[0].total_reward) == (None, None)
    assert result.rows[0].error.startswith(f"ended by the {kind} limit")
    assert read_eval_log(str(result.log)).samples[0].limit.type == kind


def test_time_ends_the_models_part(battery, tmp_path, openai):

    def serve(request):
        time.sleep(0.8)
        return answer("Turn(6);")

    openai(serve)
    result = limited(battery, tmp_path / "logs", RunLimits(), tasks="01-04-03", time_limit_per_episode=1)
    assert (result.rows[0].passed, result.rows[0].error) == (None, "ended by the time limit (1)")
    assert read_eval_log(str(result.log)).samples[0].limit.type == "time"


@pytest.mark.parametrize("limits", [RunLimits(tokens=5000), RunLimits(cost=0.015), RunLimits(seconds=0)])
def test_a_runs_limit_begins_no_further_episode_a_higher_one_does(limits, battery, tmp_path, asked, prices):
    logs = tmp_path / "logs"
    first = limited(battery, logs, limits, prices, max_samples=1)
    played = 0 if limits.seconds is not None else 1
    assert len(asked) == 5 * played
    assert [row.error is None for row in first.rows] == [True] * played + [False] * (3 - played)
    assert all("the run's limit of" in row.error for row in first.rows if row.error)
    if played:
        again = limited(battery, logs, limits, prices, resume=True)
        assert len(asked) == 5
        assert sum(row.error is None for row in again.rows) == 1
    last = limited(battery, logs, RunLimits(tokens=10**6, cost=10.0), prices, resume=True)
    assert len(asked) == 15
    assert all(row.error is None for row in last.rows)


def test_a_report_says_that_a_limit_made_the_run_partial(battery, tmp_path, asked):
    log = open_logs([(None, limited(battery, tmp_path / "logs", RunLimits(tokens=0)).log)])[0]
    assert not log.complete
    assert log.cap == (
        "A limit of the run was reached: 3 not played. 0 tokens were spent; the limit of 0 tokens was passed "
        "by 0. "
    )
    assert open_logs([(None, run(battery, tmp_path / "b", "arena/random", **SMALL).log)])[0].cap == ""


@pytest.fixture
def many(tmp_path):
    """Forty tasks."""
    battery = write_battery(tmp_path / "many", (20, 16))
    one = (battery / "01-04-03.yaml").read_text()
    for number in range(1, 40):
        (battery / f"01-{number:02}-01.yaml").write_text(one)
    return battery


def test_a_limit_on_the_cost_begins_only_what_it_covers_and_finishes_it(many, tmp_path, asked, prices):
    logs = tmp_path / "logs"
    expected = sum(sample_prices(eval_request(MODEL, many, choices=SMALL), prices)["01-04-03"])
    # The estimate is too high, so that the limit is not used up.
    assert expected > 0.005
    result = limited(many, logs, RunLimits(cost=0.03), prices, max_samples=20)
    played = len(asked) // 5
    assert len(asked) == 5 * played
    assert [row.error is None for row in result.rows].count(True) == played
    assert 0.03 - expected < played * 0.005 <= 0.03
    assert f"not started: {40 - played} episodes, --max-cost 0.03. " in result.run.cap
    assert "the limit of $0.03 was passed by $0.0000" in result.run.cap
    assert limited(many, logs, RunLimits(cost=1.0), prices, resume=True).complete
    assert len(asked) == 200


def test_replies_dearer_than_estimated_keep_others_from_beginning(many, tmp_path, openai, httpserver):
    # A dime each, and an estimate of half a cent.
    openai(lambda _: answer("Turn(6);", tokens=40_000))
    result = limited(many, tmp_path / "logs", RunLimits(cost=1.2), max_samples=12)
    assert spent_before(result.log).cost == pytest.approx(len(httpserver.log) * 0.1, rel=0.01)
    assert len(httpserver.log) == 10
    assert sum(row.error is None for row in result.rows) == 2
    assert "not started: 38 episodes" in result.run.cap


def test_dear_late_replies_stop_the_younger_episodes(many, tmp_path, bodies_of):
    bodies_of(lambda sent: answer("Turn(6);", tokens=40_000 if len(sent[-1]["messages"]) > 4 else 1000))
    result = limited(many, tmp_path / "logs", RunLimits(cost=1.2), max_samples=12)
    assert spent_before(result.log).cost <= 1.2 + 12 * 0.1
    assert sum(row.error is None for row in result.rows) >= 1


def test_an_unknown_length_is_judged_by_finished_episodes():
    async def play():
        budget = RunBudget(RunLimits(cost=1.0))
        admission = Admission(budget)
        await admission.begin("a", "task", patient=True)
        with pytest.raises(LimitReached, match=r"\$1 covers no further episode: \$1.0000 are left"):
            await admission.begin("b", "task", patient=False)
        admission.paid(ModelUsage(total_tokens=1, total_cost=0.4))
        admission.end("a", finished=True)
        await admission.begin("b", "task", patient=True)
        with pytest.raises(LimitReached, match=r"\$0.2000 are left, and about \$0.4000"):
            await admission.begin("c", "task", patient=False)
        admission.paid(ModelUsage(total_tokens=1, total_cost=0.5))
        admission.end("b", finished=False)
        # What was broken off says nothing of what a whole episode costs.
        with pytest.raises(LimitReached, match=r"\$0.1000 are left, and about \$0.4000"):
            await admission.begin("c", "task", patient=False)
        return budget.cost

    assert anyio.run(play) == 0.9


def test_twenty_episodes_at_a_time_pass_a_limit_by_one_reply_each_at_most(many, tmp_path, asked):
    result = limited(many, tmp_path / "logs", RunLimits(tokens=30_000), max_samples=20)
    assert 30 <= len(asked) <= 30 + 20
    spent = spent_before(result.log)
    assert spent.tokens == len(asked) * 1000
    assert f"passed by {spent.tokens - 30_000:,}" in result.run.cap
    assert not result.complete
    assert [row.error for row in result.rows if row.error and "stopped: " in row.error]
    assert len(read_eval_log(str(result.log)).samples[0].error_retries or ()) <= 1


def test_what_restarted_trials_spent_counts_in_a_resumed_run(battery, tmp_path, openai):
    turn = answer("Turn(6);", tokens=1000)
    replies = iter([turn, failure(400), turn, failure(500)])
    openai(lambda _: next(replies, failure(500)))
    options = {"tasks": "01-04-03", "retries": 0}
    result = limited(battery, tmp_path / "logs", RunLimits(), **options)
    assert spent_before(result.log).tokens == 1000
    result = limited(battery, tmp_path / "logs", RunLimits(), resume=True, **options)
    assert spent_before(result.log).tokens == 2000


def test_a_budget_counts_tokens_cost_and_time():
    budget = RunBudget(RunLimits(tokens=10, cost=1.0, seconds=1000))
    budget.spend(ModelUsage(total_tokens=9, total_cost=0.9))
    budget.spend(None)
    budget.check()
    budget.spend(ModelUsage(total_tokens=0, total_cost=0.2))
    with pytest.raises(LimitReached, match=r"\$1 is reached"):
        budget.check()


@pytest.mark.parametrize(
    ("limits", "choices"), [(RunLimits(cost=1.0), {}), (RunLimits(), {"max_cost_per_episode": 1})]
)
def test_a_limit_on_the_cost_needs_a_price(limits, choices, battery, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    with pytest.raises(EvaluationError, match=r"openai/nosuch.*price is not known.*--prices"):
        limited(battery, tmp_path / "logs", limits, model="openai/nosuch", **choices)
    assert not (tmp_path / "logs").exists()


def test_a_price_holds_for_exactly_its_names(prices):
    table = load_prices(prices)
    assert price_of(MODEL, table) == Price(input=1, output=1)
    assert price_of("openai/gpt-4o-2024-08-06", table) == load_prices()["openai/gpt-4o-2024-08-06"]
    assert price_of("openai/gpt-4o-mini", table) == load_prices()["openai/gpt-4o-mini"]
    assert price_of("openai/gpt-4o-2024-05-13", table).input == 5
    assert price_of("openai/gpt-4o-audio", table) is None
    assert price_of("openai/gpt-4o-2031-01-01", table) is None
    assert Price(input=2, output=8).of(1_000_000, 500_000) == 6


@pytest.mark.parametrize(("text", "told"), CASES["broken_prices"])
def test_a_broken_price_table_says_where(text, told, tmp_path):
    path = tmp_path / "prices.yaml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ConfigError, match=told):
        load_prices(path)
